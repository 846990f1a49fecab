//! Line shapes and cell threats: what a stone on an empty cell would make of its four lines.
//!
//! A window is one line around an empty centre cell, up to five cells to either side. Its
//! [`Shape`] for a colour is defined by play, not by drawings: what a stone of that colour on the
//! centre makes possible next. The shapes of the four directions combine to the cell's
//! [`Threat`]. All of it is tabulated per rule at first use; nothing here knows a whole board.

use std::sync::OnceLock;

use crate::types::{Cell, Color, Direction, Rule};

/// What a stone on the centre of a window makes of that one line, weakest first.
///
/// In the diagrams `*` is the centre, `X` an own stone and `O` an enemy stone. A line counts only
/// for fives that contain the centre.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Shape {
    /// No five can ever be made here.
    Dead,
    /// Renju black only: an overline or two fours on one line (`X.X*X.X`). Both are forbidden.
    Foul,
    /// One more stone makes a [`Shape::Two`]: `O*....`
    One,
    /// One more stone makes an open two: `...*...`
    OpenOne,
    /// One more stone makes a [`Shape::Three`]: `OX*...`
    Two,
    /// One or two cells make an open three: `O.X*...O`
    NarrowTwo,
    /// Three cells make an open three: `O..X*...O`
    OpenTwo,
    /// Four or more cells make an open three: `...X*...`
    WideTwo,
    /// One more stone makes a [`Shape::Four`]: `OXX*..`
    Three,
    /// Exactly one cell makes an open four: `O.XX*..O`
    NarrowThree,
    /// Two or more cells make an open four: `..XX*..`
    OpenThree,
    /// Some single answer stops every five: `OXXX*.`
    Four,
    /// No single answer stops every five: `.XXX*.`
    OpenFour,
    /// Wins: `XXXX*`
    Five,
}

impl Shape {
    /// The number of shapes.
    pub const COUNT: usize = 14;

    /// Every shape, weakest first.
    pub const ALL: [Shape; Shape::COUNT] = [
        Shape::Dead,
        Shape::Foul,
        Shape::One,
        Shape::OpenOne,
        Shape::Two,
        Shape::NarrowTwo,
        Shape::OpenTwo,
        Shape::WideTwo,
        Shape::Three,
        Shape::NarrowThree,
        Shape::OpenThree,
        Shape::Four,
        Shape::OpenFour,
        Shape::Five,
    ];

    /// Returns the shape in the low four bits of `nibble`.
    pub const fn from_nibble(nibble: u8) -> Shape {
        let index = (nibble & 15) as usize;
        if index < Shape::COUNT { Shape::ALL[index] } else { Shape::Dead }
    }

    const fn is_open_two(self) -> bool {
        matches!(self, Shape::NarrowTwo | Shape::OpenTwo | Shape::WideTwo)
    }

    /// Returns true if one more stone can make an open four.
    pub const fn is_open_three(self) -> bool {
        matches!(self, Shape::NarrowThree | Shape::OpenThree)
    }
}

/// What a stone on a cell threatens on its four lines together, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Threat {
    /// Less than an open two.
    None,
    /// Renju black only: looks like an overline, a double four or a double three. Whether it
    /// really is forbidden is for `Board::is_forbidden` to say.
    Forbidden,
    /// One open two.
    OpenTwo,
    /// A closed three.
    Three,
    /// Two open twos.
    DoubleTwo,
    /// A closed three with an open two or another closed three.
    ThreePlus,
    /// One open three.
    OpenThree,
    /// An open three with an open two or a closed three.
    OpenThreePlus,
    /// Two open threes.
    DoubleThree,
    /// A four.
    Four,
    /// A four with an open two or a closed three.
    FourPlus,
    /// A four with an open three.
    FourThree,
    /// An open four or two fours: cannot be stopped by one stone.
    OpenFour,
    /// Wins at once.
    Five,
}

