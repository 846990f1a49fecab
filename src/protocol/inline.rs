//! The protocol in one thread, for hosts without threads such as a browser's worker: a line is
//! executed to its end before the next one is taken.

use std::sync::Arc;

use tengen_gomocup::{Command, Reply};

use super::game::{Action, Game};
use super::request::{Origin, Request};
use super::task::{run_task, searcher};
use crate::search::clock::Budget;
use crate::search::control::Control;
use crate::search::{Limits, Progress, Searcher};
use crate::time::{Duration, Instant};

/// The limit of an endless search, so that it reads the clock, by which its host may stop it.
const ENDLESS: Budget = Budget { soft: None, hard: Duration::from_secs(1 << 30) };

/// What an [`InlineEngine`] tells its host while a line is executed.
pub trait Host {
    /// A search begins. Whoever stops its control gets the best move so far as the answer.
    fn begin(&mut self, control: &Arc<Control>);
    fn reply(&mut self, reply: &Reply);
}

/// An engine without threads and files, which a host asks line by line.
pub struct InlineEngine {
    game: Game,
    search: Option<Searcher>,
}

impl InlineEngine {
    /// No search exceeds `bounds`, whatever the manager sets.
    pub fn new(bounds: Limits) -> InlineEngine {
        InlineEngine { game: Game::new(bounds, Vec::new()), search: None }
    }

    /// Executes a line without its end. Returns false after END.
    pub fn execute(&mut self, line: &str, host: &mut impl Host) -> bool {
        let action = self.game.execute(line, Command::parse(line));
        if !matches!(action, Action::Nothing | Action::Exit) {
            self.game.take_notice().iter().for_each(|notice| host.reply(notice));
        }
        let replies = match action {
            Action::Nothing => Vec::new(),
            Action::Exit => return false,
            Action::Answer(replies) => replies,
            Action::Task(task) => {
                let resources = self.game.task_resources(&task);
                let searcher = searcher(&mut self.search, resources);
                run_task(&task, searcher, None).replies
            }
            Action::Search(task) => {
                let start = Instant::now();
                let origin = Origin { read_at: start, batch: 0 };
                let mut request = Request::new(&task, origin, start, Duration::ZERO);
                request.set_budget(self.game.settings.time_control(&request.root));
                let control = Arc::clone(&request.control);
                if control.hard().is_none() {
                    control.set_budget(Some(ENDLESS));
                }
                host.begin(&control);
                let searcher = searcher(&mut self.search, self.game.take_resources());
                let mut listener = |progress: Progress| match progress {
                    Progress::Report(report) => {
                        request.note(report.clone()).iter().for_each(|line| host.reply(line));
                        request.set_told();
                    }
                    _ => {
                        let mark = task.detail.of_root_move(progress, control.elapsed());
                        mark.iter().for_each(|mark| host.reply(mark));
                        request.tick().iter().for_each(|line| host.reply(line));
                    }
                };
                let report = task.run(searcher, &control, &mut listener);
                self.game.settings.clock.spend(control.elapsed());
                request.answers(&mut self.game, report)
            }
        };
        replies.iter().for_each(|reply| host.reply(reply));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keeps the replies, and stops a search at its first one if `is_hasty`.
    #[derive(Default)]
    struct Listener {
        replies: Vec<String>,
        is_hasty: bool,
        control: Option<Arc<Control>>,
    }

    impl Host for Listener {
        fn begin(&mut self, control: &Arc<Control>) {
            self.control = Some(Arc::clone(control));
        }

        fn reply(&mut self, reply: &Reply) {
            self.replies.push(reply.to_string());
            if let Some(control) = self.control.as_ref().filter(|_| self.is_hasty) {
                control.stop();
            }
        }
    }

    fn replies(engine: &mut InlineEngine, lines: &[&str], is_hasty: bool) -> Vec<String> {
        let mut listener = Listener { is_hasty, ..Listener::default() };
        for line in lines {
            assert!(engine.execute(line, &mut listener), "{line}");
        }
        listener.replies
    }

    #[test]
    fn a_game_is_played_line_by_line() {
        let mut engine = InlineEngine::new(Limits::default());
        let start = ["START 15", "INFO max_node 300", "BEGIN", "TURN 7,8", "TURN 7,8", "NONSENSE"];
        let all = replies(&mut engine, &start, false);
        let answers: Vec<&String> = all.iter().filter(|r| !r.starts_with("MESSAGE")).collect();
        assert_eq!(answers[..2], ["OK", "7,7"]);
        assert!(answers[2].contains(','), "{answers:?}");
        assert!(answers[3].starts_with("ERROR ") && answers[4].starts_with("UNKNOWN "));
        assert!(all.iter().any(|reply| reply.starts_with("MESSAGE depth ")));
        let usage = replies(&mut engine, &["YXSHOWHASHUSAGE", "YXSHOWFORBID"], false);
        assert!(usage[0].starts_with("MESSAGE table ") && usage[1].starts_with("FORBID"));
        let told = replies(&mut engine, &["INFO rule 2", "INFO show_detail 0", "ABOUT"], false);
        assert!(told.len() == 2 && told[0].contains("renju"), "{told:?}");
        assert!(!engine.execute("END", &mut Listener::default()));
    }

    #[test]
    fn an_endless_analysis_ends_when_its_host_stops_it() {
        let mut engine = InlineEngine::new(Limits::default());
        let lines = ["START 15", "INFO timeout_turn 0", "YXBOARD", "7,7,1", "DONE", "YXNBEST 3"];
        let all = replies(&mut engine, &lines, true);
        assert!(all.last().unwrap().contains(','), "{all:?}");
    }
}
