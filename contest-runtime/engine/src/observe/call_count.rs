//! How often the closures given to a call were run. A function that runs an initialiser twice is wrong even if it
//! returns the right value.

use std::cell::Cell;

use crate::execution::active;
use contest_data::subject::{FutureUse, Response};

/// Most virtual threads of an execution.
const THREADS: usize = 128;

thread_local! {
    static COUNTS: [Cell<u32>; THREADS] = const { [const { Cell::new(0) }; THREADS] };
}

fn with_counter<R>(f: impl FnOnce(&Cell<u32>) -> R) -> R {
    let thread = active().map_or(0, |active| active.current().index());
    COUNTS.with(|counts| f(&counts[thread % THREADS]))
}

/// Called where a closure or a future that a caller hands in runs.
pub fn callers_code() {
    let Some(active) = active() else {
        return;
    };
    active.note_callers_code();
    if active.circumstances().callers_apart {
        active.call_hold(true);
    }
}

/// Called by generated closures: counts one run for the call that this virtual thread is in.
pub fn count_call() {
    callers_code();
    with_counter(|count| count.set(count.get() + 1));
}

/// Number of runs since the last call of this function on this virtual thread.
pub fn take_count() -> u32 {
    with_counter(|count| count.replace(0))
}

/// What a call came back with, with how often it has run the closures that it was given.
#[must_use]
pub fn with_count(response: Response, runs: u32) -> Response {
    match (response, runs) {
        (response, 0) => response,
        // A call that was given up has no result, whatever it has called before.
        (Some(text), _) if text == FutureUse::CANCELLED => Some(text),
        (Some(text), runs) => Some(format!("{text} [closure calls: {runs}]")),
        (None, runs) => Some(format!("[closure calls: {runs}]")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_closures_are_a_part_of_the_result_of_calls_that_were_not_given_up() {
        let response = |text: &str| Some(text.to_owned());
        assert_eq!(with_count(response("1"), 0), response("1"));
        assert_eq!(
            with_count(response("1"), 2),
            response("1 [closure calls: 2]")
        );
        let cancelled = response(FutureUse::CANCELLED);
        assert_eq!(with_count(cancelled.clone(), 1), cancelled);
    }
}
