//! The clock that the engine reads. All other files go through here: WebAssembly has no clock but
//! that of its host.

pub use std::time::Duration;

#[cfg(target_family = "wasm")]
pub use host::{Instant, set_clock};
#[cfg(not(target_family = "wasm"))]
pub use std::time::Instant;

#[cfg(target_family = "wasm")]
mod host {
    use std::ops::Add;
    use std::sync::OnceLock;
    use std::time::Duration;

    static CLOCK: OnceLock<fn() -> Duration> = OnceLock::new();

    /// Sets the clock, which returns the time since any fixed moment; before, time stands still.
    pub fn set_clock(clock: fn() -> Duration) {
        let _ = CLOCK.set(clock);
    }

    /// A moment as [`std::time::Instant`] has it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Instant(Duration);

    impl Instant {
        pub fn now() -> Instant {
            Instant(CLOCK.get().map_or(Duration::ZERO, |clock| clock()))
        }

        pub fn elapsed(self) -> Duration {
            Instant::now().saturating_duration_since(self)
        }

        pub fn saturating_duration_since(self, earlier: Instant) -> Duration {
            self.0.saturating_sub(earlier.0)
        }

        pub fn checked_add(self, time: Duration) -> Option<Instant> {
            self.0.checked_add(time).map(Instant)
        }
    }

    impl Add<Duration> for Instant {
        type Output = Instant;

        fn add(self, time: Duration) -> Instant {
            Instant(self.0 + time)
        }
    }
}
