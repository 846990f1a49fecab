//! Runs the session: requests of pages, news of engines and timers go in, and what it wants goes to
//! engines and pages.

use std::collections::HashMap;
use std::future::pending;
use std::mem::take;
use std::time::Instant;

use tengen::closed_output::note;
use tengen_gomoku::record::Format;
use tengen_session::session::{CommandError, Effect, News, Role, Session};
use tokio::sync::mpsc::{Receiver, UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::engine::{Engine, Profile};
use super::server::Feeds;

pub enum Request {
    /// A page asks for something, as JSON, and hears why it was refused.
    Command(Vec<u8>, oneshot::Sender<Result<(), CommandError>>),
    /// A page takes the game away, and saves it if that is true.
    File(Format, bool, oneshot::Sender<Result<Vec<u8>, String>>),
    Opened,
    Closed,
}

struct Report {
    role: Role,
    program: usize,
    task: u64,
    news: News,
}

pub struct Runner {
    session: Session,
    profiles: Vec<Profile>,
    engines: HashMap<Role, Engine>,
    leaving: Vec<JoinHandle<()>>,
    feeds: Feeds,
    reports: UnboundedSender<Report>,
    inbox: UnboundedReceiver<Report>,
}

impl Runner {
    pub fn new(session: Session, profiles: Vec<Profile>, feeds: Feeds) -> Runner {
        let (reports, inbox) = unbounded_channel();
        let (engines, leaving) = (HashMap::new(), Vec::new());
        Runner { session, profiles, engines, leaving, feeds, reports, inbox }
    }

    /// Runs until the session ends the program, or nobody can ask any more.
    pub async fn run(&mut self, requests: &mut Receiver<Request>) {
        while self.carry_out() {
            let deadline = self.session.deadline();
            let timer = async {
                match deadline {
                    Some(at) => tokio::time::sleep_until(at.into()).await,
                    None => pending().await,
                }
            };
            tokio::select! {
                biased;
                request = requests.recv() => match request {
                    Some(request) => self.serve(request),
                    None => break,
                },
                Some(Report { role, program, task, news }) = self.inbox.recv() => {
                    self.session.news(role, program, task, news, Instant::now());
                }
                () = timer => self.session.time_passed(Instant::now()),
            }
        }
    }

    pub async fn end(&mut self) {
        let engines = take(&mut self.engines).into_values();
        self.leaving.extend(engines.map(|engine| tokio::spawn(engine.end())));
        for end in self.leaving.drain(..) {
            let _ = end.await;
        }
    }

    fn serve(&mut self, request: Request) {
        match request {
            Request::Command(json, reply) => {
                // A page that has gone needs no answer.
                let _ = reply.send(self.session.command(&json, Instant::now()));
            }
            Request::File(format, saves, reply) => {
                let file = self.session.file(format);
                let is_written = file.is_ok();
                if reply.send(file).is_ok() && is_written && saves {
                    self.session.saved();
                }
            }
            Request::Opened => self.session.page_opened(Instant::now()),
            Request::Closed => self.session.page_closed(Instant::now()),
        }
    }

    /// Does what the session wants, and shows how things stand; false if the program is to end.
    fn carry_out(&mut self) -> bool {
        for effect in self.session.take_effects() {
            match effect {
                Effect::Give { role, program, number, task } => {
                    if !self.engines.contains_key(&role) {
                        self.start(role, program);
                    }
                    self.engines[&role].give(number, task);
                }
                Effect::MoveNow(role) => self.engines[&role].move_now(),
                Effect::Cancel(role) => self.engines[&role].cancel(),
                Effect::Dismiss(role) => {
                    self.leaving.retain(|end| !end.is_finished());
                    let engine = self.engines.remove(&role);
                    self.leaving.extend(engine.map(|engine| tokio::spawn(engine.end())));
                }
                Effect::Note(note) => self.feeds.tell_note(&note),
                Effect::Unsaved => note(format_args!(
                    "tengen: the game is not saved, so the program goes on; Ctrl-C ends it"
                )),
                Effect::Exit => return false,
            }
        }
        if self.session.take_change() {
            self.feeds.tell("state", &self.session.state());
            self.feeds.tell("review", &self.session.review());
        }
        self.feeds.tell("thoughts", self.session.thoughts());
        true
    }

    fn start(&mut self, role: Role, program: usize) {
        let reports = self.reports.clone();
        let tell = move |task, news| {
            // Whoever has gone needs no news.
            let _ = reports.send(Report { role, program, task, news });
        };
        let engine = Engine::start(self.profiles[program].clone(), tell);
        self.engines.insert(role, engine);
    }
}
