//! VCF (victory by continuous fours): the search for a win by fours alone.
//!
//! The defender has one answer to each four (under caro rules sometimes two), so that the tree
//! stays thin. A win is a proof: the defender's own fours, forbidden answers and closed fives are
//! played out. "No" is a proof too, unless a limit was hit. See Allis, "Searching for Solutions in
//! Games and Artificial Intelligence" (1994).

use tengen_gomoku::board::Board;
use tengen_gomoku::shape::{Shape, Threat};
use tengen_gomoku::types::random::GAMMA;
use tengen_gomoku::types::{Cell, Color, Coord, CoordSet, Direction};

use crate::search::cache::Cache;

/// What a search for a win by threats found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solution {
    Win {
        mv: Coord,
        /// At most so many, up to and with the five.
        plies: i32,
    },
    /// No win by the threats searched: proven for VCF, not for [`vct`](super::vct).
    No,
    Unknown,
}

/// Nodes of the first round, and the fewest of a later one.
const FIRST_ROUND: u64 = 2_000;
const LATER_ROUND: u64 = 1_000;
/// In the order of trial. A move that looks forbidden may be a legal four.
const FOURS: [Threat; 5] =
    [Threat::OpenFour, Threat::FourThree, Threat::FourPlus, Threat::Four, Threat::Forbidden];
/// Open and double fours, fours that also make an open two or any three, and fours on cells that
/// look forbidden.
const STRONG_FOURS: [Threat; 4] =
    [Threat::OpenFour, Threat::FourThree, Threat::FourPlus, Threat::Forbidden];
/// Separates failures of strong fours from those of all fours.
const STRONG_SALT: u64 = 0xbb67_ae85_84ca_a73b;

#[derive(Default)]
pub struct Vcf {
    failures: Cache<(), { 1 << 14 }, 1>,
    wins: Cache<Option<(Coord, u16)>, { 1 << 10 }, 4>,
    fours: &'static [Threat],
    salt: u64,
    /// From 0; the seed of the move order.
    round: u64,
    /// Of the last search.
    pub nodes: u64,
    node_limit: u64,
}

impl Vcf {
    pub fn clear(&mut self) {
        self.failures.clear();
        self.wins.clear();
    }

    /// Searches for a VCF of the side to move with about `node_limit` nodes. The limit is checked
    /// after each four that fails, so that a line is followed to its end, which takes at most a
    /// node for each free cell (more under caro rules, where a four can have two answers).
    pub fn solve(&mut self, board: &mut Board, node_limit: u64) -> Solution {
        self.solve_while(board, node_limit, || true)
    }

    /// Searches as [`Vcf::solve`] does, while `goes_on` (asked every few thousand nodes) is true.
    pub fn solve_while(
        &mut self,
        board: &mut Board,
        node_limit: u64,
        goes_on: impl FnMut() -> bool,
    ) -> Solution {
        (self.fours, self.salt) = (&FOURS, 0);
        self.search(board, node_limit, goes_on)
    }

    /// Searches strong fours alone, which takes few nodes.
    pub fn solve_by_strong_fours(&mut self, board: &mut Board, node_limit: u64) -> Solution {
        (self.fours, self.salt) = (&STRONG_FOURS, STRONG_SALT);
        self.search(board, node_limit, || true)
    }

    /// A wrong four near the root can cost more nodes than any search has, while another order
    /// finds a win at once. So the search restarts, each time in another order and now and then
    /// with more nodes (Gomes, Selman and Kautz, 1998). Failures of all rounds are kept.
    fn search(
        &mut self,
        board: &mut Board,
        node_limit: u64,
        mut goes_on: impl FnMut() -> bool,
    ) -> Solution {
        (self.nodes, self.round) = (0, 0);
        loop {
            let nodes = match self.round {
                0 => FIRST_ROUND,
                round => LATER_ROUND << round.div_ceil(2).trailing_zeros(),
            };
            self.node_limit = node_limit.min(self.nodes + nodes);
            let solution = self.attack(board);
            if solution != Solution::Unknown || self.nodes >= node_limit || !goes_on() {
                return solution;
            }
            self.round += 1;
        }
    }

    /// Searches for a VCF of the side to move, which must not have a five. Returns the cells where
    /// the opponent, if he moved first, could stop it, and the plies of the win. His stone on
    /// another cell changes nothing, unless it makes a four. The defences are collected with another
    /// `node_limit` nodes.
    pub fn solve_with_defences(
        &mut self,
        board: &mut Board,
        node_limit: u64,
    ) -> Option<(CoordSet, i32)> {
        let Solution::Win { plies, .. } = self.solve(board, node_limit) else { return None };
        let mut cells = CoordSet::EMPTY;
        self.node_limit = self.nodes.saturating_add(node_limit);
        let is_exact = self.collect_defences(board, &mut cells);
        Some((if is_exact { cells & *board.empty_cells() } else { *board.empty_cells() }, plies))
    }

