//! The server: files of the page, its stream of events, its commands, and games to take away.
//!
//! Pages are told without asking the newest state of everything, and notes as they come. A slow page
//! misses states and never holds anybody up: of states, thoughts and reviews only the newest waits, of
//! notes a few hundred.
//!
//! Every request passes the guard; commands and files are the session's to answer. Nothing
//! that a page sends names a path of the file system.

use std::convert::Infallible;
use std::mem::replace;
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
use tengen_session::session::{CommandError, Session};
use tokio::net::TcpListener;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::watch;
use tokio::time::timeout;

use super::Table;
use super::guard::HEADERS;
use crate::web;

/// The largest request: the file of a game.
const BODY_MAX: usize = 1 << 20;
/// How long the body of a command may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(10);
/// How often an idle stream shows that it is alive, by which a dead page is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// Serves until the task is dropped.
pub async fn serve(listener: TcpListener, table: Arc<Table>) -> std::io::Result<()> {
    // Small events must not wait for more.
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    let router = Router::new().fallback(answer).with_state(table);
    axum::serve(listener, router).await
}

async fn answer(State(table): State<Arc<Table>>, request: Request) -> Response {
    (HEADERS, respond(table, request).await).into_response()
}

async fn respond(table: Arc<Table>, request: Request) -> Result<Response, StatusCode> {
    let (parts, body) = request.into_parts();
    if let Some(page) = table.guard.redeem(&parts.method, parts.uri.path(), &parts.headers) {
        return Ok((StatusCode::SEE_OTHER, [(LOCATION, page)]).into_response());
    }
    let path = table.guard.admit(&parts.method, parts.uri.path(), &parts.headers)?;
    match (&parts.method, path) {
        (&Method::POST, "command") => command(&table, body).await,
        (&Method::GET, "events") => events(table),
        (&Method::GET, path) => match game(&table, path) {
            Some(response) => Ok(response),
            None => {
                let (media_type, text) = web::find(path).ok_or(StatusCode::NOT_FOUND)?;
                Ok(([(CONTENT_TYPE, media_type)], text).into_response())
            }
        },
        _ => Err(StatusCode::METHOD_NOT_ALLOWED),
    }
}

/// Carries out a command; a refusal is a text with status 409, a command that is none 400.
async fn command(table: &Arc<Table>, body: Body) -> Result<Response, StatusCode> {
    let bytes = timeout(BODY_TIME, axum::body::to_bytes(body, BODY_MAX)).await;
    let bytes = bytes.map_err(|_| StatusCode::REQUEST_TIMEOUT)?;
    let bytes = bytes.map_err(|_| StatusCode::PAYLOAD_TOO_LARGE)?;
    Ok(match table.handle(|session, now| session.command(&bytes, now)) {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(CommandError::Malformed(why)) => (StatusCode::BAD_REQUEST, why).into_response(),
        Err(CommandError::Refused(why)) => (StatusCode::CONFLICT, why).into_response(),
    })
}

/// Returns the game as a file, which saves it, or its moves as a text to copy, which does not.
fn game(table: &Arc<Table>, name: &str) -> Option<Response> {
    let (stem, _) = name.split_once('.').filter(|(stem, _)| ["game", "moves"].contains(stem))?;
    let format = Format::of_name(Path::new(name))?;
    let file = table.handle(|session, _| {
        let file = session.file(format);
        if file.is_ok() && stem == "game" {
            session.saved();
        }
        file
    });
    Some(match file {
        Ok(bytes) => {
            let disposition = format!("attachment; filename=\"{name}\"");
            let media_type = format.traits().media_type.to_owned();
            let headers = [(CONTENT_TYPE, media_type), (CONTENT_DISPOSITION, disposition)];
            (headers, bytes).into_response()
        }
        Err(why) => (StatusCode::CONFLICT, why).into_response(),
    })
}

/// A page that listens, for as long as this lives.
struct Page(Arc<Table>);

impl Drop for Page {
    fn drop(&mut self) {
        self.0.handle(Session::page_closed);
    }
}

fn events(table: Arc<Table>) -> Result<Response, StatusCode> {
    // Before the session knows of the page, which it may greet.
    let feed = table.hall().feeds.as_ref().map(Feeds::subscribe);
    let feed = feed.ok_or(StatusCode::SERVICE_UNAVAILABLE)?;
    table.handle(Session::page_opened);
    let stream = unfold((feed, Page(table)), async |(mut feed, page)| {
        let (name, text) = feed.next().await?;
        let event = sse::Event::default().event(name).data(&*text);
        Some((Ok::<_, Infallible>(event), (feed, page)))
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response())
}

/// Notes that may wait for a page.
const NOTES: usize = 256;

/// The events of which the newest alone waits.
const NEWEST: [&str; 3] = ["state", "review", "thoughts"];

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
        let sender = NEWEST.iter().zip(&self.newest).find(|(newest, _)| **newest == name);
        let (_, sender) = sender.expect("invariant: events have their names");
        sender.send_if_modified(|last| replace(last, Arc::clone(&text)) != text);
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
                Ok(()) = review.changed() => ("review", &mut *review),
                note = self.notes.recv() => match note {
                    Ok(text) => return Some(("note", text)),
                    Err(RecvError::Lagged(_)) => continue,
                    Err(RecvError::Closed) => return None,
                },
                Ok(()) = thoughts.changed() => ("thoughts", &mut *thoughts),
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
