//! What a manager may expect: every request of a dialogue, and the one answer that is right.
//!
//! The model knows the board's size, its stones, open blocks, and the answer to each command. It is
//! written from the protocol's description and shares nothing with the engine. It reads no text: a
//! dialogue is made of [`Line`]s, which can be spelled in many ways.

/// Column and row, which may lie anywhere.
pub type Point = (i64, i64);

/// A row of a block: the point, and whose it is.
pub type Row = (Point, Option<i64>);

/// One line of input, as it is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// START with these sides.
    Start(i64, i64),
    /// RECTSTART with these sides.
    RectStart(i64, i64),
    /// START without a size.
    BadStart,
    Restart,
    /// BEGIN.
    Begin,
    /// YXNBEST and YXSEARCHDEFEND.
    Best,
    Turn(Point),
    Play(Point),
    TakeBack(Point),
    /// TURN, PLAY or TAKEBACK without a point.
    BadPoint,
    /// BOARD, YXBOARD, SWAP2BOARD or YXBLOCK, with what follows on the same line.
    Block(Block, Rows),
    /// What belongs into a block.
    Rows(Rows),
    About,
    ShowForbid,
    /// A word that nobody knows.
    Unknown,
    /// What has no answer and changes nothing on the board, in a block and elsewhere.
    Info,
    /// The same, but no line of a block: YXSTOP, YXHASHCLEAR.
    Silent,
    /// YXSHOWINFO. After it the first side of START is the range of the second coordinate, y.
    ShowInfo,
}

/// The kinds of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    Board,
    YxBoard,
    Swap2,
    /// Moves that are not wanted, on any board.
    Exclude,
}

/// Rows on one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    pub rows: Vec<Row>,
    /// True if the line also holds what is no row.
    pub is_bad: bool,
    pub is_done: bool,
}

/// The one answer that is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Ok,
    Error,
    Unknown,
    About,
    Forbid,
    /// This point.
    Echo(Point),
    /// A move on a free cell.
    Move,
    /// The same, or the other colour.
    MoveOrSwap,
    /// The same, or two points for the opponent to choose after.
    AnyOfSwap2,
    /// The three stones of a swap2 opening.
    Opening,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Stone,
    Wall,
}

/// The game as the model sees it.
#[derive(Default)]
pub struct Model {
    size: Option<Point>,
    is_yixin: bool,
    /// In the order of play.
    cells: Vec<(Point, Content)>,
    block: Option<(Block, Vec<Row>, bool)>,
}

impl Model {
    /// Takes notice of a line and returns the answer that it must have.
    pub fn send(&mut self, line: &Line) -> Option<Answer> {
        // A blank line is none.
        if matches!(line, Line::Rows(rows) if *rows == Rows::default()) {
            return None;
        }
        if let Some((_, rows, is_bad)) = &mut self.block {
            match line {
                Line::Info => return None,
                Line::Start(..) | Line::RectStart(..) | Line::Restart => self.block = None,
                Line::Rows(more) => {
                    rows.extend(&more.rows);
                    *is_bad |= more.is_bad;
                    return if more.is_done { self.close_block() } else { None };
                }
                // BOARD itself and whatever may follow it are no rows; its DONE counts.
                Line::Block(_, more) => {
                    *is_bad = true;
                    return if more.is_done { self.close_block() } else { None };
                }
                _ => {
                    *is_bad = true;
                    return None;
                }
            }
        }
        match line {
            Line::Start(width, height) | Line::RectStart(width, height) => {
                if !(5..=22).contains(width) || !(5..=22).contains(height) {
                    return Some(Answer::Error);
                }
                let is_turned = self.is_yixin && matches!(line, Line::Start(..));
                let size = if is_turned { (*height, *width) } else { (*width, *height) };
                self.size = Some(size);
                self.cells.clear();
                Some(Answer::Ok)
            }
            Line::Restart if self.size.is_some() => {
                self.cells.clear();
                Some(Answer::Ok)
            }
            Line::Begin if self.cells.iter().any(|cell| cell.1 == Content::Stone) => {
                Some(Answer::Error)
            }
            Line::Begin | Line::Best if self.size.is_some() => Some(self.our_move()),
            Line::Turn(c) if self.is_free(*c) => {
                self.cells.push((*c, Content::Stone));
                Some(self.our_move())
            }
            Line::Play(c) if self.is_free(*c) => Some(Answer::Echo(*c)),
            &Line::TakeBack(c) => {
                // 0,0 is the last stone as well, where that cell is free.
                let is_last = c == (0, 0) && self.is_free(c);
                let is_meant = |&(other, content): &(Point, Content)| {
                    content == Content::Stone && (is_last || other == c)
                };
                let index = self.cells.iter().rposition(is_meant);
                index.map(|index| self.cells.remove(index));
                Some(if index.is_some() { Answer::Ok } else { Answer::Error })
            }
            Line::BadStart | Line::Restart | Line::BadPoint => Some(Answer::Error),
            Line::Begin | Line::Best | Line::Turn(_) | Line::Play(_) => Some(Answer::Error),
            Line::Block(kind, first) => {
                self.block = Some((*kind, first.rows.clone(), first.is_bad));
                if first.is_done { self.close_block() } else { None }
            }
            Line::About => Some(Answer::About),
            Line::ShowForbid => Some(Answer::Forbid),
            // Outside of a block a row is not even a word.
            Line::Rows(_) | Line::Unknown => Some(Answer::Unknown),
            Line::Info | Line::Silent => None,
            Line::ShowInfo => {
                self.is_yixin = true;
                None
            }
        }
    }

