//! Whatever is printed is parsed as the same value again: random values of every variant.

use fastrand::Rng;
use tengen_gomocup::{
    About, Command, DatabaseCommand, DeleteFilter, Evaluation, FileKind, Info, ListItem, ListKind,
    ListLine, Point, PvInfo, Realtime, Reply, Summary,
};
use tengen_gomoku::types::Coord;

const ROUNDS: usize = 2_000;

/// A number of any length that the wire can carry.
fn signed(rng: &mut Rng) -> i64 {
    let number = rng.i64(0..=i64::MAX) >> rng.u32(0..63);
    if rng.bool() { number } else { -number }
}

fn unsigned(rng: &mut Rng) -> u64 {
    signed(rng).unsigned_abs()
}

fn count(rng: &mut Rng) -> usize {
    unsigned(rng) as usize
}

fn point(rng: &mut Rng) -> Point {
    Point { x: signed(rng), y: signed(rng) }
}

fn cell(rng: &mut Rng) -> Coord {
    Coord::new(rng.u8(0..22), rng.u8(0..22))
}

fn cells(rng: &mut Rng) -> Vec<Coord> {
    (0..rng.usize(0..5)).map(|_| cell(rng)).collect()
}

/// A text as it stands on a line: no blanks at its ends, no control characters.
fn text(rng: &mut Rng) -> String {
    let chars = ['a', 'Z', '0', '"', '\\', ' ', ',', ':', 'é', '五', '-', '='];
    let text: String = (0..rng.usize(1..12)).map(|_| *rng.choice(&chars).unwrap()).collect();
    format!("t{}", text.trim())
}

fn item(rng: &mut Rng) -> ListItem {
    ListItem { point: point(rng), owner: rng.bool().then(|| signed(rng)) }
}

fn list_line(rng: &mut Rng) -> ListLine {
    let items = (0..rng.usize(0..4)).map(|_| item(rng)).collect();
    ListLine { items: rng.u8(0..8).ne(&0).then_some(items), done: rng.bool() }
}

fn infos(rng: &mut Rng) -> Vec<Info> {
    let (signed, unsigned) = (signed(rng), unsigned(rng));
    vec![
        Info::TimeoutTurn(signed),
        Info::TimeoutMatch(signed),
        Info::TimeLeft(signed),
        Info::MaxMemory(unsigned),
        Info::Rule(unsigned),
        Info::GameType(unsigned),
        Info::MaxDepth(unsigned),
        Info::StartDepth(unsigned),
        Info::MaxNode(unsigned),
        Info::NBestSym(unsigned),
        Info::ThreadNum(unsigned),
        Info::Strength(unsigned),
        Info::Seed(unsigned),
        Info::Style(unsigned),
        Info::Swapable(unsigned),
        Info::MaxMoves(unsigned),
        Info::DrawResult(unsigned),
        Info::HashSize(unsigned),
        Info::ShowDetail(unsigned),
        Info::TimeIncrement(unsigned),
        Info::CautionFactor(unsigned),
        Info::Pondering(unsigned),
        Info::UseDatabase(unsigned),
        Info::DatabaseReadonly(unsigned),
        Info::Ignored,
    ]
}

fn yixin_commands(rng: &mut Rng) -> Vec<Command> {
    let mut commands = vec![
        Command::NBest(count(rng).max(1)),
        Command::SearchDefend,
        Command::BalanceOne(signed(rng)),
        Command::BalanceTwo(signed(rng)),
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
    ];
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
    for kind in kinds {
        let name = if rng.bool() { String::new() } else { text(rng) };
        commands.push(Command::File { kind, name });
    }
    commands
}

