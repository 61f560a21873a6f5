//! ConSuite (Steenbuck and Fraser: Generating unit tests for concurrent classes, ICST 2013), as Terragni and Cheung
//! (ICSE 2016, section 3) compare it: the requirements are orders of three accesses to one field, two of one thread
//! with one of another in between. An access is its place in the source and nothing else: not the calls that led to it,
//! not the locks held. Call sequences are sought until each place, and each two places one after the other, was
//! accessed; two sequences that together have the accesses of a requirement are a test of it.
//!
//! Deviations: which places access the same field is seen when one thread runs them, where the original reads the class
//! file, so requirements appear while sequences are sought; calls before those that make the accesses come before the
//! threads start; once each requirement has its test, more are made in other states and with other arguments.

use std::collections::{BTreeMap, HashSet};

use super::{Generator, Parts, RunCalls};
use crate::generate::call_tree::SequenceAccess;
use contest_data::sorted::SortedMap;
use contest_data::test::{ConcurrentTest, TestCall, TestObject};

/// Longest sequence.
const LONGEST: usize = 6;
/// Calls at the end of a sequence whose accesses count: those that fit a lane.
const CALLS: usize = 2;
/// Accesses of one sequence that are looked at; more are counted as left out.
const MOST_ACCESSES: usize = 48;
/// Sequences that are run for one test.
const MOST_LOOKS: usize = 64;
/// Requirements that are kept; more are counted as left out.
const MOST_REQUIREMENTS: usize = 20_000;

/// A sequence that accessed something new when it was run.
#[derive(Debug)]
struct Kept {
    object: TestObject,
    calls: Vec<TestCall>,
}

/// A place in the source that accesses a field.
#[derive(Clone, Copy, Debug)]
struct Site {
    /// Number of the field; merged when two turn out to be one.
    field: usize,
    writes: bool,
    /// The sequence whose last call accesses it.
    kept: usize,
}

/// Two sequences and what they cover together.
#[derive(Clone, Copy, Debug, Default)]
struct Goal {
    requirements: u64,
    made: u64,
}

#[derive(Debug, Default)]
pub(super) struct ConSuite {
    kept: Vec<Kept>,
    sites: SortedMap<u64, Site>,
    fields: usize,
    /// Two places that one thread accesses one after the other, with the sequence and its first call that is needed.
    pairs: BTreeMap<(u64, u64), (usize, usize)>,
    required: HashSet<(u64, u64, u64)>,
    /// By sequence of the two accesses, its first call that is needed, and the other thread's sequence.
    goals: BTreeMap<(usize, usize, usize), Goal>,
    looks: usize,
    failed: u64,
    cut: u64,
    beyond: u64,
}

impl ConSuite {
    /// Runs another sequence in one thread: first every call alone and every two calls, then random ones.
    fn look(&mut self, parts: &mut Parts, runner: &mut dyn RunCalls) {
        let shared = parts.calls.shared();
        let (count, look) = (shared.len(), self.looks);
        self.looks += 1;
        let first = |operation: u16| parts.calls.first_call(operation, 0, 1);
        let (object, calls) = if look < count {
            (parts.calls.first_object(), vec![first(shared[look])])
        } else if look < count + count * count {
            let (one, two) = ((look - count) / count, (look - count) % count);
            let calls = vec![first(shared[one]), first(shared[two])];
            (parts.calls.first_object(), calls)
        } else {
            let object = parts.calls.random_object(&mut parts.random);
            let length = parts.random.below(LONGEST);
            let mut calls = parts.calls.random_prefix(length, 1, &mut parts.random);
            let Some(operation) = parts.random_shared() else {
                return;
            };
            calls.push(parts.random_call(operation, 1));
            (object, calls)
        };
        let run = runner.run_calls(&object, &calls);
        if run.failed {
            self.failed += 1;
            return;
        }
        // What a lane begins with may be called beside other threads.
        let in_lane = |call: &TestCall| parts.calls.shared().contains(&call.operation);
        let before = calls.iter().rposition(|call| !in_lane(call));
        let from = before.map_or(0, |at| at + 1);
        let from = from.max(calls.len().saturating_sub(CALLS));
        let mut accesses: Vec<SequenceAccess> = run.accesses;
        accesses.retain(|access| access.call >= from);
        self.cut += accesses.len().saturating_sub(MOST_ACCESSES) as u64;
        accesses.truncate(MOST_ACCESSES);
        if self.note(&accesses, calls.len() - 1) {
            self.kept.push(Kept { object, calls });
            self.require();
        }
    }

