//! The server: files of the page, its stream of events, its commands, and games to take away.
//!
//! Every request passes the guard; commands and files go to the session and wait for its answer.
//! Nothing that a page sends names a path of the file system.

use std::convert::Infallible;
use std::path::Path;
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
use tengen_gomoku::record::Format;
use tengen_session::session::CommandError;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;

use super::feeds::Feeds;
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
///
/// # Errors
///
/// If the listener fails.
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
        let event = tokio::select! {
            event = feed.next() => event?,
            _ = ending.wait_for(|&is_ending| is_ending) => return None,
        };
        let event = sse::Event::default().event(event.name).data(&*event.text);
        Some((Ok::<_, Infallible>(event), (feed, ending, page)))
    });
    Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
}
