//! Output to readers that may be gone, such as `head` or a closed terminal: no error.

use std::env;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write, stderr};

/// Starts the log on standard error, as RUST_LOG asks.
pub fn start_log() {
    // A malformed filter would make the logger itself speak.
    let filter = env::var("RUST_LOG").ok();
    let filter = filter.filter(|text| env_filter::Builder::new().try_parse(text).is_ok());
    env_logger::Builder::new().parse_filters(filter.as_deref().unwrap_or("off")).init();
}

pub fn note(line: impl Display) {
    let _ = writeln!(stderr(), "{line}");
}

/// Treats a broken pipe as success: nobody reads the output any more.
pub fn ignore_broken_pipe(result: anyhow::Result<()>) -> anyhow::Result<()> {
    let is_closed = |error: &anyhow::Error| {
        let error = error.downcast_ref::<io::Error>();
        error.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
    };
    match result {
        Err(error) if is_closed(&error) => Ok(()),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn a_closed_output_is_no_failure_and_all_else_is() {
        let error = |kind| Err::<(), _>(io::Error::from(kind)).context("cannot write");
        assert!(ignore_broken_pipe(error(ErrorKind::BrokenPipe)).is_ok());
        assert!(ignore_broken_pipe(error(ErrorKind::StorageFull)).is_err());
        assert!(ignore_broken_pipe(Err(anyhow::anyhow!("something else"))).is_err());
        assert!(ignore_broken_pipe(Ok(())).is_ok());
    }
}
