//! What short sequences of calls did: several generators run the same ones.

use super::RunCalls;
use crate::generate::call_tree::SequenceRun;
use contest_data::fast_hash::FastMap;
use contest_data::test::{TestCall, TestObject};

/// Longest sequence that is remembered.
const LONGEST: usize = 4;
/// Sequences that are remembered; then all are forgotten.
const MOST: usize = 4_000;

/// Sequences that were run, with what they did.
#[derive(Debug, Default)]
pub(super) struct KnownRuns(FastMap<(TestObject, Vec<TestCall>), SequenceRun>);

/// Runs a sequence only if that is not known.
pub(super) struct Remembering<'a> {
    pub(super) runner: &'a mut dyn RunCalls,
    pub(super) known: &'a mut KnownRuns,
}

impl RunCalls for Remembering<'_> {
    fn run_calls(&mut self, object: &TestObject, calls: &[TestCall]) -> SequenceRun {
        if calls.len() > LONGEST {
            return self.runner.run_calls(object, calls);
        }
        let key = (object.clone(), calls.to_vec());
        let KnownRuns(known) = &mut *self.known;
        if let Some(run) = known.get(&key) {
            return run.clone();
        }
        let run = self.runner.run_calls(object, calls);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(key, run.clone());
        run
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counting(u32);

    impl RunCalls for Counting {
        fn run_calls(&mut self, _: &TestObject, _: &[TestCall]) -> SequenceRun {
            self.0 += 1;
            SequenceRun {
                trace: self.0,
                ..SequenceRun::FAILED
            }
        }
    }

    #[test]
    fn the_same_calls_on_the_same_object_are_run_once() {
        let object = |choice| TestObject {
            constructor: 0,
            choices: vec![choice],
        };
        let call = |operation| TestCall {
            object: 0,
            operation,
            choices: Vec::new(),
        };
        let (mut known, mut counting) = (KnownRuns::default(), Counting(0));
        let mut remembering = Remembering {
            runner: &mut counting,
            known: &mut known,
        };
        let mut trace =
            |object: TestObject, calls: &[TestCall]| remembering.run_calls(&object, calls).trace;
        let first = [call(0), call(1)];
        assert_eq!([trace(object(0), &first), trace(object(0), &first)], [1, 1]);
        assert_eq!(trace(object(1), &first), 2);
        assert_eq!(trace(object(0), &[call(1), call(0)]), 3);
        assert_eq!(trace(object(0), &first), 1);
    }
}
