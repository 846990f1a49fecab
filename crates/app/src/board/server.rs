//! The server: files of the page, its stream of events, its commands, and games to take away.
//!
//! Pages are told without asking the newest state of everything, and notes as they come. A slow page
//! misses states and never holds anybody up: of states, thoughts and reviews only the newest waits, of
//! notes a few hundred.
//!
//! Every request passes the guard; commands and files go to the session and wait for its answer.
//! Nothing that a page sends names a path of the file system.

use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, LOCATION};
use axum::http::{Method, StatusCode};
use axum::response::sse::{self, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::serve::ListenerExt;
use futures_util::stream::unfold;
use serde::Serialize;
use tengen_gomoku::record::Format;
use tengen_session::session::CommandError;
use tokio::net::TcpListener;
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::time::timeout;

use super::guard::{Guard, add_headers};
use super::runner;
use crate::web;

/// The largest request: the file of a game.
const BODY_MAX: usize = 1 << 20;
/// How long the body of a command may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(10);
/// How often an idle stream shows that it is alive, by which a dead page is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

#[derive(Clone)]
pub struct Shared {
    pub guard: Guard,
    pub feeds: Feeds,
    pub session: mpsc::Sender<runner::Request>,
    /// Becomes true when the streams are to end.
    pub ending: watch::Receiver<bool>,
}

/// Serves until the task is dropped.
pub async fn serve(listener: TcpListener, shared: Shared) -> std::io::Result<()> {
    // Small events must not wait for more.
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    let router = Router::new().fallback(answer).with_state(shared);
    axum::serve(listener, router).await
}

async fn answer(State(shared): State<Shared>, request: Request) -> Response {
    let mut response = match respond(shared, request).await {
        Ok(response) => response,
        Err(status) => status.into_response(),
    };
    add_headers(response.headers_mut());
    response
}

async fn respond(shared: Shared, request: Request) -> Result<Response, StatusCode> {
    let (parts, body) = request.into_parts();
    if let Some(page) = shared.guard.redeem(&parts.method, parts.uri.path(), &parts.headers) {
        return Ok((StatusCode::SEE_OTHER, [(LOCATION, page)]).into_response());
    }
    let path = shared.guard.admit(&parts.method, parts.uri.path(), &parts.headers)?;
    match (&parts.method, path) {
        (&Method::POST, "command") => command(&shared, body).await,
        (&Method::GET, "events") => Ok(events(shared).await),
        (&Method::GET, path) => match game_file(path) {
            Some((format, saves)) => game(&shared, path, format, saves).await,
            None => {
                let (media_type, text) = web::find(path).ok_or(StatusCode::NOT_FOUND)?;
                Ok(([(CONTENT_TYPE, media_type)], text).into_response())
            }
        },
        _ => Err(StatusCode::METHOD_NOT_ALLOWED),
    }
}

/// Carries out a command; a refusal is a text with status 409, a command that is none 400.
async fn command(shared: &Shared, body: Body) -> Result<Response, StatusCode> {
    let bytes = timeout(BODY_TIME, axum::body::to_bytes(body, BODY_MAX)).await;
    let bytes = bytes.map_err(|_| StatusCode::REQUEST_TIMEOUT)?;
    let bytes = bytes.map_err(|_| StatusCode::PAYLOAD_TOO_LARGE)?;
    let (reply, outcome) = oneshot::channel();
    ask(shared, runner::Request::Command(bytes.to_vec(), reply)).await?;
    Ok(match outcome.await.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)? {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(CommandError::Malformed(why)) => (StatusCode::BAD_REQUEST, why).into_response(),
        Err(CommandError::Refused(why)) => (StatusCode::CONFLICT, why).into_response(),
    })
}

/// Returns the format of a file of the game, and true if taking it saves the game: the moves as a
/// text to copy are no file.
fn game_file(path: &str) -> Option<(Format, bool)> {
    let saves = match path.split_once('.')?.0 {
        "game" => true,
        "moves" => false,
        _ => return None,
    };
    Some((Format::of_name(Path::new(path))?, saves))
}

async fn game(
    shared: &Shared,
    name: &str,
    format: Format,
    saves: bool,
) -> Result<Response, StatusCode> {
    let (reply, file) = oneshot::channel();
    ask(shared, runner::Request::File(format, saves, reply)).await?;
    Ok(match file.await.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)? {
        Ok(bytes) => {
            let disposition = format!("attachment; filename=\"{name}\"");
            let media_type = format.traits().media_type.to_owned();
            let headers = [(CONTENT_TYPE, media_type), (CONTENT_DISPOSITION, disposition)];
            (headers, bytes).into_response()
        }
        Err(why) => (StatusCode::CONFLICT, why).into_response(),
    })
}

