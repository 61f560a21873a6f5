//! MAPTest (Wang, Zhao, Liu, Sun, Chen, Lin: MAP-coverage: a novel coverage criterion for testing thread-safe classes,
//! ASE 2019): the memory-access pattern that was aimed at least often is next, in a test of the two calls whose
//! accesses make it up.
//!
//! Deviations: which accesses a call makes is seen when the two run one after the other in one thread, where the
//! original reads the class file; a pattern counts as aimed at when a test with its accesses was made, because the
//! explorer sees to their orders.

use std::hash::{Hash, Hasher};

use super::{Generator, Parts, RunCalls};
use crate::generate::call_tree::SequenceAccess;
use contest_data::fast_hash::{FastHash, FastMap, FastSet};
use contest_data::sorted;
use contest_data::test::{ConcurrentTest, TestCall, TestObject};
use contest_search::coverage::{Pattern, Role};

/// Most calls before the threads start.
const LONGEST_PREFIX: usize = 5;
/// Accesses of one call that are matched; more are counted as left out.
const MOST_ACCESSES: usize = 24;
/// Patterns of one pair that are kept.
const MOST_OF_PAIR: usize = 400;
/// Pairs that are looked at for one test.
const MOST_LOOKS: usize = 64;

/// Two calls in a state, and the patterns that no two calls before could make.
#[derive(Debug)]
struct Meeting {
    object: TestObject,
    prefix: Vec<TestCall>,
    calls: [TestCall; 2],
    patterns: Vec<u64>,
    made: u64,
}

#[derive(Debug)]
pub(super) struct MapTest {
    pairs: Vec<(u16, u16)>,
    next_pair: usize,
    round: u64,
    found_in_round: bool,
    found_in_last_round: bool,
    /// Tests made that aim at each pattern.
    aimed: FastMap<u64, u64>,
    meetings: Vec<Meeting>,
    failed: u64,
    cut: u64,
}

impl MapTest {
    /// Of these pairs.
    pub(super) fn new(pairs: Vec<(u16, u16)>) -> Self {
        Self {
            pairs,
            next_pair: 0,
            round: 0,
            found_in_round: false,
            found_in_last_round: true,
            aimed: FastMap::default(),
            meetings: Vec::new(),
            failed: 0,
            cut: 0,
        }
    }

    /// Runs the next pair in one thread; true if a pattern is new.
    fn look(&mut self, parts: &mut Parts, runner: &mut dyn RunCalls) -> bool {
        if self.next_pair >= self.pairs.len() {
            self.next_pair = 0;
            self.round += 1;
            self.found_in_last_round = std::mem::take(&mut self.found_in_round);
        }
        let Some(&(left, right)) = self.pairs.get(self.next_pair) else {
            return false;
        };
        self.next_pair += 1;
        let (object, prefix, calls) = if self.round == 0 {
            let calls = [left, right].map(|it| parts.calls.first_call(it, 0, 1));
            (parts.calls.first_object(), Vec::new(), calls)
        } else {
            let length = parts.random.below(LONGEST_PREFIX + 1);
            let prefix = parts.calls.random_prefix(length, 1, &mut parts.random);
            let calls = [left, right].map(|it| parts.random_call(it, 1));
            let object = parts.calls.random_object(&mut parts.random);
            (object, prefix, calls)
        };
        let mut sequence = prefix.clone();
        sequence.extend(calls.iter().cloned());
        let run = runner.run_calls(&object, &sequence);
        if run.failed {
            self.failed += 1;
            return false;
        }
        let of = |at: usize| -> Vec<SequenceAccess> {
            let all = run.accesses.iter().filter(|it| it.call == at);
            all.copied().collect()
        };
        let mut both = [of(prefix.len()), of(prefix.len() + 1)];
        for accesses in &mut both {
            self.cut += accesses.len().saturating_sub(MOST_ACCESSES) as u64;
            accesses.truncate(MOST_ACCESSES);
        }
        let mut patterns = FastSet::default();
        matches(&both[0], &both[1], &mut patterns);
        matches(&both[1], &both[0], &mut patterns);
        // A pattern belongs to the first meeting that can show it.
        patterns.retain(|pattern| !self.aimed.contains_key(pattern));
        self.aimed
            .extend(patterns.iter().map(|pattern| (*pattern, 0)));
        let mut patterns: Vec<u64> = patterns.into_iter().collect();
        sorted::sort(&mut patterns);
        let new = !patterns.is_empty();
        if new {
            self.meetings.push(Meeting {
                object,
                prefix,
                calls,
                patterns,
                made: 0,
            });
        }
        self.found_in_round |= new;
        new
    }

