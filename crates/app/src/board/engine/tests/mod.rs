//! Tests of an engine: shell scripts that play, die, hang and talk nonsense.

use super::*;

fn profile(program: Program) -> Profile {
    Profile { program, can_analyse: Arc::default(), database: None }
}

fn shell(script: &str) -> Profile {
    let quoted = script.replace('\'', r"'\''");
    let mut program = Program::parse(&format!("/bin/sh -c '{quoted}'")).unwrap();
    (program.folder, program.name) = (None, "shell".to_owned());
    profile(program)
}

/// An engine that plays a1, b1 and so on, with this in the place of its answers.
fn engine(answer: &str) -> Profile {
    let script = r#"
        n=0
        while read -r word rest; do
            case "$word" in
                START | RESTART) echo OK ;;
                ABOUT) echo 'name="Stub", version="1"' ;;
                YXSHOWFORBID) echo UNKNOWN ;;
                BEGIN | TURN | DONE) ANSWER ;;
                END) exit ;;
            esac
        done"#;
    shell(&script.replace("ANSWER", answer))
}

const GOOD: &str = r#"echo "MESSAGE it is $word"; echo "$n,0"; n=$((n+1))"#;

const POWER: EngineResources = EngineResources { threads: 1, memory: 350 };

fn task(stones: &[(u8, u8)], turn: u64) -> Task {
    let colors = [Color::Black, Color::White].into_iter().cycle();
    let stones: Vec<_> = stones.iter().map(|&(x, y)| Coord::new(x, y)).zip(colors).collect();
    let to_move = if stones.len() % 2 == 0 { Color::Black } else { Color::White };
    let size = BoardSize::new(15, 15).unwrap();
    let position = EngineQuery { size, rule: Rule::Freestyle, stones, to_move };
    let turn = Duration::from_millis(turn);
    let time = MoveTime { turn, game: None, increment: Duration::ZERO };
    Task { position, kind: TaskKind::Move(time, FULL), resources: POWER }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(future)
}

fn start(profile: Profile) -> (Engine, UnboundedReceiver<(u64, EngineEvent)>) {
    let (sender, reports) = unbounded_channel();
    let tell = move |task, event| drop(sender.send((task, event)));
    (Engine::start(profile, tell), reports)
}

/// Returns the next answer, and the number of its task.
async fn answer(reports: &mut UnboundedReceiver<(u64, EngineEvent)>) -> (u64, Vec<Coord>) {
    loop {
        let (task, event) = reports.recv().await.unwrap();
        if let EngineEvent::Answer(answer, _) = event {
            return (task, answer);
        }
    }
}

/// Returns the words of all events up to the end of the last of these tasks.
fn events(profile: Profile, tasks: &[Task]) -> Vec<String> {
    block_on(async {
        let (engine, mut reports) = start(profile);
        let mut found = Vec::new();
        for (number, task) in (1..).zip(tasks) {
            engine.tell(Order::Do(number, task.clone()));
            while let Some((_, event)) = reports.recv().await {
                let (text, is_last) = match event {
                    EngineEvent::Thinking(_) | EngineEvent::Asked => continue,
                    EngineEvent::Name(name, _) => (name, false),
                    EngineEvent::Said(text) => (text, false),
                    EngineEvent::Answer(answer, _) => (format!("{answer:?}"), true),
                    EngineEvent::Fault { fault, gives_up } => (format!("{fault:?}"), gives_up),
                };
                found.push(text);
                if is_last {
                    break;
                }
            }
        }
        engine.end().await;
        found
    })
}

#[test]
fn moves_follow_one_another_where_they_can() {
    let tasks = [
        task(&[], 1_000),
        task(&[(0, 0), (5, 5)], 1_000),
        // Another position, and one move after that.
        task(&[(7, 7)], 1_000),
        task(&[(7, 7), (2, 0), (8, 8)], 1_000),
        // A new game.
        task(&[], 1_000),
    ];
    let expected = [
        "Stub 1",
        "it is BEGIN",
        "[a1]",
        "it is TURN",
        "[b1]",
        "it is DONE",
        "[c1]",
        "it is TURN",
        "[d1]",
        "it is BEGIN",
        "[e1]",
    ];
    assert_eq!(events(engine(GOOD), &tasks), expected);
}

