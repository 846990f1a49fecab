//! Tests of a session: commands, events of engines and time in, state and effects out.

mod openings;

use std::mem::take;

use tengen_gomoku::board::notation::parse_points;
use tengen_gomoku::record::Format;
use tengen_gomoku::types::Color;

use super::*;
use crate::review::Value;
use serde_json::{Value as Json, json, to_value};

/// A session, and the time that its events come at.
struct Table {
    session: Session,
    now: Moment,
}

fn table(engines: usize) -> Table {
    let programs = (1..=engines).map(|i| (String::new(), format!("engine {i}"))).collect();
    let openings = |size: BoardSize, _| [0, 1, 2].map(|x| size.coord(x, 0).unwrap());
    let now = Duration::from_secs(1_000);
    let session = Session::new(programs, Rows::Top, false, Box::new(openings), now);
    let mut table = Table { session, now };
    table.session.page_opened(now);
    table.session.effects.clear();
    table
}

fn sgf(table: &Table) -> String {
    String::from_utf8(table.session.file(Format::Sgf).unwrap()).unwrap()
}

fn points(text: &str) -> Vec<Coord> {
    parse_points(text, BoardSize::new(15, 15).unwrap()).unwrap()
}

fn is_give(effect: &Effect) -> bool {
    matches!(effect, Effect::Tell(_, Order::Do(..)))
}

impl Table {
    fn command(&mut self, command: Json) -> Result<(), Message> {
        self.session.command(command.to_string().as_bytes(), self.now)
    }

    fn state(&self) -> Json {
        to_value(self.session.state()).unwrap()
    }

    /// Begins a game in which a move has a minute; the changes are to its settings.
    fn begin(&mut self, changes: Json) {
        let mut settings = self.state()["settings"].clone();
        settings.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        self.command(json!({ "do": "new", "settings": settings })).unwrap();
    }

    fn play(&mut self, point: &str) -> Result<(), Message> {
        let (c, seen) = (points(point)[0], self.state()["id"].clone());
        self.command(json!({ "do": "play", "x": c.x(), "y": c.y(), "seen": seen }))
    }

    fn effects(&mut self) -> Vec<Effect> {
        take(&mut self.session.effects)
    }

    /// Returns the last task that was given.
    fn any_task(&mut self) -> (Role, u64, Task) {
        let given = self.effects().into_iter().rfind(is_give);
        let Some(Effect::Tell(role, Order::Do(number, task))) = given else { panic!("no task") };
        (role, number, task)
    }

    /// Returns the last task that was given, which must be one for this role.
    fn task(&mut self, wanted: Role) -> (u64, Task) {
        let (role, number, task) = self.any_task();
        assert_eq!(role, wanted);
        (number, task)
    }

    fn engine_event(&mut self, role: Role, number: u64, event: EngineEvent) {
        self.session.engine_event(role, number, event, self.now);
    }

    fn answer(&mut self, role: Role, number: u64, moves: &str) {
        let answer = EngineEvent::Answer(points(moves), Duration::from_millis(5));
        self.engine_event(role, number, answer);
    }

    fn moves(&self) -> String {
        self.session.game.record_shown().to_pos().unwrap()
    }

    fn pass_time(&mut self, milliseconds: u64) {
        self.now += Duration::from_millis(milliseconds);
        self.session.time_passed(self.now);
    }
}

const WHITE: Role = Role::Player(1);

#[test]
fn a_person_plays_against_an_engine() {
    let mut table = table(1);
    table.play("h8").unwrap();
    let (number, task) = table.task(WHITE);
    assert!(matches!(task.kind, TaskKind::Move(..)));
    assert_eq!((task.position.stones.len(), task.position.to_move), (1, Color::White));
    assert_eq!(table.play("a1"), Err(message("not_your_move")));
    // The answer to another task is none.
    table.answer(WHITE, number - 1, "a1");
    assert_eq!(table.moves(), "h8");
    table.answer(WHITE, number, "i9");
    assert_eq!((table.moves().as_str(), table.state()["may_play"].as_bool()), ("h8i9", Some(true)));
    assert_eq!(table.play("i9"), Err(message("taken").with("at", "i9")));
    assert!(!table.effects().iter().any(is_give));
}