impl Threat {
    /// The number of threats.
    pub const COUNT: usize = 14;

    /// The length of arrays over threats: [`Threat::COUNT`] rounded up to a power of two, so that
    /// four bits are always a valid index.
    pub(crate) const RANKS: usize = 16;

    /// Every threat, weakest first.
    pub const ALL: [Threat; Threat::COUNT] = [
        Threat::None,
        Threat::Forbidden,
        Threat::OpenTwo,
        Threat::Three,
        Threat::DoubleTwo,
        Threat::ThreePlus,
        Threat::OpenThree,
        Threat::OpenThreePlus,
        Threat::DoubleThree,
        Threat::Four,
        Threat::FourPlus,
        Threat::FourThree,
        Threat::OpenFour,
        Threat::Five,
    ];

    /// Returns true for the threats whose cells the board keeps lists of: double threes and more,
    /// and what looks forbidden.
    #[inline]
    pub const fn is_listed(self) -> bool {
        Threat::is_listed_rank(self.rank())
    }

    /// Returns [`Threat::is_listed`] of the threat of this number.
    #[inline]
    pub(crate) const fn is_listed_rank(rank: usize) -> bool {
        rank >= Threat::FIRST_LISTED
    }

    /// The least number of a listed threat: the upper half of all numbers is theirs, so that one
    /// bit tells.
    const FIRST_LISTED: usize = Threat::RANKS / 2;

    /// Returns the number of the threat, below [`Threat::RANKS`]: its place among all, but for the
    /// one weak threat that is listed.
    #[inline]
    pub(crate) const fn rank(self) -> usize {
        match self {
            Threat::Forbidden => Threat::RANKS - 1,
            _ => self as usize,
        }
    }

    /// Returns the threat of a number below [`Threat::RANKS`].
    #[inline]
    const fn of_rank(rank: usize) -> Threat {
        const OF_RANK: [Threat; Threat::RANKS] = {
            let mut of_rank = [Threat::None; Threat::RANKS];
            let mut number = 0;
            while number < Threat::COUNT {
                let threat = Threat::ALL[number];
                of_rank[threat.rank()] = threat;
                number += 1;
            }
            of_rank
        };
        OF_RANK[rank % Threat::RANKS]
    }

    /// Combines the shapes of the four directions. `black_renju` applies black's fouls.
    const fn combine(shapes: [Shape; 4], black_renju: bool) -> Threat {
        let mut of = [0u8; Shape::COUNT];
        let mut direction = 0;
        while direction < 4 {
            of[shapes[direction] as usize] += 1;
            direction += 1;
        }
        let twos = of[Shape::NarrowTwo as usize]
            + of[Shape::OpenTwo as usize]
            + of[Shape::WideTwo as usize];
        let threes = of[Shape::Three as usize];
        let open_threes = of[Shape::NarrowThree as usize] + of[Shape::OpenThree as usize];
        let fours = of[Shape::Four as usize] + of[Shape::OpenFour as usize];
        if of[Shape::Five as usize] > 0 {
            Threat::Five
        } else if black_renju && (of[Shape::Foul as usize] > 0 || fours >= 2 || open_threes >= 2) {
            Threat::Forbidden
        } else if of[Shape::OpenFour as usize] > 0 || fours >= 2 {
            Threat::OpenFour
        } else if fours > 0 && open_threes > 0 {
            Threat::FourThree
        } else if fours > 0 && twos + threes > 0 {
            Threat::FourPlus
        } else if fours > 0 {
            Threat::Four
        } else if open_threes >= 2 {
            Threat::DoubleThree
        } else if open_threes > 0 && twos + threes > 0 {
            Threat::OpenThreePlus
        } else if open_threes > 0 {
            Threat::OpenThree
        } else if threes > 0 && twos + threes > 1 {
            Threat::ThreePlus
        } else if twos >= 2 {
            Threat::DoubleTwo
        } else if threes > 0 {
            Threat::Three
        } else if twos > 0 {
            Threat::OpenTwo
        } else {
            Threat::None
        }
    }
}

