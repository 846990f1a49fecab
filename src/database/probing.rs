//! A search that begins where earlier ones ended, and keeps what it finds.
//!
//! The root and the positions next to it are read before a search and stored after it. Known entries
//! go into the transposition table, iterations begin one ply beyond the known depth, and where no
//! search would learn more the known result is the answer.

use rusqlite::TransactionBehavior;
use tengen_gomoku::board::Board;
use tengen_gomoku::board::zobrist::Key;
use tengen_gomoku::types::Coord;

use super::entry::{DatabaseEntry, StoredScore};
use super::position::{Images, StoredPosition};
use super::{Database, DatabaseTransaction, IN_USE, READ_WAIT, WAIT};
use crate::parallel::lock;
use crate::score::{Bound, Score};
use crate::search::control::Control;
use crate::search::{
    self, DrawRule, Limits, Listener, Progress, Report, RootOptions, Searcher, TableEntry,
    Variation,
};
use crate::time::Duration;

const LINE_PLIES: usize = 60;
/// Positions next to the root are kept if they were searched to at least its depth / this.
const KEPT_DEPTH_DIV: i32 = 2;
/// A search waits at most its time / this for another program.
const WAIT_DIV: u32 = 10;
/// How long what was found waits for another program before it is kept for later.
const STORE_WAIT: Duration = Duration::from_millis(10);

type Around = Vec<(Key, TableEntry)>;

/// Returns true for a search without handicap, style, early draw or excluded moves: only such results
/// may be shared.
pub fn is_plain(limits: &Limits) -> bool {
    limits.strength.is_full()
        && limits.style.is_neutral()
        && limits.draw_rule == DrawRule::default()
        && limits.root.excluded.is_empty()
}

/// Returns what the database knows for a search within these limits: the best moves, as many as it
/// finds, if a search is not needed to tell them, and entries for its transposition table.
fn known(
    reader: &DatabaseTransaction,
    board: &Board,
    limits: &Limits,
) -> anyhow::Result<(Option<Report>, Around)> {
    let root = reader.get(&StoredPosition::of(board))?.unwrap_or_default();
    let children = reader.children(board)?;
    let lines = known_lines(reader, board, &root, &children, &limits.root)?;
    let known = lines.split_first().map(|(first, others)| Report {
        score: first.score,
        depth: first.depth,
        selective_depth: first.depth,
        pv: first.pv.clone(),
        others: others.to_vec(),
        ..Report::unsearched(first.pv[0])
    });
    Ok((known, known_around(reader, board, &root, &children)?))
}

/// Returns what is known of the position, of those after its moves, and of those after the best
/// replies, for the transposition table.
fn known_around(
    reader: &DatabaseTransaction,
    board: &Board,
    root: &DatabaseEntry,
    children: &[(Coord, DatabaseEntry)],
) -> anyhow::Result<Around> {
    let mut board = board.clone();
    let mut around = Vec::new();
    let mut add = |key, entry: &DatabaseEntry| {
        let Some(StoredScore { score, bound, depth }) = entry.evaluation else { return };
        around.push((key, TableEntry::new(entry.best, score, bound, depth)));
    };
    add(board.key(), root);
    for (mv, entry) in children {
        board.play(*mv);
        add(board.key(), entry);
        if let Some(reply) = entry.best.filter(|&reply| board.is_empty(reply)) {
            let key = board.key_after(reply);
            board.play(reply);
            reader.get(&StoredPosition::of(&board))?.iter().for_each(|entry| add(key, entry));
            board.undo();
        }
        board.undo();
    }
    Ok(around)
}