#[test]
fn moves_become_variations_where_no_game_is_played() {
    let mut table = table(1);
    table.command(json!({ "do": "load", "text": "h8 i9 h10" })).unwrap();
    table.command(json!({ "do": "show", "ply": 1 })).unwrap();
    table.play("a1").unwrap();
    assert_eq!(
        (table.moves().as_str(), &table.state()["branches"]["1"][0]["at"]),
        ("h8a1", &json!("i9"))
    );
    let node = table.state()["branches"]["1"][0]["node"].clone();
    let note = |tree| json!({ "do": "comment", "tree": tree, "node": node, "text": "better" });
    assert_eq!(table.command(note(0)), Err(message("no_variation")), "the game before");
    table.command(note(1)).unwrap();
    let mark = json!({ "do": "mark", "tree": 1, "node": node, "x": 0, "y": 0, "mark": "cross" });
    table.command(mark).unwrap();
    table.command(json!({ "do": "go_to", "node": node })).unwrap();
    let state = table.state();
    let expected = json!({ "comment": "better", "labels": [], "marks": [["a1", "cross"]] });
    assert_eq!(
        (&state["notes"], &state["shown"], table.moves().as_str()),
        (&expected, &json!(2), "h8i9")
    );
    assert_eq!(state["moves"].as_array().unwrap().len(), 3);
    table
        .command(json!({ "do": "add_line", "ply": 0, "moves": [[1, 1], [2, 2], [2, 2]] }))
        .unwrap();
    assert_eq!(
        (table.moves().as_str(), &table.state()["branches"]["0"][0]["at"]),
        ("h8i9", &json!("b2"))
    );
    let kept = sgf(&table);
    assert!(
        ["B[bb];W[cc])", "C[better]", "MA[aa]"].iter().all(|part| kept.contains(part)),
        "{kept}"
    );
    table.command(json!({ "do": "remove" })).unwrap();
    let gone = table.command(json!({ "do": "go_to", "node": node }));
    assert_eq!(gone, Err(message("no_variation")));
    // In a game against an engine another move takes the place of one taken back.
    table.command(json!({ "do": "load", "text": "h8\ni9" })).unwrap();
    assert_eq!(table.state()["games"].as_array().unwrap().len(), 2);
    table.begin(json!({}));
    assert_eq!(table.state()["games"], json!([]));
    table.play("h8").unwrap();
    let (number, _) = table.task(WHITE);
    table.answer(WHITE, number, "i9");
    table.command(json!({ "do": "undo" })).unwrap();
    table.play("h9").unwrap();
    assert_eq!((table.moves().as_str(), &table.state()["branches"]), ("h9", &json!({})));
    let (number, _) = table.task(WHITE);
    // The engine plays on from an earlier position, and the moves after it stay.
    table.answer(WHITE, number, "i9");
    table.play("a1").unwrap();
    table.command(json!({ "do": "run", "on": false, "seen": 0 })).unwrap();
    table.command(json!({ "do": "show", "ply": 1 })).unwrap();
    let seen = table.state()["id"].clone();
    table.command(json!({ "do": "run", "on": true, "seen": seen })).unwrap();
    let (number, _) = table.task(WHITE);
    table.answer(WHITE, number, "i9");
    assert_eq!(
        (table.moves().as_str(), &table.state()["branches"]["2"][0]["at"]),
        ("h9i9", &json!("a1"))
    );
}

#[test]
fn engines_get_the_threads_and_the_memory_that_there_are() {
    let mut table = table(1);
    table.session.most = EngineResources { threads: 4, memory: 2_000 };
    table.begin(json!({ "threads": 3, "memory": 1_000 }));
    table.play("h8").unwrap();
    assert_eq!(table.task(WHITE).1.resources, EngineResources { threads: 3, memory: 1_000 });
    table.begin(json!({ "threads": 64, "memory": 8_000 }));
    table.play("h8").unwrap();
    assert_eq!(table.task(WHITE).1.resources, EngineResources { threads: 4, memory: 2_000 });
    assert_eq!(table.state()["most"], json!({ "threads": 4, "memory": 2_000 }));
    let none = json!({ "threads": 0 });
    let mut settings = table.state()["settings"].clone();
    settings.as_object_mut().unwrap().extend(none.as_object().unwrap().clone());
    assert!(table.command(json!({ "do": "new", "settings": settings })).is_err());
}

