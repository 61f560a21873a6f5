//! What executions cost.

/// What runs of one subject cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    pub executions: u64,
    pub steps: u64,
    pub decisions: u64,
    /// Executions whose memory accesses were watched.
    pub watched: u64,
    /// Executions whose final state was known and not observed again.
    pub unobserved: u64,
}

/// What an execution costs besides its steps, in steps.
pub(super) const EXECUTION_COST: u64 = 50;

impl Cost {
    /// In steps; the same on every machine.
    pub(super) fn in_steps(self) -> u64 {
        self.executions * EXECUTION_COST + self.steps
    }

    /// What came after `before`.
    pub(super) fn since(self, before: Self) -> Self {
        Self {
            executions: self.executions - before.executions,
            steps: self.steps - before.steps,
            decisions: self.decisions - before.decisions,
            watched: self.watched - before.watched,
            unobserved: self.unobserved - before.unobserved,
        }
    }
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, more: Self) {
        self.executions += more.executions;
        self.steps += more.steps;
        self.decisions += more.decisions;
        self.watched += more.watched;
        self.unobserved += more.unobserved;
    }
}