    /// Replays the win and collects the defences against each move: cells that refute a four, and
    /// cells that turn an answer into a four of the defender. Returns false if the list may be
    /// incomplete: at the node limit, and under renju if a stone elsewhere may lift or cause a foul
    /// that matters.
    fn collect_defences(&mut self, board: &mut Board, cells: &mut CoordSet) -> bool {
        let us = board.side_to_move();
        let Solution::Win { mv, plies } = self.attack(board) else { return false };
        if plies == 1 {
            return true;
        }
        let threat = board.threat(mv, us);
        if threat == Threat::Forbidden {
            return false;
        }
        let least = if threat == Threat::OpenFour { threat } else { Threat::Four };
        *cells = *cells | board.refutations(mv, us, least);
        if plies == 3 && threat == Threat::OpenFour && board.count(!us, Threat::Five) == 0 {
            return true;
        }
        if board.rule().is_caro() {
            // A stone at one end of the five gives the four a second answer at the other.
            add_four_lines(board, mv, us, cells);
        }
        if self.nodes >= self.node_limit {
            return false;
        }
        self.nodes += 1;
        board.play(mv);
        let fives = board.common_refutations(us, Threat::Five);
        let answers = board.legal_cells(fives, !us);
        let mut is_exact = answers == fives;
        for answer in &answers {
            board.add_four_preparations(answer, !us, cells);
            self.nodes += 1;
            board.play(answer);
            is_exact = is_exact && self.collect_defences(board, cells);
            board.undo();
        }
        board.undo();
        is_exact
    }

    fn attack(&mut self, board: &mut Board) -> Solution {
        let us = board.side_to_move();
        let them = !us;
        if board.count(us, Threat::Five) > 0 {
            return win(board.cells_with(us, Threat::Five).first(), 1);
        }
        let is_threatened = board.count(them, Threat::Five) > 0;
        let answers = is_threatened.then(|| board.common_refutations(them, Threat::Five));
        if answers.is_none() && board.count(us, Threat::OpenFour) > 0 {
            return win(board.cells_with(us, Threat::OpenFour).first(), 3);
        }
        if !board.can_make_four(us) {
            return Solution::No;
        }
        let key = board.key();
        if self.failures.get(key ^ self.salt).is_some() {
            return Solution::No;
        }
        if let Some((mv, plies)) = self.wins.get(key).flatten() {
            return Solution::Win { mv, plies: plies.into() };
        }
        let mut left = CoordSet::EMPTY;
        for &threat in self.fours.iter().filter(|&&threat| board.count(us, threat) > 0) {
            left = left | *board.cells_with(us, threat);
        }
        if let Some(answers) = answers {
            left = left & answers;
        }
        while let Some(mv) = self.next_four(board, &left, key) {
            left.remove(mv);
            if board.threat(mv, us) == Threat::Forbidden
                && (!board.threats(mv).makes_four(us) || board.is_forbidden(mv))
            {
                continue;
            }
            if let Some(plies) = self.try_four(board, mv) {
                self.wins.put(key, Some((mv, plies as u16)));
                return Solution::Win { mv, plies };
            }
            if self.nodes >= self.node_limit {
                return Solution::Unknown;
            }
        }
        self.failures.put(key ^ self.salt, ());
        Solution::No
    }

    /// Returns the next four to try. The first round goes by threats; later ones alternate between
    /// the four nearest to the last one, since a long win goes on where it is, and the first by
    /// index. Among the nearest the seed decides.
    fn next_four(&self, board: &Board, left: &CoordSet, key: u64) -> Option<Coord> {
        let us = board.side_to_move();
        if self.round == 0 {
            let fours = self.fours.iter().filter(|&&threat| board.count(us, threat) > 0);
            return fours
                .map(|&threat| *left & *board.cells_with(us, threat))
                .find_map(|c| c.first());
        }
        if self.round.is_multiple_of(2) {
            return left.first();
        }
        let last = board.last_move(1);
        let seed = (key ^ self.round).wrapping_mul(GAMMA);
        left.into_iter().min_by_key(|&c| {
            let tie = (seed ^ c.index() as u64).wrapping_mul(GAMMA) >> 32;
            (last.map_or(0, |last| c.distance(last)), tie)
        })
    }

