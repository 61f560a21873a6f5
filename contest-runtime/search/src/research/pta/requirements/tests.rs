//! Which orders are predicted, and which of them locks exclude.

use super::super::unit::{HeldLock, Lane, Unit, UnitAccess};
use super::*;
use contest_data::trace::ObjectId;

fn access(place: u32, variable: u32, role: char, held: &[(u32, u32)]) -> UnitAccess {
    UnitAccess {
        place,
        event: place as usize,
        variable: ObjectId(variable),
        reads: role != 'W',
        writes: role != 'R',
        held: held
            .iter()
            .map(|&(lock, acquisition)| HeldLock {
                lock: ObjectId(lock),
                acquisition,
                mode: LockMode::Exclusive,
            })
            .collect(),
        sets: u64::MAX,
        site: ("lib.rs", place, variable),
    }
}

fn lane(thread: u16, accesses: Vec<UnitAccess>) -> Lane {
    Lane::of(ThreadIndex(thread), vec![Unit { accesses }])
}

fn count(own: Vec<UnitAccess>, other: Vec<UnitAccess>, patterns: PatternSet) -> (usize, u64) {
    let found = predict(&lane(1, own), &lane(2, other), patterns, 2_000);
    (found.feasible.len(), found.infeasible)
}

#[test]
fn a_write_between_a_read_and_a_write_is_predicted() {
    let own = || vec![access(0, 7, 'R', &[]), access(1, 7, 'W', &[])];
    let other = || vec![access(0, 7, 'W', &[])];
    assert_eq!(count(own(), other(), PatternSet::Eleven), (1, 0));
    // Two locations that have nothing to do with each other: nothing.
    let elsewhere = vec![access(0, 8, 'W', &[])];
    assert_eq!(count(own(), elsewhere, PatternSet::All), (0, 0));
}

#[test]
fn one_acquisition_around_both_accesses_excludes_it_and_two_do_not() {
    let other = || vec![access(0, 7, 'W', &[(1, 9)])];
    let one = vec![access(0, 7, 'R', &[(1, 1)]), access(1, 7, 'W', &[(1, 1)])];
    assert_eq!(count(one, other(), PatternSet::Eleven), (0, 1));
    // Check-then-act: the lock is given back in between.
    let two = vec![access(0, 7, 'R', &[(1, 1)]), access(1, 7, 'W', &[(1, 2)])];
    assert_eq!(count(two, other(), PatternSet::Eleven), (1, 0));
    // Another lock does not keep them apart.
    let different = vec![access(0, 7, 'R', &[(2, 1)]), access(1, 7, 'W', &[(2, 1)])];
    assert_eq!(count(different, other(), PatternSet::Eleven), (1, 0));
}

/// Section 3 of AutoConTest, in the words of its running example: `m1` (a1) writes x under the lock; `m3` reads y (a3)
/// and goes on to read and write x, in `m4` without the lock (a4, a5) or itself under it (a8, a9), which the state
/// before it decides.
#[test]
fn requirements_of_the_running_example_are_those_of_its_section_3() {
    let (x, y, lock) = (1, 2, 1);
    let m1 = || vec![access(0, x, 'W', &[(lock, 9)])];
    let guarded = || {
        vec![
            access(0, y, 'R', &[]),
            access(1, x, 'R', &[(lock, 1)]),
            access(2, x, 'W', &[(lock, 1)]),
        ]
    };
    // In the state that `m2` leaves behind, the call takes the other branch: only that trace has the requirement.
    let bare = || {
        vec![
            access(0, y, 'R', &[]),
            access(1, x, 'R', &[]),
            access(2, x, 'W', &[]),
        ]
    };
    // The accesses under one lock are predicted and found infeasible; those of the sequence with the other state are
    // feasible.
    assert_eq!(count(guarded(), m1(), PatternSet::Eleven), (0, 1));
    assert_eq!(count(bare(), m1(), PatternSet::Eleven), (1, 0));
    let found = predict(&lane(1, bare()), &lane(2, m1()), PatternSet::Eleven, 2_000);
    let order: Vec<(u16, u32)> = found.feasible[0]
        .steps
        .iter()
        .map(|step| (step.thread.0, step.place))
        .collect();
    assert_eq!(order, [(1, 1), (2, 0), (1, 2)], "a4 of 1, a1 of 2, a5 of 1");
}

/// Figure 5: accesses of two calls of one thread are no requirement, because two calls need not be atomic together.
#[test]
fn accesses_of_two_calls_of_one_thread_are_no_requirement() {
    let size = Unit {
        accesses: vec![access(0, 7, 'R', &[(1, 1)])],
    };
    let element = Unit {
        accesses: vec![access(0, 7, 'R', &[(1, 2)])],
    };
    let composed = Lane::of(ThreadIndex(1), vec![size, element]);
    let clear = lane(2, vec![access(0, 7, 'W', &[(1, 3)])]);
    let found = predict(&composed, &clear, PatternSet::All, 2_000);
    assert_eq!((found.feasible.len(), found.infeasible), (0, 0));
}

#[test]
fn two_units_that_write_two_locations_give_the_orders_of_the_table() {
    // W(x) W(y) beside W(x) W(y) and beside W(y) W(x): 6 and 7 of the eleven in both directions, the alternating one in
    // both.
    let forward = || vec![access(0, 1, 'W', &[]), access(1, 2, 'W', &[])];
    let backward = || vec![access(0, 2, 'W', &[]), access(1, 1, 'W', &[])];
    assert_eq!(count(forward(), forward(), PatternSet::Eleven), (2, 0));
    assert_eq!(count(forward(), backward(), PatternSet::Eleven), (2, 0));
    assert_eq!(count(forward(), backward(), PatternSet::Fourteen), (4, 0));
}

/// Every order of two units of two accesses each, by brute force.
#[test]
fn all_smallest_orders_that_are_not_serializable_are_found() {
    let mut shapes = HashSet::new();
    for code in 0..4_u32.pow(4) {
        let digit = |at: u32| code / 4_u32.pow(at) % 4;
        let unit = |first: u32| {
            vec![
                access(
                    0,
                    digit(first) / 2,
                    if digit(first) % 2 == 0 { 'R' } else { 'W' },
                    &[],
                ),
                access(
                    1,
                    digit(first + 1) / 2,
                    if digit(first + 1) % 2 == 0 { 'R' } else { 'W' },
                    &[],
                ),
            ]
        };
        let (own, other) = (unit(0), unit(2));
        let found = predict(
            &lane(1, own.clone()),
            &lane(2, other.clone()),
            PatternSet::All,
            2_000,
        );
        for requirement in &found.feasible {
            let role = |step: &Step| {
                let unit = if step.thread.0 == 1 { &own } else { &other };
                let access = &unit[step.place as usize];
                (access.variable.0, access.writes)
            };
            // Names do not matter: the first thread and the first location of the order come first.
            let start = requirement.steps[0];
            let x = role(&start).0;
            let shape: Vec<(bool, bool, bool)> = requirement
                .steps
                .iter()
                .map(|step| (step.thread == start.thread, role(step).0 == x, role(step).1))
                .collect();
            shapes.insert(shape);
        }
    }
    let three = shapes.iter().filter(|shape| shape.len() == 3).count();
    let four = shapes.iter().filter(|shape| shape.len() == 4).count();
    assert_eq!((three, four), (5, 27));
}