#[test]
fn engines_are_chosen_and_kept() {
    let name_of: NameOf = |command| match command {
        "none" => Err("there is no file none".into()),
        command => Ok(format!("the {command}")),
    };
    let mut table = table(1);
    let choose = |commands: &[&str]| json!({ "do": "engines", "commands": commands });
    assert_eq!(table.command(choose(&["x"])), Err(message("no_engines")));
    table.session.name_of = Some(name_of);
    table.play("h8").unwrap();
    let (number, _) = table.task(WHITE);
    let refused = table.command(choose(&["x", "none"]));
    assert_eq!(refused, Err("none: there is no file none.".to_owned().into()));
    assert!(table.command(choose(&[])).is_err());
    table.effects();
    table.command(choose(&["x", "y"])).unwrap();
    let commands = vec!["x".to_owned(), "y".to_owned()];
    let effects = table.effects();
    let chosen = [Effect::Dismiss(WHITE), Effect::Engines(commands), Effect::Start(WHITE, 0)];
    assert_eq!(effects[..3], chosen);
    assert_eq!(table.state()["engines"][1]["name"], "the y");
    // What the engine that left still has to say is not the new one's.
    let said = |text: &str| EngineEvent::Said(text.into());
    for late in [
        EngineEvent::Name("old".into(), true),
        said("old"),
        EngineEvent::Answer(points("a1"), Duration::ZERO),
    ] {
        table.engine_event(WHITE, number, late);
    }
    assert_eq!(
        (table.state()["engines"][0]["name"].as_str(), table.effects()),
        (Some("the x"), vec![])
    );
    let mut next = self::table(1);
    next.session.name_of = Some(name_of);
    next.session.restore(&table.session.kept(table.now), next.now);
    assert_eq!(next.state()["engines"], table.state()["engines"]);
    table.engine_event(WHITE, table.session.last_task, EngineEvent::Name("new".into(), true));
    assert_eq!(
        (table.state()["engines"][0]["name"].as_str(), table.moves()),
        (Some("new"), "h8".into())
    );
}

#[test]
fn commands_that_are_none_or_come_late_change_nothing() {
    let mut table = table(1);
    let malformed = table.session.command(b"{}", table.now);
    assert!(malformed.is_err());
    let late = json!({ "do": "play", "x": 0, "y": 0, "seen": 0 });
    assert_eq!(table.command(late), Err(message("stale")));
    for (command, why) in [("undo", "nothing_to_undo"), ("redo", "nothing_to_redo")] {
        assert_eq!(table.command(json!({ "do": command })), Err(message(why)));
    }
    table.begin(json!({ "black": "engine1", "white": "engine1" }));
    assert_eq!(table.command(json!({ "do": "resign" })), Err(message("no_person")));
    assert_eq!(table.moves(), "");
}

#[test]
fn a_move_is_taken_back_while_the_engine_thinks() {
    let mut table = table(1);
    table.play("h8").unwrap();
    let (number, _) = table.task(WHITE);
    table.command(json!({ "do": "undo" })).unwrap();
    assert_eq!(table.effects(), [Effect::Tell(WHITE, Order::Cancel)]);
    table.answer(WHITE, number, "i9");
    assert_eq!(table.moves(), "");
    table.command(json!({ "do": "redo" })).unwrap();
    assert_eq!(table.task(WHITE).0, number + 1);
}

#[test]
fn a_resigned_game_goes_on_from_an_earlier_position() {
    let mut table = table(1);
    table.play("h8").unwrap();
    table.command(json!({ "do": "resign" })).unwrap();
    let over = &table.state()["over"];
    assert_eq!((&over["over"], &over["by"]), (&json!("white"), &json!("resigned")));
    assert!(sgf(&table).contains("RE[W+R]"));
    table.command(json!({ "do": "undo" })).unwrap();
    let late = Err(message("not_last"));
    assert_eq!(table.command(json!({ "do": "resign" })), late);
    table.play("a1").unwrap();
    assert_eq!((table.moves().as_str(), &table.state()["over"]), ("a1", &Json::Null));
}

#[test]
fn an_engine_of_its_own_has_a_style() {
    for (command, style) in [("", 90), ("other", NEUTRAL)] {
        let mut table = table(1);
        table.session.programs[0].command = command.to_owned();
        table.begin(json!({ "style": [90, 90], "level": [30, 30] }));
        table.play("h8").unwrap();
        let (_, task) = table.task(WHITE);
        let TaskKind::Move(_, manner) = task.kind else { panic!("no move") };
        assert_eq!(manner, Manner { level: 30, style }, "{command}");
    }
    // Settings that were kept before there were styles are neutral.
    let mut old = table(1).state()["settings"].clone();
    old.as_object_mut().unwrap().remove("style");
    let mut table = table(1);
    table.command(json!({ "do": "new", "settings": old })).unwrap();
    assert_eq!(table.state()["settings"]["style"], json!([NEUTRAL, NEUTRAL]));
}

