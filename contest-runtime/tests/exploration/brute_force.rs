//! Every execution of a program, by depth-first search; only steps that commute with everything are not interleaved.

use std::collections::BTreeSet;

use contest_data::decision::{Choice, DecisionPoint, Strategy, ThreadSet};
use contest_data::limits::{Leeway, Limits};
use contest_data::trace::{Action, ExecutionRecord, ThreadIndex};
use contest_search::explore::Dfs;

use crate::program::{Program, explore_within};
use crate::trace::{Trace, canonical};

/// Traces that brute force finds, where threads go on so often in loops that have an end of their own; `None` if there
/// are more executions than the cap.
pub fn brute_force(
    program: &Program,
    limits: &Limits,
    rounds: u8,
    cap: u64,
) -> Option<BTreeSet<Trace>> {
    let mut traces = BTreeSet::new();
    every_execution_with(program, limits, rounds, cap, |record| {
        traces.insert(canonical(record));
    })?;
    Some(traces)
}

/// Runs every execution; `None` if there are more than the cap. Else whether threads were held back that read the same
/// several times, which leaves executions out.
pub fn every_execution(
    program: &Program,
    limits: &Limits,
    cap: u64,
    see: impl FnMut(&ExecutionRecord),
) -> Option<bool> {
    every_execution_with(program, limits, 0, cap, see)
}

fn every_execution_with(
    program: &Program,
    limits: &Limits,
    rounds: u8,
    cap: u64,
    mut see: impl FnMut(&ExecutionRecord),
) -> Option<bool> {
    let mut seen = 0;
    let mut strategy = Eager {
        inner: Dfs::new(None),
        left: cap,
        rounds,
        holds_back: false,
    };
    explore_within(program, limits.clone(), &mut strategy, |record| {
        seen += 1;
        see(record);
    });
    (seen < cap).then_some(strategy.holds_back)
}

/// Runs the main thread, which only starts and joins the others, and the first and last steps of the others at once.
struct Eager {
    inner: Dfs,
    left: u64,
    rounds: u8,
    holds_back: bool,
}

impl Strategy for Eager {
    fn begin(&mut self) -> bool {
        let more = self.left > 0;
        self.left = self.left.saturating_sub(1);
        more && self.inner.begin()
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        self.holds_back |= !point.spinning.is_empty();
        let at_once = |thread: usize| {
            let pending = point.pending[thread].as_ref();
            thread == 0
                || pending.is_some_and(|pending| {
                    matches!(
                        pending.action,
                        Action::Begin | Action::End | Action::Join(_)
                    )
                })
        };
        match point.enabled.iter().find(|thread| at_once(thread.index())) {
            Some(thread) if !point.last_resort => self.inner.thread(&DecisionPoint {
                enabled: ThreadSet::only(thread),
                ..*point
            }),
            _ => self.inner.thread(point),
        }
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        self.inner.value(alternatives)
    }

    fn leeway(&self) -> Leeway {
        Leeway {
            rounds: self.rounds,
            ..Leeway::default()
        }
    }

    fn seed(&mut self) -> u64 {
        self.inner.seed()
    }

    fn end(&mut self, record: &ExecutionRecord) {
        self.inner.end(record);
    }
}

/// Runs the main thread first, so that the threads it starts have the same numbers in every execution; then follows the
/// other strategy.
#[derive(Debug)]
pub struct MainFirst<S>(pub S);

impl<S: Strategy> Strategy for MainFirst<S> {
    fn begin(&mut self) -> bool {
        self.0.begin()
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        let enabled = if point.enabled.contains(ThreadIndex::MAIN) {
            ThreadSet::MAIN
        } else {
            point.enabled
        };
        self.0.thread(&DecisionPoint { enabled, ..*point })
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        self.0.value(alternatives)
    }

    fn leeway(&self) -> Leeway {
        self.0.leeway()
    }

    fn seed(&mut self) -> u64 {
        self.0.seed()
    }

    fn end(&mut self, record: &ExecutionRecord) {
        self.0.end(record);
    }

    fn exhausted(&self) -> bool {
        self.0.exhausted()
    }
}