/// The number of unordered combinations of four shapes: C(17, 4).
pub const CODES: usize = 2380;

/// A combination of four line shapes, whatever their directions: a number below [`CODES`].
pub type Code = u16;

/// Bits of a [`Code`].
pub const CODE_BITS: u32 = 12;

/// Both colours' shapes on the four lines of a cell, a byte of the window table a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellShapes(u32);

impl CellShapes {
    /// Four dead lines.
    pub const DEAD: CellShapes = CellShapes(0);

    /// Returns both colours' shapes of a direction in the form of [`RuleTables::window`].
    #[inline]
    pub const fn window(self, direction: Direction) -> u8 {
        (self.0 >> (8 * direction as u32)) as u8
    }

    /// Returns the shapes with those of one direction replaced.
    #[inline]
    pub const fn with(self, direction: Direction, window: u8) -> CellShapes {
        let shift = 8 * direction as u32;
        CellShapes(self.0 & !(255 << shift) | (window as u32) << shift)
    }

    /// Returns the shapes with those of one direction changed by `difference`, both in the form of
    /// [`RuleTables::window`].
    #[inline]
    pub const fn changed(self, direction: Direction, difference: u8) -> CellShapes {
        CellShapes(self.0 ^ (difference as u32) << (8 * direction as u32))
    }

    /// Returns one colour's shape in a direction.
    #[inline]
    pub const fn shape(self, color: Color, direction: Direction) -> Shape {
        Shape::from_nibble(self.window(direction) >> (4 * color as u32))
    }

    /// Returns the four shapes of a colour side by side. Their order is of no matter to the
    /// combination, so it is the one that is made with the least work.
    #[inline]
    const fn key(self, color: Color) -> u16 {
        let shapes = self.0 >> (4 * color as u32) & 0x0f0f_0f0f;
        (shapes | shapes >> 12) as u16
    }
}

/// A [`Code`] together with the [`Threat`] that it makes for a colour, in one look-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Combination(u16);

impl Combination {
    /// Four dead lines.
    pub const DEAD: Combination = Combination::new(0, Threat::None);

    const fn new(code: Code, threat: Threat) -> Combination {
        Combination(code | (threat.rank() as u16) << CODE_BITS)
    }

    /// The bits of the threat's number, and the one that those of listed threats have set.
    pub(crate) const RANK_BITS: u16 = !((1 << CODE_BITS) - 1);
    pub(crate) const LISTED_BIT: u16 = (Threat::FIRST_LISTED as u16) << CODE_BITS;

    #[inline]
    pub(crate) const fn from_bits(bits: u16) -> Combination {
        Combination(bits)
    }

    #[inline]
    pub(crate) const fn bits(self) -> u16 {
        self.0
    }

    /// Returns the number of the combination.
    #[inline]
    pub const fn code(self) -> Code {
        self.0 & ((1 << CODE_BITS) - 1)
    }

    /// Returns the threat that the combination makes.
    #[inline]
    pub const fn threat(self) -> Threat {
        Threat::of_rank(self.rank())
    }

    /// Returns the threat as a number: `threat().rank()`, but without a look-up.
    #[inline]
    pub(crate) const fn rank(self) -> usize {
        (self.0 >> CODE_BITS) as usize
    }
}

const _: () = assert!(CODES <= 1 << CODE_BITS && Threat::COUNT <= Threat::RANKS);

/// Every combination, for colours with renju black's fouls or without.
struct Combinations {
    of_key: Box<[Combination; 1 << 16]>,
    threats: [Threat; CODES],
    shapes: [[Shape; 4]; CODES],
}