#[test]
fn each_of_two_engines_has_its_level_and_style() {
    let mut table = table(2);
    let engines =
        json!({ "black": "engine1", "white": "engine2", "level": [30, 70], "style": [20, 80] });
    table.begin(engines);
    let manner = |table: &mut Table, player| {
        let (number, task) = table.task(Role::Player(player));
        let TaskKind::Move(_, manner) = task.kind else { panic!("no move") };
        (number, manner)
    };
    let (number, first) = manner(&mut table, 0);
    table.answer(Role::Player(0), number, "h8");
    let (_, second) = manner(&mut table, 1);
    let expected = [Manner { level: 30, style: 20 }, Manner { level: 70, style: 80 }];
    assert_eq!([first, second], expected);
    let levels = |table: &Table| [0, 1].map(|i| table.state()["players"][i]["level"].clone());
    assert_eq!(levels(&table), [json!(30), json!(70)]);
    // They are kept for the next start, and each player keeps its own in the next game of a match.
    let mut next = self::table(2);
    next.session.restore(&table.session.kept(table.now), next.now);
    assert_eq!(next.state()["settings"], table.state()["settings"]);
    table.begin(json!({ "games": 2 }));
    let seen = table.state()["settings"].clone();
    table.session.game.black = 1;
    assert_eq!(levels(&table), [json!(70), json!(30)]);
    let turned = table.state()["settings"].clone();
    assert_eq!((&turned["level"], &turned["black"]), (&json!([70, 30]), &seen["white"]));
    for wrong in [json!([30, 101]), json!([30]), json!(30), json!("x")] {
        let mut settings = seen.clone();
        settings["level"] = wrong;
        assert!(table.command(json!({ "do": "new", "settings": settings })).is_err());
    }
}

#[test]
fn an_engine_that_fails_pauses_the_game() {
    let mut table = table(1);
    table.play("h8").unwrap();
    let (number, _) = table.task(WHITE);
    let fault = |gives_up| EngineEvent::Fault { fault: Fault::Died("ended".into()), gives_up };
    table.engine_event(WHITE, number, fault(false));
    assert_eq!(table.state()["running"], true);
    table.engine_event(WHITE, number, fault(true));
    assert_eq!(table.state()["running"], false);
    let notes = table.effects().into_iter().filter(|effect| matches!(effect, Effect::Note(_)));
    let notes: Vec<Json> = notes
        .map(|effect| match effect {
            Effect::Note(note) => json!(note),
            _ => Json::Null,
        })
        .collect();
    let told = [
        json!({ "from": "engine 1", "word": "fault_again", "kind": "died", "detail": "ended", "is_fault": true }),
        json!({ "from": "engine 1", "word": "fault_over", "kind": "died", "detail": "ended", "is_fault": true }),
        json!({ "from": null, "word": "paused", "is_fault": true }),
    ];
    assert_eq!(notes, told);
    // To continue is to try again.
    let seen = table.state()["id"].clone();
    table.command(json!({ "do": "run", "on": true, "seen": seen })).unwrap();
    assert_eq!(table.task(WHITE).0, number + 1);
}

#[test]
fn clocks_run_for_whoever_is_to_move() {
    let mut table = table(1);
    table.begin(json!({ "game": 10_000 }));
    table.pass_time(3_000);
    table.play("h8").unwrap();
    let (number, _) = table.task(WHITE);
    // The engine's clock runs once it has been asked, and a fault of an earlier task is late.
    table.pass_time(5_000);
    table.engine_event(WHITE, number, EngineEvent::Asked);
    table.engine_event(
        WHITE,
        number - 1,
        EngineEvent::Fault { fault: Fault::Flood, gives_up: false },
    );
    table.pass_time(10_500);
    let state = table.state();
    assert_eq!((&state["players"][0]["left"], &state["over"]), (&json!(7_000), &Json::Null));
    table.pass_time(500);
    assert_eq!(table.state()["over"]["text"], "Black wins on time");
    assert_eq!(table.effects().pop(), Some(Effect::Tell(WHITE, Order::Cancel)));
}

