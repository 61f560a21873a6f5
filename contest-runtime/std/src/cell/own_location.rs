//! A location for data races that is not an address. Outside an execution, and without feature `explore`, nothing.

#[cfg(feature = "explore")]
pub use located::OwnLocation;
#[cfg(not(feature = "explore"))]
pub(crate) use unlocated::OwnLocation;

#[cfg(feature = "explore")]
mod located {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicU64, Ordering};

    use contest_engine::execution::{Active, active};

    /// Bytes that a location has.
    const SIZE: usize = 8;

    /// A location of its own for an object that its address does not identify: it may be moved, it may be inside
    /// another one of its kind, and its memory may be used for the next one.
    #[derive(Debug)]
    pub struct OwnLocation {
        // Its name in the execution that used it last. Written inside executions only; atomic because executions on
        // several OS threads see what is in a static.
        name: AtomicU64,
    }

    impl Default for OwnLocation {
        fn default() -> Self {
            Self::new()
        }
    }

    impl OwnLocation {
        /// Not used in any execution yet.
        #[must_use]
        pub const fn new() -> Self {
            Self {
                name: AtomicU64::new(0),
            }
        }

        /// Its name in this execution.
        #[must_use]
        pub fn get(&self, active: Active) -> usize {
            let slot = Cell::new(self.name.load(Ordering::Relaxed));
            let location = active.own_location(&slot, SIZE);
            self.name.store(slot.get(), Ordering::Relaxed);
            location
        }

        /// Reads the first `bytes` bytes, at the caller's place.
        #[track_caller]
        pub fn read(&self, bytes: usize) {
            if let Some(active) = active() {
                active.plain_read(self.get(active), bytes);
            }
        }

        /// Writes the first `bytes` bytes, at the caller's place.
        #[track_caller]
        pub fn write(&self, bytes: usize) {
            if let Some(active) = active() {
                active.plain_write(self.get(active), bytes);
            }
        }

        /// The next atomic operation of the running thread accesses this location.
        pub fn of_next_atomic(&self) {
            if let Some(active) = active() {
                active.locate_next_atomic(self.get(active));
            }
        }
    }
}

#[cfg(not(feature = "explore"))]
mod unlocated {
    #[derive(Debug)]
    pub(crate) struct OwnLocation;

    impl OwnLocation {
        /// Not used in any execution yet.
        #[must_use]
        pub(crate) const fn new() -> Self {
            Self
        }

        pub(crate) fn read(&self, _bytes: usize) {}

        pub(crate) fn write(&self, _bytes: usize) {}
    }
}
