//! The patterns that one execution shows.
//!
//! - Length 2: conflicting accesses of x by two threads with no other write of x between them.
//! - Length 3: two accesses of x by one thread with none of its own between them, and one by another thread between.
//! - Length 4: two pairs of length 2, on x and on y, neither thread having another access of x or y between its two.
//!
//! A read-modify-write stands for a read or a write in any place. The time is linear in the accesses but for two caps.

use super::access::{Access, Accesses};
use super::access_patterns::{Pattern, Role, Shape};
use super::sites::SiteId;

/// A covered pattern: which of the 17, and where in the source its accesses are. Two instances with equal keys are one
/// pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PatternKey(u128);

impl PatternKey {
    /// The key of accesses in order.
    #[must_use]
    pub fn new(pattern: Pattern, sites: &[SiteId]) -> Self {
        let packed = sites.iter().fold(1u128, |key, site| {
            key << 28 | u128::from(site.0 & 0x0FFF_FFFF)
        });
        Self(packed << 5 | u128::from(pattern.number()))
    }

    /// Which of the 17.
    #[must_use]
    pub fn pattern(self) -> Pattern {
        Pattern::new((self.0 & 31) as u8).unwrap_or_else(|| unreachable!("made by `new`"))
    }

    /// The sites of its accesses, in order.
    #[must_use]
    pub fn sites(self) -> Vec<SiteId> {
        let length = self.pattern().length();
        (0..length)
            .map(|index| SiteId((self.0 >> (5 + 28 * (length - 1 - index)) & 0x0FFF_FFFF) as u32))
            .collect()
    }
}

/// An instance: the accesses, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Instance {
    /// Which pattern, where.
    pub key: PatternKey,
    /// Its accesses in order; the first [`Pattern::length`] count.
    pub accesses: [u32; 4],
    /// Each thread's accesses lie in one call: the pattern breaks the atomicity of a call, not of a sequence of calls.
    pub within_calls: bool,
}

/// Accesses that are looked at from one access on, to find the same thread's neighbouring access of another variable.
const NEIGHBOURS: usize = 64;
/// Different neighbours that are kept of these.
const MOST_NEIGHBOURS: usize = 16;
/// Different reads since the last write that are remembered, by thread and site.
const MOST_READS: usize = 64;

/// Finds the instances in an execution; keeps its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct InstanceFinder {
    pairs: Vec<(u32, u32)>,
    reads: Vec<u32>,
    writes_before: Vec<Vec<u32>>,
    own: Vec<(u32, u32)>,
    other: Vec<(u32, u32)>,
    last: Vec<u32>,
    capped: u64,
}

pub(super) fn roles(access: &Access) -> impl Iterator<Item = Role> + use<> {
    let read = access.reads.then_some(Role::Read);
    let write = access.writes.then_some(Role::Write);
    read.into_iter().chain(write)
}

impl InstanceFinder {
    /// How often a cap cut something off, so far.
    #[must_use]
    pub(super) fn capped(&self) -> u64 {
        self.capped
    }

    /// Calls `found` for every instance; equal keys may come several times.
    pub(super) fn find(&mut self, accesses: &Accesses, mut found: impl FnMut(Instance)) {
        self.pairs.clear();
        self.writes_before
            .resize_with(accesses.variables(), Vec::new);
        for (variable, list) in accesses.by_variable.iter().enumerate() {
            self.pairs_of(accesses, variable, list, &mut found);
            self.triples_of(accesses, list, &mut found);
        }
        if accesses.variables() > 1 {
            let pairs = std::mem::take(&mut self.pairs);
            for &(first, second) in &pairs {
                self.quadruples_of(accesses, first, second, &mut found);
            }
            self.pairs = pairs;
        }
    }

    fn pairs_of(
        &mut self,
        accesses: &Accesses,
        variable: usize,
        list: &[u32],
        found: &mut impl FnMut(Instance),
    ) {
        let mut last_write: Option<u32> = None;
        self.reads.clear();
        let mut writes = 0;
        self.writes_before[variable].clear();
        for &number in list {
            let access = *accesses.get(number);
            self.writes_before[variable].push(writes);
            writes += u32::from(access.writes);
            let foreign = |other: u32| accesses.get(other).thread != access.thread;
            if let Some(write) = last_write.filter(|&write| foreign(write)) {
                self.pair(accesses, write, number, found);
            }
            if access.writes {
                for index in 0..self.reads.len() {
                    let read = self.reads[index];
                    if foreign(read) {
                        self.pair(accesses, read, number, found);
                    }
                }
                last_write = Some(number);
                self.reads.clear();
            } else {
                let same = |other: &u32| {
                    let other = accesses.get(*other);
                    (other.thread, other.site) == (access.thread, access.site)
                };
                if let Some(known) = self.reads.iter().position(same) {
                    self.reads[known] = number;
                } else if self.reads.len() < MOST_READS {
                    self.reads.push(number);
                } else {
                    self.capped += 1;
                }
            }
        }
    }

    fn pair(
        &mut self,
        accesses: &Accesses,
        first: u32,
        second: u32,
        found: &mut impl FnMut(Instance),
    ) {
        self.pairs.push((first, second));
        let (a, b) = (accesses.get(first), accesses.get(second));
        for one in roles(a) {
            for two in roles(b) {
                if let Some(pattern) = Pattern::of_two(one, two) {
                    found(Instance {
                        key: PatternKey::new(pattern, &[a.site, b.site]),
                        accesses: [first, second, 0, 0],
                        within_calls: true,
                    });
                }
            }
        }
    }