#[test]
fn a_move_after_an_undo_takes_time_and_looking_back_stops_clocks() {
    let mut table = table(1);
    table.begin(json!({ "game": 20_000 }));
    table.play("h8").unwrap();
    let (number, _) = table.task(WHITE);
    table.answer(WHITE, number, "g8");
    table.command(json!({ "do": "undo" })).unwrap();
    table.pass_time(4_000);
    table.play("h9").unwrap();
    assert_eq!(table.state()["players"][0]["left"], 16_000);
    assert_eq!(table.state()["moves"][0]["time"], 4_000);
    // The engine thinks.
    table.task(WHITE);
    table.command(json!({ "do": "show", "ply": 0 })).unwrap();
    assert_eq!(table.state()["running"], false);
    table.pass_time(60_000);
    assert_eq!(table.state()["over"], Json::Null);
    // A finished game stays so, whatever is looked at.
    table.begin(json!({ "game": 10_000, "white": "person" }));
    for c in ["a1", "b1", "a2", "b2", "a3", "b3", "a4", "b4", "a5"] {
        table.play(c).unwrap();
    }
    table.command(json!({ "do": "show", "ply": 6 })).unwrap();
    table.pass_time(60_000);
    table.command(json!({ "do": "show", "ply": 9 })).unwrap();
    assert_eq!(table.state()["over"]["by"], "five");
    // Without a limit nothing stops.
    table.begin(json!({ "game": 0, "white": "person" }));
    table.play("h8").unwrap();
    table.command(json!({ "do": "show", "ply": 0 })).unwrap();
    assert_eq!(table.state()["running"], true);
}

#[test]
fn a_move_that_is_played_again_earns_no_second_increment() {
    let mut table = table(1);
    table.begin(json!({ "game": 20_000, "increment": 2_000 }));
    let move_and_answer = |table: &mut Table, point: &str, answer: &str| {
        table.pass_time(1_000);
        table.play(point).unwrap();
        let (number, _) = table.task(WHITE);
        table.answer(WHITE, number, answer);
        [0, 1].map(|player| table.session.clock.left(player, table.now).unwrap().as_millis())
    };
    assert_eq!(move_and_answer(&mut table, "h8", "i9"), [21_000, 21_995]);
    for again in ["h8", "j10"] {
        table.command(json!({ "do": "undo" })).unwrap();
        move_and_answer(&mut table, again, "i9");
    }
    assert_eq!(move_and_answer(&mut table, "a1", "a2"), [20_000, 23_980]);
}

