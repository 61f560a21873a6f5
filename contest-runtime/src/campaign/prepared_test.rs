//! A test with its serial outcomes, ready to be explored, or the reason why not.

use std::collections::BTreeSet;

use super::test_runner::TestRunner;
use crate::assemble::{MainCall, RunnableTest, TestShape};
use crate::judge::linearizability::Compared;
use crate::judge::{CallName, Judge, SerialOutcomes};
use crate::trace::{Ending, Outcome};

/// A test whose serial orders were run.
#[derive(Clone, Debug)]
pub(crate) struct PreparedTest {
    pub(crate) test: RunnableTest,
    pub(crate) shape: TestShape,
    pub(crate) outcomes: SerialOutcomes,
    pub(crate) compared: Compared,
}

/// What became of a test.
#[derive(Clone, Debug)]
pub(crate) enum Preparation {
    /// It can be explored.
    Ready(Box<PreparedTest>),
    /// It cannot: the reason.
    LeftOut(String, Box<PreparedTest>),
}

/// Runs the serial orders of the test. Observers that fail serially are taken out of it, and returned.
pub(crate) fn prepare(
    runner: &mut TestRunner<'_>,
    mut test: RunnableTest,
    strict: bool,
) -> (Preparation, Vec<u16>) {
    let mut left_out = Vec::new();
    loop {
        let outcomes = SerialOutcomes::of(&test, runner);
        let shape = TestShape::of(&test);
        let failing = failing_observers(&shape, &outcomes);
        if !failing.is_empty() {
            left_out.extend(failing.iter().map(|&index| test.observers[index].operation));
            let mut index = 0;
            test.observers.retain(|_| {
                index += 1;
                !failing.contains(&(index - 1))
            });
            continue;
        }
        let compared = compared(&test, &outcomes, strict);
        let reason = unfit(&outcomes);
        let prepared = Box::new(PreparedTest {
            test,
            shape,
            outcomes,
            compared,
        });
        let preparation = match reason {
            Some(reason) => Preparation::LeftOut(reason, prepared),
            None => Preparation::Ready(prepared),
        };
        return (preparation, left_out);
    }
}

impl PreparedTest {
    /// The test without its serial orders: nothing about its results can be judged.
    pub(crate) fn unprepared(test: RunnableTest) -> Self {
        let shape = TestShape::of(&test);
        Self {
            test,
            shape,
            outcomes: SerialOutcomes::default(),
            compared: Compared::default(),
        }
    }

    pub(crate) fn judge(&self) -> Judge<'_> {
        Judge {
            test: &self.test,
            shape: &self.shape,
            outcomes: &self.outcomes,
            compared: &self.compared,
        }
    }

    /// Operation of a call.
    pub(crate) fn operation(&self, call: CallName) -> Option<u16> {
        let made = match call {
            CallName::Lane(lane, number) => self.test.test.threads.get(lane)?.get(number)?,
            CallName::Main(number) => match self.shape.main_call(number) {
                MainCall::Prefix(index) => self.test.test.prefix.get(index)?,
                MainCall::Observer(index) => self.test.observers.get(index)?,
                MainCall::Object(_) | MainCall::Drop => return None,
            },
        };
        Some(made.operation)
    }
}

/// Observers that do not return in some serial order although all calls before them did.
fn failing_observers(shape: &TestShape, outcomes: &SerialOutcomes) -> BTreeSet<usize> {
    let first = shape.number(MainCall::Observer(0));
    (0..shape.observers)
        .filter(|index| {
            outcomes.runs.iter().any(|run| {
                run.history
                    .call(CallName::Main(first + index))
                    .is_some_and(|call| {
                        matches!(call.outcome, Outcome::Panicked(..) | Outcome::Pending)
                    })
            })
        })
        .collect()
}

fn compared(test: &RunnableTest, outcomes: &SerialOutcomes, strict: bool) -> Compared {
    let mut ignored = outcomes.unstable.clone();
    if !strict {
        for (lane, calls) in test.test.threads.iter().enumerate() {
            for (number, call) in calls.iter().enumerate() {
                if test.subject.operations[usize::from(call.operation)].weak {
                    ignored.insert(CallName::Lane(lane, number));
                }
            }
        }
    }
    Compared { ignored, strict }
}

/// Why the test is not worth or not fit to be explored.
fn unfit(outcomes: &SerialOutcomes) -> Option<String> {
    match outcomes.inconclusive() {
        Some(Ending::StepLimit(limit)) => {
            return Some(format!(
                "runs past the step limit ({limit}) one call after another"
            ));
        }
        Some(Ending::MemoryLimit(_)) => return Some("reaches the memory limit".to_owned()),
        Some(Ending::Unsupported(text)) => return Some(format!("not supported: {text}")),
        Some(Ending::Exit(text)) => return Some(format!("ends the process: {text}")),
        Some(Ending::Panicked(panic)) => {
            return Some(format!("panics outside its calls at {}", panic.location));
        }
        _ => {}
    }
    if let Some((_, outcome)) = outcomes.failing_prefix() {
        return Some(match outcome {
            Outcome::Pending => "its prefix blocks".to_owned(),
            _ => "its prefix panics".to_owned(),
        });
    }
    let in_all_orders = |index: usize| {
        outcomes.runs.iter().all(|run| {
            run.history
                .lanes
                .get(index)
                .and_then(|calls| calls.first())
                .is_some_and(|call| matches!(call.outcome, Outcome::Panicked(..)))
        })
    };
    let lanes = outcomes
        .runs
        .first()
        .map_or(0, |run| run.history.lanes.len());
    (0..lanes)
        .any(in_all_orders)
        .then(|| "a thread's first call panics in every order".to_owned())
}
