//! How often the closures given to a call were run. A function that runs an initialiser twice is wrong even if it
//! returns the right value.

use std::cell::Cell;

use crate::execution::active;

/// Most virtual threads of an execution.
const THREADS: usize = 128;

thread_local! {
    static COUNTS: [Cell<u32>; THREADS] = const { [const { Cell::new(0) }; THREADS] };
}

fn with_count<R>(f: impl FnOnce(&Cell<u32>) -> R) -> R {
    let thread = active().map_or(0, |active| active.current().index());
    COUNTS.with(|counts| f(&counts[thread % THREADS]))
}

/// Called by generated closures: counts one run for the call that this virtual thread is in.
pub fn count_call() {
    with_count(|count| count.set(count.get() + 1));
}

/// Number of runs since the last call of this function on this virtual thread.
pub fn take_count() -> u32 {
    with_count(|count| count.replace(0))
}
