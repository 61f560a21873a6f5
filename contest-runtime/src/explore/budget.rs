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
    /// This many executions, however long they take.
    #[must_use]
    pub fn executions(executions: u64) -> Self {
        Self {
            executions,
            time: Duration::MAX,
            sure: executions,
        }
    }

    /// These percentages of the executions and of the time.
    #[must_use]
    pub fn part(self, executions: u32, time: u32) -> Self {
        let of = |number: u64, percent: u32| {
            (u128::from(number) * u128::from(percent) / 100).min(u128::from(u64::MAX)) as u64
        };
        Self {
            executions: of(self.executions, executions),
            time: (self.time / 100).saturating_mul(time),
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

    /// Whether there is room for one more execution.
    ///
    /// # Errors
    /// The budget that is used up, in words.
    pub fn room(&self) -> Result<(), &'static str> {
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
        Ok(())
    }

    /// Notes an execution that is about to run.
    pub fn spend(&mut self) {
        self.done += 1;
    }
}
