//! Tests of openings: engines place stones, offer moves and choose colours.

use super::*;

#[test]
fn a_swap2_opening_is_played_by_person_and_engine() {
    let mut table = table(1);
    table.begin(json!({ "opening": "swap2" }));
    assert_eq!(table.command(json!({ "do": "undo" })), Err(message("opening")));
    ["h8", "h9", "h10"].into_iter().for_each(|point| table.play(point).unwrap());
    let (number, task) = table.task(WHITE);
    assert!(matches!(task.kind, TaskKind::Swap2(..)));
    table.answer(WHITE, number, "a1a2");
    assert_eq!(table.state()["opening"]["stage"], "choose_of_five");
    // The stones that an engine places at once took its time together.
    let moves = &table.state()["moves"];
    assert_eq!((&moves[3]["time"], &moves[4]["time"]), (&json!(5), &json!(0)));
    let seen = table.state()["id"].clone();
    table.command(json!({ "do": "choose", "choice": "white", "seen": seen })).unwrap();
    let state = table.state();
    assert_eq!((&state["opening"], &state["to_move"]), (&Json::Null, &json!("white")));
    // The person, who began, has white now, and moves.
    assert_eq!((&state["players"][1]["person"], &state["may_play"]), (&json!("you"), &json!(true)));
    // Settings name who placed stones and who chose; positions go on with colours.
    let seats = |state: &Json| {
        [&state["settings"]["black"], &state["settings"]["white"]].map(|seat| seat.clone())
    };
    assert_eq!(seats(&state), ["person", "engine1"]);
    let change = json!({ "do": "change", "settings": state["settings"] });
    assert_eq!(table.command(change), Ok(()));
    assert_eq!(table.state()["players"], state["players"]);
    // Its stones stay, whatever is looked at.
    table.play("k8").unwrap();
    let (number, _) = table.task(WHITE);
    table.answer(WHITE, number, "k9");
    table.command(json!({ "do": "show", "ply": 1 })).unwrap();
    assert_eq!(table.play("a3"), Err(message("not_your_move")));
    let set_up = json!({ "do": "set_up", "width": 15, "height": 15, "rule": "freestyle",
        "black": [[7, 7]], "white": [], "white_moves": true });
    table.command(set_up).unwrap();
    assert_eq!(seats(&table.state()), ["engine1", "person"]);
    // What an engine cannot open is opened for it.
    table.begin(json!({ "opening": "swap2", "black": "engine1", "white": "person" }));
    let (number, _) = table.task(Role::Player(0));
    table.engine_event(
        Role::Player(0),
        number,
        EngineEvent::Fault { fault: Fault::Died("ended".into()), gives_up: true },
    );
    assert_eq!(
        (table.moves().as_str(), table.state()["running"].as_bool()),
        ("a1b1c1", Some(true))
    );
}

/// Answers an engine's task with these moves and win rates.
fn answer_with(table: &mut Table, moves: &[(&str, f64)]) -> (Role, Task) {
    let (role, number, task) = table.any_task();
    let line = |&(point, win_rate): &(&str, f64)| Line {
        moves: points(point),
        value: Some(Value::Estimate { win_rate, score: None }),
        ..Line::default()
    };
    let thinking = Thinking { lines: moves.iter().map(line).collect(), ..Thinking::default() };
    table.engine_event(role, number, EngineEvent::Thinking(thinking));
    table.answer(role, number, moves[0].0);
    (role, task)
}

fn choose(table: &mut Table, choice: Json) -> Result<(), Message> {
    let seen = table.state()["id"].clone();
    table.command(json!({ "do": "choose", "choice": choice, "seen": seen }))
}

fn renju(opening: &str, black: &str, white: &str) -> Table {
    let mut table = table(1);
    let game = json!({ "rule": "renju", "opening": opening, "black": black, "white": white });
    table.begin(game);
    table
}