impl Combinations {
    fn shared(black_renju: bool) -> &'static Combinations {
        static SHARED: [OnceLock<Combinations>; 2] = [const { OnceLock::new() }; 2];
        SHARED[usize::from(black_renju)].get_or_init(|| Combinations::new(black_renju))
    }

    /// Numbers the sorted combinations in lexical order; every order of the same four shapes
    /// gets the same number.
    fn new(black_renju: bool) -> Combinations {
        let mut of_key: Box<[Combination; 1 << 16]> = vec![Combination::DEAD; 1 << 16]
            .into_boxed_slice()
            .try_into()
            .expect("invariant: the length is fixed");
        let mut shapes = [[Shape::Dead; 4]; CODES];
        let mut threats = [Threat::None; CODES];
        let mut code = 0;
        let n = Shape::COUNT;
        for a in 0..n {
            for b in a..n {
                for c in b..n {
                    for d in c..n {
                        shapes[code] = [a, b, c, d].map(|i| Shape::ALL[i]);
                        threats[code] = Threat::combine(shapes[code], black_renju);
                        let combination = Combination::new(code as Code, threats[code]);
                        for [i, j, k, l] in permutations([a, b, c, d]) {
                            of_key[i | j << 4 | k << 8 | l << 12] = combination;
                        }
                        code += 1;
                    }
                }
            }
        }
        debug_assert_eq!(code, CODES);
        Combinations { of_key, threats, shapes }
    }
}

fn permutations([a, b, c, d]: [usize; 4]) -> impl Iterator<Item = [usize; 4]> {
    let triples =
        |[x, y, z]: [usize; 3]| [[x, y, z], [x, z, y], [y, x, z], [y, z, x], [z, x, y], [z, y, x]];
    [(a, [b, c, d]), (b, [a, c, d]), (c, [a, b, d]), (d, [a, b, c])]
        .into_iter()
        .flat_map(move |(first, rest)| triples(rest).map(|[x, y, z]| [first, x, y, z]))
}

/// Returns the four shapes that make up a combination, weakest first.
pub fn shapes_of_code(code: Code) -> [Shape; 4] {
    Combinations::shared(false).shapes[code as usize]
}

/// Everything the board looks up under one rule.
pub struct RuleTables {
    /// Cells of a window on each side of its centre: 4 where only runs of five or more matter,
    /// otherwise 5.
    pub half: usize,
    /// Per window index the black shape in the low and the white shape in the high four bits.
    shapes: Box<[u8]>,
    combinations: [&'static [Combination; 1 << 16]; 2],
    threats: [&'static [Threat; CODES]; 2],
}

impl RuleTables {
    /// Returns the tables of `rule`, built at the first call (a few milliseconds).
    pub fn of(rule: Rule) -> &'static RuleTables {
        static TABLES: [OnceLock<RuleTables>; Rule::ALL.len()] =
            [const { OnceLock::new() }; Rule::ALL.len()];
        TABLES[rule as usize].get_or_init(|| RuleTables::new(rule))
    }

    fn new(rule: Rule) -> RuleTables {
        let half = if rule == Rule::Freestyle { 4 } else { 5 };
        let [black, white] = Color::ALL.map(|color| Winning::of(rule, color));
        let black_shapes = LineShapes::new(black);
        let white_shapes =
            if white == black { black_shapes.clone() } else { LineShapes::new(white) };
        let combinations = [black, white]
            .map(|winning| Combinations::shared(winning == Winning::ExactFiveWithFouls));
        RuleTables {
            half,
            shapes: window_shapes(half, &black_shapes, &white_shapes),
            combinations: combinations.map(|shared| &*shared.of_key),
            threats: combinations.map(|shared| &shared.threats),
        }
    }

    /// Returns both colours' shapes of a window: black's in the low, white's in the high four
    /// bits. `index` holds the `half` cells before the centre in its low bits and the `half` cells
    /// behind it above them, two bits a cell in line order.
    #[inline]
    pub fn window(&self, index: usize) -> u8 {
        self.shapes[index]
    }

    /// Returns the table of [`RuleTables::window`] for windows of `HALF` cells a side, which must
    /// be the rule's. Its length is known where it is used, which saves the check of the index.
    #[inline]
    pub(crate) fn windows<const HALF: usize>(&self) -> &[u8] {
        debug_assert_eq!(HALF, self.half);
        &self.shapes[..1 << (4 * HALF)]
    }

    /// Returns the combination that the shapes of a cell are for `color`.
    #[inline]
    pub fn combination(&self, color: Color, shapes: CellShapes) -> Combination {
        self.combinations[color][shapes.key(color) as usize]
    }

    /// Returns what a combination of shapes means for `color`.
    pub fn threat(&self, color: Color, code: Code) -> Threat {
        self.threats[color][code as usize]
    }
}

/// What makes a line a win for one colour.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Winning {
    FiveOrMore,
    ExactFive,
    ExactFiveWithFouls,
    /// Six or more, or a five without an enemy stone at both ends.
    CaroFive,
    /// A five without an enemy stone at both ends.
    CaroExactFive,
}

