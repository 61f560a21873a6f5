//! Generators that have turns, each with its share of the tests; no test comes twice.
//!
//! The shares are fixed. Shares by yield would make the stream depend on what executions showed, and how far a test is
//! explored depends on time: processes that share a campaign, and one that goes on after another one died, would then
//! number different tests. Yield decides which of the tests that were made are explored further.

use super::disturb::disturb;
use super::known_runs::{KnownRuns, Remembering};
use super::user_modes::in_modes;
use super::{Generator, Look, Parts, RunCalls, SearchTotals};
use crate::generate::ends::respects_ends;
use crate::generate::identity::identity;
use crate::generate::{Ladder, RandomCalls};
use contest_data::fast_hash::FastSet;
use contest_data::settings::TestSize;
use contest_data::test::ConcurrentTest;

/// Proposals in a row that were made before, after which a generator has nothing new.
const PATIENCE: u32 = 5_000;
/// Proposals of one turn, where others wait for theirs.
const PROPOSALS: u32 = 50;

/// Turns of the ladder in one look, each over many candidates, that may give nothing.
const FRUITLESS: u32 = 3;

/// The generators of `auto`.
pub(super) struct OfAuto {
    /// Tests of the ladder, in as many tests as all shares together are.
    pub ladder: u32,
    /// Of each other one: name, share, and the size of its tests if the user has not bounded it.
    pub others: [(&'static str, u32, TestSize); 11],
}

/// Generators that `auto` leaves out: name, share, and the size of tests.
pub(super) const NOT_OF_AUTO: [(&str, u32, TestSize); 1] = [("autocontest", 1, TestSize::USUAL)];

/// The shares of `auto`. Tests of three threads are the ladder's: serial orders grow with the product of the calls, and
/// all of them are run before a test is explored.
pub(super) const OF_AUTO: OfAuto = OfAuto {
    ladder: 6,
    others: [
        (
            "callbacks",
            2,
            TestSize {
                threads: 2,
                calls: 2,
            },
        ),
        ("mixed", 8, TestSize::USUAL),
        ("consuite", 1, TestSize::USUAL),
        ("covcon", 2, TestSize::USUAL),
        ("depcon", 1, TestSize::USUAL),
        ("effects", 16, TestSize::USUAL),
        (
            "holders",
            2,
            TestSize {
                threads: 2,
                calls: 3,
            },
        ),
        (
            "injection",
            5,
            TestSize {
                threads: 3,
                calls: 4,
            },
        ),
        ("maptest", 1, TestSize::USUAL),
        (
            "random",
            1,
            TestSize {
                threads: 2,
                calls: 3,
            },
        ),
        (
            "waiters",
            6,
            TestSize {
                threads: 3,
                calls: 3,
            },
        ),
    ],
};

/// See the module.
#[derive(Debug)]
pub(super) struct InTurn {
    calls: RandomCalls,
    ladder: Option<(Ladder, Turns)>,
    others: Vec<Other>,
    seen: FastSet<(u64, u64)>,
    known: KnownRuns,
}

#[derive(Debug)]
struct Other {
    generator: Box<dyn Generator>,
    parts: Parts,
    turns: Turns,
    /// Proposals in a row that were made before, or are no tests.
    stale: u32,
    ended: bool,
}

/// How many turns one had, and how large its share is.
#[derive(Clone, Copy, Debug)]
struct Turns {
    had: u64,
    share: u32,
}

impl Turns {
    fn new(share: u32) -> Self {
        Self { had: 0, share }
    }

    /// The smallest one is next.
    fn due(self) -> u64 {
        // Shares divide 720720.
        (self.had + 1) * (720_720 / u64::from(self.share))
    }
}

impl InTurn {
    /// None yet.
    pub(super) fn new(calls: RandomCalls) -> Self {
        Self {
            calls,
            ladder: None,
            others: Vec::new(),
            seen: FastSet::default(),
            known: KnownRuns::default(),
        }
    }

    /// Adds the ladder. With a ladder there are no more tests once it is done.
    pub(super) fn climb(&mut self, ladder: Ladder, share: u32) {
        self.ladder = Some((ladder, Turns::new(share)));
    }

    /// Adds a generator.
    pub(super) fn add(&mut self, generator: Box<dyn Generator>, parts: Parts, share: u32) {
        self.others.push(Other {
            generator,
            parts,
            turns: Turns::new(share),
            stale: 0,
            ended: false,
        });
    }

    /// From here on some futures are kept without being polled.
    pub(super) fn keep_futures(&mut self) {
        for other in &mut self.others {
            other.parts.keeps_futures = true;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ladder.is_none() && self.others.is_empty()
    }

    /// Looks for the next test. There are no more once the ladder is done or, without a ladder, once nothing new comes.
    pub(super) fn look(&mut self, runner: &mut dyn RunCalls) -> Look {
        let alone = self.ladder.is_none() && self.others.len() == 1;
        let mut fruitless = 0;
        loop {
            let others = self.others.iter().enumerate();
            let next = others
                .filter(|(_, other)| !other.ended)
                .min_by_key(|(_, other)| other.turns.due())
                .map(|(number, other)| (number, other.turns.due()));
            if let Some((ladder, turns)) = &mut self.ladder {
                if ladder.is_done() {
                    return Look::End;
                }
                if next.is_none_or(|(_, due)| turns.due() <= due) {
                    turns.had += 1;
                    if let Some(test) = climb(ladder, &self.calls, &mut self.seen) {
                        return Look::Test(test);
                    }
                    fruitless += 1;
                    if fruitless == FRUITLESS {
                        return Look::Pause;
                    }
                    continue;
                }
            }
            let Some((number, _)) = next else {
                return Look::End;
            };
            let proposals = if alone { PATIENCE } else { PROPOSALS };
            let ladder = self.ladder.as_ref().map(|(ladder, _)| ladder);
            let calls = &self.calls;
            // What the ladder counts as redundant must not be run by others.
            let fits = |test: &ConcurrentTest| {
                respects_ends(calls.subject(), test)
                    && ladder.is_none_or(|ladder| !ladder.proves_redundant(test))
            };
            let mut is_new =
                |test: &ConcurrentTest| fits(test) && self.seen.insert(identity(calls, test));
            let other = &mut self.others[number];
            other.turns.had += 1;
            let mut remembering = Remembering {
                runner: &mut *runner,
                known: &mut self.known,
            };
            let test = other.next(&mut is_new, proposals, &mut remembering);
            if let Some(test) = test {
                return Look::Test(test);
            }
            // No other generator has a turn until then.
            if alone && !other.ended {
                return Look::Pause;
            }
        }
    }

    pub(super) fn ladder(&self) -> Option<&Ladder> {
        self.ladder.as_ref().map(|(ladder, _)| ladder)
    }

    pub(super) fn searches(&self) -> SearchTotals {
        // Only one of the generators searches for sequences.
        let mut totals = self.others.iter().map(|other| other.generator.searches());
        let found = totals.find(|totals| totals.searches > 0);
        found.unwrap_or_default()
    }

    pub(super) fn left_out(&self) -> Vec<(&'static str, u64)> {
        let mut all: Vec<(&'static str, u64)> = Vec::new();
        for other in &self.others {
            all.extend(other.generator.left_out());
        }
        if let Some((ladder, _)) = &self.ladder
            && ladder.too_wide() > 0
        {
            all.push((
                "shapes with more different calls than are kept",
                ladder.too_wide(),
            ));
        }
        all
    }
}

impl Other {
    fn next(
        &mut self,
        is_new: &mut dyn FnMut(&ConcurrentTest) -> bool,
        proposals: u32,
        runner: &mut dyn RunCalls,
    ) -> Option<ConcurrentTest> {
        for _ in 0..proposals {
            let Some(mut test) = self.generator.propose(&mut self.parts, runner) else {
                self.ended = !self.generator.goes_on();
                return None;
            };
            if !self.generator.is_exact() {
                disturb(&mut test, &mut self.parts);
                in_modes(&mut test, &mut self.parts);
            }
            if is_new(&test) {
                self.stale = 0;
                return Some(test);
            }
            self.stale += 1;
            if self.stale >= PATIENCE {
                self.ended = true;
                return None;
            }
        }
        None
    }
}

/// The next test of the ladder that no other generator made before.
fn climb(
    ladder: &mut Ladder,
    calls: &RandomCalls,
    seen: &mut FastSet<(u64, u64)>,
) -> Option<ConcurrentTest> {
    for _ in 0..PATIENCE {
        let test = ladder.next()?;
        if seen.insert(identity(calls, &test)) {
            return Some(test);
        }
    }
    None
}
