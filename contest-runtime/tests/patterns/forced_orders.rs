//! What `pta` calls covered, against the records of its executions and against every interleaving.

use std::collections::BTreeSet;

use contest_data::decision::Strategy;
use contest_data::names::pta::NOT_FORCED;
use contest_data::rng::Rng;
use contest_data::trace::{Action, Event, ExecutionRecord, LockMode, ThreadIndex};
use contest_search::coverage::Role;
use contest_search::explore::Dfs;
use contest_search::research::{PatternSet, Pta, Requirement, Step};

use crate::program::{Op, Program, explore};

/// An access as the record has it: position, object, reads, writes.
type Found = (usize, u32, bool, bool);

/// What an event accesses, said once more: that a writer begins to wait is no access.
fn accesses(event: &Event) -> Option<(bool, bool)> {
    match event.action {
        Action::Load(_) | Action::CasFail(_) | Action::PlainRead => Some((true, false)),
        Action::Store(_) | Action::PlainWrite => Some((false, true)),
        Action::Rmw(..) | Action::Arrive(true) => Some((true, true)),
        Action::Acquire(mode) | Action::TryAcquire(mode, true) => {
            Some((true, mode == LockMode::Exclusive))
        }
        _ => None,
    }
}

/// The access of a step, by its number in its call.
fn find(record: &ExecutionRecord, step: &Step) -> Option<Found> {
    let (mut calls, mut number) = (0, 0);
    for (position, event) in record.events.iter().enumerate() {
        if event.thread != step.thread {
            continue;
        }
        if event.action == Action::CallBegin {
            (calls, number) = (calls + 1, 0);
        } else if let Some((reads, writes)) = accesses(event)
            && calls == step.call + 1
        {
            if number == step.place {
                return Some((position, event.object.0, reads, writes));
            }
            number += 1;
        }
    }
    None
}

/// True if the accesses are there, in this order, in these roles, and on the same variables where they should be.
fn shows(record: &ExecutionRecord, requirement: &Requirement) -> bool {
    let steps = &requirement.steps;
    let found: Option<Vec<Found>> = steps.iter().map(|step| find(record, step)).collect();
    let Some(found) = found else { return false };
    let in_role = found.iter().zip(steps).all(|(it, step)| match step.role {
        Role::Read => it.2,
        Role::Write => it.3,
    });
    let in_order = found.windows(2).all(|two| two[0].0 < two[1].0);
    let same = |one: usize, two: usize| {
        (steps[one].variable == steps[two].variable) == (found[one].1 == found[two].1)
    };
    in_role && in_order && (0..steps.len()).all(|one| (0..one).all(|two| same(one, two)))
}

/// Longest program: every interleaving is run.
const MOST_OPS: usize = 14;

/// Calls of two threads over two atomics, two pieces of memory, a mutex and a reader-writer lock.
fn program(rng: &mut Rng) -> Program {
    loop {
        let program: Program = (0..2).map(|_| lane(rng)).collect();
        if program.iter().map(Vec::len).sum::<usize>() <= MOST_OPS {
            return program;
        }
    }
}

fn lane(rng: &mut Rng) -> Vec<Op> {
    let mut ops = Vec::new();
    for call in 0..1 + rng.below(2) {
        ops.push(Op::CallBegin(call as u16));
        for _ in 0..1 + rng.below(3) {
            let variable = rng.below(2) as usize;
            match rng.below(9) {
                0 => ops.push(Op::Read(variable)),
                1 => ops.push(Op::Write(variable, 1)),
                2 => ops.push(Op::Add(variable)),
                3 => ops.push(Op::Exchange(variable, 0, 1)),
                4 => ops.extend([Op::Lock(0), Op::Unlock(0)]),
                5 => ops.extend([Op::ReadLock(1), Op::ReadUnlock(1)]),
                6 => ops.extend([Op::WriteLock(1), Op::Unlock(1)]),
                7 => ops.push(Op::PlainRead(2 + variable)),
                _ => ops.push(Op::PlainWrite(2 + variable)),
            }
        }
        ops.push(Op::CallEnd);
    }
    ops
}

/// Requirements, those that were covered, and those that an interleaving shows.
fn compare(program: &Program) -> (usize, usize, usize) {
    let mut pta = Pta::new(PatternSet::All, 10_000);
    let mut engine =
        contest_engine::execution::Engine::new(contest_data::limits::Limits::default());
    let mut covered = 0;
    while pta.begin() {
        let record = crate::program::run_once(&mut engine, program, &mut pta).clone();
        pta.end(&record);
        for requirement in &pta.covered()[covered..] {
            assert!(shows(&record, requirement), "{program:?}\n{requirement:#?}");
        }
        covered = pta.covered().len();
    }
    let requirements = pta.requirements().to_vec();
    let mut shown: BTreeSet<usize> = BTreeSet::new();
    explore(program, &mut Dfs::new(None), |record| {
        let found = requirements.iter().enumerate();
        shown.extend(
            found
                .filter(|(_, it)| shows(record, it))
                .map(|(number, _)| number),
        );
    });
    for (number, requirement) in requirements.iter().enumerate() {
        let is_covered = pta.covered().contains(requirement);
        assert!(
            !is_covered || shown.contains(&number),
            "{program:?}\n{requirement:#?}"
        );
    }
    let counts = pta.counts();
    let not_forced = counts
        .iter()
        .find(|(name, _)| *name == NOT_FORCED)
        .unwrap()
        .1;
    assert_eq!(
        covered + not_forced as usize,
        requirements.len(),
        "each is counted once"
    );
    (requirements.len(), covered, shown.len())
}

#[test]
fn an_order_that_is_covered_happened_and_one_that_is_not_is_counted() {
    let mut rng = Rng::new(7);
    let mut sums = (0, 0, 0);
    for _ in 0..250 {
        let found = compare(&program(&mut rng));
        sums = (sums.0 + found.0, sums.1 + found.1, sums.2 + found.2);
    }
    let (requirements, covered, shown) = sums;
    assert!(requirements > 80, "{sums:?}");
    // Of those that can be shown, nearly all.
    assert!(covered * 10 >= shown * 9, "{sums:?}");
}

/// A contended writer comes first, in a step of its own, and writes later.
#[test]
fn a_writer_that_only_waits_has_not_written() {
    let reads = vec![
        Op::CallBegin(0),
        Op::ReadLock(1),
        Op::ReadUnlock(1),
        Op::ReadLock(1),
        Op::ReadUnlock(1),
        Op::CallEnd,
    ];
    let writes = vec![
        Op::CallBegin(0),
        Op::WriteLock(1),
        Op::Unlock(1),
        Op::CallEnd,
    ];
    let mut between = 0;
    let mut pta = Pta::new(PatternSet::Eleven, 100);
    explore(&vec![reads, writes], &mut pta, |record| {
        let of = |thread: u16| {
            let events = record.events.iter().enumerate();
            let own = events.filter(move |(_, it)| it.thread == ThreadIndex(thread));
            let taken = own.filter(|(_, it)| accesses(it).is_some());
            taken.map(|(position, _)| position).collect::<Vec<_>>()
        };
        let (reads, write) = (of(1), of(2)[0]);
        between += usize::from(reads[0] < write && write < reads[1]);
    });
    assert_eq!((pta.requirements().len(), pta.covered().len()), (1, 1));
    assert_eq!(between, 1);
}
