//! What happens when the engine granted a lock and the real lock is not free.

use contest_engine::execution::active;

/// Ends the execution: the holder of the real lock is unknown to the engine.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn held_elsewhere(what: &str) -> ! {
    let at = std::panic::Location::caller();
    let reason = format!(
        "the scheduler granted the {what} at {at}, but the real one is held: by an OS thread outside the execution, or by code \
         that was not instrumented; keep this lock out of the test"
    );
    match active() {
        Some(active) => active.unsupported(&reason),
        None => panic!("contest: {reason}"),
    }
}