#[test]
fn the_program_ends_after_its_last_page_and_the_game_goes_on_in_the_next_one() {
    let mut table = table(1);
    table.begin(json!({ "rule": "renju", "width": 17 }));
    table.play("h8").unwrap();
    table.command(json!({ "do": "run", "on": false, "seen": 0 })).unwrap();
    table.play("i9").unwrap();
    table.command(json!({ "do": "show", "ply": 1 })).unwrap();
    table.play("a1").unwrap();
    table.command(json!({ "do": "show", "ply": 1 })).unwrap();
    table.session.page_closed(table.now);
    table.effects();
    table.pass_time(7_000);
    assert_eq!(table.effects(), []);
    table.pass_time(1_000);
    assert_eq!(table.effects(), [Effect::Exit]);
    let kept = table.session.kept(table.now);
    let mut next = self::table(1);
    assert!(next.session.restore(&kept, next.now));
    let (before, state) = (table.state(), next.state());
    for what in ["settings", "moves", "shown", "branches", "rule", "size", "unsaved"] {
        let branches = |state: &Json| state["branches"]["1"][0]["at"].clone();
        match what {
            "branches" => assert_eq!(branches(&state), branches(&before)),
            _ => assert_eq!(state[what], before[what], "{what}"),
        }
    }
    assert_eq!((&state["running"], &state["unsaved"]), (&json!(false), &json!(true)));
    // A game that is saved is shown as such.
    next.session.has_changed = false;
    next.session.save(Format::Moves).unwrap();
    assert_eq!(next.state()["unsaved"], true, "the variations are left out");
    next.session.save(Format::Sgf).unwrap();
    assert!(take(&mut next.session.has_changed) && next.state()["unsaved"] == false);
    // A position without moves is a game too.
    let problem = Kept { game: "(;SZ[15]AB[hh]AW[ii]PL[B])".into(), ..kept.clone() };
    let mut next = self::table(1);
    assert!(next.session.restore(&problem, next.now));
    assert_eq!(next.session.game.record().stones().len(), 2);
    let mut noted = self::table(1);
    noted.command(json!({ "do": "comment", "tree": 0, "node": 0, "text": "hello" })).unwrap();
    let mut next = self::table(1);
    assert!(next.session.restore(&noted.session.kept(noted.now), next.now));
    assert_eq!(next.state()["notes"]["comment"], "hello");
    let empty = Kept { game: "(;SZ[15]RU[renju])".into(), ..Kept::default() };
    assert!(!self::table(1).session.restore(&empty, next.now));
    // Two engines wait until they are told to play.
    let mut engines = self::table(2);
    assert_eq!(engines.state()["running"], false);
    assert!(!engines.session.restore(&self::table(2).session.kept(Moment::ZERO), engines.now));
    assert_eq!(engines.state()["running"], false);
    let nothing = Kept { game: "no game".into(), settings: json!(1), ..kept };
    assert!(!self::table(1).session.restore(&nothing, next.now));
    // The clocks wait, too: that of the first move with its whole time, that of a later one with
    // what is left when the program ends.
    let timed = |moves: &[&str], left: u64| {
        let mut table = self::table(1);
        table.begin(json!({ "white": "person", "game": 60_000 }));
        moves.iter().for_each(|mv| table.play(mv).unwrap());
        let kept = table.session.kept(table.now + Duration::from_secs(6));
        let mut next = self::table(1);
        assert_eq!(next.session.restore(&kept, next.now), !moves.is_empty());
        next.now += Duration::from_secs(9);
        next.session.time_passed(next.now);
        let state = next.state();
        assert_eq!(
            (&state["running"], &state["players"][0]["left"]),
            (&json!(false), &json!(left))
        );
    };
    timed(&[], 60_000);
    timed(&["h8", "i9"], 54_000);
}

#[test]
fn an_ended_game_its_clocks_and_its_opening_outlive_the_program() {
    let restored = |table: &Table| {
        let mut next = self::table(1);
        let kept = serde_json::from_value(json!(table.session.kept(table.now))).unwrap();
        assert!(next.session.restore(&kept, next.now));
        let left = |state: &Json| [0, 1].map(|player| state["players"][player]["left"].clone());
        let (before, state) = (table.state(), next.state());
        assert_eq!((&state["over"], left(&state)), (&before["over"], left(&before)));
        assert_eq!(state["moves"], before["moves"]);
        next
    };
    let mut table = table(1);
    table.begin(json!({ "white": "person", "game": 10_000, "opening": "swap2" }));
    for c in ["h8", "i9", "g7"] {
        table.pass_time(1_000);
        table.play(c).unwrap();
    }
    table.command(json!({ "do": "choose", "choice": "white", "seen": table.session.id })).unwrap();
    table.pass_time(2_000);
    table.play("j8").unwrap();
    let times: Vec<Json> = (0..4).map(|i| table.state()["moves"][i]["time"].clone()).collect();
    assert_eq!(times, [1_000, 1_000, 1_000, 2_000]);
    let undo = json!({ "do": "undo" });
    let mut next = restored(&table);
    assert_eq!(next.state()["settings"], table.state()["settings"]);
    assert_eq!(next.state()["players"][0]["left"], 7_000);
    next.command(undo.clone()).unwrap();
    assert_eq!(next.command(undo), Err(Refusal::NothingToUndo.into()));
    table.command(json!({ "do": "resign" })).unwrap();
    let mut next = restored(&table);
    assert_eq!(next.state()["over"]["by"], "resigned");
    assert_eq!(next.play("a1"), Err(message("not_your_move")));
    table.begin(json!({ "white": "person", "game": 10_000 }));
    table.play("h8").unwrap();
    table.pass_time(10_000);
    assert_eq!(restored(&table).state()["over"]["by"], "time");
    // A loaded game that has gone on has the names of those who play.
    table.command(json!({ "do": "load", "text": "(;PB[A]PW[B];B[hh];W[ii])" })).unwrap();
    let names = |table: &Table| [0, 1].map(|i| table.state()["players"][i]["name"].clone());
    assert_eq!(names(&restored(&table)), ["A", "B"].map(Json::from));
    table.play("a1").unwrap();
    assert_eq!(names(&restored(&table)), names(&table));
    assert_ne!(names(&table)[0], "A");
}