    /// Takes notice of an answer.
    ///
    /// # Errors
    ///
    /// If it is not the expected one.
    pub fn hear(&mut self, expected: Answer, text: &str) -> Result<(), String> {
        let points = text.split(' ').map(point).collect::<Option<Vec<Point>>>();
        let is_right = match expected {
            Answer::Ok => text == "OK",
            Answer::Error => text.starts_with("ERROR "),
            Answer::Unknown => text == "UNKNOWN command",
            Answer::About => text.starts_with("name="),
            Answer::Forbid => text.starts_with("FORBID ") && text.ends_with('.'),
            Answer::Echo(c) => points.as_deref() == Some(&[c]),
            Answer::MoveOrSwap | Answer::AnyOfSwap2 if text == "SWAP" => return Ok(()),
            Answer::AnyOfSwap2 => points.as_ref().is_some_and(|p| matches!(p.len(), 1 | 2)),
            Answer::Move | Answer::MoveOrSwap => points.as_ref().is_some_and(|p| p.len() == 1),
            Answer::Opening => points.as_ref().is_some_and(|p| p.len() == 3),
        };
        if !is_right {
            return Err(format!("{expected:?} expected, but {text:?}"));
        }
        let is_move = matches!(
            expected,
            Answer::Echo(_)
                | Answer::Move
                | Answer::MoveOrSwap
                | Answer::AnyOfSwap2
                | Answer::Opening
        );
        for c in points.into_iter().flatten().filter(|_| is_move) {
            if !self.is_free(c) {
                return Err(format!("{c:?} is not free"));
            }
            self.cells.push((c, Content::Stone));
        }
        Ok(())
    }

    fn is_on_board(&self, (x, y): Point) -> bool {
        let (width, height) = self.size.unwrap_or_default();
        (0..width).contains(&x) && (0..height).contains(&y)
    }

    fn is_free(&self, c: Point) -> bool {
        self.is_on_board(c) && self.cells.iter().all(|&(other, _)| other != c)
    }

    fn our_move(&self) -> Answer {
        let (width, height) = self.size.unwrap_or_default();
        if self.cells.len() as i64 == width * height { Answer::Error } else { Answer::Move }
    }

    /// Ends the block at its DONE.
    fn close_block(&mut self) -> Option<Answer> {
        let (kind, rows, is_bad) = self.block.take()?;
        if kind == Block::Exclude {
            let largest = |c: i64| (0..22).contains(&c);
            let is_sound = !is_bad && rows.len() <= 22 * 22;
            let is_sound = is_sound && rows.iter().all(|&((x, y), _)| largest(x) && largest(y));
            return (!is_sound).then_some(Answer::Error);
        }
        let mut cells: Vec<(Point, Content)> = Vec::new();
        for &(c, owner) in &rows {
            // A pass.
            if matches!(kind, Block::Board | Block::YxBoard)
                && matches!((c, owner), ((-1, -1), Some(1 | 2)))
            {
                continue;
            }
            let content = match owner {
                Some(1 | 2) => Content::Stone,
                // In a swap2 opening the order says whose a stone is.
                None | Some(3) if kind == Block::Swap2 => Content::Stone,
                Some(3) => Content::Wall,
                _ => return Some(Answer::Error),
            };
            if !self.is_on_board(c) || cells.iter().any(|&(other, _)| other == c) {
                return Some(Answer::Error);
            }
            cells.push((c, content));
        }
        let is_opening = matches!(rows.len(), 0 | 3 | 5);
        if is_bad || self.size.is_none() || kind == Block::Swap2 && !is_opening {
            return Some(Answer::Error);
        }
        self.cells = cells;
        match kind {
            Block::Board => Some(self.our_move()),
            Block::YxBoard => None,
            Block::Swap2 if rows.is_empty() => Some(Answer::Opening),
            Block::Swap2 if rows.len() == 3 => Some(Answer::AnyOfSwap2),
            Block::Swap2 => Some(Answer::MoveOrSwap),
            Block::Exclude => None,
        }
    }
}

/// Reads `x,y`.
fn point(text: &str) -> Option<Point> {
    let (x, y) = text.split_once(',')?;
    Some((x.parse().ok()?, y.parse().ok()?))
}