    /// Notes what a sequence accessed; true if a place, a pair, a write or a field in common is new.
    fn note(&mut self, accesses: &[SequenceAccess], last: usize) -> bool {
        let kept = self.kept.len();
        let mut new = false;
        let mut field_of: SortedMap<u32, usize> = SortedMap::new();
        for access in accesses {
            let known = self.sites.get(&access.site).map(|site| site.field);
            let (seen, next) = (field_of.get(&access.variable).copied(), self.fields);
            let field = seen.or(known).unwrap_or(next);
            self.fields += usize::from(field == next);
            field_of.insert(access.variable, field);
            if let Some(other) = known.filter(|other| *other != field) {
                new = true;
                for site in self.sites.values_mut().filter(|site| site.field == other) {
                    site.field = field;
                }
                for own in field_of.values_mut().filter(|own| **own == other) {
                    *own = field;
                }
            }
            match self.sites.get_mut(&access.site) {
                Some(site) => {
                    new |= access.writes && !site.writes;
                    site.writes |= access.writes;
                }
                None if access.call == last => {
                    new = true;
                    let writes = access.writes;
                    let site = Site {
                        field,
                        writes,
                        kept,
                    };
                    self.sites.insert(access.site, site);
                }
                None => {}
            }
        }
        for (at, one) in accesses.iter().enumerate() {
            for two in accesses[at + 1..].iter().filter(|two| two.call == last) {
                let pair = (one.site, two.site);
                if one.variable == two.variable && !self.pairs.contains_key(&pair) {
                    new = true;
                    self.pairs.insert(pair, (kept, one.call));
                }
            }
        }
        new
    }

    /// Adds the requirements that are new: a third place of the same field between two, if it conflicts with both.
    fn require(&mut self) {
        for (&(one, two), &(kept, first)) in &self.pairs {
            let (Some(a), Some(b)) = (self.sites.get(&one), self.sites.get(&two)) else {
                continue;
            };
            for (&between, c) in self.sites.iter() {
                let conflicts = c.writes || (a.writes && b.writes);
                let requirement = (one, between, two);
                if c.field != a.field || !conflicts || self.required.contains(&requirement) {
                    continue;
                }
                if self.required.len() >= MOST_REQUIREMENTS {
                    self.beyond += 1;
                    continue;
                }
                self.required.insert(requirement);
                let goal = self.goals.entry((kept, first, c.kept)).or_default();
                goal.requirements += 1;
            }
        }
    }

    fn is_aimed_at(&self) -> bool {
        self.goals.values().all(|goal| goal.made > 0)
    }
}

impl Generator for ConSuite {
    fn propose(&mut self, parts: &mut Parts, runner: &mut dyn RunCalls) -> Option<ConcurrentTest> {
        let systematic = parts.calls.shared().len() * (parts.calls.shared().len() + 1);
        for _ in 0..MOST_LOOKS {
            if !self.is_aimed_at() || (self.looks >= systematic && !self.goals.is_empty()) {
                break;
            }
            self.look(parts, runner);
        }
        if self.looks >= systematic && self.is_aimed_at() {
            self.look(parts, runner);
        }
        // What was aimed at least often; of several the goal that covers most.
        let rarity = |goal: &Goal| (goal.made, u64::MAX - goal.requirements);
        let (&(beta, first, gamma), goal) =
            self.goals.iter_mut().min_by_key(|(_, goal)| rarity(goal))?;
        goal.made += 1;
        let again = goal.made > 1;
        let (one, two) = (&self.kept[beta], &self.kept[gamma]);
        let mut prefix = one.calls[..first].to_vec();
        let before_last = two.calls.len() - 1;
        let mut lanes = vec![
            one.calls[first..].to_vec(),
            two.calls[before_last..].to_vec(),
        ];
        if again {
            prefix = match parts.random.below(3) {
                0 => two.calls[..before_last].to_vec(),
                1 => prefix,
                _ => {
                    let length = parts.random.below(LONGEST);
                    parts.calls.random_prefix(length, 1, &mut parts.random)
                }
            };
            for call in lanes.iter_mut().flatten() {
                *call = parts.random_call(call.operation, 1);
            }
        }
        Some(parts.test(vec![one.object.clone()], prefix, lanes))
    }

    fn left_out(&self) -> Vec<(&'static str, u64)> {
        let reasons = [
            (
                "call sequences that do not return in one thread, so that their accesses are not known",
                self.failed,
            ),
            (
                "accesses of one call sequence beyond those looked at",
                self.cut,
            ),
            (
                "orders of three accesses beyond the number that is kept",
                self.beyond,
            ),
        ];
        let some = reasons.into_iter().filter(|(_, count)| *count > 0);
        some.collect()
    }
}

#[cfg(test)]
mod tests;
