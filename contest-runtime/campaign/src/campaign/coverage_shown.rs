//! What executions have shown beside outcomes: access patterns, pairs of operations, what operations do.

use super::behaviour::Behaviour;
use super::prepared_test::PreparedTest;
use crate::judge::name_of;
use contest_data::test::TestSlot;
use contest_data::trace::ExecutionRecord;
use contest_search::coverage::{MapCoverage, MethodPairs};

/// What the executions looked at have shown.
#[derive(Debug)]
pub(super) struct Shows {
    pub patterns: MapCoverage,
    pub pairs: MethodPairs,
    /// What operations were seen to do, if that is kept.
    pub behaviour: Option<Behaviour>,
}

impl Shows {
    /// Takes an execution in: its access patterns if it was measured, while this strategy ran it, and what its
    /// operations did. Returns how many access patterns are new.
    pub(super) fn observe(
        &mut self,
        prepared: &PreparedTest,
        slot: &TestSlot,
        record: &ExecutionRecord,
        measured_by: Option<&'static str>,
    ) -> u64 {
        let mut new = 0;
        match measured_by {
            Some(strategy) => {
                new = self.patterns.observe_by(record, strategy);
                let lanes = &prepared.test.test.threads;
                self.pairs.observe(&record.calls, |thread, call| {
                    let lane = lanes.get(slot.lane(thread.0)?)?;
                    Some(lane.get(usize::from(call))?.operation)
                });
            }
            None => self.patterns.pass(),
        }
        if let Some(behaviour) = &mut self.behaviour {
            behaviour.observe(record, |thread, call| {
                prepared.operation(name_of(thread, call, slot)?)
            });
        }
        new
    }
}