impl Winning {
    fn of(rule: Rule, color: Color) -> Winning {
        match (rule, color) {
            (Rule::Freestyle, _) | (Rule::Renju, Color::White) => Winning::FiveOrMore,
            (Rule::Standard, _) => Winning::ExactFive,
            (Rule::Renju, Color::Black) => Winning::ExactFiveWithFouls,
            (Rule::Caro, _) => Winning::CaroFive,
            (Rule::CaroExact, _) => Winning::CaroExactFive,
        }
    }
}

/// Cells on one side of the centre, seen from the centre outwards, two bits a cell. The codes are
/// relative to the colour asked about; own and enemy take the places of black and white.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Half(u16);

const OWN: u16 = Cell::Black as u16;
const ENEMY: u16 = Cell::White as u16;
const EMPTY: u16 = Cell::Empty as u16;
const WALL: u16 = Cell::Wall as u16;

impl Half {
    const CELLS: usize = 5;
    const RAW: usize = 1 << (2 * Half::CELLS);
    /// Halves that differ before the first stone or wall that ends the line:
    /// 2 * (1 + 2 + 4 + 8 + 16) ended ones and 32 open ones.
    const DISTINCT: usize = 94;

    /// Returns the cell `distance` steps out, counted from 0.
    const fn at(self, distance: usize) -> u16 {
        self.0 >> (2 * distance) & 3
    }

    const fn with(self, distance: usize, code: u16) -> Half {
        Half(self.0 & !(3 << (2 * distance)) | code << (2 * distance))
    }

    const fn run(self) -> usize {
        let mut n = 0;
        while n < Half::CELLS && self.at(n) == OWN {
            n += 1;
        }
        n
    }

    const fn is_enemy_behind_run(self) -> bool {
        let run = self.run();
        run < Half::CELLS && self.at(run) == ENEMY
    }

    /// Returns the half with everything behind the first enemy stone or wall made wall.
    fn ended(self) -> Half {
        let end = (0..Half::CELLS).find(|&k| matches!(self.at(k), ENEMY | WALL));
        (end.map_or(Half::CELLS, |k| k + 1)..Half::CELLS).fold(self, |half, k| half.with(k, WALL))
    }
}

/// The shapes of every pair of halves for one colour.
#[derive(Clone)]
struct LineShapes {
    winning: Winning,
    /// Number of each raw half among the distinct ones.
    id: Vec<u8>,
    /// Shape of a pair of distinct halves, `None` while not known.
    shape: Vec<Option<Shape>>,
}