    fn triples_of(&mut self, accesses: &Accesses, list: &[u32], found: &mut impl FnMut(Instance)) {
        self.last.clear();
        self.last.resize(accesses.by_thread.len(), u32::MAX);
        for (place, &third) in list.iter().enumerate() {
            let c = accesses.get(third);
            let before = std::mem::replace(&mut self.last[c.thread.index()], place as u32);
            if before == u32::MAX {
                continue;
            }
            let first = list[before as usize];
            let a = accesses.get(first);
            for &second in &list[before as usize + 1..place] {
                let b = accesses.get(second);
                for (one, two, three) in triple_roles(a, b, c) {
                    if let Some(pattern) = Pattern::of_three(one, two, three) {
                        found(Instance {
                            key: PatternKey::new(pattern, &[a.site, b.site, c.site]),
                            accesses: [first, second, third, 0],
                            within_calls: a.call.is_some() && a.call == c.call,
                        });
                    }
                }
            }
        }
    }

    /// Patterns whose accesses of x are `first` and `second`.
    fn quadruples_of(
        &mut self,
        accesses: &Accesses,
        first: u32,
        second: u32,
        found: &mut impl FnMut(Instance),
    ) {
        let mut own = std::mem::take(&mut self.own);
        let mut other = std::mem::take(&mut self.other);
        self.neighbours(accesses, first, true, &mut own);
        if !own.is_empty() {
            for forward in [true, false] {
                self.neighbours(accesses, second, forward, &mut other);
                for &(variable, fourth) in &own {
                    let Some(&(_, third)) = other.iter().find(|(of, _)| *of == variable) else {
                        continue;
                    };
                    if third <= first || !self.is_pair(accesses, variable, third, fourth) {
                        continue;
                    }
                    let (shape, order) = if forward {
                        (Shape::Inside, [first, second, third, fourth])
                    } else if fourth > second {
                        (Shape::Crossed, [first, third, second, fourth])
                    } else {
                        (Shape::Alternating, [first, third, fourth, second])
                    };
                    quadruple(
                        accesses,
                        shape,
                        [first, second, third, fourth],
                        order,
                        found,
                    );
                }
            }
        }
        self.own = own;
        self.other = other;
    }

    /// The nearest accesses of other variables by the thread of `from`, after it or before it, up to its next access of
    /// the same.
    fn neighbours(
        &mut self,
        accesses: &Accesses,
        from: u32,
        forward: bool,
        into: &mut Vec<(u32, u32)>,
    ) {
        into.clear();
        let thread = &accesses.by_thread[accesses.get(from).thread.index()];
        let turn = accesses.turn[from as usize] as usize;
        let variable = accesses.variable[from as usize];
        let mut full = 0;
        let mut look = |number: u32| {
            let its = accesses.variable[number as usize];
            if its == variable {
                return false;
            }
            if !into.iter().any(|(known, _)| *known == its) {
                if into.len() == MOST_NEIGHBOURS {
                    full = 1;
                    return false;
                }
                into.push((its, number));
            }
            true
        };
        let (to_the_end, cut) = if forward {
            let end = thread.len().min(turn + 1 + NEIGHBOURS);
            let met_none = thread[turn + 1..end].iter().all(|&number| look(number));
            (met_none, end < thread.len())
        } else {
            let begin = turn.saturating_sub(NEIGHBOURS);
            let met_none = thread[begin..turn].iter().rev().all(|&number| look(number));
            (met_none, begin > 0)
        };
        self.capped += full + u64::from(to_the_end && cut);
    }

    /// True if the two, of different threads, follow each other on the variable with no other write between.
    fn is_pair(&self, accesses: &Accesses, variable: u32, first: u32, second: u32) -> bool {
        if first >= second {
            return false;
        }
        let writes = &self.writes_before[variable as usize];
        let place = |number: u32| accesses.place[number as usize] as usize;
        let before = writes[place(first)] + u32::from(accesses.get(first).writes);
        writes[place(second)] == before
    }
}

pub(super) fn triple_roles(
    a: &Access,
    b: &Access,
    c: &Access,
) -> impl Iterator<Item = (Role, Role, Role)> + use<> {
    let (a, b, c) = (*a, *b, *c);
    roles(&a).flat_map(move |one| {
        roles(&b).flat_map(move |two| roles(&c).map(move |three| (one, two, three)))
    })
}

/// `by_variable`: x by 1, x by 2, y by 2, y by 1.
fn quadruple(
    accesses: &Accesses,
    shape: Shape,
    by_variable: [u32; 4],
    order: [u32; 4],
    found: &mut impl FnMut(Instance),
) {
    let [x1, x2, y2, y1] = by_variable.map(|number| accesses.get(number));
    let within_calls =
        x1.call.is_some() && x1.call == y1.call && x2.call.is_some() && x2.call == y2.call;
    for one in roles(x1) {
        for two in roles(x2) {
            for three in roles(y2) {
                for four in roles(y1) {
                    if let Some(pattern) = Pattern::of_four(shape, (one, two), (three, four)) {
                        let sites = order.map(|number| accesses.get(number).site);
                        found(Instance {
                            key: PatternKey::new(pattern, &sites),
                            accesses: order,
                            within_calls,
                        });
                    }
                }
            }
        }
    }
}
