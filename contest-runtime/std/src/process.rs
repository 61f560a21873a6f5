//! Drop-in for `std::process`.

pub use std::process::*;

#[cfg(feature = "explore")]
pub use explore::{abort, exit};

#[cfg(feature = "explore")]
mod explore {
    use std::panic::Location;

    use contest_engine::execution::active;

    /// As in `std`; inside an execution it ends the execution instead of the process.
    #[track_caller]
    pub fn exit(code: i32) -> ! {
        match active() {
            None => std::process::exit(code),
            Some(active) => {
                active.exit(&format!("process::exit({code}) at {}", Location::caller()))
            }
        }
    }

    /// As in `std`; inside an execution it ends the execution instead of the process.
    #[track_caller]
    pub fn abort() -> ! {
        match active() {
            None => std::process::abort(),
            Some(active) => active.exit(&format!("process::abort() at {}", Location::caller())),
        }
    }
}
