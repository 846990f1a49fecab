//! Whatever is printed is parsed as the same value again: random values of every variant.

use std::fmt::Debug;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, RngSeed, TestRunner};
use tengen_gomocup::{
    About, Command, DatabaseCommand, DeleteFilter, Evaluation, FileKind, Info, ListItem, ListKind,
    ListLine, Point, PvInfo, Realtime, Reply, Summary,
};
use tengen_gomoku::types::Coord;

const ROUNDS: u32 = 2_000;

/// Checks a property of random values; of a failure it shows the smallest value that it finds.
fn check<T: Debug>(
    rounds: u32,
    values: impl Strategy<Value = T>,
    property: impl Fn(T) -> Result<(), TestCaseError>,
) {
    let config = Config {
        cases: rounds,
        failure_persistence: None,
        // XorShift is fast without optimisation, which ChaCha, the default, needs.
        rng_algorithm: RngAlgorithm::XorShift,
        rng_seed: RngSeed::Fixed(1),
        ..Config::default()
    };
    TestRunner::new(config).run(&values, property).unwrap_or_else(|failure| panic!("{failure}"));
}

/// A number of any length that the wire can carry.
fn signed() -> impl Strategy<Value = i64> {
    (0..63u32, -i64::MAX..=i64::MAX).prop_map(|(shift, number)| number >> shift)
}

fn unsigned() -> impl Strategy<Value = u64> {
    signed().prop_map(i64::unsigned_abs)
}

fn count() -> impl Strategy<Value = usize> {
    unsigned().prop_map(|number| number as usize)
}

fn point() -> impl Strategy<Value = Point> {
    (signed(), signed()).prop_map(|(x, y)| Point { x, y })
}

fn cell() -> impl Strategy<Value = Coord> {
    (0..22u8, 0..22u8).prop_map(|(x, y)| Coord::new(x, y))
}

fn cells() -> impl Strategy<Value = Vec<Coord>> {
    vec(cell(), 0..5)
}

/// A text as it stands on a line: no blanks at its ends, no control characters.
fn text() -> impl Strategy<Value = String> {
    let chars = ['a', 'Z', '0', '"', '\\', ' ', ',', ':', 'é', '五', '-', '='];
    let text = vec(0..chars.len(), 1..12);
    text.prop_map(move |text| {
        format!("t{}", text.iter().map(|&i| chars[i]).collect::<String>().trim())
    })
}

fn item() -> impl Strategy<Value = ListItem> {
    (point(), option::of(signed())).prop_map(|(point, owner)| ListItem { point, owner })
}

fn list_line() -> impl Strategy<Value = ListLine> {
    let items = option::weighted(0.875, vec(item(), 0..4));
    (items, any::<bool>()).prop_map(|(items, done)| ListLine { items, done })
}

fn infos() -> Vec<BoxedStrategy<Info>> {
    let signed_kinds: [fn(i64) -> Info; 3] =
        [Info::TimeoutTurn, Info::TimeoutMatch, Info::TimeLeft];
    let unsigned_kinds: [fn(u64) -> Info; 21] = [
        Info::MaxMemory,
        Info::Rule,
        Info::GameType,
        Info::MaxDepth,
        Info::StartDepth,
        Info::MaxNode,
        Info::NBestSym,
        Info::ThreadNum,
        Info::Strength,
        Info::Seed,
        Info::Style,
        Info::Swapable,
        Info::MaxMoves,
        Info::DrawResult,
        Info::HashSize,
        Info::ShowDetail,
        Info::TimeIncrement,
        Info::CautionFactor,
        Info::Pondering,
        Info::UseDatabase,
        Info::DatabaseReadonly,
    ];
    let signed = signed_kinds.map(|kind| signed().prop_map(kind).boxed());
    signed.into_iter().chain(unsigned_kinds.map(|kind| unsigned().prop_map(kind).boxed())).collect()
}

/// The commands that are a word alone.
fn words() -> Vec<Command> {
    vec![
        Command::Start { width: 15, height: 15, is_rect: false },
        Command::Restart,
        Command::Begin,
        Command::About,
        Command::End,
        Command::Stop,
        Command::Unknown,
        Command::Info(Info::Ignored),
        Command::SearchDefend,
        Command::Swap2Open,
        Command::Swap2AfterThree,
        Command::Swap2AfterFive,
        Command::SoosorvOpen,
        Command::ShowForbid,
        Command::HashClear,
        Command::HashUsage,
        Command::ShowInfo,
        Command::ExcludeReset,
        Command::ExcludePathReset,
        Command::ReloadConfig,
        Command::TraceBoard,
        Command::TraceSearch,
        Command::DatabaseState,
        Command::DatabaseCheck,
        Command::Ignored,
    ]
}

