//! An oracle that is not the engine: an interpreter enumerates all interleavings of random programs of drop-in types.
//! Whatever an exploration shows must be among its outcomes, and be all of them where the exploration says that it is
//! exhausted.

mod interpreter;
mod program;
mod runner;

use std::collections::BTreeSet;

use self::interpreter::{Outcome, every_outcome};
use self::program::{About, FAMILIES, Op, Program};
use self::runner::explore;
use contest_data::rng::Rng;

/// References to a count at the beginning: one for each release.
fn references(program: &Program, count: usize) -> u8 {
    let of = |ops: &Vec<Op>| ops.iter().filter(|op| **op == Op::Release(count)).count();
    program.threads.iter().map(of).sum::<usize>() as u8
}

/// Most states of a program that is looked at.
const MOST_STATES: usize = 60_000;
/// Most executions.
const MOST_EXECUTIONS: u64 = 20_000;

/// How many of the programs of a family were compared, and how many of these are exhausted.
fn compare(about: About, programs: u64, seed: u64) -> (u64, u64) {
    let (mut compared, mut exhausted) = (0, 0);
    for number in 0..programs {
        let mut rng = Rng::new(Rng::at(seed, number));
        let program = about.program(&mut rng);
        let Some(expected) = every_outcome(&program, MOST_STATES) else {
            continue;
        };
        let (seen, gaps) = explore(&program, MOST_EXECUTIONS);
        compared += 1;
        let wrong: Vec<&Outcome> = seen.difference(&expected).collect();
        assert!(
            wrong.is_empty(),
            "{about:?}, program {number} of seed {seed}: {program:#?}\ncannot come to {wrong:#?}"
        );
        if gaps.is_empty() {
            exhausted += 1;
            let missing: Vec<&Outcome> = expected.difference(&seen).collect();
            assert!(
                missing.is_empty(),
                "{about:?}, program {number} of seed {seed}: {program:#?}\nis exhausted without {missing:#?}"
            );
        }
    }
    (compared, exhausted)
}

fn compare_all(programs: u64, seed: u64) {
    for about in FAMILIES {
        let (compared, exhausted) = compare(about, programs, seed);
        println!("{about:?}: {exhausted} of {compared} exhausted");
        assert!(
            compared * 2 > programs && exhausted * 2 > compared,
            "{about:?}: {exhausted} of {compared} of {programs}"
        );
    }
}

#[test]
fn outcomes_of_an_exhausted_exploration_are_those_of_an_interpreter() {
    compare_all(40, 1);
}

#[test]
#[ignore = "the same with many more programs"]
fn outcomes_of_many_exhausted_explorations_are_those_of_an_interpreter() {
    let seed = std::env::var("ORACLE_SEED").ok();
    let seed = seed.and_then(|seed| seed.parse().ok()).unwrap_or(2);
    compare_all(4_000, seed);
}

#[test]
fn the_interpreter_finds_what_is_known_of_small_programs() {
    let notes = |threads: Vec<Vec<Op>>| -> BTreeSet<Vec<Vec<u8>>> {
        let poisoned = false;
        let outcomes = every_outcome(&Program { threads, poisoned }, 1_000).unwrap();
        outcomes.into_iter().map(|it| it.notes).collect()
    };
    // Store buffering, without the outcome that sequential consistency forbids.
    let two = notes(vec![
        vec![Op::Store(0, 1), Op::Load(1)],
        vec![Op::Store(1, 1), Op::Load(0)],
    ]);
    let all = [[0, 1], [1, 0], [1, 1]].map(|[one, two]| vec![vec![one], vec![two]]);
    assert_eq!(two, BTreeSet::from(all));
    let tries = notes(vec![vec![Op::Tries(0, 3, false)], vec![Op::Store(0, 1)]]);
    assert_eq!(tries.len(), 4);
    let timed = notes(vec![vec![Op::ReceiveForSomeTime], vec![Op::Send(0, 1)]]);
    assert_eq!(timed.len(), 2);
    let stuck = notes(vec![vec![Op::Receive], vec![Op::Load(0)]]);
    assert_eq!(stuck, BTreeSet::from([vec![vec![], vec![0]]]));
}
