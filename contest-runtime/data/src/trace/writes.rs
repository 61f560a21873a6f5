//! Which write each read took, and the order of the writes to each location, where executions are not sequentially
//! consistent.

/// The writes of an execution under a memory model weaker than sequential consistency. Empty under that one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Writes {
    /// What was read, by event.
    pub reads: Vec<ReadWrite>,
    /// For each location, the events that wrote to it, in modification order, and those of them that are known only by
    /// their value ([`Writes::INITIAL`]): what was there at first, and what was written by other means.
    pub orders: Vec<Vec<u32>>,
    /// Compare-exchanges that failed although they read what they expected, by event.
    pub spurious: Vec<u32>,
    /// True if older writes were forgotten, or choices left out, because there were too many.
    pub bounded: bool,
    /// True if an atomic was accessed in different widths, or changed by other means than its operations while others
    /// used it: which older values it could have had then is not known.
    pub overlapping: bool,
}

/// One read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadWrite {
    /// The event that read.
    pub event: u32,
    /// The event that wrote what was read; [`Writes::INITIAL`] if none did.
    pub from: u32,
    /// Events that had written newer values by then, in modification order.
    pub newer: Vec<u32>,
}

impl Writes {
    /// Stands for the event that wrote the first value.
    pub const INITIAL: u32 = u32::MAX;

    /// The reads that did not read the newest value.
    pub fn stale(&self) -> impl Iterator<Item = &ReadWrite> {
        self.reads.iter().filter(|read| !read.newer.is_empty())
    }

    /// The read that this event is, if it did not read the newest value.
    #[must_use]
    pub fn stale_at(&self, event: usize) -> Option<&ReadWrite> {
        let found = self
            .reads
            .binary_search_by(|read| (read.event as usize).cmp(&event));
        let read = &self.reads[found.ok()?];
        (!read.newer.is_empty()).then_some(read)
    }

    /// Forgets everything; keeps the buffers.
    #[cfg(feature = "explore")]
    pub fn clear(&mut self) {
        self.reads.clear();
        self.orders.clear();
        self.spurious.clear();
        self.bounded = false;
        self.overlapping = false;
    }
}
