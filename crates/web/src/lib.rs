//! The board's page and its engines in WebAssembly, without a server: [`Page`] is the session of a
//! page, whose engines run in workers. `docs/board.md` describes the page.

#[cfg(target_family = "wasm")]
#[allow(unsafe_code)]
mod exports;
mod page;

pub use page::{Answer, Page, Request};
