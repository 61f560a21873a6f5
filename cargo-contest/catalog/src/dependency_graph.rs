//! Which methods of a type depend on each other: the three relations of DepCon+ (Terragni and Pezzè, section 4), and
//! what they leave of the pairs of methods.
//!
//! Deviations: two writes conflict too (two writers under read locks that a third, exclusive reader observes would be
//! missed); a lock in read mode excludes only exclusive ones; an object's own lock does not protect another
//! object that is reached by an argument; a lock that may be another object at another time protects nothing; cycles
//! of three locks are found as well; and what an inexact summary says is kept apart, because pruning on it would be
//! unsound.

use serde::{Deserialize, Serialize};

use super::method_summary::{HeldLock, LocationRoot, LockMode, MethodSummary};

/// How sure a relation is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// They are not related.
    #[default]
    No,
    /// Only if code that could not be read does it.
    Unknown,
    /// They are.
    Yes,
}

/// How two methods depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependency {
    /// Index of one method in [`DependencyGraph::methods`].
    pub first: u16,
    /// Index of the other, not smaller; a method may depend on itself.
    pub second: u16,
    /// They access a common location and one of them writes it.
    pub conflict: Relation,
    /// No lock keeps them apart.
    pub parallel: bool,
    /// They can take two locks in opposite orders.
    pub double_lock: Relation,
    /// Both summaries are exact: if they do not depend on each other, no test of the two can fail.
    pub exact: bool,
}

impl Dependency {
    /// True if a test of the two may fail: they interleave on common memory, or may block each other.
    #[must_use]
    pub fn is_dependent(&self) -> bool {
        (self.parallel && self.conflict != Relation::No) || self.double_lock != Relation::No
    }

    /// Makes the two a pair of which nothing is known.
    pub fn forget(&mut self) {
        self.conflict = Relation::Unknown;
        self.parallel = true;
        self.double_lock = Relation::Unknown;
        self.exact = false;
    }

    /// True if a test of the two cannot fail, and that is certain.
    #[must_use]
    pub fn can_be_pruned(&self) -> bool {
        self.exact && !self.is_dependent()
    }

    /// Where the pair belongs in the order of tests: higher comes first. 0 only for what can be pruned.
    #[must_use]
    pub fn rank(&self) -> u8 {
        let exception = match (self.parallel, self.conflict) {
            (true, Relation::Yes) => 4,
            (true, Relation::Unknown) => 2,
            (false, Relation::Yes) => 1,
            _ => 0,
        };
        let deadlock = match self.double_lock {
            Relation::Yes => 5,
            Relation::Unknown => 1,
            Relation::No => 0,
        };
        if self.can_be_pruned() {
            0
        } else {
            1 + exception + deadlock
        }
    }
}

/// Three methods that can take three locks in a circle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockCycle {
    /// Indices of the methods, each taking the lock that the next one holds.
    pub methods: [u16; 3],
    /// What each of them holds, for people.
    pub locks: [String; 3],
}

/// Methods of one type and how they depend on each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DependencyGraph {
    /// Path of the type: `dashmap::DashMap`.
    pub subject: String,
    /// Its methods, in the order of the subject's operations.
    pub methods: Vec<MethodSummary>,
    /// Every unordered pair of methods that threads can call at the same time.
    pub pairs: Vec<Dependency>,
    /// Cycles of three locks, at most [`MOST_CYCLES`].
    pub cycles: Vec<LockCycle>,
}

/// Most cycles of three locks that are kept for one type.
pub const MOST_CYCLES: usize = 100;

impl DependencyGraph {
    /// Relates methods of one type.
    #[must_use]
    pub fn new(subject: String, methods: Vec<MethodSummary>) -> Self {
        let mut pairs = Vec::new();
        for (first, a) in (0_u16..).zip(&methods) {
            for (second, b) in (0_u16..).zip(&methods).skip(usize::from(first)) {
                if a.shared && b.shared {
                    pairs.push(Dependency {
                        first,
                        second,
                        conflict: conflict(a, b),
                        parallel: parallel(a, b),
                        double_lock: double_lock(a, b),
                        exact: a.is_exact() && b.is_exact(),
                    });
                }
            }
        }
        let cycles = cycles(&methods);
        Self {
            subject,
            methods,
            pairs,
            cycles,
        }
    }

    /// The pair of these methods, in any order.
    #[must_use]
    pub fn pair(&self, a: u16, b: u16) -> Option<&Dependency> {
        let (first, second) = if a <= b { (a, b) } else { (b, a) };
        self.pairs
            .iter()
            .find(|it| it.first == first && it.second == second)
    }

    /// Pairs that are left when those are taken out that certainly cannot fail.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.pairs.iter().filter(|it| !it.can_be_pruned()).count()
    }

    /// Pairs that depend on each other by what is known, whatever unknown code may do: what DepCon+ would test.
    #[must_use]
    pub fn dependent(&self) -> usize {
        self.pairs
            .iter()
            .filter(|it| {
                (it.parallel && it.conflict == Relation::Yes) || it.double_lock == Relation::Yes
            })
            .count()
    }

    /// Methods with an exact summary, of those that threads can call at the same time.
    #[must_use]
    pub fn exact(&self) -> (usize, usize) {
        let shared = self.methods.iter().filter(|it| it.shared);
        (
            shared.clone().filter(|it| it.is_exact()).count(),
            shared.count(),
        )
    }
}

