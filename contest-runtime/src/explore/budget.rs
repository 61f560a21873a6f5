//! How long to go on with one test.

use std::time::{Duration, Instant};

/// Executions and time; whichever ends first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Most executions.
    pub executions: u64,
    /// Most time.
    pub time: Duration,
}

impl Budget {
    /// A part of the time, and this many executions.
    #[must_use]
    pub fn part(self, executions: u64, of: u32) -> Self {
        Self {
            executions: executions.min(self.executions),
            time: self.time / of,
        }
    }
}

/// What is left of a budget. Looks at the clock only now and then: reading it costs as much as a small execution.
#[derive(Clone, Copy, Debug)]
pub struct Meter {
    budget: Budget,
    start: Instant,
    done: u64,
}

/// Executions between two looks at the clock.
const LOOK_EVERY: u64 = 16;

impl Meter {
    /// Starts to count.
    #[must_use]
    pub fn start(budget: Budget) -> Self {
        Self {
            budget,
            start: Instant::now(),
            done: 0,
        }
    }

    /// Notes an execution that is about to run; the reason if there is no room for it.
    ///
    /// # Errors
    /// The budget that is used up, in words.
    pub fn spend(&mut self) -> Result<(), &'static str> {
        if self.done >= self.budget.executions {
            return Err("execution limit");
        }
        if self.done.is_multiple_of(LOOK_EVERY)
            && self.done > 0
            && self.start.elapsed() >= self.budget.time
        {
            return Err("time limit");
        }
        self.done += 1;
        Ok(())
    }
}