#[test]
fn analysis_and_hints_are_of_the_position_shown() {
    let mut table = table(1);
    table.begin(json!({ "white": "person" }));
    table.play("h8").unwrap();
    table.command(json!({ "do": "exclude", "x": 0, "y": 0 })).unwrap();
    table.command(json!({ "do": "hint" })).unwrap();
    let (number, task) = table.task(Role::Analyst);
    let TaskKind::Analyse { lines: 1, excluded, time: Some(_) } = task.kind else {
        panic!("{task:?}")
    };
    assert_eq!(excluded, [], "a hint is what the engine would play");
    table.answer(Role::Analyst, number, "i9");
    assert_eq!(table.state()["hint"], json!(["i9"]));
    table.command(json!({ "do": "analyse", "on": true, "lines": 4 })).unwrap();
    let (number, task) = table.task(Role::Analyst);
    let TaskKind::Analyse { lines: 4, excluded, time: None } = task.kind else {
        panic!("{task:?}")
    };
    assert_eq!(excluded, points("a1"));
    let line = Line { moves: points("i9"), text: "31".into(), ..Line::default() };
    table.session.has_changed = false;
    let thinking = Thinking { lines: vec![line], depth: 9, ..Thinking::default() };
    table.engine_event(Role::Analyst, number, EngineEvent::Thinking(thinking));
    let thoughts = to_value(&table.session.thoughts).unwrap();
    assert_eq!(thoughts["analysis"]["lines"][0]["pv"], json!(["i9"]));
    assert!(!table.session.has_changed);
    // Another position is another analysis.
    table.play("j8").unwrap();
    let (next, task) = table.task(Role::Analyst);
    assert_eq!((next, task.position.stones.len()), (number + 1, 2));
    table.command(json!({ "do": "analyse", "on": false, "lines": 4 })).unwrap();
    assert_eq!(table.effects(), [Effect::Tell(Role::Analyst, Order::Cancel)]);
}

#[test]
fn a_review_marks_what_the_engine_has_proven() {
    let mut table = table(1);
    table.command(json!({ "do": "load", "text": "h8i9h10" })).unwrap();
    table.command(json!({ "do": "analyse", "on": true, "lines": 1 })).unwrap();
    table.task(Role::Analyst);
    table.command(json!({ "do": "analyse", "on": false, "lines": 1 })).unwrap();
    table.command(json!({ "do": "review", "on": true, "time": 100 })).unwrap();
    let estimate = Value::Estimate { win_rate: 0.5, score: Some(0) };
    for value in [estimate, Value::Win(5), estimate, estimate] {
        let (number, _) = table.task(Role::Reviewer);
        let line = Line { moves: points("a1"), value: Some(value), ..Line::default() };
        let thinking = Thinking { lines: vec![line], ..Thinking::default() };
        table.engine_event(Role::Reviewer, number, EngineEvent::Thinking(thinking));
        table.answer(Role::Reviewer, number, "a1");
    }
    assert_eq!(table.effects().pop(), Some(Effect::Dismiss(Role::Reviewer)));
    let review = to_value(table.session.review()).unwrap();
    assert_eq!((&review["running"], &review["done"]), (&json!(false), &json!(4)));
    let played = |after: usize| &review["positions"][after]["played"];
    let severities = [0, 1, 2, 3].map(|after| played(after)["severity"].clone());
    assert_eq!(severities, [Json::Null, Json::Null, json!("blunder"), json!("blunder")]);
    let position = &review["positions"][2];
    assert_eq!((&position["to_move"], &position["win_in"]), (&json!("black"), &json!(5)));
    assert_eq!(played(3)["verdict"], "a blunder that misses a forced win");
    assert_eq!(played(2)["verdict"], "a blunder that allows a forced win");
    let text = sgf(&table);
    assert!(text.contains("misses a forced win") && text.contains("1 forced win missed"), "{text}");
}

#[test]
fn a_review_of_an_engine_without_values_ends() {
    let mut table = table(1);
    table.command(json!({ "do": "load", "text": "h8i9h10j8k8" })).unwrap();
    table.command(json!({ "do": "review", "on": true, "time": 100 })).unwrap();
    for _ in 0..3 {
        let (number, _) = table.task(Role::Reviewer);
        table.answer(Role::Reviewer, number, "a1");
    }
    assert!(!table.effects().iter().any(is_give));
    assert_eq!(to_value(table.session.review()).unwrap()["running"], false);
}

