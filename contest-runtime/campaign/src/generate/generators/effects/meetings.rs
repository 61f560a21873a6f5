//! Where a call of several sections meets changes that disturb more than one of them.
//!
//! A call sees one state in each of its sections (see [`SequenceAccess::section`]). What comes between two of them is
//! noticed only if it touches one section and another one after it: else the call does what it would do before it,
//! after it, or between two of the changes. Which sections a change touches is seen when one thread makes it after the
//! call. First come calls that take another path after the changes: they looked, and then acted on what they saw. Of
//! two changes, those come first of which neither disturbs the call alone: one change has a test of its own.

use crate::generate::call_tree::SequenceRun;
use crate::generate::generators::{Parts, RunCalls};
use contest_data::fast_hash::{FastMap, FastSet};
use contest_data::test::{ConcurrentTest, TestCall, TestObject};
use state::{Seen, State, variants};

mod state;

/// Most sequences that one search for a test runs.
const MOST_RUNS: u32 = 60;
/// Most states that calls meet in.
const MOST_STATES: usize = 12;
/// Turns of a state before the next one has its first one.
const BEFORE_NEXT: usize = 2;
/// Tests of the same operations that one is worth whose call takes the same path.
const SAME_PATH: u32 = 4;

/// How many changes come beside a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    One,
    Two,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Meetings {
    /// `None` before the first look.
    states: Option<Vec<State>>,
    seen: Seen,
    /// Meetings that have had no test yet, with one change and with two.
    ready: [Vec<Meeting>; 2],
    /// Tests of the same operations.
    tested: FastMap<Vec<u16>, u32>,
}

#[derive(Debug)]
struct Meeting {
    before: Vec<TestCall>,
    long: TestCall,
    changes: Vec<TestCall>,
    same_path: bool,
    /// Of two changes, how many disturb the call alone.
    alone: u32,
}

impl Meeting {
    fn operations(&self) -> Vec<u16> {
        let calls = std::iter::once(&self.long).chain(&self.changes);
        calls.map(|call| call.operation).collect()
    }
}

/// Runs sequences on the first object.
struct Runs<'a> {
    runner: &'a mut dyn RunCalls,
    object: TestObject,
    made: u32,
}

impl Runs<'_> {
    /// What the last of the calls did; `None` if it failed.
    fn of(&mut self, calls: &[&[TestCall]]) -> Option<SequenceRun> {
        self.made += 1;
        let run = self.runner.run_calls(&self.object, &calls.concat());
        (!run.failed).then_some(run)
    }
}

impl Meetings {
    /// The next test of a call beside so many changes; `None` if there is none, or none was found among as many
    /// sequences as one look may run.
    pub(super) fn next(
        &mut self,
        parts: &mut Parts,
        beside: Beside,
        runner: &mut dyn RunCalls,
    ) -> Option<ConcurrentTest> {
        let mut runs = Runs {
            runner,
            object: parts.calls.first_object(),
            made: 0,
        };
        let states = self.states.get_or_insert_with(|| states(parts, &mut runs));
        let ready = &mut self.ready[beside as usize];
        let worth = |meeting: &Meeting, tested: &FastMap<Vec<u16>, u32>| {
            let same = u32::from(meeting.same_path) * SAME_PATH;
            same + meeting.alone + tested.get(&meeting.operations()).copied().unwrap_or(0)
        };
        while runs.made < MOST_RUNS && !ready.iter().any(|it| worth(it, &self.tested) == 0) {
            let open = (0..states.len()).filter(|&number| states[number].is_open(beside));
            let next = open
                .min_by_key(|&number| states[number].turns[beside as usize] + BEFORE_NEXT * number);
            let Some(next) = next else {
                break;
            };
            states[next].turn(parts, beside, &mut self.seen, &mut runs, ready);
        }
        let best = (0..ready.len()).min_by_key(|&at| worth(&ready[at], &self.tested))?;
        let best = ready.remove(best);
        *self.tested.entry(best.operations()).or_default() += 1;
        let lanes = vec![vec![best.long], best.changes];
        Some(parts.test(vec![runs.object], best.before, lanes))
    }
}

/// States that at most one call leads to, those of the most promising calls first.
fn states(parts: &Parts, runs: &mut Runs<'_>) -> Vec<State> {
    let free = |operation: &&u16| !parts.calls.takes_object(**operation);
    // What a call that only looks leaves is what there was.
    let looks = |operation: &&u16| {
        let it = parts.calls.operation(**operation);
        it.observer && it.arguments.is_empty()
    };
    let quiet = parts.calls.shared().iter().filter(free).find(looks);
    let quiet = quiet.map(|&operation| parts.calls.first_call(operation, 0, 1));
    let fresh = quiet.and_then(|call| runs.of(&[&[call]])?.state);
    let mut known = FastSet::default();
    known.extend(fresh);
    let mut states = vec![State::new(Vec::new(), fresh)];
    let fitting = parts.calls.changers().iter().filter(free);
    let varied: Vec<Vec<TestCall>> = fitting.map(|&it| variants(parts, it)).collect();
    let longest = varied.iter().map(Vec::len).max().unwrap_or(0);
    // First each call with its first values.
    let in_order = (0..longest).flat_map(|at| varied.iter().filter_map(move |calls| calls.get(at)));
    for call in in_order {
        if states.len() == MOST_STATES {
            break;
        }
        let before = vec![call.clone()];
        if let Some(hash) = runs.of(&[&before]).and_then(|run| run.state)
            && known.insert(hash)
        {
            states.push(State::new(before, Some(hash)));
        }
    }
    states
}

#[cfg(test)]
mod tests;
