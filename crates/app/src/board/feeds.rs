//! What pages are told without asking: the newest state of everything, and notes as they come.
//!
//! A slow page misses states and never holds anybody up: of states, thoughts and reviews only
//! the newest waits, of notes a few hundred.

use std::sync::Arc;

use serde::Serialize;
use tokio::sync::{broadcast, watch};

/// Notes that may wait for a page.
const NOTES: usize = 256;

/// The events of which the newest alone waits.
const NEWEST: [&str; 3] = ["state", "review", "thoughts"];

#[derive(Clone)]
pub struct Feeds {
    newest: [watch::Sender<Arc<str>>; NEWEST.len()],
    notes: broadcast::Sender<Arc<str>>,
}

/// An event of a page's stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its kind, as the page knows it.
    pub name: &'static str,
    pub text: Arc<str>,
}

pub struct Subscription {
    newest: [watch::Receiver<Arc<str>>; NEWEST.len()],
    notes: broadcast::Receiver<Arc<str>>,
}

impl Feeds {
    /// Returns feeds that have nothing to tell yet.
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
    /// Returns what there is to tell next; `None` when there will be nothing more.
    pub async fn next(&mut self) -> Option<Event> {
        let [state, review, thoughts] = &mut self.newest;
        loop {
            let (name, receiver) = tokio::select! {
                biased;
                changed = state.changed() => changed.map(|()| ("state", &mut *state)).ok()?,
                changed = review.changed() => changed.map(|()| ("review", &mut *review)).ok()?,
                note = self.notes.recv() => match note {
                    Ok(text) => return Some(Event { name: "note", text }),
                    Err(broadcast::error::RecvError::Lagged(_)) => continue,
                    Err(broadcast::error::RecvError::Closed) => return None,
                },
                changed = thoughts.changed() => {
                    changed.map(|()| ("thoughts", &mut *thoughts)).ok()?
                }
            };
            return Some(Event { name, text: Arc::clone(&receiver.borrow_and_update()) });
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
            let mut next = async || page.next().await.map(|event| (event.name, event.text));
            assert_eq!(next().await, Some(("state", "999".into())));
            assert_eq!(next().await, Some(("review", "null".into())));
            assert_eq!(next().await, Some(("note", (1_000 - NOTES).to_string().into())));
            drop(feeds);
            assert_eq!(next().await, None);
        });
    }
}