    /// Returns the plies of the win that begins with this four; `None` if it fails or at the limit.
    fn try_four(&mut self, board: &mut Board, mv: Coord) -> Option<i32> {
        let us = board.side_to_move();
        self.nodes += 1;
        board.play(mv);
        // Unless it is no four, or the opponent makes a five first.
        let is_four = board.count(us, Threat::Five) > 0 && board.count(!us, Threat::Five) == 0;
        let plies = if is_four { self.defend(board) } else { None };
        board.undo();
        plies
    }

    fn defend(&mut self, board: &mut Board) -> Option<i32> {
        let defender = board.side_to_move();
        let answers =
            board.legal_cells(board.common_refutations(!defender, Threat::Five), defender);
        let mut longest = 1;
        for answer in &answers {
            self.nodes += 1;
            board.play(answer);
            let solution = self.attack(board);
            board.undo();
            match solution {
                Solution::Win { plies, .. } => longest = longest.max(plies),
                Solution::No | Solution::Unknown => return None,
            }
        }
        // The four, its answer, and the rest.
        Some(longest + 2)
    }
}

fn win(mv: Option<Coord>, plies: i32) -> Solution {
    let mv = mv.expect("invariant: a counted cell is in its set");
    Solution::Win { mv, plies }
}

fn add_four_lines(board: &Board, mv: Coord, us: Color, cells: &mut CoordSet) {
    for direction in Direction::ALL {
        if board.threats(mv).shape(us, direction) < Shape::Four {
            continue;
        }
        for sign in [-1, 1] {
            let mut c = mv;
            for _ in 0..5 {
                c = c.step(direction, sign);
                match board.cell(c) {
                    Cell::Wall => break,
                    Cell::Empty => cells.insert(c),
                    Cell::Black | Cell::White => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::board::notation::parse_points;
    use tengen_gomoku::types::{BoardSize, Rule};

    fn board(rule: Rule, black: &str, white: &str, to_move: Color) -> Board {
        let size = BoardSize::new(15, 15).expect("a valid size");
        let points = |text| parse_points(text, size).expect("valid points");
        let mut cells: Vec<_> = points(black).into_iter().map(|c| (c, Cell::Black)).collect();
        cells.extend(points(white).into_iter().map(|c| (c, Cell::White)));
        Board::from_cells(size, rule, &cells, to_move)
    }

    #[test]
    fn a_four_that_makes_an_open_three_wins() {
        // The four on row 8 is closed at d8; i8 also builds three on column i.
        let mut board = board(Rule::Freestyle, "e8f8g8i6i7", "d8a1c1e1", Color::Black);
        match Vcf::default().solve(&mut board, 1000) {
            Solution::Win { plies, .. } => assert_eq!(plies, 5),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn without_threes_there_is_no_vcf() {
        let mut board = board(Rule::Standard, "h8i9", "g8j10", Color::Black);
        assert_eq!(Vcf::default().solve(&mut board, 1000), Solution::No);
    }

    #[test]
    fn a_tiny_limit_settles_nothing_it_did_not_prove() {
        let size = BoardSize::new(15, 15).expect("a valid size");
        let mut rng = fastrand::Rng::with_seed(0x7f);
        let (mut limited, mut unlimited) = (Vcf::default(), Vcf::default());
        let mut unfinished_wins = 0;
        for _ in 0..12_000 {
            let mut board = Board::new(size, Rule::Freestyle);
            while board.stone_count() < 30 {
                let c = Coord::new(rng.u8(4..11), rng.u8(4..11));
                if board.is_empty(c) && !board.makes_five(c, board.side_to_move()) {
                    board.play(c);
                }
            }
            limited.clear();
            unlimited.clear();
            let unfinished = limited.solve(&mut board, 1);
            let is_win = |solution: Solution| matches!(solution, Solution::Win { .. });
            let wins = is_win(unlimited.solve(&mut board, 10_000));
            unfinished_wins += usize::from(unfinished == Solution::Unknown && wins);
            assert!(unfinished == Solution::Unknown || is_win(unfinished) == wins);
            // The limited search has stored no failure that it did not prove.
            assert_eq!(is_win(limited.solve(&mut board, 10_000)), wins);
        }
        assert!(unfinished_wins > 10, "{unfinished_wins}");
    }

    #[test]
    fn a_forbidden_answer_loses_for_black() {
        // White's four e8-h8 is closed at d8; black's only answer i8 makes two open threes.
        let mut board = board(Rule::Renju, "d8i6i7j9k10a1", "e8f8g8o1o3", Color::White);
        let solution = Vcf::default().solve(&mut board, 1000);
        assert!(matches!(solution, Solution::Win { plies: 3, .. }), "{solution:?}");
    }
}