#[test]
fn a_match_changes_colors_and_keeps_its_openings_and_score() {
    /// Ends a game by a five of the second player.
    fn end(table: &mut Table) {
        let fives = ["a15", "b15", "c15", "d15", "e15"];
        let others = ["a13", "c13", "e13", "g13", "i13"];
        let mut moves = [others.iter(), fives.iter()];
        while table.state()["over"].is_null() {
            let (role, number, _) = table.any_task();
            let player = usize::from(role == WHITE);
            table.answer(role, number, moves[player].next().unwrap());
        }
    }
    let mut table = table(2);
    let mut place = 0;
    table.session.openings = Box::new(move |size: BoardSize, _| {
        place += 1;
        [0, 1, 2].map(|x| size.coord(x + place, place).unwrap())
    });
    let engines = json!({ "black": "engine1", "white": "engine2", "games": 3, "game": 10_000 });
    table.begin(engines);
    let score = |table: &Table| {
        let score = table.state()["match"].clone();
        (score["begun"].as_u64(), score["halves"].clone())
    };
    let names = |table: &Table| [0, 1].map(|i| table.state()["players"][i]["name"].clone());
    assert_eq!((table.moves().as_str(), score(&table)), ("b2c2d2", (Some(1), json!([0, 0]))));
    assert_eq!(names(&table), ["engine 1", "engine 2"]);
    end(&mut table);
    assert_eq!(score(&table), (Some(1), json!([0, 2])));
    // Paused meanwhile, the next game waits.
    table.command(json!({ "do": "run", "on": false, "seen": 0 })).unwrap();
    table.command(json!({ "do": "show", "ply": 1 })).unwrap();
    let seen = table.state()["id"].clone();
    table.pass_time(5_000);
    assert_eq!(score(&table).0, Some(1));
    table.command(json!({ "do": "run", "on": true, "seen": 0 })).unwrap();
    assert_eq!(score(&table), (Some(1), json!([0, 2])));
    assert_ne!(table.state()["id"], seen);
    let next = table.session.deadline().unwrap();
    table.session.time_passed(next);
    assert_eq!((table.moves().as_str(), score(&table).0), ("b2c2d2", Some(2)));
    assert_eq!(names(&table), ["engine 2", "engine 1"]);
    // The program ends and comes back in the middle of the game.
    let kept = table.session.kept(table.now);
    let mut again = self::table(2);
    assert!(again.session.restore(&kept, again.now));
    // The score is that of these engines.
    let others = Kept { engines: vec!["x".into(), "y".into()], ..kept };
    let mut other_table = self::table(2);
    assert!(other_table.session.restore(&others, other_table.now));
    assert_eq!(score(&other_table), (None, Json::Null));
    again.session.openings = table.session.openings;
    let mut table = again;
    assert_eq!(
        (names(&table), score(&table).0),
        (["engine 2", "engine 1"].map(Json::from), Some(2))
    );
    table.command(json!({ "do": "run", "on": true, "seen": 0 })).unwrap();
    end(&mut table);
    assert_eq!(score(&table), (Some(2), json!([0, 4])));
    table.pass_time(2_000);
    // The third game has an opening of its own, and black's old color again.
    assert_eq!((table.moves().as_str(), score(&table).0), ("c3d3e3", Some(3)));
    assert_eq!(names(&table), ["engine 1", "engine 2"]);
    let (number, _) = table.task(WHITE);
    table.engine_event(WHITE, number, EngineEvent::Asked);
    table.pass_time(11_000);
    assert_eq!(table.state()["over"]["by"], "time");
    assert_eq!(score(&table), (Some(3), json!([2, 4])));
    table.pass_time(10_000);
    assert_eq!((table.session.deadline(), score(&table).0), (None, Some(3)));
    // Another game ends the match.
    table.command(json!({ "do": "load", "text": "h8" })).unwrap();
    assert_eq!(table.state()["match"], Json::Null);
    table.begin(json!({ "black": "person", "white": "engine1", "games": 3 }));
    assert_eq!((table.moves().as_str(), &table.state()["match"]), ("", &Json::Null));
}
