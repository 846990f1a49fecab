//! What the commands of Yixin-Board and gomocalc do to the game.

use super::super::position::Refusal;
use super::super::reply::Reply;
use super::super::settings::{MAX_HASH_EXPONENT, Settings};
use super::super::yixin::Yixin;
use super::{Game, Purpose, Step, answer};
use crate::search::max_threads;

impl Game {
    /// Returns true if the command would change the game as it stands now.
    pub(super) fn yixin_would_change(&self, command: Yixin) -> bool {
        match command {
            Yixin::NBest => self.position.is_some(),
            Yixin::ShowForbid | Yixin::HashClear | Yixin::ShowInfo => false,
        }
    }

    /// Carries out a command of the extension.
    pub(super) fn yixin(&mut self, command: Yixin) -> Result<Step, Refusal> {
        Ok(match command {
            Yixin::NBest => self.think(Purpose::Move)?,
            Yixin::ShowForbid => {
                let rule = self.settings.rule();
                let points = self.position.as_ref().map(|position| position.forbidden_points(rule));
                answer(Reply::Forbid(points.unwrap_or_default()))
            }
            Yixin::HashClear => {
                self.forget = true;
                Step::Nothing
            }
            Yixin::ShowInfo => {
                self.change_settings(Settings::speak_yixin);
                let message = |key, value| Reply::Message(format!("INFO {key} {value}"));
                Step::Answer(vec![
                    message("MAX_THREAD_NUM", max_threads() as u32),
                    message("MAX_HASH_SIZE", MAX_HASH_EXPONENT),
                ])
            }
        })
    }
}