fn yixin_commands() -> Vec<BoxedStrategy<Command>> {
    let kinds = [
        FileKind::HashDump,
        FileKind::HashLoad,
        FileKind::Database,
        FileKind::DatabaseToText,
        FileKind::DatabaseToLibrary,
        FileKind::DatabaseToMoves,
        FileKind::DatabaseToTextAll,
        FileKind::DatabaseImport,
        FileKind::DatabaseMerge,
        FileKind::DatabaseSplit,
        FileKind::Ignored,
    ];
    let mut commands = vec![
        count().prop_map(|count| Command::NBest(count.max(1))).boxed(),
        signed().prop_map(Command::BalanceOne).boxed(),
        signed().prop_map(Command::BalanceTwo).boxed(),
    ];
    commands.extend(kinds.map(|kind| {
        let name = option::of(text()).prop_map(Option::unwrap_or_default);
        name.prop_map(move |name| Command::File { kind, name }).boxed()
    }));
    commands
}

/// Commands for a database; a label takes all of its line, and has no list there.
fn database_commands() -> [Vec<BoxedStrategy<DatabaseCommand>>; 2] {
    let tag = (b'!'..=b'~').prop_map(|tag| match tag {
        b'W' | b'L' | b'D' | b'X' => tag.to_ascii_lowercase(),
        _ => tag,
    });
    let mark = option::of(option::of(tag));
    let edit = (mark, option::of(any::<i32>()), option::of(any::<i32>()));
    let words = [
        DatabaseCommand::QueryAll,
        DatabaseCommand::QueryAllAndText,
        DatabaseCommand::QueryOne,
        DatabaseCommand::QueryText,
        DatabaseCommand::DeleteOne,
        DatabaseCommand::SetBest,
        DatabaseCommand::ClearBest,
        DatabaseCommand::Malformed,
    ];
    let filters = prop_oneof![
        any::<i64>().prop_map(DeleteFilter::DecidedWithin),
        select(vec![
            DeleteFilter::Won,
            DeleteFilter::Lost,
            DeleteFilter::Decided,
            DeleteFilter::Open,
            DeleteFilter::Finished,
            DeleteFilter::Unfinished,
            DeleteFilter::DecidedWithoutSteps,
        ]),
    ];
    let mut commands = vec![
        edit.prop_map(|(mark, value, depth)| DatabaseCommand::Edit { mark, value, depth }).boxed(),
        (text(), text()).prop_map(|(a, b)| DatabaseCommand::EditText(a + "\n" + &b)).boxed(),
        Just(DatabaseCommand::DeleteAll { filter: DeleteFilter::All, is_recursive: false }).boxed(),
        (filters, any::<bool>())
            .prop_map(|(filter, is_recursive)| DatabaseCommand::DeleteAll { filter, is_recursive })
            .boxed(),
    ];
    commands.extend(words.map(|word| Just(word).boxed()));
    let label = DatabaseCommand::EditLabel;
    let labels = vec![
        (point(), text()).prop_map(move |(point, text)| label(Some(point), text)).boxed(),
        point().prop_map(move |point| label(Some(point), String::new())).boxed(),
        text().prop_map(move |text| label(None, text)).boxed(),
        Just(label(None, String::new())).boxed(),
    ];
    [commands, labels]
}

