//! Why a command of the manager is refused, in the words that follow `ERROR`.

use std::fmt;

use tengen_gomocup::Reply;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    NoGame,
    Size,
    OffBoard,
    Occupied,
    Begun,
    NoStone,
    ListItem,
    Swap2Stones,
    OpeningStones,
    FifthMoves,
    Full,
    FileName,
    ManyPositions,
    ReadOnly,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Refusal::NoGame => "no game started, START 20 expected",
            // Piskvork offers its 20 x 20 board when it finds the number.
            Refusal::Size => "unsupported board size, 5 to 22, for example 20",
            Refusal::OffBoard => "bad coordinates, the point is not on the board",
            Refusal::Occupied => "bad coordinates, the cell is not empty",
            Refusal::Begun => "the board is not empty",
            Refusal::NoStone => "bad coordinates, there is no stone",
            Refusal::ListItem => {
                "bad row, x,y,owner expected up to DONE, or x,y where stones have no owner"
            }
            Refusal::Swap2Stones => "bad opening, 0, 3 or 5 stones expected",
            Refusal::OpeningStones => "bad opening, another number of stones expected",
            Refusal::FifthMoves => "bad number of fifth moves, 1 to 8 expected",
            Refusal::Full => "no empty square",
            Refusal::FileName => "bad file name, at most 500 bytes of UTF-8 expected",
            Refusal::ManyPositions => "too many positions have excluded moves",
            Refusal::ReadOnly => "the database is read-only, INFO database_readonly 0 expected",
        })
    }
}

impl From<Refusal> for Reply {
    fn from(refusal: Refusal) -> Reply {
        Reply::Error(refusal.to_string())
    }
}
