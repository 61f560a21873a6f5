//! Which virtual thread runs which lane of a test.

use std::cell::Cell;

/// Most lanes of a test.
pub const MAX_LANES: usize = 8;

/// Which virtual thread runs which lane, recorded by the body of the current execution. One slot serves any number of
/// executions, so that an execution that is forgotten half-way, with what its closures captured, leaks nothing but a
/// reference count.
#[derive(Debug, Default)]
pub struct TestSlot {
    /// Virtual thread of each lane in the present execution, plus one; 0 while it is not started.
    threads: [Cell<u16>; MAX_LANES],
    /// Number of lanes of the test.
    lanes: Cell<usize>,
    prefix_done: Cell<bool>,
    panicked: Cell<bool>,
    chooses_end: Cell<bool>,
    ends_at_once: Cell<bool>,
    state: Cell<Option<u64>>,
}

impl TestSlot {
    /// Virtual thread of a lane in the last execution, if it was started.
    #[must_use]
    pub fn thread(&self, lane: usize) -> Option<u16> {
        self.threads.get(lane)?.get().checked_sub(1)
    }

    /// Virtual threads of the lanes that were started in the present execution.
    pub fn threads(&self) -> impl Iterator<Item = u16> {
        self.threads
            .iter()
            .filter_map(|thread| thread.get().checked_sub(1))
    }

    /// The prefix has run; what comes next is the start of the first lane.
    #[must_use]
    pub fn prefix_done(&self) -> bool {
        self.prefix_done.get()
    }

    /// A lane was started.
    #[must_use]
    pub fn any_started(&self) -> bool {
        self.threads().next().is_some()
    }

    /// All lanes were started.
    #[must_use]
    pub fn all_started(&self) -> bool {
        self.threads().count() == self.lanes.get()
    }

    /// The value that is chosen now says whether the objects [end at once](Self::ends_at_once).
    #[must_use]
    pub fn chooses_end(&self) -> bool {
        self.chooses_end.get()
    }

    /// The objects end as soon as the lanes have, without a call of an observer, and background threads go on beside
    /// that. Otherwise these come to rest first.
    #[must_use]
    pub fn ends_at_once(&self) -> bool {
        self.ends_at_once.get()
    }

    /// Whether the objects [end at once](Self::ends_at_once) is what `choose` returns.
    pub fn choose_end(&self, choose: impl FnOnce() -> bool) {
        self.chooses_end.set(true);
        self.ends_at_once.set(choose());
        self.chooses_end.set(false);
    }

    /// State of the first object at the end of the last execution, as a hash, if the test requests it and the type has
    /// one.
    #[must_use]
    pub fn state(&self) -> Option<u64> {
        self.state.get()
    }

    /// Lane that ran as this virtual thread in the last execution.
    #[must_use]
    pub fn lane(&self, thread: u16) -> Option<usize> {
        self.threads
            .iter()
            .position(|of_lane| of_lane.get() == thread + 1)
    }

    /// Begins an execution of a test with this many lanes.
    pub fn reset(&self, lanes: usize) {
        self.threads.iter().for_each(|thread| thread.set(0));
        self.lanes.set(lanes);
        self.prefix_done.set(false);
        self.panicked.set(false);
        self.chooses_end.set(false);
        self.ends_at_once.set(false);
        self.state.set(None);
    }

    /// Notes that the prefix has run.
    pub fn set_prefix_done(&self) {
        self.prefix_done.set(true);
    }

    /// Notes that a lane runs as this virtual thread.
    pub fn set_thread(&self, lane: usize, thread: u16) {
        self.threads[lane].set(thread + 1);
    }

    /// Notes that a call of a lane panicked.
    pub fn set_panicked(&self) {
        self.panicked.set(true);
    }

    /// A call of a lane panicked in the present execution.
    #[must_use]
    pub fn panicked(&self) -> bool {
        self.panicked.get()
    }

    /// Notes the state of the first object at the end of the execution.
    pub fn set_state(&self, state: Option<u64>) {
        self.state.set(state);
    }
}