async fn ask(shared: &Shared, request: runner::Request) -> Result<(), StatusCode> {
    shared.session.send(request).await.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)
}

/// A page that listens, for as long as this lives.
struct Page(mpsc::Sender<runner::Request>);

impl Drop for Page {
    fn drop(&mut self) {
        let session = self.0.clone();
        // The session may have much to do, or be gone.
        tokio::spawn(async move { drop(session.send(runner::Request::Closed).await) });
    }
}

async fn events(shared: Shared) -> Response {
    // Before the session knows of the page, which it may greet.
    let feed = shared.feeds.subscribe();
    let opened = shared.session.send(runner::Request::Opened).await;
    if opened.is_err() {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    let page = Page(shared.session);
    let start = (feed, shared.ending, page);
    let stream = unfold(start, async |(mut feed, mut ending, page)| {
        let (name, text) = tokio::select! {
            event = feed.next() => event?,
            _ = ending.wait_for(|&is_ending| is_ending) => return None,
        };
        let event = sse::Event::default().event(name).data(&*text);
        Some((Ok::<_, Infallible>(event), (feed, ending, page)))
    });
    Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
}

/// Notes that may wait for a page.
const NOTES: usize = 256;

/// The events of which the newest alone waits.
const NEWEST: [&str; 3] = ["state", "review", "thoughts"];

#[derive(Clone)]
pub struct Feeds {
    newest: [watch::Sender<Arc<str>>; NEWEST.len()],
    notes: broadcast::Sender<Arc<str>>,
}

pub struct Subscription {
    newest: [watch::Receiver<Arc<str>>; NEWEST.len()],
    notes: broadcast::Receiver<Arc<str>>,
}

impl Feeds {
    pub fn new() -> Feeds {
        let newest = NEWEST.map(|_| watch::Sender::new(Arc::from("null")));
        Feeds { newest, notes: broadcast::Sender::new(NOTES) }
    }

    /// Tells an event, unless it is the last one of its name.
    pub fn tell(&self, name: &str, value: &impl Serialize) {
        let text = json(value);
        let senders = NEWEST.iter().zip(&self.newest).filter(|(newest, _)| **newest == name);
        for (_, sender) in senders {
            sender.send_if_modified(|last| {
                let is_new = *last != text;
                last.clone_from(&text);
                is_new
            });
        }
    }

    pub fn tell_note(&self, note: &impl Serialize) {
        // Where no page listens, nobody needs it.
        let _ = self.notes.send(json(note));
    }

    /// Returns a new page's end, which tells everything once.
    pub fn subscribe(&self) -> Subscription {
        let fresh = |sender: &watch::Sender<Arc<str>>| {
            let mut receiver = sender.subscribe();
            receiver.mark_changed();
            receiver
        };
        Subscription { newest: self.newest.each_ref().map(fresh), notes: self.notes.subscribe() }
    }
}

fn json(value: &impl Serialize) -> Arc<str> {
    serde_json::to_string(value).expect("invariant: views are plain data").into()
}

impl Subscription {
    /// Returns the name and the text of the next event; `None` when there will be no more.
    pub async fn next(&mut self) -> Option<(&'static str, Arc<str>)> {
        let [state, review, thoughts] = &mut self.newest;
        loop {
            let (name, receiver) = tokio::select! {
                biased;
                changed = state.changed() => changed.map(|()| ("state", &mut *state)).ok()?,
                changed = review.changed() => changed.map(|()| ("review", &mut *review)).ok()?,
                note = self.notes.recv() => match note {
                    Ok(text) => return Some(("note", text)),
                    Err(broadcast::error::RecvError::Lagged(_)) => continue,
                    Err(broadcast::error::RecvError::Closed) => return None,
                },
                changed = thoughts.changed() => {
                    changed.map(|()| ("thoughts", &mut *thoughts)).ok()?
                }
            };
            return Some((name, Arc::clone(&receiver.borrow_and_update())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_page_is_told_the_newest() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let feeds = Feeds::new();
            feeds.tell("state", &1);
            let mut page = feeds.subscribe();
            (2..1_000).for_each(|n| feeds.tell("state", &n));
            (0..1_000).for_each(|n| feeds.tell_note(&n));
            let mut next = async || page.next().await;
            assert_eq!(next().await, Some(("state", "999".into())));
            assert_eq!(next().await, Some(("review", "null".into())));
            assert_eq!(next().await, Some(("note", (1_000 - NOTES).to_string().into())));
            drop(feeds);
            assert_eq!(next().await, None);
        });
    }
}
