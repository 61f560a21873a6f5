//! Exploration against brute force.

#![allow(unreachable_pub, reason = "modules of a test target")]

mod portfolio;
mod program;
mod sampling;

use std::collections::BTreeSet;

use contest::explore::rng::Rng;
use contest::explore::{Dfs, Dpor};
use program::{Op, Program, Trace, canonical, explore, random_program};

/// Traces that brute force finds; `None` if there are more schedules than the cap.
fn brute_force(program: &Program, cap: u64) -> Option<BTreeSet<Trace>> {
    let mut traces = BTreeSet::new();
    let mut dfs = Dfs::new(None);
    let mut seen = 0;
    let mut capped = Capped {
        inner: &mut dfs,
        left: cap,
    };
    explore(program, &mut capped, |record| {
        seen += 1;
        traces.insert(canonical(record));
    });
    (seen < cap).then_some(traces)
}

struct Capped<'a> {
    inner: &'a mut Dfs,
    left: u64,
}

impl contest::execution::Strategy for Capped<'_> {
    fn begin(&mut self) -> bool {
        let more = self.left > 0;
        self.left = self.left.saturating_sub(1);
        more && self.inner.begin()
    }
    fn thread(
        &mut self,
        point: &contest::execution::DecisionPoint<'_>,
    ) -> contest::execution::Choice {
        self.inner.thread(point)
    }
    fn value(&mut self, alternatives: u16) -> u16 {
        self.inner.value(alternatives)
    }
    fn end(&mut self, record: &contest::trace::ExecutionRecord) {
        self.inner.end(record);
    }
}

fn check(program: &Program, cap: u64) -> Option<(usize, u64, u64)> {
    let expected = brute_force(program, cap)?;
    let mut found = BTreeSet::new();
    let mut dpor = Dpor::new();
    explore(program, &mut dpor, |record| {
        if record.ending != contest::trace::Ending::Abandoned {
            found.insert(canonical(record));
        }
    });
    assert!(
        found == expected,
        "{program:?}\nmissing {:?}\nextra {:?}",
        expected.difference(&found).next(),
        found.difference(&expected).next()
    );
    Some((expected.len(), dpor.traces(), dpor.redundant()))
}

#[test]
fn two_threads_are_explored_with_one_execution_per_trace() {
    let mut rng = Rng::new(1);
    let mut checked = 0;
    let mut wasteful = Vec::new();
    while checked < 700 {
        let program = random_program(&mut rng, 2, 4);
        if let Some((traces, executions, redundant)) = check(&program, 2_000) {
            checked += 1;
            if executions + redundant != traces as u64 {
                wasteful.push((program, traces, executions, redundant));
            }
        }
    }
    assert!(
        wasteful.is_empty(),
        "{} of {checked}: {:?}",
        wasteful.len(),
        wasteful.iter().take(5).collect::<Vec<_>>()
    );
}

#[test]
fn three_threads_lose_no_trace() {
    let mut rng = Rng::new(2);
    let mut checked = 0;
    let (mut all_traces, mut all_executions) = (0, 0);
    while checked < 300 {
        let program = random_program(&mut rng, 3, 2);
        if let Some((traces, executions, redundant)) = check(&program, 2_000) {
            checked += 1;
            all_traces += traces as u64;
            all_executions += executions + redundant;
        }
    }
    assert!(
        all_executions * 100 <= all_traces * 105,
        "{all_executions} executions for {all_traces} traces"
    );
}

#[test]
fn load_store_twice_by_two_threads_has_34_traces() {
    let program: Program =
        vec![vec![Op::Read(0), Op::Write(0, 1), Op::Read(0), Op::Write(0, 1)]; 2];
    let mut dpor = Dpor::new();
    assert_eq!(explore(&program, &mut dpor, |_| ()), 34);
}

#[test]
fn load_store_by_three_threads_has_36_traces() {
    let program: Program = vec![vec![Op::Read(0), Op::Write(0, 1)]; 3];
    let mut dpor = Dpor::new();
    assert_eq!(explore(&program, &mut dpor, |_| ()), 36);
}

#[test]
fn locks_taken_in_opposite_orders_deadlock_in_one_trace() {
    let program: Program = vec![
        vec![Op::Lock(0), Op::Lock(1), Op::Unlock(1), Op::Unlock(0)],
        vec![Op::Lock(1), Op::Lock(0), Op::Unlock(0), Op::Unlock(1)],
    ];
    let mut dpor = Dpor::new();
    let mut deadlocks = 0;
    explore(&program, &mut dpor, |record| {
        if let contest::trace::Ending::Deadlock(blocked) = &record.ending {
            deadlocks += 1;
            assert_eq!(blocked.len(), 3);
            assert!(
                blocked[1].waits_for.contains("held by thread 2"),
                "{}",
                blocked[1].waits_for
            );
        }
    });
    assert_eq!(deadlocks, 1);
}