/// Commands for a database; a label takes all of its line, and has no list there.
fn database_commands(rng: &mut Rng) -> (Vec<DatabaseCommand>, Vec<DatabaseCommand>) {
    let tag = rng.u8(b'!'..=b'~');
    let tag = if b"WLDX".contains(&tag) { tag.to_ascii_lowercase() } else { tag };
    let commands = vec![
        DatabaseCommand::QueryAll,
        DatabaseCommand::QueryAllAndText,
        DatabaseCommand::QueryOne,
        DatabaseCommand::QueryText,
        DatabaseCommand::Edit {
            mark: rng.bool().then(|| rng.bool().then_some(tag)),
            value: rng.bool().then(|| rng.i32(..)),
            depth: rng.bool().then(|| rng.i32(..)),
        },
        DatabaseCommand::EditText(text(rng) + "\n" + &text(rng)),
        DatabaseCommand::DeleteOne,
        DatabaseCommand::DeleteAll(DeleteFilter::All),
        DatabaseCommand::DeleteAll(DeleteFilter::Decided),
        DatabaseCommand::DeleteAll(DeleteFilter::Won),
        DatabaseCommand::DeleteAll(DeleteFilter::Lost),
        DatabaseCommand::DeleteAll(DeleteFilter::DecidedWithoutSteps),
        DatabaseCommand::DeleteAll(DeleteFilter::DecidedRecursive),
        DatabaseCommand::DeleteAll(DeleteFilter::Open),
        DatabaseCommand::DeleteAll(DeleteFilter::DecidedWithin(rng.i64(..))),
        DatabaseCommand::DeleteAll(DeleteFilter::OpenRecursive),
        DatabaseCommand::SetBest,
        DatabaseCommand::ClearBest,
        DatabaseCommand::Malformed,
    ];
    let labels = vec![
        DatabaseCommand::EditLabel(Some(point(rng)), text(rng)),
        DatabaseCommand::EditLabel(Some(point(rng)), String::new()),
        DatabaseCommand::EditLabel(None, text(rng)),
        DatabaseCommand::EditLabel(None, String::new()),
    ];
    (commands, labels)
}

fn commands(rng: &mut Rng) -> Vec<Command> {
    let mut commands = vec![
        Command::Start { width: signed(rng), height: signed(rng), is_rect: false },
        Command::Start { width: 15, height: 15, is_rect: false },
        Command::Start { width: signed(rng), height: signed(rng), is_rect: true },
        Command::Restart,
        Command::Begin,
        Command::Turn(point(rng)),
        Command::Play(point(rng)),
        Command::TakeBack(point(rng)),
        Command::About,
        Command::End,
        Command::Stop,
        Command::Unknown,
    ];
    commands.extend(infos(rng).into_iter().map(Command::Info));
    commands.extend(yixin_commands(rng));
    let mut kinds = vec![
        ListKind::Board,
        ListKind::YxBoard,
        ListKind::Swap2,
        ListKind::Exclude,
        ListKind::ExcludeUndo,
        ListKind::ExcludePath,
        ListKind::ExcludePathUndo,
    ];
    for step in 2..=6 {
        let count = (matches!(step, 4 | 5) && rng.bool()).then(|| count(rng));
        kinds.push(ListKind::Soosorv { step, count });
    }
    let (database, labels) = database_commands(rng);
    kinds.extend(database.into_iter().map(ListKind::Database));
    commands.extend(kinds.into_iter().map(|kind| Command::List { kind, first: list_line(rng) }));
    let nothing = ListLine { items: Some(Vec::new()), done: false };
    commands.extend(
        labels
            .into_iter()
            .map(|label| Command::List { kind: ListKind::Database(label), first: nothing.clone() }),
    );
    commands
}

fn evaluation(rng: &mut Rng) -> Evaluation {
    match rng.u8(0..4) {
        0 => Evaluation::Score(f64::from(rng.i32(..))),
        1 => Evaluation::Percent(rng.f64() * 100.0),
        2 => Evaluation::Win(rng.u32(..)),
        _ => Evaluation::Loss(rng.u32(..)),
    }
}

/// A number that five digits and a unit can tell.
fn short(rng: &mut Rng) -> u64 {
    match rng.u8(0..4) {
        0 => rng.u64(0..10_000),
        1 => rng.u64(10..10_000) * 1_000,
        2 => rng.u64(10..100_000) * 1_000_000,
        _ => rng.u64(100..10_000_000_000) * 1_000_000_000,
    }
}

