//! Which timer passes next, and when those of background threads only go on ticking.

use std::time::Duration;

use super::machine::Machine;
use super::real_time;
use contest_data::trace::ThreadIndex;

/// So often the timer of each background thread passes while all threads of a test wait, before these count as stuck.
const TICKS_IN_VAIN: u32 = 25;
/// So many times longer an execution waits, and may be, where it is looked at again.
const LONGER: u32 = 4;

/// Timers of background threads that pass while the test waits.
#[derive(Clone, Debug, Default)]
pub(super) struct Ticks {
    /// How many steps threads of the test had taken when a timer passed last.
    steps: u32,
    /// How many timers of each thread have passed since they took one.
    passed: Vec<u32>,
    /// Executions wait longer than most.
    longer: bool,
}

impl Ticks {
    /// Threads of the test have taken so many steps; no timer has passed since.
    pub(super) fn begin(&mut self, steps: u32) {
        self.steps = steps;
        self.passed.clear();
    }
}

impl Machine {
    /// The thread whose timer passes next: that of the earliest deadline. Where the test waits for nothing but timers
    /// of background threads, one that has ticked often since a thread of the test took a step lets the others go
    /// first; there is none once all of them only go on ticking.
    pub(super) fn next_sleeper(&mut self) -> Option<ThreadIndex> {
        let (earliest, _) = self.earliest_deadline(|_| true)?;
        let of_test =
            |thread: ThreadIndex| thread == ThreadIndex::MAIN || self.harness.contains(thread);
        if !self.has_harness
            || real_time::are_processes_expected()
            || (self.timed & !self.enabled).into_iter().any(of_test)
        {
            return Some(earliest);
        }
        if self.probing {
            return None;
        }
        let steps = self.threads[..self.live].iter().enumerate();
        let steps = steps.filter(|(index, _)| of_test(ThreadIndex(*index as u16)));
        let steps: u32 = steps.map(|(_, thread)| thread.executed).sum();
        if self.ticks.steps != steps {
            self.ticks.begin(steps);
        }
        let longer = if self.ticks.longer { LONGER } else { 1 };
        let ticks = |thread: ThreadIndex| self.ticks.passed.get(thread.index()).copied();
        let in_vain = |thread| ticks(thread).unwrap_or(0) >= TICKS_IN_VAIN * longer;
        let (sleeper, _) = self.earliest_deadline(|thread| !in_vain(thread))?;
        let passed = &mut self.ticks.passed;
        passed.resize(passed.len().max(sleeper.index() + 1), 0);
        passed[sleeper.index()] += 1;
        Some(sleeper)
    }

    /// As [`Engine::wait_longer`](super::Engine::wait_longer).
    pub(super) fn wait_longer(&mut self, on: bool) {
        if std::mem::replace(&mut self.ticks.longer, on) != on {
            let steps = self.limits.steps;
            self.limits.steps = if on {
                steps.saturating_mul(LONGER)
            } else {
                steps / LONGER
            };
        }
    }

    /// Of these threads, the one whose time limit passes first, and when.
    pub(super) fn earliest_deadline(
        &self,
        counts: impl Fn(ThreadIndex) -> bool,
    ) -> Option<(ThreadIndex, Duration)> {
        let mut best: Option<(ThreadIndex, Duration)> = None;
        let timed = self.timed & !self.enabled;
        for thread in timed.into_iter().filter(|it| counts(*it)) {
            let deadline = self.threads[thread.index()]
                .deadline
                .unwrap_or(Duration::MAX);
            if best.is_none_or(|(_, earliest)| deadline < earliest) {
                best = Some((thread, deadline));
            }
        }
        best
    }
}