/// All other commands, with random contents.
fn commands() -> Vec<BoxedStrategy<Command>> {
    let start = |is_rect| {
        let sides = (signed(), signed());
        sides.prop_map(move |(width, height)| Command::Start { width, height, is_rect }).boxed()
    };
    let mut commands = vec![
        start(false),
        start(true),
        point().prop_map(Command::Turn).boxed(),
        point().prop_map(Command::Play).boxed(),
        point().prop_map(Command::TakeBack).boxed(),
    ];
    commands.extend(infos().into_iter().map(|info| info.prop_map(Command::Info).boxed()));
    commands.extend(yixin_commands());
    let mut kinds = [
        ListKind::Board,
        ListKind::YxBoard,
        ListKind::Swap2,
        ListKind::Exclude,
        ListKind::ExcludeUndo,
        ListKind::ExcludePath,
        ListKind::ExcludePathUndo,
    ]
    .map(|kind| Just(kind).boxed())
    .to_vec();
    for step in 2..=6 {
        let count =
            if matches!(step, 4 | 5) { option::of(count()).boxed() } else { Just(None).boxed() };
        kinds.push(count.prop_map(move |count| ListKind::Soosorv { step, count }).boxed());
    }
    let [database, labels] = database_commands()
        .map(|commands| commands.into_iter().map(|c| c.prop_map(ListKind::Database).boxed()));
    kinds.extend(database);
    let list = |(kind, first)| Command::List { kind, first };
    commands.extend(kinds.into_iter().map(|kind| (kind, list_line()).prop_map(list).boxed()));
    let nothing = ListLine { items: Some(Vec::new()), done: false };
    commands.extend(labels.map(|label| (label, Just(nothing.clone())).prop_map(list).boxed()));
    commands
}

fn evaluation() -> impl Strategy<Value = Evaluation> {
    prop_oneof![
        any::<i32>().prop_map(|score| Evaluation::Score(f64::from(score))),
        (0.0..100.0).prop_map(Evaluation::Percent),
        any::<u32>().prop_map(Evaluation::Win),
        any::<u32>().prop_map(Evaluation::Loss),
    ]
}

/// A number that five digits and a unit can tell.
fn short() -> impl Strategy<Value = u64> {
    prop_oneof![
        0..10_000u64,
        (10..10_000u64).prop_map(|number| number * 1_000),
        (10..100_000u64).prop_map(|number| number * 1_000_000),
        (100..10_000_000_000u64).prop_map(|number| number * 1_000_000_000),
    ]
}

fn summary() -> impl Strategy<Value = Summary> {
    let depths = (any::<u32>(), option::of(any::<u32>()));
    let result = (option::of(count()), option::of(evaluation()), cells());
    let effort = (option::of(short()), option::of(any::<u64>()), option::of(any::<u64>()));
    (depths, result, effort).prop_map(|(depths, (multi_pv, evaluation, pv), effort)| Summary {
        depth: depths.0,
        selective_depth: depths.1,
        multi_pv: multi_pv.map(|count| count.max(1)),
        evaluation,
        nodes: effort.0,
        speed: effort.1,
        time: effort.2,
        pv,
    })
}

/// All replies but those that are a word alone, with random contents.
fn replies() -> Vec<BoxedStrategy<Reply>> {
    let answer = || {
        let sides = (any::<u32>(), any::<u32>());
        sides.prop_map(|(x, y)| Point { x: i64::from(x), y: i64::from(y) })
    };
    let plain = || text().prop_map(|text| text.replace('"', "").trim().to_owned());
    let about = (plain(), plain(), plain());
    let mut replies = vec![
        answer().prop_map(|answer| Reply::Points(vec![answer])).boxed(),
        (answer(), cell())
            .prop_map(|(answer, cell)| Reply::Points(vec![answer, Point::from(cell), answer]))
            .boxed(),
        text().prop_map(Reply::Error).boxed(),
        text().prop_map(Reply::Unknown).boxed(),
        about
            .prop_map(|(name, version, author)| {
                Reply::About(About { name, version, author, country: String::new() })
            })
            .boxed(),
        cells().prop_map(Reply::Forbid).boxed(),
        text().prop_map(Reply::Message).boxed(),
        summary().prop_map(Reply::Summary).boxed(),
        text().prop_map(Reply::Nonsense).boxed(),
    ];
    let marks = [
        point().prop_map(Realtime::Searching).boxed(),
        point().prop_map(Realtime::Done).boxed(),
        point().prop_map(Realtime::Loses).boxed(),
        point().prop_map(Realtime::Best).boxed(),
        any::<i32>().prop_map(Realtime::Value).boxed(),
        cells().prop_map(Realtime::Pv).boxed(),
    ];
    replies.extend(marks.map(|mark| mark.prop_map(Reply::Realtime).boxed()));
    let infos = [
        count().prop_map(PvInfo::Index).boxed(),
        count().prop_map(PvInfo::Count).boxed(),
        any::<u32>().prop_map(PvInfo::Depth).boxed(),
        any::<u32>().prop_map(PvInfo::SelectiveDepth).boxed(),
        unsigned().prop_map(PvInfo::Nodes).boxed(),
        unsigned().prop_map(PvInfo::TotalNodes).boxed(),
        unsigned().prop_map(PvInfo::Time).boxed(),
        unsigned().prop_map(PvInfo::Speed).boxed(),
        evaluation().prop_map(PvInfo::Evaluation).boxed(),
        (0..=10_000u32).prop_map(|rate| PvInfo::WinRate(f64::from(rate) / 10_000.0)).boxed(),
        cells().prop_map(PvInfo::Moves).boxed(),
    ];
    replies.extend(infos.map(|info| info.prop_map(Reply::PvInfo).boxed()));
    replies
}

