//! Isolation of executions inside the driver process.

use super::environment::Environment;
use super::statics::{SnapshotError, StaticData};
use super::{Isolation, arena};
use crate::protocol::black_box;

/// Empties the arena and puts static data back. Made once, when everything that `std` and the engine make lazily exists.
#[derive(Debug)]
pub struct ProcessIsolation {
    statics: StaticData,
    environment: Environment,
}

impl ProcessIsolation {
    /// Takes the snapshot that every execution starts from.
    ///
    /// # Errors
    /// If static data cannot be put back in this process.
    pub fn start() -> Result<Self, SnapshotError> {
        arena::reset();
        Ok(Self {
            environment: Environment::snapshot(),
            statics: StaticData::snapshot()?,
        })
    }

    /// Bytes of static data that are put back.
    #[must_use]
    pub fn static_bytes(&self) -> usize {
        self.statics.bytes()
    }
}

impl Isolation for ProcessIsolation {
    fn begin(&mut self) {
        self.statics.restore_thread_locals();
        black_box::execution_begin();
    }

    fn end(&mut self) {
        arena::reset();
        self.statics.restore();
        self.environment.restore();
        black_box::execution_end();
    }
}
