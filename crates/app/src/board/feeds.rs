//! What pages are told without asking: the newest state of everything, and notes as they come.
//!
//! A slow page misses states and never holds anybody up: of states, thoughts and reviews only
//! the newest waits, of notes a few hundred.

use std::sync::Arc;

use serde::Serialize;
use tokio::sync::{broadcast, watch};

/// Notes that may wait for a page.
const NOTES: usize = 256;

#[derive(Clone)]
pub struct Feeds {
    state: watch::Sender<Arc<str>>,
    thoughts: watch::Sender<Arc<str>>,
    review: watch::Sender<Arc<str>>,
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
    state: watch::Receiver<Arc<str>>,
    thoughts: watch::Receiver<Arc<str>>,
    review: watch::Receiver<Arc<str>>,
    notes: broadcast::Receiver<Arc<str>>,
}

impl Feeds {
    /// Returns feeds that have nothing to tell yet.
    pub fn new() -> Feeds {
        let empty = || watch::Sender::new(Arc::from("null"));
        let notes = broadcast::Sender::new(NOTES);
        Feeds { state: empty(), thoughts: empty(), review: empty(), notes }
    }

    pub fn tell_state(&self, state: &impl Serialize) {
        tell(&self.state, json(state));
    }

    pub fn tell_thoughts(&self, thoughts: &impl Serialize) {
        tell(&self.thoughts, json(thoughts));
    }

    pub fn tell_review(&self, review: &impl Serialize) {
        tell(&self.review, json(review));
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
        Subscription {
            state: fresh(&self.state),
            thoughts: fresh(&self.thoughts),
            review: fresh(&self.review),
            notes: self.notes.subscribe(),
        }
    }
}

/// Tells a text unless it is the last one.
fn tell(sender: &watch::Sender<Arc<str>>, text: Arc<str>) {
    sender.send_if_modified(|last| {
        let is_new = *last != text;
        if is_new {
            *last = text;
        }
        is_new
    });
}

fn json(value: &impl Serialize) -> Arc<str> {
    serde_json::to_string(value).expect("invariant: views are plain data").into()
}

impl Subscription {
    /// Returns what there is to tell next; `None` when there will be nothing more.
    pub async fn next(&mut self) -> Option<Event> {
        let newest =
            |receiver: &mut watch::Receiver<Arc<str>>| Arc::clone(&receiver.borrow_and_update());
        loop {
            tokio::select! {
                biased;
                changed = self.state.changed() => {
                    changed.ok()?;
                    return Some(Event { name: "state", text: newest(&mut self.state) });
                }
                changed = self.review.changed() => {
                    changed.ok()?;
                    return Some(Event { name: "review", text: newest(&mut self.review) });
                }
                note = self.notes.recv() => match note {
                    Ok(text) => return Some(Event { name: "note", text }),
                    Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => return None,
                },
                changed = self.thoughts.changed() => {
                    changed.ok()?;
                    return Some(Event { name: "thoughts", text: newest(&mut self.thoughts) });
                }
            }
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
            feeds.tell_state(&1);
            let mut page = feeds.subscribe();
            (2..1_000).for_each(|n| feeds.tell_state(&n));
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
