//! The server: files of the page, its WebSocket, and games to take away.
//!
//! A page receives the newest state, and notes as they come, and gets an answer to each command. A
//! slow page delays nobody: only the newest state, search report and review, and up to 256 notes
//! wait for it.
//!
//! Every request passes the guard; commands and files are the session's to answer.

use std::mem::replace;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{ConnectInfo, FromRequest, Request, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, LOCATION};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::serve::ListenerExt;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use tengen_gomoku::record::Format;
use tengen_session::session::{self, Session};
use tokio::net::TcpListener;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::watch;
use tokio::time::sleep;

use super::guard::{self, HEADERS};
use super::{AppState, FILE_MAX};
use crate::web;

/// The largest command: a file, of which each byte has up to six characters in JSON.
const COMMAND_MAX: usize = 6 * FILE_MAX as usize + 4096;
/// When an idle page is asked whether it is alive.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// Serves until the task is dropped.
pub async fn serve(listener: TcpListener, app: Arc<AppState>) -> std::io::Result<()> {
    // Small events must not wait for more.
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    let router = Router::new().fallback(answer).with_state(app);
    axum::serve(listener, router.into_make_service_with_connect_info::<SocketAddr>()).await
}

async fn answer(
    State(app): State<Arc<AppState>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
) -> Response {
    (HEADERS, respond(app, request, peer).await).into_response()
}

async fn respond(
    app: Arc<AppState>,
    request: Request,
    peer: SocketAddr,
) -> Result<Response, StatusCode> {
    if request.method() != Method::GET {
        return Err(StatusCode::METHOD_NOT_ALLOWED);
    }
    if let Some(page) = app.guard.redeem(request.uri().path(), request.headers(), peer) {
        return Ok((StatusCode::SEE_OTHER, [(LOCATION, page)]).into_response());
    }
    let path = app.guard.admit(request.uri().path(), request.headers())?.to_owned();
    if path == guard::SOCKET {
        return connect(app, request).await;
    }
    if let Some(response) = game(&app, &path) {
        return Ok(response);
    }
    let (media_type, text) = web::find(&path).ok_or(StatusCode::NOT_FOUND)?;
    Ok(([(CONTENT_TYPE, media_type)], text).into_response())
}

/// Returns the game as a file, which saves it, or its moves as a text to copy, which does not.
fn game(app: &Arc<AppState>, name: &str) -> Option<Response> {
    let (stem, _) = name.split_once('.').filter(|(stem, _)| ["game", "moves"].contains(stem))?;
    let format = Format::of_name(Path::new(name))?;
    let file = app.handle(|session, _| match stem {
        "game" => session.save(format),
        _ => session.file(format),
    });
    Some(match file {
        Ok(bytes) => {
            let disposition = format!("attachment; filename=\"{name}\"");
            let media_type = format.media_type().to_owned();
            let headers = [(CONTENT_TYPE, media_type), (CONTENT_DISPOSITION, disposition)];
            (headers, bytes).into_response()
        }
        Err(why) => (StatusCode::CONFLICT, why).into_response(),
    })
}

/// A page that listens, for as long as this lives.
struct Page(Arc<AppState>);

impl Drop for Page {
    fn drop(&mut self) {
        self.0.handle(Session::page_closed);
    }
}

/// Opens the connection of a page: events go to it, its commands and their answers come and go.
async fn connect(app: Arc<AppState>, request: Request) -> Result<Response, StatusCode> {
    let upgrade = WebSocketUpgrade::from_request(request, &()).await;
    let upgrade = upgrade.map_err(|_| StatusCode::UPGRADE_REQUIRED)?;
    // Before the session knows of the page, which it may greet.
    let feed = app.shared().feeds.as_ref().map(Feeds::subscribe);
    let feed = feed.ok_or(StatusCode::SERVICE_UNAVAILABLE)?;
    let upgrade = upgrade.max_message_size(COMMAND_MAX).max_frame_size(COMMAND_MAX);
    Ok(upgrade.on_upgrade(|socket| converse(socket, feed, app)))
}

async fn converse(mut socket: WebSocket, mut feed: Subscription, app: Arc<AppState>) {
    app.handle(Session::page_opened);
    let page = Page(app);
    loop {
        let message = tokio::select! {
            event = feed.next() => match event {
                Some((name, text)) => Message::text(format!(r#"{{"event":"{name}","value":{text}}}"#)),
                None => break,
            },
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) => Message::text(answer_to(&page.0, &text)),
                Some(Ok(_)) => continue,
                Some(Err(_)) | None => break,
            },
            () = sleep(KEEP_ALIVE) => Message::Ping(Default::default()),
        };
        if socket.send(message).await.is_err() {
            break;
        }
    }
}

/// A command of a page with a number of its own.
#[derive(Deserialize)]
struct Numbered<'a> {
    number: u64,
    #[serde(borrow)]
    command: &'a RawValue,
}

/// Carries out a command, and returns its number and why it was refused, if it was.
fn answer_to(app: &Arc<AppState>, text: &str) -> String {
    let answer = match serde_json::from_str(text) {
        Ok(Numbered { number, command }) => {
            let result = app.handle(|session, now| session.command(command.get().as_bytes(), now));
            json!({ "number": number, "refusal": result.err() })
        }
        Err(error) => {
            json!({ "number": null, "refusal": session::Message::from(error.to_string()) })
        }
    };
    json!({ "event": "answer", "value": answer }).to_string()
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
        let text = text(value);
        let sender = NEWEST.iter().zip(&self.newest).find(|(newest, _)| **newest == name);
        let (_, sender) = sender.expect("invariant: events have their names");
        sender.send_if_modified(|last| replace(last, Arc::clone(&text)) != text);
    }

    pub fn tell_note(&self, note: &impl Serialize) {
        // Where no page listens, nobody needs it.
        let _ = self.notes.send(text(note));
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

fn text(value: &impl Serialize) -> Arc<str> {
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