impl LineShapes {
    fn new(winning: Winning) -> LineShapes {
        let mut distinct: Vec<Half> = Vec::with_capacity(Half::DISTINCT);
        let mut id = vec![0; Half::RAW];
        for (raw, id) in id.iter_mut().enumerate() {
            let half = Half(raw as u16).ended();
            let found = distinct.iter().position(|&seen| seen == half);
            *id = found.unwrap_or_else(|| {
                distinct.push(half);
                distinct.len() - 1
            }) as u8;
        }
        debug_assert_eq!(distinct.len(), Half::DISTINCT);
        let mut shapes =
            LineShapes { winning, id, shape: vec![None; Half::DISTINCT * Half::DISTINCT] };
        for &a in &distinct {
            for &b in &distinct {
                shapes.shape([a, b]);
            }
        }
        shapes
    }

    fn slot(&self, [a, b]: [Half; 2]) -> usize {
        self.id[a.0 as usize] as usize * Half::DISTINCT + self.id[b.0 as usize] as usize
    }

    /// Returns the shape of a line, remembering it and every line it depends on.
    fn shape(&mut self, line: [Half; 2]) -> Shape {
        let slot = self.slot(line);
        if let Some(shape) = self.shape[slot] {
            return shape;
        }
        let shape = self.classify(line);
        self.shape[slot] = Some(shape);
        shape
    }

    fn classify(&mut self, line: [Half; 2]) -> Shape {
        let fouls = self.winning == Winning::ExactFiveWithFouls;
        let [before, behind] = line.map(Half::run);
        if self.is_five(line) {
            return Shape::Five;
        }
        if fouls && before + behind + 1 > 5 {
            return Shape::Foul;
        }
        let fives = self.five_cells(line);
        if fives > 0 {
            let stoppable = empties(line).any(|at| self.five_cells(placed(line, at, ENEMY)) == 0);
            return match (stoppable, fouls && before + behind + 1 != 4) {
                (true, _) => Shape::Four,
                (false, true) => Shape::Foul,
                (false, false) => Shape::OpenFour,
            };
        }
        let mut next = [0; Shape::COUNT];
        for at in empties(line) {
            next[self.shape(placed(line, at, OWN)) as usize] += 1;
        }
        let count = |shapes: &[Shape]| shapes.iter().map(|&s| next[s as usize]).sum::<usize>();
        match count(&[Shape::OpenFour]) {
            0 => {}
            1 => return Shape::NarrowThree,
            _ => return Shape::OpenThree,
        }
        if count(&[Shape::Four]) > 0 {
            return Shape::Three;
        }
        match count(&[Shape::NarrowThree, Shape::OpenThree]) {
            0 => {}
            1..=2 => return Shape::NarrowTwo,
            3 => return Shape::OpenTwo,
            _ => return Shape::WideTwo,
        }
        if count(&[Shape::Three]) > 0 {
            Shape::Two
        } else if Shape::ALL.iter().any(|s| s.is_open_two() && next[*s as usize] > 0) {
            Shape::OpenOne
        } else if count(&[Shape::Two]) > 0 {
            Shape::One
        } else {
            Shape::Dead
        }
    }

    fn is_five(&self, line: [Half; 2]) -> bool {
        let run = line[0].run() + line[1].run() + 1;
        let is_closed = || line[0].is_enemy_behind_run() && line[1].is_enemy_behind_run();
        match self.winning {
            Winning::FiveOrMore => run >= 5,
            Winning::ExactFive | Winning::ExactFiveWithFouls => run == 5,
            Winning::CaroFive => run > 5 || run == 5 && !is_closed(),
            Winning::CaroExactFive => run == 5 && !is_closed(),
        }
    }

    fn five_cells(&self, line: [Half; 2]) -> usize {
        empties(line).filter(|&at| self.is_five(placed(line, at, OWN))).count()
    }
}

/// A cell of a line: which half, and how far out.
type At = (usize, usize);

/// Returns the empty cells that a five through the centre could use.
fn empties(line: [Half; 2]) -> impl Iterator<Item = At> {
    (0..2).flat_map(move |side| {
        (0..Half::CELLS)
            .take_while(move |&k| matches!(line[side].at(k), OWN | EMPTY))
            .filter(move |&k| line[side].at(k) == EMPTY)
            .map(move |k| (side, k))
    })
}

