//! Drop-in for `std::hint`.

pub use std::hint::*;

#[cfg(feature = "explore")]
pub use explore::spin_loop;

#[cfg(feature = "explore")]
mod explore {
    use contest_engine::execution::active;

    /// As in `std`; inside an execution this thread waits until another changes something that it read.
    #[inline]
    #[track_caller]
    pub fn spin_loop() {
        match active() {
            None => std::hint::spin_loop(),
            Some(active) => active.yield_now("spin_loop"),
        }
    }
}