#[test]
fn a_turn_of_several_steps_has_one_increment() {
    let mut table = table(1);
    let players = json!({ "black": "engine1", "white": "person" });
    table.begin(players);
    table.begin(json!({
        "rule": "renju", "opening": "soosorv8", "game": 60_000, "increment": 2_000
    }));
    let mut left = Vec::new();
    for stone in ["h8", "i9", "j10"] {
        answer_with(&mut table, &[(stone, 0.5)]);
        left.push(table.session.clock.left(0, table.now).unwrap().as_millis());
    }
    // Each step takes 5 ms.
    assert_eq!(left, [59_995, 59_990, 61_985]);
    // The fourth stone and the offer of fifth moves are turns of one person, who changes colour.
    choose(&mut table, json!("white")).unwrap();
    table.play("k11").unwrap();
    choose(&mut table, json!({ "fifths": 1 })).unwrap();
    answer_with(&mut table, &[("g8", 0.3)]);
    table.play("g8").unwrap();
    assert_eq!(table.state()["opening"]["stage"], "take");
    assert_eq!(table.session.clock.left(1, table.now), Some(Duration::from_secs(64)));
}

#[test]
fn an_engine_places_and_offers_in_soosorv_8() {
    let mut table = renju("soosorv8", "engine1", "person");
    table.now += Duration::from_micros(1);
    for (free, stones) in
        [(1, vec![("h8", 0.5)]), (8, vec![("a1", 0.5), ("i9", 0.6), ("h9", 0.55)])]
    {
        let (role, task) = answer_with(&mut table, &stones);
        let TaskKind::Analyse { excluded, time, .. } = task.kind else { panic!("{task:?}") };
        let empty = 225 - task.position.stones.len();
        assert_eq!((role, empty - excluded.len()), (Role::Player(0), free));
        assert_eq!(time, Some(Duration::from_millis(if free == 1 { 50 } else { 2_000 })));
    }
    // The moment decides between two openings.
    assert_eq!(table.moves(), "h8i9");
    answer_with(&mut table, &[("j10", 0.8)]);
    assert_eq!((table.moves().as_str(), &table.state()["may_play"]), ("h8i9j10", &json!(false)));
    assert_eq!(table.state()["opening"]["choices"], json!(["black", "white"]));
    assert_eq!(choose(&mut table, json!("put_two")), Err(message("no_choice")));
    choose(&mut table, json!("white")).unwrap();
    table.play("k11").unwrap();
    assert_eq!(choose(&mut table, json!({ "fifths": 9 })), Err(message("no_choice")));
    choose(&mut table, json!({ "fifths": 3 })).unwrap();
    // h7 mirrors g8, so that c3 is the engine's third best move. Even c3 wins more than half: the
    // engine keeps black.
    let lines = [("g8", 0.9), ("h7", 0.9), ("b2", 0.6), ("c3", 0.55), ("d4", 0.1)];
    answer_with(&mut table, &lines);
    assert_eq!(table.state()["opening"]["stage"], "offer");
    answer_with(&mut table, &lines);
    let opening = table.state()["opening"].clone();
    assert_eq!(
        (&opening["stage"], &opening["offered"]),
        (&json!("take"), &json!(["g8", "b2", "c3"]))
    );
    assert_eq!(table.play("d4"), Err(message("not_here")));
    table.play("c3").unwrap();
    let state = table.state();
    assert_eq!((&state["opening"], &state["to_move"]), (&Json::Null, &json!("white")));
    assert_eq!(state["players"][1]["engine"], Json::Null);
}