fn replies(rng: &mut Rng) -> Vec<Reply> {
    let answer = Point { x: i64::from(rng.u32(..)), y: i64::from(rng.u32(..)) };
    let plain = |text: String| text.replace('"', "").trim().to_owned();
    let mut replies = vec![
        Reply::Ok,
        Reply::Points(vec![answer]),
        Reply::Points(vec![answer, Point::from(cell(rng)), answer]),
        Reply::Swap,
        Reply::Error(text(rng)),
        Reply::Unknown(text(rng)),
        Reply::About(About {
            name: plain(text(rng)),
            version: plain(text(rng)),
            author: plain(text(rng)),
            country: String::new(),
        }),
        Reply::Forbid(cells(rng)),
        Reply::Message(text(rng)),
        Reply::Summary(Summary {
            depth: rng.u32(..),
            selective_depth: rng.bool().then(|| rng.u32(..)),
            multi_pv: rng.bool().then(|| count(rng).max(1)),
            evaluation: rng.bool().then(|| evaluation(rng)),
            nodes: rng.bool().then(|| short(rng)),
            speed: rng.bool().then(|| rng.u64(..)),
            time: rng.bool().then(|| rng.u64(..)),
            pv: cells(rng),
        }),
        Reply::Nothing,
        Reply::Nonsense(text(rng)),
    ];
    let marks = [
        Realtime::Refresh,
        Realtime::Searching(point(rng)),
        Realtime::Done(point(rng)),
        Realtime::Loses(point(rng)),
        Realtime::Best(point(rng)),
        Realtime::Value(rng.i32(..)),
        Realtime::Pv(cells(rng)),
    ];
    replies.extend(marks.map(Reply::Realtime));
    let infos = [
        PvInfo::Index(count(rng)),
        PvInfo::Count(count(rng)),
        PvInfo::Depth(rng.u32(..)),
        PvInfo::SelectiveDepth(rng.u32(..)),
        PvInfo::Nodes(unsigned(rng)),
        PvInfo::TotalNodes(unsigned(rng)),
        PvInfo::Time(unsigned(rng)),
        PvInfo::Speed(unsigned(rng)),
        PvInfo::Evaluation(evaluation(rng)),
        PvInfo::WinRate(f64::from(rng.u32(0..=10_000)) / 10_000.0),
        PvInfo::Moves(cells(rng)),
        PvInfo::Done,
    ];
    replies.extend(infos.map(Reply::PvInfo));
    replies
}

#[test]
fn a_command_that_is_printed_is_parsed_as_the_same() {
    let mut rng = Rng::with_seed(1);
    for _ in 0..ROUNDS {
        for command in commands(&mut rng) {
            let line = command.to_string();
            assert_eq!(Command::parse(&line), Ok(command), "{line}");
            // In lower case but for its texts, and among blanks.
            let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
            let spelled = format!(" \t{}  {rest} ", word.to_ascii_lowercase());
            assert_eq!(Command::parse(&spelled), Command::parse(&line), "{spelled}");
        }
    }
}

#[test]
fn a_list_that_is_printed_is_parsed_as_the_same() {
    let mut rng = Rng::with_seed(2);
    for _ in 0..ROUNDS {
        let line = list_line(&mut rng);
        assert_eq!(ListLine::parse(&line.to_string()), line, "{line}");
        let items: Vec<ListItem> = (0..rng.usize(0..9)).map(|_| item(&mut rng)).collect();
        let lines = ListKind::YxBoard.lines(&items);
        let mut parsed = Vec::new();
        for line in &lines[1..] {
            parsed.extend(ListLine::parse(line).items.unwrap());
        }
        assert_eq!(parsed, items);
        assert!(ListLine::parse(lines.last().unwrap()).done);
    }
}

#[test]
fn a_reply_that_is_printed_is_parsed_as_the_same() {
    let mut rng = Rng::with_seed(3);
    for _ in 0..ROUNDS {
        for reply in replies(&mut rng) {
            let line = reply.to_string();
            assert_eq!(Reply::parse(&line), reply, "{line}");
            assert!(!line.contains('\n'));
        }
    }
}

#[test]
fn no_line_panics_and_what_was_read_is_printed_in_one_form() {
    let mut rng = Rng::with_seed(4);
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
    for _ in 0..20 * ROUNDS {
        let mut line = String::new();
        for _ in 0..rng.usize(0..7) {
            line += rng.choice(&words).unwrap();
            line += ["", " ", "\t"][rng.usize(0..3)];
        }
        if let Ok(command) = Command::parse(&line) {
            // Of a control character in a text only a blank is left.
            let printed = command.to_string();
            let again = Command::parse(&printed).map(|command| command.to_string());
            assert_eq!(again.as_ref(), Ok(&printed), "{line:?}");
        }
        let reply = Reply::parse(&line);
        let printed = reply.to_string();
        assert_eq!(Reply::parse(&printed), reply, "{line:?} as {printed:?}");
    }
}
