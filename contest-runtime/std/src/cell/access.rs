//! An access to a cell, from its beginning to its end. Outside an execution, and without feature `explore`, nothing.

#[cfg(feature = "explore")]
use contest_engine::execution::active;

use super::own_location::OwnLocation;

/// What a cell has besides its value.
#[derive(Debug)]
pub(super) struct CellState {
    location: OwnLocation,
}

/// An access that has begun; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Access {
    /// Number of the execution and of the access.
    #[cfg(feature = "explore")]
    open: Option<(u64, u32)>,
}

impl CellState {
    pub(super) const fn new() -> Self {
        Self {
            location: OwnLocation::new(),
        }
    }

    #[track_caller]
    pub(super) fn begin(&self, writes: bool) -> Access {
        #[cfg(feature = "explore")]
        let open = active().and_then(|active| {
            let access = active.begin_cell_access(self.location.get(active), writes)?;
            Some((active.execution_number(), access))
        });
        if writes {
            self.location.write(1);
        } else {
            self.location.read(1);
        }
        Access {
            #[cfg(feature = "explore")]
            open,
        }
    }
}

#[cfg(feature = "explore")]
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
