//! What the host calls, and what it is asked for. Texts go through two buffers: the host writes one
//! into [`input`], calls a function, and reads the answer, whose length it gets, at [`output`].

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use tengen::protocol::{Host, InlineEngine};
use tengen::search::Limits;
use tengen::search::control::Control;
use tengen::time::set_clock;
use tengen_gomocup::Reply;

use super::page::{Answer, Page};

#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// Milliseconds since any moment.
    safe fn now() -> f64;
    /// Not 0 if the search that runs is to end.
    safe fn stopped() -> i32;
    fn tell(text: *const u8, length: usize);
}

#[derive(Default)]
struct Buffers {
    input: Vec<u8>,
    output: Vec<u8>,
}

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::default();
    static PAGE: RefCell<Page> = RefCell::default();
    static ENGINE: RefCell<Option<InlineEngine>> = const { RefCell::new(None) };
    /// Of the search that runs.
    static CONTROL: RefCell<Option<Arc<Control>>> = const { RefCell::new(None) };
}

/// Returns the time, and ends a search that the host wants to end: nothing else calls the host
/// while it runs.
fn clock() -> Duration {
    if stopped() != 0 {
        CONTROL.with_borrow(|control| control.iter().for_each(|control| control.stop()));
    }
    Duration::from_secs_f64(now() / 1000.0)
}

/// Returns where the host writes a text of this length.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    BUFFERS.with_borrow_mut(|buffers| {
        buffers.input.resize(length, 0);
        buffers.input.as_mut_ptr()
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    BUFFERS.with_borrow(|buffers| buffers.output.as_ptr())
}

fn text() -> String {
    BUFFERS.with_borrow(|buffers| String::from_utf8_lossy(&buffers.input).into_owned())
}

fn answer(bytes: Vec<u8>) -> usize {
    BUFFERS.with_borrow_mut(|buffers| {
        buffers.output = bytes;
        buffers.output.len()
    })
}

/// Takes a [`Request`](super::page::Request) in and answers with an [`Answer`], both as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn page() -> usize {
    let found = match serde_json::from_str(&text()) {
        Ok(request) => PAGE.with_borrow_mut(|page| page.take(&request, clock())),
        // Half of a surrogate pair in a text, say.
        Err(error) => Answer::refusal(error.to_string()),
    };
    answer(serde_json::to_vec(&found).unwrap_or_default())
}

/// Answers with the game as a file of this name: 1, then the file, or 0, then why there is none.
#[unsafe(no_mangle)]
pub extern "C" fn file() -> usize {
    match PAGE.with_borrow_mut(|page| page.file(&text())) {
        Ok(file) => answer([&[1], file.as_slice()].concat()),
        Err(why) => answer([&[0], why.as_bytes()].concat()),
    }
}

struct Worker;

impl Host for Worker {
    fn begin(&mut self, control: &Arc<Control>) {
        CONTROL.set(Some(Arc::clone(control)));
    }

    fn reply(&mut self, reply: &Reply) {
        let text = reply.to_string();
        // SAFETY: the host reads the text before it returns.
        unsafe { tell(text.as_ptr(), text.len()) };
    }
}

/// Executes a line of the protocol, and tells each reply.
#[unsafe(no_mangle)]
pub extern "C" fn engine() -> usize {
    set_clock(clock);
    ENGINE.with_borrow_mut(|engine| {
        let engine = engine.get_or_insert_with(|| InlineEngine::new(Limits::default()));
        engine.execute(&text(), &mut Worker);
    });
    CONTROL.set(None);
    answer(Vec::new())
}

/// Runs the bench and answers with what it prints.
#[unsafe(no_mangle)]
pub extern "C" fn bench() -> usize {
    set_clock(clock);
    let mut printed = Vec::new();
    // A vector takes everything.
    let _ = tengen::bench::print(&mut printed, &[], false);
    answer(printed)
}
