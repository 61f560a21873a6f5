//! The modelled operations of one execution, and what a model leaves out of it.

use super::name::Name;
use crate::coverage::SiteId;

/// Number of a step of a [`TraceModel`](super::TraceModel), in the order of the trace.
pub type StepId = u32;

/// An access by a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepAccess {
    /// Number of the variable in the model.
    pub variable: u32,
    /// Place in the source.
    pub site: SiteId,
    /// It reads.
    pub reads: bool,
    /// It writes.
    pub writes: bool,
    /// Value read.
    pub read: u64,
    /// Value written.
    pub wrote: u64,
    /// Values are known. Contents of locks and channels have none: schedules over them are tried, and may diverge.
    pub valued: bool,
}

/// One modelled operation.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Thread, as numbered in the model.
    pub thread: u16,
    /// Place in its thread's list of steps.
    pub place: u32,
    /// Position in the execution.
    pub event: u32,
    /// Harness call it belongs to.
    pub call: Option<u16>,
    /// What it accesses.
    pub access: Option<StepAccess>,
    /// Whether it writes depends on what it reads: a compare-exchange.
    pub conditional: bool,
    /// `fetch_add` and its like: changes the variable whatever it finds.
    pub counts: bool,
    /// A plain access: happens with the step before it, nothing can come between.
    pub bound: bool,
    /// What the operation is, for the check of a schedule.
    pub check: u8,
    /// A notification: the threads it woke.
    pub woken: u64,
    /// Its name in all executions in which its thread came here the same way.
    pub name: Name,
}

/// What a model leaves out, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cuts {
    /// Threads cut at a wait that timed out or at a sleep.
    pub timeouts: u64,
    /// Threads cut where they panicked.
    pub panics: u64,
    /// Threads cut at an operation whose cause is not in the trace.
    pub unknown: u64,
    /// Steps beyond the window.
    pub length: u64,
    /// Variables whose values do not add up (changed by plain accesses, reused memory): their accesses keep their
    /// order.
    pub opaque: u64,
    /// Plain accesses beyond those that are kept between two operations of a thread.
    pub plain: u64,
}
