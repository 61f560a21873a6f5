//! The pooled machine that runs executions one after another.

use crate::execution::{Limits, Strategy};
use crate::trace::ExecutionRecord;

/// Runs executions; keeps its stacks and tables from one to the next.
#[derive(Debug)]
pub struct Engine {
    limits: Limits,
}

impl Engine {
    /// An engine for executions within these limits.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits }
    }

    /// The limits of its executions.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Runs `body` as the main virtual thread under `strategy`, to the end or until it cannot go on. The record lives until the next
    /// run; clone it to keep it. The caller has called [`Strategy::begin`] and will call [`Strategy::end`].
    pub fn run(
        &mut self,
        strategy: &mut dyn Strategy,
        body: impl FnOnce() + 'static,
    ) -> &ExecutionRecord {
        let _ = (strategy, body);
        unimplemented!("engine under construction")
    }
}