/// Returns the PVs of the best moves, best first, as many as `options` ask for; empty if they are
/// not known. The best move is that of the position's entry, unless the entry after it holds a proof
/// that the position's score does not have. The others are known only if every move that a search
/// considers is proven or was searched as deep, and none is better than the best move.
fn known_lines(
    reader: &DatabaseTransaction,
    board: &Board,
    root: &DatabaseEntry,
    children: &[(Coord, DatabaseEntry)],
    options: &RootOptions,
) -> anyhow::Result<Vec<Variation>> {
    let us = board.side_to_move();
    let best = root.best.filter(|&mv| board.is_legal(mv, us));
    let (Some(best), Some(score), Some(StoredScore { depth, .. })) =
        (best, known_score(root, 0), root.evaluation)
    else {
        return Ok(Vec::new());
    };
    let child = |mv| Some(&children.iter().find(|(child, _)| *child == mv)?.1);
    let after_best = child(best).and_then(|entry| entry.evaluation);
    if !score.is_decisive() && after_best.is_some_and(|evaluation| evaluation.is_proof()) {
        return Ok(Vec::new());
    }
    let mut moves = vec![(best, score)];
    if options.multi_pv > 1 {
        let searched = search::root_moves(board, options).all();
        for mv in searched.into_iter().filter(|&mv| mv != best) {
            match child(mv).and_then(|entry| known_score(entry, depth - 1)) {
                Some(behind) => moves.push((mv, behind.before_move())),
                None => return Ok(Vec::new()),
            }
        }
        if moves.iter().any(|&(_, other)| other > score) {
            return Ok(Vec::new());
        }
        moves[1..].sort_by_key(|&(mv, score)| (-score.value(), mv));
        moves.truncate(options.multi_pv);
    }
    let line = |(mv, score)| Ok(Variation { score, pv: line(reader, board, mv)?, depth });
    moves.into_iter().map(line).collect()
}

/// Returns the score of an entry if it is proven, or exact and of a search at least this deep.
fn known_score(entry: &DatabaseEntry, depth: i32) -> Option<Score> {
    let evaluation = entry.evaluation?;
    let is_exact = evaluation.bound == Bound::Exact && evaluation.depth >= depth;
    (evaluation.is_proof() || is_exact).then_some(evaluation.score)
}

/// Returns the line that begins with a move and goes on by the best moves that are known.
fn line(reader: &DatabaseTransaction, board: &Board, mv: Coord) -> anyhow::Result<Vec<Coord>> {
    let mut board = board.clone();
    let mut line = Vec::new();
    let mut next = Some(mv);
    while let Some(mv) = next.filter(|_| line.len() < LINE_PLIES) {
        line.push(mv);
        if board.makes_five(mv, board.side_to_move()) {
            break;
        }
        board.play(mv);
        let best = reader.get(&StoredPosition::of(&board))?.and_then(|entry| entry.best);
        next = best.filter(|&best| board.is_legal(best, board.side_to_move()));
    }
    Ok(line)
}

pub type NewEntries = Vec<(StoredPosition, DatabaseEntry)>;

/// Returns what a search of this position has found that the database is to [store](store()): about
/// the position itself, those after the moves of its lines, and those next to it that its
/// transposition table knows well. Nothing, if the search was not [plain](is_plain).
pub fn new_entries(
    searcher: &Searcher,
    board: &Board,
    limits: &Limits,
    report: &Report,
) -> NewEntries {
    if report.depth <= 0 || !is_plain(limits) {
        return Vec::new();
    }
    let exact = |score, depth| StoredScore { score, bound: Bound::Exact, depth };
    let evaluated = |evaluation, best| DatabaseEntry {
        evaluation: Some(evaluation),
        best,
        ..DatabaseEntry::default()
    };
    let images = Images::of(board);
    let us = board.side_to_move();
    let child = |mv| images.position(!us, Some((mv, us)));
    let root = evaluated(exact(report.score, report.depth), Some(report.best));
    let mut entries = vec![(images.position(us, None), root)];
    for Variation { score, depth, pv } in &report.others {
        let after = exact(score.after_move(), (depth - 1).max(0));
        entries.push((child(pv[0]), evaluated(after, pv.get(1).copied())));
    }
    let least = (report.depth / KEPT_DEPTH_DIV).max(1);
    let mut board = board.clone();
    let found = |board: &Board| {
        let entry = searcher.table.probe(board.key())?;
        let best = entry.mv.filter(|&mv| board.is_empty(mv));
        let (score, bound, depth) = (entry.score_at(0), entry.bound, entry.plies());
        (depth >= least).then(|| evaluated(StoredScore { score, bound, depth }, best))
    };
    for mv in &board.candidates() {
        board.play(mv);
        if let Some(entry) = found(&board) {
            let reply = entry.best;
            entries.push((child(mv), entry));
            if let Some(reply) = reply {
                board.play(reply);
                entries.extend(found(&board).map(|entry| (StoredPosition::of(&board), entry)));
                board.undo();
            }
        }
        board.undo();
    }
    // The principal variation, as far as the table knows it.
    for (played, &mv) in report.pv.iter().enumerate() {
        board.play(mv);
        if played > 0 {
            entries.extend(found(&board).map(|entry| (StoredPosition::of(&board), entry)));
        }
    }
    entries
}