fn placed(mut line: [Half; 2], (side, distance): At, code: u16) -> [Half; 2] {
    line[side] = line[side].with(distance, code).ended();
    line
}

/// Lays the shapes of both colours out by window index.
fn window_shapes(half: usize, black: &LineShapes, white: &LineShapes) -> Box<[u8]> {
    let side = 1 << (2 * half);
    // Per colour and raw half of a window, the number of the half seen from the centre: the cells
    // before the centre come in reversed order, and beyond a half of four nothing matters.
    let ids = |shapes: &LineShapes, color: Color, is_before: bool| -> Vec<u8> {
        let id = |raw: usize| {
            let mut seen = Half(u16::MAX);
            for k in 0..half {
                let at = if is_before { half - 1 - k } else { k };
                let code = (raw >> (2 * at) & 3) as u16;
                let is_swapped = color == Color::White && code <= ENEMY;
                seen = seen.with(k, if is_swapped { code ^ 1 } else { code });
            }
            let seen = Half(seen.0 & (Half::RAW - 1) as u16);
            shapes.id[seen.ended().0 as usize]
        };
        (0..side).map(id).collect()
    };
    let tables = [(black, Color::Black), (white, Color::White)].map(|(shapes, color)| {
        let pairs: Vec<u8> = shapes.shape.iter().map(|s| s.map_or(0, |s| s as u8)).collect();
        (pairs, ids(shapes, color, true), ids(shapes, color, false))
    });
    let [(black, black_before, black_behind), (white, white_before, white_behind)] = &tables;
    let mut windows = vec![0u8; side * side].into_boxed_slice();
    for (behind, row) in windows.chunks_exact_mut(side).enumerate() {
        // A line reads the same from both ends, so the pair may be looked up either way round.
        let black_row = &black[black_behind[behind] as usize * Half::DISTINCT..][..Half::DISTINCT];
        let white_row = &white[white_behind[behind] as usize * Half::DISTINCT..][..Half::DISTINCT];
        for (window, (&b, &w)) in row.iter_mut().zip(black_before.iter().zip(white_before)) {
            *window = black_row[b as usize] | white_row[w as usize] << 4;
        }
    }
    windows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the shape of `color` at the `*` of a line such as `.XX*.O`; `X` is `color`'s
    /// stone, `|` the wall, and everything outside the text is wall.
    fn shape(rule: Rule, color: Color, line: &str) -> Shape {
        let tables = RuleTables::of(rule);
        let cells: Vec<char> = line.chars().collect();
        let center = cells.iter().position(|&c| c == '*').expect("a centre") as isize;
        let mut index = 0;
        let half = tables.half as isize;
        for (slot, offset) in (-half..=half).filter(|&o| o != 0).enumerate() {
            let at = usize::try_from(center + offset).ok().and_then(|i| cells.get(i));
            let cell = match at {
                Some('X') => color.cell(),
                Some('O') => (!color).cell(),
                Some('.') => Cell::Empty,
                _ => Cell::Wall,
            };
            index |= (cell as usize) << (2 * slot);
        }
        let byte = tables.window(index);
        Shape::from_nibble(if color == Color::Black { byte } else { byte >> 4 })
    }

    #[test]
    fn every_variant_matches_its_diagram() {
        for color in Color::ALL {
            for (line, expected) in [
                ("O*...", Shape::Dead),
                ("O*....", Shape::One),
                (".....*.....", Shape::OpenOne),
                ("OX*...", Shape::Two),
                ("O.X*...O", Shape::NarrowTwo),
                ("O..X*...O", Shape::OpenTwo),
                ("....X*....", Shape::WideTwo),
                ("OXX*..", Shape::Three),
                ("O.XX*..O", Shape::NarrowThree),
                ("..XX*..", Shape::OpenThree),
                ("OXXX*.", Shape::Four),
                (".XXX*.", Shape::OpenFour),
                ("XXX*X", Shape::Five),
            ] {
                assert_eq!(shape(Rule::Freestyle, color, line), expected, "{line}");
            }
        }
    }

    #[test]
    fn an_overline_is_a_win_only_where_the_rule_says_so() {
        let line = "XXX*XX";
        for (rule, color, expected) in [
            (Rule::Freestyle, Color::Black, Shape::Five),
            (Rule::Standard, Color::White, Shape::Dead),
            (Rule::Renju, Color::Black, Shape::Foul),
            (Rule::Renju, Color::White, Shape::Five),
            (Rule::Caro, Color::Black, Shape::Five),
            (Rule::CaroExact, Color::Black, Shape::Dead),
        ] {
            assert_eq!(shape(rule, color, line), expected, "{rule:?} {color:?}");
        }
    }

    #[test]
    fn two_fours_on_one_line_are_a_foul_for_renju_black_only() {
        for line in ["X.X*X.X", "XX.*X.XX", "XXX.*.XXX"] {
            assert_eq!(shape(Rule::Renju, Color::Black, line), Shape::Foul, "{line}");
            assert_eq!(shape(Rule::Renju, Color::White, line), Shape::OpenFour, "{line}");
            assert_eq!(shape(Rule::Standard, Color::Black, line), Shape::OpenFour, "{line}");
        }
    }

    #[test]
    fn a_second_five_cell_that_makes_an_overline_does_not_open_a_four() {
        let line = "....XX*X.X..";
        assert_eq!(shape(Rule::Freestyle, Color::Black, line), Shape::OpenFour);
        assert_eq!(shape(Rule::Standard, Color::Black, line), Shape::Four);
        assert_eq!(shape(Rule::Caro, Color::Black, line), Shape::OpenFour);
        assert_eq!(shape(Rule::CaroExact, Color::Black, line), Shape::Four);
        assert_eq!(shape(Rule::Standard, Color::Black, ".X.XX*X.X."), Shape::Dead);
    }

    #[test]
    fn caro_closes_a_five_with_stones_but_not_with_the_edge() {
        for rule in [Rule::Caro, Rule::CaroExact] {
            assert_eq!(shape(rule, Color::Black, "OXXX*XO"), Shape::Dead);
            assert_eq!(shape(rule, Color::White, "OXXX*X|"), Shape::Five);
            assert_eq!(shape(rule, Color::White, "OXXX*X."), Shape::Five);
            assert_eq!(shape(rule, Color::Black, "OXXX*.O"), Shape::Dead);
            assert_eq!(shape(rule, Color::Black, "O.XXX*...."), Shape::Four);
            assert_eq!(shape(rule, Color::Black, "..XXX*.."), Shape::OpenFour);
        }
        assert_eq!(shape(Rule::Caro, Color::Black, "OXXX*XXO"), Shape::Five);
        assert_eq!(shape(Rule::CaroExact, Color::Black, "OXXX*XXO"), Shape::Dead);
        assert_eq!(shape(Rule::Caro, Color::Black, "OXXX.X*O"), Shape::Four);
        assert_eq!(shape(Rule::CaroExact, Color::Black, "OXXX.X*O"), Shape::Dead);
    }

    #[test]
    fn codes_number_every_combination_once() {
        for black_renju in [false, true] {
            let combinations = Combinations::shared(black_renju);
            let of = |key: usize| combinations.of_key[key];
            assert_eq!(of(0x2b41), of(0x142b));
            assert_eq!(shapes_of_code(of(0xd000).code())[3], Shape::Five);
            assert_eq!(of(0xd000).threat(), Threat::Five);
            let double_four = if black_renju { Threat::Forbidden } else { Threat::OpenFour };
            assert_eq!(of(0xb0b0).threat(), double_four);
            let distinct: std::collections::HashSet<_> = combinations.shapes.iter().collect();
            assert_eq!(distinct.len(), CODES);
        }
    }
}