#[test]
fn the_database_is_opened_once_and_for_analysis_alone() {
    let script = r#"
        while read -r word rest; do
            case "$word" in
                START) echo OK ;;
                ABOUT) echo 'name="Stub", version="1"' ;;
                YXSHOWFORBID) echo FORBID . ;;
                INFO) case "$rest" in database*) echo "ERROR $rest" ;; esac ;;
                BEGIN) echo 7,7 ;;
                YXNBEST) echo 8,8 ;;
                END) exit ;;
            esac
        done"#;
    let mut profile = shell(script);
    profile.database = Some("/games/my games.db".into());
    let played = task(&[], 1_000);
    let time = Some(Duration::from_secs(1));
    let kind = TaskKind::Analyse { lines: 1, excluded: Vec::new(), time };
    let analysed = Task { kind, ..played.clone() };
    let expected = ["Stub 1", "[h8]", "ERROR database /games/my games.db", "[i9]", "[i9]"];
    assert_eq!(events(profile, &[played, analysed.clone(), analysed]), expected);
}

#[test]
fn moves_excluded_in_an_analysis_are_free_in_the_game() {
    let script = r#"
        while read -r word rest; do
            case "$word" in
                START | RESTART) echo OK ;;
                ABOUT) echo 'name="Stub", version="1"' ;;
                YXSHOWFORBID) echo FORBID . ;;
                YXBLOCKRESET) echo "MESSAGE all are free" ;;
                BEGIN) echo 7,7 ;;
                YXNBEST) echo 8,8 ;;
                END) exit ;;
            esac
        done"#;
    let played = task(&[], 1_000);
    let (excluded, time) = (vec![Coord::new(0, 0)], Some(Duration::from_secs(1)));
    let kind = TaskKind::Analyse { lines: 1, excluded, time };
    let analysed = Task { kind, ..played.clone() };
    let expected = ["Stub 1", "all are free", "[i9]", "all are free", "[h8]", "[h8]"];
    assert_eq!(events(shell(script), &[analysed, played.clone(), played]), expected);
}

#[test]
fn an_engine_that_dies_is_started_again_three_times() {
    let found = events(engine("exit 3"), &[task(&[], 1_000)]);
    let died = "Died(\"exit status: 3\")";
    assert_eq!(found, ["Stub 1", died, "Stub 1", died, "Stub 1", died]);
}

#[test]
fn an_engine_that_fails_once_goes_on() {
    let cases = [
        ("exit 1", "Died(\"exit status: 1\")"),
        ("echo 77,77", "Illegal(\"77,77\")"),
        ("echo 3,3 4,4", "Nonsense(\"3,3 4,4\")"),
        ("echo hello", "Nonsense(\"hello\")"),
        ("sleep 60", "Hung(\"a request\")"),
        ("yes ''", "Flood"),
    ];
    std::thread::scope(|scope| {
        for (number, (bad, told)) in cases.into_iter().enumerate() {
            scope.spawn(move || {
                let name = format!("tengen-board-{}-{number}", std::process::id());
                let file = std::env::temp_dir().join(name);
                let once =
                    format!("[ -e {0} ] && {{ rm {0}; {bad}; }} || {{ {GOOD}; }}", file.display());
                std::fs::write(&file, "").unwrap();
                let found = events(engine(&once), &[task(&[], 50)]);
                let told_at = found.iter().position(|text| text == told);
                assert!(told_at.is_some() && !file.exists(), "{bad}: {found:?}");
                assert_eq!(found.last().map(String::as_str), Some("[a1]"), "{bad}: {found:?}");
            });
        }
    });
}

#[test]
fn a_program_that_is_none_is_told_of() {
    let program = Program::parse("no-such-engine-anywhere").unwrap();
    let found = events(profile(program), &[task(&[], 1_000)]);
    assert_eq!(found.len(), TRIES);
    assert!(found[0].starts_with("Start("), "{found:?}");
}