/// Definition 7, with writes against writes.
fn conflict(a: &MethodSummary, b: &MethodSummary) -> Relation {
    let mut found = Relation::No;
    for one in &a.accesses {
        for other in &b.accesses {
            if (one.writes || other.writes) && one.location.may_overlap(&other.location) {
                if !one.location.is_anything() && !other.location.is_anything() {
                    return Relation::Yes;
                }
                found = Relation::Unknown;
            }
        }
    }
    found
}

/// Definition 8, with modes; and a lock of the object does not protect an object that is the argument of one call
/// and the object of the other (`a.append(&b)` beside `b.delete()`).
fn parallel(a: &MethodSummary, b: &MethodSummary) -> bool {
    let common: Vec<&HeldLock> = a
        .locks
        .iter()
        .filter(|one| {
            one.lock.is_one_object()
                && b.locks.iter().any(|other| {
                    one.lock == other.lock
                        && (one.mode != LockMode::Read || other.mode != LockMode::Read)
                })
        })
        .collect();
    if common
        .iter()
        .any(|it| matches!(it.lock.root, LocationRoot::Static(_)))
    {
        return false;
    }
    common.is_empty() || meet_in_two_objects(a, b)
}

/// True if they access a common location that is reached by the object in one and by an argument in the other.
fn meet_in_two_objects(a: &MethodSummary, b: &MethodSummary) -> bool {
    a.accesses.iter().any(|one| {
        b.accesses.iter().any(|other| {
            let by_argument = |it: &LocationRoot| {
                matches!(it, LocationRoot::Other(_) | LocationRoot::Argument(_))
            };
            (one.writes || other.writes)
                && (by_argument(&one.location.root) || by_argument(&other.location.root))
                && one.location.may_overlap(&other.location)
        })
    })
}

/// Definition 10, with modes.
fn double_lock(a: &MethodSummary, b: &MethodSummary) -> Relation {
    let mut found = Relation::No;
    for one in &a.lock_pairs {
        for other in &b.lock_pairs {
            found =
                found.max(waits(&one.second, &other.first).min(waits(&other.second, &one.first)));
        }
    }
    // A reader that reads again while a writer waits in between.
    for (reader, writer) in [(a, b), (b, a)] {
        for pair in &reader.lock_pairs {
            let again = pair.first.lock == pair.second.lock
                && pair.first.mode == LockMode::Read
                && pair.second.mode == LockMode::Read;
            if again
                && writer
                    .acquires
                    .iter()
                    .any(|it| it.mode != LockMode::Read && it.lock.is_compatible(&pair.first.lock))
            {
                found = found.max(Relation::Yes);
            }
        }
    }
    found
}

/// Does who wants the one wait for who holds the other?
fn waits(wanted: &HeldLock, held: &HeldLock) -> Relation {
    if wanted.mode == LockMode::Read && held.mode == LockMode::Read {
        return Relation::No;
    }
    if wanted.lock.is_anything() || held.lock.is_anything() {
        return Relation::Unknown;
    }
    if wanted.lock.is_compatible(&held.lock) {
        Relation::Yes
    } else {
        Relation::No
    }
}

/// Circles of three methods and three locks, which the paper leaves out.
fn cycles(methods: &[MethodSummary]) -> Vec<LockCycle> {
    let known: Vec<(u16, &super::method_summary::LockPair)> = (0_u16..)
        .zip(methods)
        .filter(|(_, it)| it.shared)
        .flat_map(|(n, it)| it.lock_pairs.iter().map(move |pair| (n, pair)))
        .filter(|(_, it)| {
            !it.first.lock.is_anything()
                && !it.second.lock.is_anything()
                && it.first.lock != it.second.lock
        })
        .collect();
    let mut found: Vec<LockCycle> = Vec::new();
    let follows = |a: &HeldLock, b: &HeldLock| waits(a, b) == Relation::Yes;
    for (n, (a, first)) in known.iter().enumerate() {
        for (b, second) in known
            .iter()
            .filter(|(_, it)| follows(&first.second, &it.first))
        {
            // Two of them that close a circle by themselves are a pair already.
            if follows(&second.second, &first.first) {
                continue;
            }
            for (m, (c, third)) in known.iter().enumerate() {
                let smallest = n <= m && (*a, &first.at) <= (*b, &second.at);
                if smallest
                    && follows(&second.second, &third.first)
                    && follows(&third.second, &first.first)
                    && !follows(&third.second, &second.first)
                    && !follows(&first.second, &third.first)
                {
                    let cycle = LockCycle {
                        methods: [*a, *b, *c],
                        locks: [
                            first.first.to_string(),
                            second.first.to_string(),
                            third.first.to_string(),
                        ],
                    };
                    if !found.contains(&cycle) {
                        found.push(cycle);
                    }
                    if found.len() >= MOST_CYCLES {
                        return found;
                    }
                }
            }
        }
    }
    found
}
