//! Final states that were observed before. Observers and a drop follow the concurrent part of every execution, and most
//! executions of a test end in one of a few states.
//!
//! What follows the concurrent part is decided by three things: the results of the calls so far, the memory of the code
//! under test, and what the engine knows beside it ([`Active::at_final_state`]). After a state that an execution of the
//! same test has reached before with the same results, the observers are not run: they would return what they returned
//! then. A state that may hold more than its hash shows (a pointer to freed or to foreign memory, a background thread,
//! a panic) is always observed.
//!
//! [`Active::at_final_state`]: contest_engine::execution::Active::at_final_state

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use super::outcome_key::outcome_key;
use contest_data::fold_hash::{FoldHash, FoldMap};
use contest_data::test::{MainCall, RunnableTest, TestShape, TestSlot};
use contest_data::trace::{CallRecord, Ending, ExecutionRecord, Outcome, ThreadIndex};
use contest_engine::memory::Isolation;

/// Most states that are remembered, of all tests together; then all are forgotten.
const MOST: usize = 1 << 14;

/// The states seen so far, each with the calls that observed it.
#[derive(Debug, Default)]
pub(super) struct FinalStates {
    known: FoldMap<u64, Rc<[CallRecord]>>,
}

/// The look at one execution that runs.
#[derive(Debug)]
pub(super) struct Look<'s> {
    states: &'s FinalStates,
    test: u64,
    /// The state, once it was reached, if its hash identifies it.
    reached: Option<u64>,
}

impl FinalStates {
    /// Begins an execution of this test.
    pub(super) fn look(&self, test: &RunnableTest) -> Look<'_> {
        let mut hasher = FoldHash::default();
        (&test.test, &test.observers, test.drops).hash(&mut hasher);
        Look {
            states: self,
            test: hasher.finish(),
            reached: None,
        }
    }

    /// Remembers how the state was observed, if nothing happened meanwhile that later calls could not repeat.
    pub(super) fn remember(&mut self, state: u64, record: &ExecutionRecord, test: &RunnableTest) {
        let first = TestShape::of(test).number(MainCall::Observer(0));
        let observes = |call: &&CallRecord| {
            call.thread == ThreadIndex::MAIN && usize::from(call.call) >= first
        };
        let mut calls = record.calls.iter().filter(observes);
        let clean = record.ending == Ending::Finished
            && record.quiescent
            && record.panics.is_empty()
            && record.faults.is_empty()
            && record.unowned.is_empty()
            && record.leaks.is_empty()
            && calls.all(|call| matches!(call.outcome, Outcome::Returned(_)));
        if !clean {
            return;
        }
        if self.known.len() == MOST {
            self.known.clear();
        }
        let calls = record.calls.iter().filter(observes).cloned();
        self.known.insert(state, calls.collect());
    }

    /// The calls that observed this state before, as if they had followed this execution, which ended in it.
    pub(super) fn calls(&self, state: u64, record: &ExecutionRecord) -> Vec<CallRecord> {
        let observed = self.known.get(&state).map_or(&[][..], |calls| calls);
        let first = observed.first().map_or(0, |call| call.began);
        let moved = |step: u32| step - first + record.steps;
        observed
            .iter()
            .map(|call| CallRecord {
                began: moved(call.began),
                ended: moved(call.ended),
                ..call.clone()
            })
            .collect()
    }
}

impl Look<'_> {
    /// The concurrent part is over. True if what follows is known.
    pub(super) fn is_known(
        &mut self,
        record: &ExecutionRecord,
        knowledge: Option<u64>,
        slot: &TestSlot,
        isolation: &mut dyn Isolation,
    ) -> bool {
        let Some(knowledge) = knowledge else {
            return false;
        };
        let Ok(memory) = isolation.final_state() else {
            return false;
        };
        let mut hasher = FoldHash::default();
        (self.test, knowledge, memory, outcome_key(record, slot)).hash(&mut hasher);
        let state = hasher.finish();
        self.reached = Some(state);
        self.states.known.contains_key(&state)
    }

    /// The state that the execution reached, if its hash identifies it.
    pub(super) fn reached(self) -> Option<u64> {
        self.reached
    }
}
