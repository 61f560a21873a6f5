//! Where a campaign reports.

use std::any::Any;
use std::panic::resume_unwind;

use crate::finding::{Finding, KnownBug};
use crate::test::ConcurrentTest;
use crate::totals::{Alone, Progress};

/// What the campaign does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Gets a type ready, before the first test, or counts what all tests showed, after the last one.
    Preparing,
    /// Runs the serial orders of a test.
    Serial,
    /// Explores its interleavings.
    Exploring,
    /// Makes a finding smaller.
    Minimising,
    /// Runs a given schedule.
    Replaying,
}

/// Receives what a campaign finds, while it runs.
pub trait Listener {
    /// A bug, confirmed and minimised.
    /// `bug` is what recognises it, for processes that run other tests of this campaign.
    fn finding(&mut self, finding: Finding, bug: KnownBug);
    /// Bugs that other processes have reported since the last call.
    fn found_elsewhere(&mut self) -> Vec<KnownBug> {
        Vec::new()
    }
    /// True once the campaign is to end although it has time left.
    fn is_stopped(&mut self) -> bool {
        false
    }
    /// An operation that fails without any concurrency; once for each operation and way to fail.
    fn alone(&mut self, alone: Alone);
    /// Where the campaign stands; at most ten times a second.
    fn progress(&mut self, progress: &Progress);
    /// A test is about to run.
    fn test(&mut self, number: u64, test: &ConcurrentTest) {
        let _ = (number, test);
    }
    /// A test is over: it is not gone on with.
    fn over(&mut self, number: u64, exhausted: bool) {
        let _ = (number, exhausted);
    }
    /// A sequence of calls is about to run in one thread, in search of the test with this number.
    fn sequence(&mut self, number: u64, sequence: &ConcurrentTest) {
        let _ = (number, sequence);
    }
    /// The search for the test with this number, of this type, panicked. The campaign goes on when this returns; the
    /// default is that the panic goes on.
    fn generator_panicked(&mut self, subject: &str, number: u64, panic: Box<dyn Any + Send>) {
        let _ = (subject, number);
        resume_unwind(panic);
    }
    /// What the visits of the campaign have cost so far, in steps.
    fn work(&mut self, steps: u64) {
        let _ = steps;
    }
    /// What is done from here on.
    fn activity(&mut self, activity: Activity) {
        let _ = activity;
    }
}
