//! What an execution meets that no decision is about: random numbers, clocks, addresses, identifiers.

use std::time::Duration;

use crate::limits::DEFAULT_TICK;

/// Under so many draws of random numbers everything is explored before that is said of what draws some.
pub const DRAWS: u8 = 2;

/// No code that looks so often at the clock only wants to know how late it is.
const STILL: u32 = 64;

/// After `every interleaving`: under how many draws of random numbers, if some were drawn, and how time passes, if the
/// clock was read.
#[must_use]
pub fn under(draws: u64, clock_was_read: bool) -> String {
    let draws = match draws {
        0 => String::new(),
        1 => ", under one draw of random numbers".to_owned(),
        many => format!(", under {many} draws of random numbers"),
    };
    let time = match clock_was_read {
        true => ", where time passes only while all threads wait",
        false => "",
    };
    draws + time
}

/// What an execution meets beside its schedule. It is always the same, unless an execution is to show what depends on
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Circumstances {
    /// Which random numbers, random bytes and keys of hashers it gets.
    pub draws: u64,
    /// Virtual time that has passed when it begins.
    pub clock: Duration,
    /// For so many looks of a thread at the clock no time passes by looking, so that what threads read does not depend
    /// on the order of their looks.
    pub still: u32,
    /// Virtual time that passes with each further look: a loop that waits for the clock sees it move.
    pub tick: Duration,
    /// In which places blocks of memory and stacks lie; 0 for one block after the other.
    pub places: u64,
    /// What the ids of virtual threads are counted from.
    pub first_id: u32,
    /// Where a closure or a future that a caller has handed in runs, a step of the call ends: others may come between.
    pub callers_apart: bool,
}

impl Circumstances {
    /// Those of all executions that are explored.
    pub const USUAL: Self = Self {
        draws: 0,
        clock: Duration::ZERO,
        still: STILL,
        tick: DEFAULT_TICK,
        places: 0,
        first_id: 0,
        callers_apart: false,
    };

    /// The same, and calls are several steps where they run code of their callers.
    #[must_use]
    pub const fn with_callers_apart(self) -> Self {
        Self {
            callers_apart: true,
            ..self
        }
    }

    /// The same, and time passes at each look.
    #[must_use]
    pub const fn with_moving_clock(self) -> Self {
        Self { still: 0, ..self }
    }

    /// The same, and much time passes at each look.
    #[must_use]
    pub const fn with_fast_clock(self) -> Self {
        Self {
            still: 0,
            tick: Duration::from_nanos(DEFAULT_TICK.as_nanos() as u64 * 1_009),
            ..self
        }
    }
}

impl Default for Circumstances {
    fn default() -> Self {
        Self::USUAL
    }
}
