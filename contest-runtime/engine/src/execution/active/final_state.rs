//! What the engine knows at the end of a test, when its threads are gone and its objects are about to be observed.
//!
//! If two executions of one test come here with equal results, equal memory and equal knowledge of the engine, then the
//! calls that follow do the same in both: only the main thread is left, so there is no choice, and whatever the other
//! threads did happens before it.

use std::hash::{Hash, Hasher};

use super::Active;
use crate::execution::current;
use crate::execution::machine::Machine;
use crate::memory::set_user_code;
use contest_data::fold_hash::FoldHash;
use contest_data::trace::{ExecutionRecord, ThreadIndex, is_executor_thread};

impl Active {
    /// Shows `look` the record so far, with a hash of all that the engine knows beside the memory of the code under
    /// test; `None` if what comes next may depend on more. Not a visible operation.
    pub fn at_final_state<R>(self, look: impl FnOnce(&ExecutionRecord, Option<u64>) -> R) -> R {
        let was = set_user_code(false);
        let result = {
            let machine = current::machine();
            let known = machine.is_settled().then(|| machine.knowledge());
            look(&machine.record, known)
        };
        set_user_code(was);
        result
    }

    /// True if code under test has started threads that have not ended. Threads of executors that serve all objects of
    /// a test do not count.
    #[must_use]
    pub fn has_background_threads(self) -> bool {
        let was = set_user_code(false);
        let machine = current::machine();
        let mut others = (1..machine.live).map(|index| ThreadIndex(index as u16));
        let found = others.any(|thread| {
            let name = machine.threads[thread.index()].name.as_deref();
            machine.pending[thread.index()].is_some()
                && !machine.harness.contains(thread)
                && !name.is_some_and(is_executor_thread)
        });
        drop(machine);
        set_user_code(was);
        found
    }
}

impl Machine {
    /// True if only the main thread is left of those that the harness started, nothing has gone wrong yet, and no limit
    /// is near.
    fn is_settled(&self) -> bool {
        let record = &self.record;
        let mut others = (1..self.live).map(|index| ThreadIndex(index as u16));
        self.unfinished == 1
            && self.running == ThreadIndex::MAIN
            && others.all(|thread| self.harness.contains(thread))
            && !self.over
            && !self.tearing_down
            && record.panics.is_empty()
            && record.faults.is_empty()
            && record.leaks.is_empty()
            && !record.early_timeout
            && !record.background_steps
            && record.steps.saturating_mul(2) < self.limits.steps
            && self.model.tracks_nothing()
            && self.objects.statics.are_untouched()
    }

    fn knowledge(&self) -> u64 {
        let mut hasher = FoldHash::default();
        let main = &self.threads[ThreadIndex::MAIN.index()];
        main.token.hash(&mut hasher);
        (main.task.woken, main.task.woken_by_itself, main.task.drawn).hash(&mut hasher);
        main.looks
            .saturating_sub(self.circumstances.still)
            .hash(&mut hasher);
        main.locals.hash_places(&mut hasher);
        self.model.statics.hash_places(&mut hasher);
        (self.clock, self.circumstances, self.draws, self.seed).hash(&mut hasher);
        (self.timeouts_left, self.spurious_left).hash(&mut hasher);
        // Faults are noticed only in executions that are watched.
        (self.watching, self.watches_memory).hash(&mut hasher);
        self.objects.meaning().hash(&mut hasher);
        hasher.finish()
    }
}
