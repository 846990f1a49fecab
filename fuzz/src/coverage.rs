//! What the instrumented program did: the counters that the compiler's SanitizerCoverage pass puts
//! on every edge of the control flow.
//!
//! The only file with unsafe code. Each module of the program hands over its counters before
//! `main`; threads add to them without locks, so that a count may be a little too small.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The counters of every instrumented module.
static MODULES: Mutex<Vec<&'static [AtomicU8]>> = Mutex::new(Vec::new());

/// Takes over the counters of a module.
///
/// # Safety
///
/// `start` and `end` are the ends of a static array of counters that nobody borrows.
#[unsafe(no_mangle)]
unsafe extern "C" fn __sanitizer_cov_8bit_counters_init(
    start: *const AtomicU8,
    end: *const AtomicU8,
) {
    // SAFETY: the compiler calls this with both ends of one array, which lives as long as the
    // program and is otherwise only added to, by instrumented code.
    let counters = unsafe { std::slice::from_raw_parts(start, end.offset_from(start) as usize) };
    MODULES.lock().unwrap_or_else(PoisonError::into_inner).push(counters);
}

/// What all inputs so far have reached.
pub struct Coverage {
    modules: Vec<Module>,
}

/// The counters of a module, most of them in words of eight: nearly all are zero.
struct Module {
    head: &'static [AtomicU8],
    words: &'static [AtomicU64],
    tail: &'static [AtomicU8],
    /// For each counter, the sizes of counts that were seen, as bits.
    seen: Vec<u8>,
}

impl Coverage {
    /// Returns the coverage of nothing.
    pub fn new() -> Coverage {
        let modules = MODULES.lock().unwrap_or_else(PoisonError::into_inner);
        Coverage { modules: modules.iter().map(|counters| Module::new(counters)).collect() }
    }

    /// Sets all counters to zero.
    pub fn reset(&self) {
        for module in &self.modules {
            module.head.iter().chain(module.tail).for_each(|counter| counter.store(0, Relaxed));
            module.words.iter().for_each(|word| word.store(0, Relaxed));
        }
    }

    /// Returns true if something happened since the last reset that no input before has brought
    /// about: an edge, or a count of another size.
    pub fn grow(&mut self) -> bool {
        // Each module has to grow, whether another one did or not.
        self.modules.iter_mut().fold(false, |has_grown, module| module.grow() | has_grown)
    }

    /// Returns how many edges there are, and how many have been reached.
    pub fn edges(&self) -> (usize, usize) {
        let seen = || self.modules.iter().flat_map(|module| &module.seen);
        (seen().count(), seen().filter(|&&seen| seen != 0).count())
    }
}

impl Module {
    fn new(counters: &'static [AtomicU8]) -> Module {
        // SAFETY: eight atomic bytes that are aligned as an atomic word may be used as one, since
        // both may hold any bits. They are used as words alone from here on; that the program adds
        // to them by bytes at the same time can cost a count, no more.
        let (head, words, tail) = unsafe { counters.align_to() };
        Module { head, words, tail, seen: vec![0; counters.len()] }
    }

    fn grow(&mut self) -> bool {
        let mut has_grown = false;
        let mut note = |seen: &mut u8, count: u8| {
            let bit = size_of(count);
            has_grown |= bit & !*seen != 0;
            *seen |= bit;
        };
        let (head, rest) = self.seen.split_at_mut(self.head.len());
        let (words, tail) = rest.split_at_mut(8 * self.words.len());
        for (seen, counter) in head.iter_mut().zip(self.head) {
            note(seen, counter.load(Relaxed));
        }
        for (seen, word) in words.chunks_exact_mut(8).zip(self.words) {
            let counts = word.load(Relaxed);
            if counts != 0 {
                seen.iter_mut()
                    .zip(counts.to_ne_bytes())
                    .for_each(|(seen, count)| note(seen, count));
            }
        }
        for (seen, counter) in tail.iter_mut().zip(self.tail) {
            note(seen, counter.load(Relaxed));
        }
        has_grown
    }
}

/// Returns the size of a count as one of eight bits, no bit for none.
fn size_of(count: u8) -> u8 {
    match count {
        0 => 0,
        1..=3 => 1 << (count - 1),
        4..=7 => 8,
        8..=15 => 16,
        16..=31 => 32,
        32..=127 => 64,
        128.. => 128,
    }
}
