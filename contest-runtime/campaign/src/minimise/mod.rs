//! A finding in, the smallest test and the interleaving with the fewest preemptions that still show it out.

pub(crate) mod drop_calls;
pub(crate) mod drop_switches;

pub use drop_switches::fewest_switches;

use contest_data::test::ConcurrentTest;
use contest_data::trace::Schedule;
use contest_search::explore::Switch;

/// An execution that shows the bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reproduction {
    /// What runs it again.
    pub schedule: Schedule,
    /// Times a thread was stopped that could have gone on.
    pub preemptions: u32,
    /// Visible operations.
    pub steps: u32,
    /// Its context switches.
    pub switches: Vec<Switch>,
    /// Values that were chosen.
    pub values: Vec<u16>,
}

/// Looks for the bug that is being minimised. The campaign implements it: explore, judge, compare.
pub trait Reproduce {
    /// Looks for the bug in `test`, in executions with at most this many preemptions, if given.
    fn reproduce(
        &mut self,
        test: &ConcurrentTest,
        preemptions: Option<u32>,
    ) -> Option<Reproduction>;
    /// Runs `test` once with these context switches and values.
    fn rerun(
        &mut self,
        test: &ConcurrentTest,
        switches: &[Switch],
        values: &[u16],
    ) -> Option<Reproduction>;
    /// False when the time for this finding is used up.
    fn goes_on(&self) -> bool;
}

/// Looks for the bug in one body that stays as it is.
pub trait Again {
    /// Looks for it in executions with at most this many preemptions.
    fn with_preemptions(&mut self, bound: u32) -> Option<Reproduction>;
    /// Runs once with these context switches and values.
    fn with_switches(&mut self, switches: &[Switch], values: &[u16]) -> Option<Reproduction>;
    /// False when the time is used up.
    fn goes_on(&self) -> bool;
}

/// One test of those that a [`Reproduce`] runs.
struct OneTest<'a> {
    test: &'a ConcurrentTest,
    run: &'a mut dyn Reproduce,
}

impl Again for OneTest<'_> {
    fn with_preemptions(&mut self, bound: u32) -> Option<Reproduction> {
        self.run.reproduce(self.test, Some(bound))
    }

    fn with_switches(&mut self, switches: &[Switch], values: &[u16]) -> Option<Reproduction> {
        self.run.rerun(self.test, switches, values)
    }

    fn goes_on(&self) -> bool {
        self.run.goes_on()
    }
}

/// Minimises: fewest calls first, then fewest preemptions.
pub fn minimise(
    test: &ConcurrentTest,
    found: &Reproduction,
    run: &mut dyn Reproduce,
) -> (ConcurrentTest, Reproduction) {
    let (test, found) = drop_calls::drop_calls(test.clone(), found.clone(), run);
    let found = drop_switches::drop_switches(&test, found, run);
    (test, found)
}

#[cfg(test)]
mod tests;