#[test]
fn a_command_that_is_printed_is_parsed_as_the_same() {
    let property = |command: Command| {
        let line = command.to_string();
        let parsed = Command::parse(&line);
        prop_assert_eq!(parsed.as_ref(), Ok(&command), "{}", line);
        // In lower case but for its texts, and among blanks.
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let spelled = format!(" \t{}  {rest} ", word.to_ascii_lowercase());
        prop_assert_eq!(Command::parse(&spelled), Ok(command), "{}", spelled);
        Ok(())
    };
    words().into_iter().try_for_each(property).unwrap();
    for values in commands() {
        check(ROUNDS, values, property);
    }
}

#[test]
fn a_list_that_is_printed_is_parsed_as_the_same() {
    check(ROUNDS, (list_line(), vec(item(), 0..9)), |(line, items)| {
        prop_assert_eq!(&ListLine::parse(&line.to_string()), &line, "{}", line);
        let lines = ListKind::YxBoard.lines(&items);
        let mut parsed = Vec::new();
        for line in &lines[1..] {
            parsed.extend(ListLine::parse(line).items.unwrap());
        }
        prop_assert_eq!(parsed, items);
        prop_assert!(ListLine::parse(lines.last().unwrap()).done);
        Ok(())
    });
}

#[test]
fn a_reply_that_is_printed_is_parsed_as_the_same() {
    let property = |reply: Reply| {
        let line = reply.to_string();
        prop_assert_eq!(Reply::parse(&line), reply, "{}", line);
        prop_assert!(!line.contains('\n'));
        Ok(())
    };
    let words = [
        Reply::Ok,
        Reply::Swap,
        Reply::Nothing,
        Reply::Realtime(Realtime::Refresh),
        Reply::PvInfo(PvInfo::Done),
    ];
    words.into_iter().try_for_each(property).unwrap();
    for values in replies() {
        check(ROUNDS, values, property);
    }
}

#[test]
fn no_line_panics_and_what_was_read_is_printed_in_one_form() {
    let words = [
        "START",
        "BOARD",
        "DONE",
        "INFO",
        "rule",
        "database",
        "YXEDITLABELDATABASE",
        "MESSAGE",
        "depth",
        "pv",
        "REALTIME",
        "POS",
        "FORBID",
        "YXSOOSORVSTEP4",
        "name=\"",
        "7,7",
        "-1,-1,2",
        "99999999999999999999",
        "h8",
        "é",
        "\u{fffd}",
        "\u{1}",
        "\"",
        "\\",
        "K",
        "M",
        ",",
        ".",
        "%",
        "ev",
        "n",
        "+M",
        "YXEDITTVDDATABASE",
        "YXEDITTEXTDATABASE",
        "1",
    ];
    let blanks = ["", " ", "\t"];
    let word = move |i: usize| [words[i / blanks.len()], blanks[i % blanks.len()]];
    let line = vec(0..words.len() * blanks.len(), 0..7);
    let line = line.prop_map(move |line| line.into_iter().flat_map(word).collect::<String>());
    check(20 * ROUNDS, line, |line| {
        if let Ok(command) = Command::parse(&line) {
            // Of a control character in a text only a blank is left.
            let printed = command.to_string();
            let again = Command::parse(&printed).map(|command| command.to_string());
            prop_assert_eq!(again.as_ref(), Ok(&printed));
        }
        let reply = Reply::parse(&line);
        let printed = reply.to_string();
        prop_assert_eq!(Reply::parse(&printed), reply, "{:?}", printed);
        Ok(())
    });
}