#[test]
fn an_engine_says_a_number_and_takes_the_worst_in_soosorv_8() {
    let mut table = renju("soosorv8", "person", "engine1");
    assert_eq!(table.play("a1"), Err(message("not_here")));
    ["h8", "i9", "j10"].into_iter().for_each(|point| table.play(point).unwrap());
    assert_eq!(table.play("h9"), Err(message("not_your_move")));
    // White stands better, so the player with white does not swap. It then plays a level move.
    answer_with(&mut table, &[("h9", 0.55)]);
    answer_with(&mut table, &[("h9", 0.9), ("k11", 0.52), ("g9", 0.4)]);
    assert_eq!(
        (table.moves().as_str(), &table.state()["opening"]["stage"]),
        ("h8i9j10k11", &json!("number"))
    );
    answer_with(&mut table, &[("g8", 0.9), ("b2", 0.51), ("c3", 0.2)]);
    assert_eq!(table.state()["opening"]["fifths"], 2);
    choose(&mut table, json!("black")).unwrap();
    table.play("g8").unwrap();
    assert_eq!(table.play("h7"), Err(message("symmetric").with("at", "h7")));
    // Offered moves stay when the program is restarted.
    let mut next = self::table(1);
    assert!(next.session.restore(&table.session.kept(table.now), next.now));
    let (before, state) = (table.state()["opening"].clone(), next.state());
    assert_eq!(
        (&state["opening"], &state["shown"], &state["running"]),
        (&before, &json!(4), &json!(false))
    );
    let mut table = next;
    table.command(json!({ "do": "run", "on": true, "seen": 0 })).unwrap();
    table.play("b2").unwrap();
    let (_, task) = answer_with(&mut table, &[("b2", 0.6), ("g8", 0.4)]);
    let TaskKind::Analyse { excluded, .. } = task.kind else { panic!("{task:?}") };
    assert_eq!(excluded.len(), 221 - 2);
    assert_eq!((table.moves().as_str(), &table.state()["opening"]), ("h8i9j10k11g8", &Json::Null));
    // It has white, and moves.
    assert!(matches!(table.task(WHITE).1.kind, TaskKind::Move(..)));
}

#[test]
fn two_engines_open_by_taraguchi_10() {
    let mut table = renju("taraguchi10", "engine1", "engine1");
    let mut roles = Vec::new();
    let mut act =
        |table: &mut Table, moves: &[(&str, f64)]| roles.push(answer_with(table, moves).0);
    act(&mut table, &[("h8", 0.5)]);
    // The second takes black, the first places white, and so on.
    act(&mut table, &[("h9", 0.3)]);
    act(&mut table, &[("h9", 0.5)]);
    act(&mut table, &[("h9", 0.7)]);
    act(&mut table, &[("j9", 0.5)]);
    act(&mut table, &[("f5", 0.6)]);
    act(&mut table, &[("f5", 0.4), ("g6", 0.52)]);
    assert_eq!(table.moves(), "h8h9j9g6");
    let many: Vec<(String, f64)> =
        (0..12).map(|i| (format!("{}1", (b'a' + i) as char), 0.6)).collect();
    let many: Vec<(&str, f64)> = many.iter().map(|(point, rate)| (point.as_str(), *rate)).collect();
    act(&mut table, &many);
    assert_eq!(table.state()["opening"]["stage"], "offer");
    act(&mut table, &many);
    assert_eq!(table.state()["opening"]["offered"].as_array().unwrap().len(), 10);
    act(&mut table, &[("a1", 0.7), ("b1", 0.6), ("c1", 0.6)]);
    let [first, second] = [Role::Player(0), WHITE];
    assert_eq!(roles, [first, second, first, second, second, first, first, second, second, first]);
    let state = table.state();
    assert_eq!((&state["opening"], state["moves"].as_array().unwrap().len()), (&Json::Null, 5));
    // A move that the analysis left out loses.
    assert_eq!(state["moves"][4]["at"], "j1");
}

#[test]
fn an_engine_that_fails_or_does_not_analyse_opens_all_the_same() {
    let mut table = renju("soosorv8", "engine1", "person");
    for _ in 0..3 {
        let (role, number, _) = table.any_task();
        // A move is all that it says, allowed or not.
        table.answer(role, number, if table.moves().is_empty() { "h8" } else { "a1" });
    }
    assert_eq!(table.state()["opening"]["stage"], "swap");
    let mut table = renju("taraguchi10", "person", "engine1");
    table.play("h8").unwrap();
    for what in ["swap", "place"] {
        assert_eq!(table.state()["opening"]["stage"], what);
        let (role, number, _) = table.any_task();
        let fault = EngineEvent::Fault { fault: Fault::Deaf, gives_up: true };
        table.engine_event(role, number, fault);
        let notes = table.effects();
        let played = |effect: &&Effect| matches!(effect, Effect::Note(note) if json!(note)["word"] == "opening_played");
        assert_eq!(notes.iter().filter(played).count(), 1);
        table.session.effects = notes;
    }
    let state = table.state();
    assert_eq!((&state["opening"]["stage"], &state["running"]), (&json!("swap"), &json!(true)));
    assert_eq!(state["moves"].as_array().unwrap().len(), 2);
}
