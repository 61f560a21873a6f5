//! Which orderings may change: what `cargo contest orderings` found out.

use contest_data::orderings::{AtomicPlace, OrderingChange};

/// A set of stronger orderings and fences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// What is to be changed.
    pub changes: Vec<OrderingChange>,
    /// Why not every test was explored whole with them, if so.
    pub unfinished: Option<String>,
}

/// What removes the bugs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repairs {
    /// Sets of the same size, the smallest that there is if `smallest`. Each leaves every test clean.
    pub sets: Vec<Repair>,
    /// No smaller set of stronger orderings does.
    pub smallest: bool,
    /// Sets with new fences, the smallest of these, where they are no larger than `sets`.
    pub with_fences: Vec<Repair>,
    /// More sets of these sizes may do as well: there were too many, or the time was over.
    pub more: bool,
    /// The bugs are there with the strongest orderings everywhere, too.
    pub other_cause: bool,
    /// The time was over.
    pub out_of_time: bool,
    /// Trials that were run.
    pub trials: u64,
}

/// What may be weaker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relaxations {
    /// All of them together leave every test complete and clean.
    pub accepted: Vec<OrderingChange>,
    /// Places of which nothing weaker does, beside what was accepted before them.
    pub needed: Vec<AtomicPlace>,
    /// Places that were not tried, or not to their end, for want of time.
    pub untried: Vec<AtomicPlace>,
    /// Trials that were run.
    pub trials: u64,
}