/// Stores the new entries and those still waiting in `database`, unless better ones are known.
pub fn store(database: &Database, new_entries: NewEntries) -> anyhow::Result<()> {
    store_within(WAIT, database, new_entries)
}

/// Like [`store`], but waits only a moment. If another program is writing, the entries wait in the
/// database for the next call.
pub fn store_soon(database: &Database, new_entries: NewEntries) -> anyhow::Result<()> {
    let result = store_within(STORE_WAIT, database, new_entries);
    result.or_else(|error| if is_in_use(&error) { Ok(()) } else { Err(error) })
}

fn store_within(
    wait: Duration,
    database: &Database,
    new_entries: NewEntries,
) -> anyhow::Result<()> {
    let mut waiting = lock(&database.waiting);
    waiting.extend(new_entries);
    if waiting.is_empty() {
        return Ok(());
    }
    let merge = |mut writer: DatabaseTransaction| {
        waiting.iter().try_for_each(|(at, entry)| writer.merge(at, entry.clone()))
    };
    let result = database.run(TransactionBehavior::Immediate, wait, merge);
    if !result.as_ref().is_err_and(is_in_use) {
        waiting.clear();
    }
    result
}

fn is_in_use(error: &anyhow::Error) -> bool {
    error.to_string().ends_with(IN_USE)
}

