//! Predicts patterns that break the atomicity of calls from what two threads did alone, and excludes those that locks
//! make impossible.

use std::collections::HashSet;

use super::unit::{Lane, Unit, UnitAccess};
use crate::coverage::{Pattern, Role, Shape};
use contest_data::trace::{LockMode, ObjectId, ThreadIndex};

/// Which patterns are requirements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PatternSet {
    /// The 11 of Vaziri, Tip and Dolby (POPL 2006).
    Eleven,
    /// With the three alternating ones.
    #[default]
    Fourteen,
    /// Every smallest order of two units on one or two locations that is not serializable: 32.
    All,
}

/// An access by its name: thread, call, and number among the accesses of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The thread.
    pub thread: ThreadIndex,
    /// Number of the call in it.
    pub call: u16,
    /// Number of the access in the call.
    pub place: u32,
    /// Where it is in the source, to see whether it is still the same.
    pub site: (&'static str, u32, u32),
    /// What it accesses, by its number where it was predicted.
    pub variable: ObjectId,
    /// What it does there.
    pub role: Role,
}

/// An order of events to be covered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Requirement {
    /// The accesses in their order.
    pub steps: Vec<Step>,
}

impl Requirement {
    /// The calls that it is about: thread and number, that of its first step first.
    #[must_use]
    pub fn calls(&self) -> [(ThreadIndex, u16); 2] {
        let call = |step: &Step| (step.thread, step.call);
        let own = call(&self.steps[0]);
        let other = self.steps.iter().map(call).find(|it| it.0 != own.0);
        [own, other.unwrap_or(own)]
    }

    /// Calls come before those that the requirement is about.
    pub(super) fn has_calls_before(&self) -> bool {
        self.steps.iter().any(|step| step.call > 0)
    }
}

/// What is predicted for two threads.
#[derive(Debug, Default)]
pub(super) struct Requirements {
    pub feasible: Vec<Requirement>,
    /// Number of those that locks exclude.
    pub infeasible: u64,
    /// Number of those beyond the limit.
    pub dropped: u64,
    /// Number of orders that are no requirements because their two locations are in no atomic set together.
    pub apart: u64,
}

/// An access in its place: which unit (false: own, true: other), which role.
#[derive(Clone, Copy)]
struct Place<'a> {
    other: bool,
    access: &'a UnitAccess,
    role: Role,
}

/// Requirements of two threads, at most so many.
pub(super) fn predict(own: &Lane, other: &Lane, patterns: PatternSet, most: usize) -> Requirements {
    let mut found = Requirements::default();
    let mut seen = HashSet::new();
    for (call, unit) in (0_u16..).zip(&own.units) {
        for (others_call, others) in (0_u16..).zip(&other.units) {
            let mut add = |places: &[Place<'_>]| {
                let Some(number) = selected(places, patterns) else {
                    return;
                };
                let steps: Vec<Step> = places
                    .iter()
                    .map(|place| Step {
                        thread: if place.other {
                            other.thread
                        } else {
                            own.thread
                        },
                        call: if place.other { others_call } else { call },
                        place: place.access.place,
                        site: place.access.site,
                        variable: place.access.variable,
                        role: place.role,
                    })
                    .collect();
                // Within two calls, those with the same pattern at the same places in the source are one. In others the
                // same places are another context: calls share the function that takes the lock.
                let context = (number, call, others_call);
                let sites: Vec<_> = steps.iter().map(|step| (step.thread, step.site)).collect();
                if !seen.insert((context, sites)) {
                    return;
                }
                if !related(places) {
                    found.apart += 1;
                } else if excluded(places) {
                    found.infeasible += 1;
                } else if found.feasible.len() >= most {
                    found.dropped += 1;
                } else {
                    found.feasible.push(Requirement { steps });
                }
            };
            one_location(unit, others, false, &mut add);
            one_location(others, unit, true, &mut add);
            two_locations(unit, others, &mut add);
        }
    }
    found
}

fn roles(access: &UnitAccess) -> impl Iterator<Item = Role> {
    let read = access.reads.then_some(Role::Read);
    let write = access.writes.then_some(Role::Write);
    read.into_iter().chain(write)
}

fn conflict(left: Role, right: Role) -> bool {
    left == Role::Write || right == Role::Write
}

