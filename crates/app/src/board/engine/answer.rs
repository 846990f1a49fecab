//! Waits for an answer, and reports the engine's search meanwhile. Stops an engine that is late,
//! and gives up one that stays silent.

use std::time::Duration;

use tengen_gomocup::manager::Fault;
use tengen_gomocup::{Command, Info, Point, Reply};
use tengen_gomoku::types::Coord;
use tengen_session::session::{EngineEvent, Gatherer, THINKING_GAP, Task, TaskKind};
use tokio::time::Instant;

use super::{Driver, Event, Stop, Wish};

/// How late an answer may be before the engine is told to answer, and then before it is ended.
const LATE: Duration = Duration::from_secs(1);
const LOST: Duration = Duration::from_millis(1_500);
/// How long an engine may think on after it does not know what is asked of it.
const UNKNOWN_TIME: Duration = Duration::from_millis(500);
/// A stop that comes sooner after the request would be taken for a part of it.
const STOP_GAP: Duration = Duration::from_millis(30);
/// A stop that is not heard is repeated.
const STOP_AGAIN: Duration = Duration::from_millis(250);
/// Lines of nonsense in a request after which the engine is given up.
const NONSENSE_MAX: usize = 50;

impl<T: Fn(u64, EngineEvent)> Driver<T> {
    /// Waits for the answer to the task, which should come within `time`.
    pub(super) async fn answer(
        &mut self,
        task: &Task,
        time: Option<Duration>,
    ) -> Result<(Vec<Coord>, Duration), Stop> {
        let begin = Instant::now();
        let late = time.map(|time| begin + time + LATE);
        // When the engine is told to answer, and when it is given up.
        let mut stop = if self.is_hurried { Some(begin) } else { late };
        let mut lost = late.map(|late| late + LOST);
        let mut gatherer = Gatherer::new(task.position.size);
        let (mut is_new, mut next_report) = (false, begin);
        let mut nonsense: (usize, Option<String>) = (0, None);
        loop {
            let until = [stop, lost, is_new.then_some(next_report)];
            let event = self.event(until.into_iter().flatten().min()).await?;
            let now = Instant::now();
            match event {
                Event::Reply(reply) => {
                    let is_wanted = self.wish.is_none();
                    is_new |= is_wanted && gatherer.take(&reply);
                    let found = match &reply {
                        Reply::Points(points) => Some(points.as_slice()),
                        Reply::Swap if matches!(task.kind, TaskKind::Swap2(..)) => Some(&[][..]),
                        _ => None,
                    };
                    if let Some(points) = found {
                        self.answered = now;
                        self.check_wish()?;
                        let answer = checked(points, task)?;
                        self.report(EngineEvent::Thinking(gatherer.thinking.clone()));
                        return Ok((answer, now - begin));
                    }
                    match &reply {
                        // Every engine knows how to move, so that only an `INFO` ahead of such a
                        // request can be unknown, and the answer still comes.
                        Reply::Unknown(_) if self.may_be_unknown(task) => {
                            let at = now + UNKNOWN_TIME;
                            lost = Some(lost.map_or(at, |lost| lost.min(at)));
                        }
                        Reply::Error(text) => nonsense.1 = Some(format!("ERROR {text}")),
                        Reply::Nonsense(text) => {
                            nonsense = (nonsense.0 + 1, Some(text.clone()));
                            if nonsense.0 >= NONSENSE_MAX {
                                return Err(Fault::Nonsense(text.clone()).into());
                            }
                        }
                        _ => {}
                    }
                    self.pass_on(reply);
                }
                // An engine writes what it found to its database when it answers, so one that has
                // a database is stopped and heard before it leaves.
                Event::Wish if matches!(self.wish, Some(Wish::Leave)) && !self.has_database => {
                    return Err(None);
                }
                Event::Wish => {
                    stop = Some(now);
                    lost = Some(now + LOST);
                }
                // The deadline stays: an engine that cannot be interrupted uses all of its time.
                Event::MoveNow => stop = Some(now),
                Event::Timeout => {}
            }
            if is_new && now >= next_report && self.wish.is_none() {
                self.report(EngineEvent::Thinking(gatherer.thinking.clone()));
                (is_new, next_report) = (false, now + THINKING_GAP);
            }
            if lost.is_some_and(|at| now >= at) {
                let fault = nonsense.1.map_or(Fault::Hung("a request"), Fault::Nonsense);
                return Err(fault.into());
            }
            if stop.is_some_and(|at| now >= at) {
                stop = Some(self.stop().await?);
            }
        }
    }

    /// Returns true if the request for the task has a command that an engine need not know.
    fn may_be_unknown(&self, task: &Task) -> bool {
        match task.kind {
            TaskKind::Swap2(..) => true,
            TaskKind::Analyse { .. } => self.can_analyse(),
            TaskKind::Prepare | TaskKind::Move(..) => false,
        }
    }

    /// Tells the engine to answer if the time for that has come, and returns when to do so again.
    async fn stop(&mut self) -> Result<Instant, Fault> {
        let earliest = self.process.as_ref().map(|process| process.written + STOP_GAP);
        if let Some(earliest) = earliest.filter(|&at| at > Instant::now()) {
            return Ok(earliest);
        }
        let stop = match self.can_analyse() {
            true => Command::Stop,
            false => Command::Info(Info::TimeoutTurn(0)),
        };
        self.send(&[stop.to_string()]).await?;
        Ok(Instant::now() + STOP_AGAIN)
    }
}

/// Returns the cells of an answer, none of them for `SWAP`, if they are free.
fn checked(points: &[Point], task: &Task) -> Result<Vec<Coord>, Fault> {
    let position = &task.position;
    let text = || points.iter().map(Point::to_string).collect::<Vec<String>>().join(" ");
    let mut cells = Vec::new();
    for point in points {
        let c = point.on(position.size).filter(|&c| position.is_empty(c) && !cells.contains(&c));
        cells.push(c.ok_or_else(|| Fault::Illegal(text()))?);
    }
    let may_be_any = matches!(task.kind, TaskKind::Swap2(..));
    if may_be_any || cells.len() == 1 { Ok(cells) } else { Err(Fault::Nonsense(text())) }
}