    /// True once a whole round of random states has shown no new pattern.
    fn is_complete(&self) -> bool {
        self.round > 1 && !self.found_in_last_round
    }

    /// The meeting with the pattern that was aimed at least often; of several the one with fewest tests.
    fn rarest(&mut self) -> Option<&mut Meeting> {
        let aimed = &self.aimed;
        let rarity = |meeting: &Meeting| {
            let counts = meeting.patterns.iter().map(|it| aimed[it]);
            (counts.min().unwrap_or(u64::MAX), meeting.made)
        };
        self.meetings.iter_mut().min_by_key(|it| rarity(it))
    }
}

/// Adds what is left to match of the pattern; the first thread's accesses are `one`, the second's `two`.
fn matches(one: &[SequenceAccess], two: &[SequenceAccess], found: &mut FastSet<u64>) {
    let fits = |role: Role, access: &SequenceAccess| match role {
        Role::Read => access.reads,
        Role::Write => access.writes,
    };
    for pattern in Pattern::all() {
        let steps = pattern.steps();
        // Partial matches: places in both calls, sites, variables.
        type Partial = ([usize; 2], Vec<u64>, [Option<u32>; 2]);
        let mut partial: Vec<Partial> = vec![([0, 0], Vec::new(), [None, None])];
        for &(role, thread, variable) in steps {
            let lane = usize::from(thread - 1);
            let accesses = if lane == 0 { one } else { two };
            let mut next: Vec<Partial> = Vec::new();
            for (places, sites, variables) in &partial {
                for (at, access) in accesses.iter().enumerate().skip(places[lane]) {
                    let own = usize::from(variable);
                    let same = variables[own].is_none_or(|it| it == access.variable)
                        && variables[1 - own] != Some(access.variable);
                    if same && fits(role, access) && next.len() < MOST_OF_PAIR {
                        let (mut places, mut sites, mut variables) =
                            (*places, sites.clone(), *variables);
                        places[lane] = at + 1;
                        sites.push(access.site);
                        variables[own] = Some(access.variable);
                        next.push((places, sites, variables));
                    }
                }
            }
            partial = next;
        }
        for (_, sites, _) in partial {
            let mut hasher = FastHash::default();
            (pattern.number(), sites).hash(&mut hasher);
            found.insert(hasher.finish());
        }
    }
}

impl Generator for MapTest {
    fn propose(&mut self, parts: &mut Parts, runner: &mut dyn RunCalls) -> Option<ConcurrentTest> {
        for _ in 0..MOST_LOOKS {
            // A whole round without a new pattern was the last one.
            if self.is_complete() || self.look(parts, runner) {
                break;
            }
        }
        let meeting = self.rarest()?;
        meeting.made += 1;
        let (object, mut prefix) = (meeting.object.clone(), meeting.prefix.clone());
        let mut lanes: Vec<Vec<TestCall>> = meeting
            .calls
            .iter()
            .map(|call| vec![call.clone()])
            .collect();
        let patterns = meeting.patterns.clone();
        // Aimed at before: in another state, and with calls around the two.
        if meeting.made > 1 {
            if parts.random.one_in(2) {
                let length = parts.random.below(LONGEST_PREFIX + 1);
                prefix = parts.calls.random_prefix(length, 1, &mut parts.random);
            }
            for lane in &mut lanes {
                let other = parts.random_shared()?;
                if parts.size.calls > 1 && !parts.calls.takes_object(other) {
                    let at = parts.random.below(2);
                    lane.insert(at, parts.random_call(other, 1));
                }
            }
        }
        for pattern in patterns {
            *self.aimed.entry(pattern).or_default() += 1;
        }
        Some(parts.test(vec![object], prefix, lanes))
    }

    fn left_out(&self) -> Vec<(&'static str, u64)> {
        let reasons = [
            (
                "pairs whose calls do not both return in one thread, so that their patterns are not known",
                self.failed,
            ),
            ("accesses of one call beyond those matched", self.cut),
        ];
        reasons
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .collect()
    }
}
