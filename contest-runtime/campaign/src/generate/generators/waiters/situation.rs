//! A call that waits on an object, and the tests of it.

use super::super::Parts;
use super::{is_quiet, used};
use contest_data::subject::FutureUse;
use contest_data::test::{ConcurrentTest, TestCall, TestObject};

/// A call that waits.
#[derive(Debug)]
pub(super) struct Situation {
    pub(super) object: TestObject,
    pub(super) before: Option<TestCall>,
    /// What another thread keeps, so that it waits.
    pub(super) kept: Option<Kept>,
    /// The call before waited until its time was up.
    pub(super) gave_up: bool,
    pub(super) waits: TestCall,
    /// Calls after which it does not wait. None where a task or time lets it go on, and calls make no difference.
    pub(super) keys: Vec<TestCall>,
    /// Operations that may come between.
    pub(super) others: Vec<u16>,
    /// Tests it has had.
    pub(super) turn: usize,
}

/// A call whose result its thread keeps, and the end of that.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) keep: TestCall,
    pub(super) let_go: TestCall,
}

/// What there is beside a thread that keeps something.
enum BesideKept {
    /// A call in each of two threads.
    Calls([TestCall; 2]),
    /// Two calls that wait, while the thread that keeps something makes this call.
    Meanwhile(TestCall),
}

/// What a turn gave.
pub(super) enum Made {
    Test(ConcurrentTest),
    /// Not within the bounds, or no such use of a future.
    TooLarge,
    /// The situation has had all of its tests.
    Nothing,
}

impl Situation {
    /// The test with this number.
    pub(super) fn test(&self, turn: usize, parts: &Parts) -> Made {
        const DISTURBED: usize = 6;
        let made = |lanes: Vec<Vec<TestCall>>| {
            let before = self.before.iter().cloned().collect();
            Made::Test(parts.test(vec![self.object.clone()], before, lanes))
        };
        let fits = |lanes: &Vec<Vec<TestCall>>| {
            lanes.len() <= parts.size.threads
                && lanes.iter().all(|lane| lane.len() <= parts.size.calls)
        };
        if let Some(kept) = &self.kept {
            let Some(beside) = self.beside_kept(turn, parts) else {
                return Made::Nothing;
            };
            let keeps = |between: Option<TestCall>| {
                let calls = std::iter::once(kept.keep.clone()).chain(between);
                calls.chain([kept.let_go.clone()]).collect::<Vec<_>>()
            };
            let lanes = beside.map(|beside| match beside {
                BesideKept::Calls([first, second]) => vec![keeps(None), vec![first], vec![second]],
                BesideKept::Meanwhile(other) => {
                    let waits = || vec![self.waits.clone()];
                    vec![keeps(Some(other)), waits(), waits()]
                }
            });
            return lanes.filter(fits).map_or(Made::TooLarge, made);
        }
        if self.gave_up {
            let Some(key) = self.keys.get(turn) else {
                return Made::Nothing;
            };
            return made(vec![vec![self.waits.clone()], vec![key.clone()]]);
        }
        if self.keys.is_empty() {
            let Some(&other) = self.others.get(turn) else {
                return Made::Nothing;
            };
            let other = parts.calls.first_call(other, 0, 1);
            return made(vec![vec![self.waits.clone()], vec![other]]);
        }
        let per_key = DISTURBED + self.others.len();
        let Some(key) = self.keys.get(turn / per_key) else {
            return Made::Nothing;
        };
        let between = |other: u16| {
            let other = parts.calls.first_call(other, 0, 1);
            Some(vec![vec![self.waits.clone()], vec![other, key.clone()]])
        };
        // What disturbs the future comes in turn with what comes between, as long as there is both.
        let of_key = turn % per_key;
        let both = DISTURBED.min(self.others.len());
        let lanes = if of_key < 2 * both {
            match of_key % 2 {
                0 => self.disturbed(of_key / 2, key, parts),
                _ => between(self.others[of_key / 2]),
            }
        } else if both < DISTURBED {
            self.disturbed(of_key - both, key, parts)
        } else {
            between(self.others[of_key - both])
        };
        lanes.filter(fits).map_or(Made::TooLarge, made)
    }

    /// What the test with this number has beside what is kept; `Some(None)` if there is no such use of a future.
    fn beside_kept(&self, turn: usize, parts: &Parts) -> Option<Option<BesideKept>> {
        const USES: [FutureUse; 4] = [
            FutureUse::Cancel,
            FutureUse::Run,
            FutureUse::PollAgain,
            FutureUse::Drop,
        ];
        let first = match USES.get(turn) {
            Some(FutureUse::Run) => Some(self.waits.clone()),
            Some(&how) => used(&self.waits, how, parts),
            None => {
                let turn = turn - USES.len();
                let other = parts.calls.first_call(*self.others.get(turn / 2)?, 0, 1);
                if turn % 2 == 1 {
                    return Some(Some(BesideKept::Meanwhile(other)));
                }
                Some(other)
            }
        };
        Some(first.map(|first| BesideKept::Calls([first, self.waits.clone()])))
    }

    /// The call with its future used in another way, beside the key; or the call in two threads, beside two keys.
    fn disturbed(
        &self,
        number: usize,
        key: &TestCall,
        parts: &Parts,
    ) -> Option<Vec<Vec<TestCall>>> {
        let with = |how: FutureUse| used(&self.waits, how, parts);
        let (waits, key) = (self.waits.clone(), key.clone());
        Some(match number {
            0 => vec![vec![with(FutureUse::PollAgain)?], vec![key]],
            1 => vec![vec![waits.clone()], vec![waits], vec![key.clone(), key]],
            2 => vec![vec![with(FutureUse::Cancel)?], vec![waits], vec![key]],
            3 => {
                let mut shared = parts.calls.shared().iter().copied();
                let quiet = shared.find(|&operation| is_quiet(operation, parts));
                let beside = match quiet {
                    Some(look) => parts.calls.first_call(look, 0, 1),
                    None => key.clone(),
                };
                let lane = vec![with(FutureUse::Cancel)?, key.clone(), key];
                vec![lane, vec![beside]]
            }
            4 => vec![vec![with(FutureUse::PollInWake)?], vec![key]],
            _ => vec![vec![with(FutureUse::Drop)?], vec![key]],
        })
    }
}
