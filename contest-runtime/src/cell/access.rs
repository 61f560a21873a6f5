//! What the engine is told of the accesses to a cell. Outside an execution, and without feature `explore`, nothing.

#[cfg(feature = "explore")]
pub(super) use tracked::{Access, CellState};
#[cfg(not(feature = "explore"))]
pub(super) use untracked::{Access, CellState};

#[cfg(feature = "explore")]
mod tracked {
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

    use crate::execution::{Active, active};

    /// The name of a cell in the execution that used it last.
    #[derive(Debug)]
    pub(crate) struct CellState {
        // Written inside executions only. Atomic because a cell in a static is seen by executions on several OS threads.
        execution: AtomicU64,
        name: AtomicUsize,
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
                execution: AtomicU64::new(0),
                name: AtomicUsize::new(0),
            }
        }

        #[track_caller]
        pub(crate) fn begin(&self, writes: bool) -> Access {
            let Some(active) = active() else {
                return Access { open: None };
            };
            let name = self.name(active);
            let open = active.begin_cell_access(name, writes);
            Access {
                open: open.map(|access| (active.execution_number(), access)),
            }
        }

        fn name(&self, active: Active) -> usize {
            let execution = active.execution_number();
            if self.execution.load(Ordering::Relaxed) != execution {
                self.name.store(active.new_cell(), Ordering::Relaxed);
                self.execution.store(execution, Ordering::Relaxed);
            }
            self.name.load(Ordering::Relaxed)
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