/// Searches as [`Searcher::search`] does, from where the earlier searches ended; the result is never
/// less than what the database knows. A search that is not [plain](is_plain) has nothing to do with
/// the database, nor has one that would have to wait too long for another program that writes to it.
pub fn search(
    database: &Database,
    searcher: &mut Searcher,
    board: &Board,
    limits: &Limits,
    control: &Control,
    listener: Listener,
) -> anyhow::Result<Report> {
    if !is_plain(limits) {
        return Ok(searcher.search(board, limits, control, listener));
    }
    let hard = control.hard().map(|hard| hard.saturating_sub(control.elapsed()) / WAIT_DIV);
    let ask = |reader: DatabaseTransaction| known(&reader, board, limits);
    let found = database.run(TransactionBehavior::Deferred, hard.unwrap_or(READ_WAIT), ask);
    if found.as_ref().is_err_and(is_in_use) {
        return Ok(searcher.search(board, limits, control, listener));
    }
    let (known, around) = found?;
    // What another kind of search left in the table must not be stored, even after no search.
    searcher.invalidate_on_change(board, limits);
    searcher.table.grow(around.len() as u64, control);
    around.iter().for_each(|&(key, entry)| searcher.table.store(key, entry));
    if let Some(known) = &known
        && (known.depth >= limits.depth || known.is_settled() && limits.root.multi_pv <= 1)
    {
        // The first iteration tells an analysis whether all other moves lose.
        let others_lose = limits.root.is_analysis && {
            let limits = Limits { depth: 1, ..*limits };
            let first = searcher.search(board, &limits, control, &mut |_| ());
            first.others_lose && first.best == known.best
        };
        let report = Report { elapsed: control.elapsed(), others_lose, ..known.clone() };
        control.publish(report.best);
        listener(Progress::Report(&report));
        return Ok(report);
    }
    let first_depth = known.as_ref().map_or(1, |known| known.depth + 1).max(limits.first_depth);
    let report = searcher.search(board, &Limits { first_depth, ..*limits }, control, listener);
    Ok(match known {
        Some(known) if report.depth < known.depth && !report.score.is_decisive() => {
            control.publish(known.best);
            let others_lose = report.others_lose && report.best == known.best;
            Report { nodes: report.nodes, elapsed: report.elapsed, others_lose, ..known }
        }
        _ => report,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::types::{Color, Rule};

    fn database(name: &str) -> (Database, std::path::PathBuf) {
        let name = format!("tengen-probing-{}-{name}.db", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_file(&path);
        (Database::open(&path).unwrap(), path)
    }

    fn quiet() -> Board {
        Board::after(15, Rule::Freestyle, "h8i9h10g7")
    }

    fn search_to(database: &Database, board: &Board, limits: &Limits) -> (Report, Vec<i32>) {
        let mut depths = Vec::new();
        let mut searcher = Searcher::new(1 << 22);
        let control = Control::untimed();
        let listener = &mut |progress: Progress| {
            if let Progress::Report(report) = progress {
                depths.push(report.depth);
            }
        };
        let report = search(database, &mut searcher, board, limits, &control, listener).unwrap();
        store(database, new_entries(&searcher, board, limits, &report)).unwrap();
        (report, depths)
    }

    fn depth(depth: i32) -> Limits {
        Limits { depth, ..Limits::default() }
    }

    #[test]
    fn a_second_search_starts_where_the_first_one_ended() {
        let (database, path) = database("second");
        let (first, depths) = search_to(&database, &quiet(), &depth(7));
        assert_eq!((depths, first.depth), ((1..=7).collect(), 7));
        let (same, depths) = search_to(&database, &quiet(), &depth(7));
        assert_eq!((depths, same.nodes), (vec![7], 0));
        assert_eq!((same.best, same.score, same.pv[0]), (first.best, first.score, first.best));
        // A position that is its mirror image is no other one.
        let mirrored = Board::after(15, Rule::Freestyle, "h8g9h10i7");
        let (mirror, _) = search_to(&database, &mirrored, &depth(7));
        assert_eq!((mirror.nodes, mirror.score), (0, first.score));
        let (further, depths) = search_to(&database, &quiet(), &depth(9));
        assert_eq!((depths, further.depth), (vec![8, 9], 9));
        // No iteration is finished in so few nodes, and what is known stands.
        let few = Limits { nodes: 50, ..Limits::default() };
        let (known, _) = search_to(&database, &quiet(), &few);
        assert_eq!((known.depth, known.best, known.score), (9, further.best, further.score));
        drop(database);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn an_analysis_knows_again_that_other_moves_lose() {
        let (database, path) = database("others");
        let root = RootOptions { is_analysis: true, ..RootOptions::default() };
        let to = |depth| Limits { depth, root, ..Limits::default() };
        // A four has one answer.
        for (moves, is_only) in [("h8g8i8a1j8a3k8", true), ("h8a1i8b1h9", false)] {
            let board = Board::after(15, Rule::Freestyle, moves);
            let (first, _) = search_to(&database, &board, &to(4));
            let (second, _) = search_to(&database, &board, &to(4));
            let few = Limits { nodes: 50, ..to(9) };
            let (third, _) = search_to(&database, &board, &few);
            assert_eq!(second.nodes, 0);
            assert_eq!([&first, &second, &third].map(|report| report.others_lose), [is_only; 3]);
        }
        drop(database);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn several_lines_are_answered_where_every_move_is_known() {
        let (database, path) = database("lines");
        let lines = |multi_pv, to| {
            let root = RootOptions { multi_pv, ..RootOptions::default() };
            Limits { root, ..depth(to) }
        };
        let moves = |report: &Report| -> Vec<_> {
            report.variations().map(|line| (line.pv[0], line.score)).collect()
        };
        // A game with a bad move, of which every position is known.
        search_to(&database, &quiet(), &depth(4));
        let bad = Coord::new(4, 5);
        let mut after = quiet();
        after.play(bad);
        search_to(&database, &after, &depth(6));
        let (two, depths) = search_to(&database, &quiet(), &lines(2, 4));
        assert!(two.nodes > 0 && depths == [1, 2, 3, 4], "{depths:?}");
        assert_eq!(two.variations().count(), 2);
        assert!(two.variations().all(|line| line.pv[0] != bad), "{two:?}");
        // All moves.
        let (all, _) = search_to(&database, &quiet(), &lines(225, 4));
        let (three, depths) = search_to(&database, &quiet(), &lines(3, 4));
        assert_eq!((depths, three.nodes), (vec![4], 0));
        // Moves of equal scores may come in any order.
        let (all, best) = (moves(&all), moves(&three));
        assert_eq!(best.len(), 3);
        assert!(best.iter().all(|line| all.contains(line)), "{best:?} of {all:?}");
        assert!(
            best.iter().zip(&all).all(|(line, other)| line.1 == other.1),
            "{best:?} of {all:?}"
        );
        let (three, depths) = search_to(&database, &quiet(), &lines(3, 5));
        assert_eq!((depths, three.variations().count()), (vec![5], 3));
        drop(database);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_bound_that_proves_a_win_is_an_answer() {
        let (database, path) = database("bound");
        let position = StoredPosition::of(&quiet());
        let (score, mv) = (Score::win_in(9), Some(Coord::new(7, 8)));
        for (bound, best, is_answer) in
            [(Bound::Lower, mv, true), (Bound::Lower, None, false), (Bound::Upper, mv, false)]
        {
            let evaluation = Some(StoredScore { score, bound, depth: 3 });
            let entry = DatabaseEntry { evaluation, best, ..DatabaseEntry::default() };
            database.update(|writer| writer.put(&position, &entry)).unwrap();
            let (report, _) = search_to(&database, &quiet(), &depth(2));
            assert_eq!(report.nodes == 0, is_answer, "{bound:?} {best:?}");
            if is_answer {
                assert_eq!((report.score, Some(report.best)), (score, best));
            }
        }
        drop(database);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_proof_is_the_answer() {
        let (database, path) = database("proof");
        let three = Board::after(15, Rule::Freestyle, "h8a1i8a3j8a5");
        let (first, _) = search_to(&database, &three, &Limits::default());
        assert!(first.score.is_win());
        let (second, _) = search_to(&database, &three, &Limits::default());
        assert_eq!((second.nodes, second.score, second.best), (0, first.score, first.best));
        // A weakened player does not look it up, and what he finds is not kept.
        let before = database.count().unwrap();
        let strength = crate::search::Strength::new(20).unwrap();
        let weak = Limits { strength, ..depth(3) };
        search_to(&database, &quiet(), &weak);
        assert_eq!(database.count().unwrap(), before);
        drop(database);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_proof_after_the_best_move_is_no_surprise() {
        let (database, path) = database("refuted");
        let (first, _) = search_to(&database, &quiet(), &depth(4));
        let mut after = quiet();
        after.play(first.best);
        let evaluation = StoredScore { score: Score::win_in(9), bound: Bound::Exact, depth: 9 };
        let proof = DatabaseEntry { evaluation: Some(evaluation), ..DatabaseEntry::default() };
        let position = StoredPosition::of(&after);
        database.update(|writer| writer.put(&position, &proof)).unwrap();
        let (second, _) = search_to(&database, &quiet(), &depth(4));
        assert!(second.nodes > 0 && second.best != first.best, "{second:?}");
        drop(database);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn nonsense_in_the_database_misleads_but_breaks_no_rules() {
        let (database, path) = database("nonsense");
        let mut rng = fastrand::Rng::with_seed(3);
        let board = Board::after(15, Rule::Renju, "h8a1i8a2h9a4i9");
        for _ in 0..40 {
            let images = Images::of(&board);
            let mut positions = vec![images.position(Color::White, None)];
            for mv in board.empty_cells() {
                positions.push(images.position(Color::Black, Some((mv, Color::White))));
            }
            let lie = |rng: &mut fastrand::Rng| DatabaseEntry {
                evaluation: Some(StoredScore {
                    score: match rng.u8(..3) {
                        0 => Score::win_in(rng.i32(..30)),
                        1 => Score::loss_in(rng.i32(..30)),
                        _ => Score::eval(rng.i32(-30_000..30_000)),
                    },
                    bound: rng.choice([Bound::Exact, Bound::Lower, Bound::Upper]).unwrap(),
                    depth: rng.i32(..20),
                }),
                best: board.size().cells().nth(rng.usize(..225)),
                ..DatabaseEntry::default()
            };
            database
                .update(|writer| {
                    positions.iter().try_for_each(|position| writer.put(position, &lie(&mut rng)))
                })
                .unwrap();
            let root = RootOptions { multi_pv: rng.usize(1..4), ..RootOptions::default() };
            let limits = Limits { nodes: 500, root, ..depth(rng.i32(1..12)) };
            let (report, _) = search_to(&database, &board, &limits);
            for line in report.variations() {
                let mut after = board.clone();
                for mv in line.pv {
                    assert!(after.is_legal(mv, after.side_to_move()), "{mv}: {report:?}");
                    after.play(mv);
                }
            }
        }
        drop(database);
        std::fs::remove_file(path).unwrap();
    }
}