/// Two accesses of one unit with one of the other in between.
fn one_location(unit: &Unit, others: &Unit, other: bool, add: &mut impl FnMut(&[Place<'_>])) {
    for (at, first) in unit.accesses.iter().enumerate() {
        for last in &unit.accesses[at + 1..] {
            if first.variable != last.variable {
                continue;
            }
            for between in &others.accesses {
                if between.variable != first.variable {
                    continue;
                }
                for one in roles(first) {
                    for two in roles(between) {
                        for three in roles(last) {
                            if conflict(one, two) && conflict(two, three) {
                                add(&[
                                    place(other, first, one),
                                    place(!other, between, two),
                                    place(other, last, three),
                                ]);
                            }
                        }
                    }
                }
            }
        }
    }
}

fn place(other: bool, access: &UnitAccess, role: Role) -> Place<'_> {
    Place {
        other,
        access,
        role,
    }
}

/// A conflict on one location in which the own unit comes first, and a conflict on another one in which it comes last.
fn two_locations(unit: &Unit, others: &Unit, add: &mut impl FnMut(&[Place<'_>])) {
    let pairs = conflicts(unit, others);
    for &(a, b) in &pairs {
        for &(c, d) in &pairs {
            if a.access.variable == c.access.variable {
                continue;
            }
            // a before b and d before c; a, c of the own unit, b, d of the other one.
            let own_forward = a.access.place < c.access.place;
            let others_forward = b.access.place < d.access.place;
            match (own_forward, others_forward) {
                (true, true) => add(&[a, b, d, c]),
                (true, false) => {
                    add(&[a, d, b, c]);
                    add(&[a, d, c, b]);
                    add(&[d, a, b, c]);
                    add(&[d, a, c, b]);
                }
                (false, false) => add(&[d, c, a, b]),
                (false, true) => {}
            }
        }
    }
}

/// Conflicting accesses of the two units.
fn conflicts<'a>(unit: &'a Unit, others: &'a Unit) -> Vec<(Place<'a>, Place<'a>)> {
    let mut pairs = Vec::new();
    for left in &unit.accesses {
        for right in &others.accesses {
            if left.variable != right.variable {
                continue;
            }
            for one in roles(left) {
                for two in roles(right) {
                    if conflict(one, two) {
                        pairs.push((place(false, left, one), place(true, right, two)));
                    }
                }
            }
        }
    }
    pairs
}

/// The number of the pattern if it is one of the set; 0 for those without a number.
fn selected(places: &[Place<'_>], patterns: PatternSet) -> Option<u8> {
    let pattern = recognise(places);
    match patterns {
        PatternSet::All => Some(pattern.map_or(0, Pattern::number)),
        PatternSet::Fourteen => pattern.map(Pattern::number),
        PatternSet::Eleven => pattern?
            .popl_number()
            .map(|_| pattern.map(Pattern::number))?,
    }
}

fn recognise(places: &[Place<'_>]) -> Option<Pattern> {
    let role = |at: usize| places[at].role;
    if places.len() == 3 {
        return Pattern::of_three(role(0), role(1), role(2));
    }
    let x = places[0].access.variable;
    let on_x = |at: &usize| places[*at].access.variable == x;
    let shape = if places[1].other == places[0].other {
        return None;
    } else if places[2].other == places[0].other {
        Shape::Alternating
    } else if on_x(&1) {
        Shape::Inside
    } else {
        Shape::Crossed
    };
    let on = |wanted: bool| {
        let mut at = (0..4).filter(move |at| on_x(at) == wanted);
        Some((role(at.next()?), role(at.next()?)))
    };
    Pattern::of_four(shape, on(true)?, on(false)?)
}

/// True if all locations are in one atomic set.
fn related(places: &[Place<'_>]) -> bool {
    let sets = |variable| {
        let of_variable = (places.iter()).filter(|place| place.access.variable == variable);
        of_variable.fold(0, |sets, place| sets | place.access.sets)
    };
    let first = sets(places[0].access.variable);
    let mut others = places[1..].iter();
    others.all(|place| first & sets(place.access.variable) != 0)
}

/// True if a lock makes the order impossible: two events under one acquisition, and between them one of the other
/// thread under the same lock.
fn excluded(places: &[Place<'_>]) -> bool {
    (0..places.len()).any(|first| {
        (first + 2..places.len()).any(|last| {
            (first + 1..last).any(|between| {
                let (one, two, three) = (&places[first], &places[between], &places[last]);
                one.other == three.other && two.other != one.other && separates(one, two, three)
            })
        })
    })
}

fn separates(first: &Place<'_>, between: &Place<'_>, last: &Place<'_>) -> bool {
    first.access.held.iter().any(|held| {
        let throughout = last
            .access
            .held
            .iter()
            .any(|again| again.acquisition == held.acquisition);
        throughout
            && between.access.held.iter().any(|theirs| {
                let shared = held.mode == LockMode::Read && theirs.mode == LockMode::Read;
                theirs.lock == held.lock && !shared
            })
    })
}

#[cfg(test)]
mod tests;