#[test]
fn another_task_takes_the_place_of_the_first() {
    // It thinks until it is told to answer.
    let mut slow = engine("read -r word rest; echo 9,9");
    slow.program.name = "Slow".into();
    block_on(async {
        let (engine, mut reports) = start(slow);
        engine.tell(Order::Do(1, task(&[], 60_000)));
        sleep(Duration::from_millis(300)).await;
        engine.tell(Order::Do(2, task(&[(7, 7)], 60_000)));
        sleep(Duration::from_millis(300)).await;
        engine.tell(Order::MoveNow);
        let expected = (2, vec![Coord::new(9, 9)]);
        assert_eq!(answer(&mut reports).await, expected);
        engine.end().await;
    });
}

#[test]
fn a_move_can_be_hurried_before_the_engine_has_begun() {
    // It begins slowly, and thinks until it is told to answer.
    let script = r#"
        while read -r word rest; do
            case "$word" in
                START) sleep 0.5; echo OK ;;
                ABOUT) echo 'name="Stub", version="1"' ;;
                YXSHOWFORBID) echo UNKNOWN ;;
                BEGIN) read -r word rest; echo 7,7 ;;
                END) exit ;;
            esac
        done"#;
    block_on(async {
        let (engine, mut reports) = start(shell(script));
        let begin = Instant::now();
        let hurried = task(&[], 60_000);
        // The second time it begins a game of another size for another task still.
        let other =
            EngineQuery { size: BoardSize::new(20, 20).unwrap(), ..hurried.position.clone() };
        for (number, before) in [
            (1, None),
            (3, Some(Task { position: other, kind: TaskKind::Prepare, resources: POWER })),
        ] {
            if let Some(before) = before {
                engine.tell(Order::Do(number - 1, before));
                sleep(Duration::from_millis(100)).await;
            }
            engine.tell(Order::Do(number, hurried.clone()));
            sleep(Duration::from_millis(100)).await;
            engine.tell(Order::MoveNow);
            let expected = (number, vec![Coord::new(7, 7)]);
            assert_eq!(answer(&mut reports).await, expected);
        }
        assert!(begin.elapsed() < Duration::from_secs(30));
        engine.end().await;
    });
}

#[test]
fn a_cancelled_move_is_not_counted_on() {
    // After a move by TURN it thinks until it is told to answer.
    let script = r#"
        while read -r word rest; do
            case "$word" in
                START | RESTART) echo OK ;;
                ABOUT) echo 'name="Stub", version="1"' ;;
                YXSHOWFORBID) echo UNKNOWN ;;
                BEGIN) echo 7,7 ;;
                TURN) read -r word rest; echo 8,8 ;;
                DONE) echo 9,9 ;;
                END) exit ;;
            esac
        done"#;
    block_on(async {
        let (engine, mut reports) = start(shell(script));
        engine.tell(Order::Do(1, task(&[], 60_000)));
        let expected = (1, vec![Coord::new(7, 7)]);
        assert_eq!(answer(&mut reports).await, expected);
        engine.tell(Order::Do(2, task(&[(7, 7), (6, 6)], 60_000)));
        sleep(Duration::from_millis(300)).await;
        engine.tell(Order::Cancel);
        // The engine may have its own move of the cancelled task on its board.
        engine.tell(Order::Do(3, task(&[(7, 7), (5, 5)], 60_000)));
        let expected = (3, vec![Coord::new(9, 9)]);
        assert_eq!(answer(&mut reports).await, expected);
        engine.end().await;
    });
}

#[test]
fn an_engine_is_called_by_its_name_and_version() {
    let name = |line: &str| match Reply::parse(line) {
        Reply::About(about) => full_name(&about),
        _ => panic!("{line}"),
    };
    let line = r#"name="Tengen", version="0.1.0", author="x", country="Earth""#;
    assert_eq!(name(line), "Tengen 0.1.0");
    assert_eq!(name(r#"name="Other", version="1.2 (g++ on Linux)""#), "Other 1.2");
    assert_eq!(name(r#"name="None""#), "None");
}
