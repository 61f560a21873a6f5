//! What the engine is told of the accesses to a cell. Outside an execution, and without feature `explore`, nothing.

#[cfg(feature = "explore")]
pub(super) use tracked::{Access, CellState};
#[cfg(not(feature = "explore"))]
pub(super) use untracked::{Access, CellState};

#[cfg(feature = "explore")]
mod tracked {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicU64, Ordering};

    use crate::execution::{Active, active};

    /// The name of a cell in the execution that used it last: a location of its own, because a cell may be moved, may be in another one, and
    /// its memory may be used for the next one.
    #[derive(Debug)]
    pub(crate) struct CellState {
        // Written inside executions only. Atomic because a cell in a static is seen by executions on several OS threads.
        name: AtomicU64,
    }

    /// An access that has begun; it ends when this is dropped.
    #[derive(Debug)]
    pub(crate) struct Access {
        /// Number of the execution and of the access.
        open: Option<(u64, u32)>,
    }

    impl CellState {
        pub(crate) const fn new() -> Self {
            Self {
                name: AtomicU64::new(0),
            }
        }

        #[track_caller]
        pub(crate) fn begin(&self, writes: bool) -> Access {
            let Some(active) = active() else {
                return Access { open: None };
            };
            let name = self.name(active);
            let open = active.begin_cell_access(name, writes);
            if writes {
                active.plain_write(name, 1);
            } else {
                active.plain_read(name, 1);
            }
            Access {
                open: open.map(|access| (active.execution_number(), access)),
            }
        }

        fn name(&self, active: Active) -> usize {
            let slot = Cell::new(self.name.load(Ordering::Relaxed));
            let name = active.own_location(&slot, 1);
            self.name.store(slot.get(), Ordering::Relaxed);
            name
        }
    }

    impl Drop for Access {
        fn drop(&mut self) {
            if let Some((execution, access)) = self.open
                && let Some(active) = active()
                && active.execution_number() == execution
            {
                active.end_cell_access(access);
            }
        }
    }
}

#[cfg(not(feature = "explore"))]
mod untracked {
    #[derive(Debug)]
    pub(crate) struct CellState;

    #[derive(Debug)]
    pub(crate) struct Access;

    impl CellState {
        pub(crate) const fn new() -> Self {
            Self
        }

        pub(crate) fn begin(&self, _writes: bool) -> Access {
            Access
        }
    }
}
