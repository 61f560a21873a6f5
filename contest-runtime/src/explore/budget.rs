//! How long to go on with one test.

use std::time::{Duration, Instant};

/// Executions and time; whichever ends first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Most executions.
    pub executions: u64,
    /// Most time.
    pub time: Duration,
    /// Executions that are run even if they take longer, unless it is very much longer.
    pub sure: u64,
}

impl Budget {
    /// These percentages of the executions and of the time.
    #[must_use]
    pub fn part(self, executions: u32, time: u32) -> Self {
        let of = |number: u64, percent: u32| number * u64::from(percent) / 100;
        Self {
            executions: of(self.executions, executions),
            time: self.time * time / 100,
            sure: of(self.sure, time),
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

/// Most time for the executions that are sure.
const LONGEST_SURE: Duration = Duration::from_millis(500);
/// Executions between two looks at the clock.
const LOOK_EVERY: u64 = 4;

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
        let most = if self.done < self.budget.sure {
            self.budget.time.max(LONGEST_SURE)
        } else {
            self.budget.time
        };
        if self.done.is_multiple_of(LOOK_EVERY) && self.start.elapsed() >= most {
            return Err("time limit");
        }
        self.done += 1;
        Ok(())
    }
}
