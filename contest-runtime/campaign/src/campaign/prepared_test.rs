//! A test with its serial outcomes, ready to be explored, or the reason why not.

use super::shown::Shown;
use super::test_runner::TestRunner;
use crate::judge::{Compared, Judge, RunSerially, SerialOutcomes};
use crate::judge::{Suspicion, Variation, Verdict, rests_on_serial_orders, vary};
use contest_data::sorted::SortedSet;
use contest_data::subject::{StandInMode, UserCode};
use contest_data::test::{CallName, MainCall, RunnableTest, TestCall, TestShape};
use contest_data::trace::{Action, Ending, Event, ExecutionRecord, Outcome};
use contest_search::explore::Waits;

/// A test whose serial orders were run.
#[derive(Clone, Debug)]
pub(super) struct PreparedTest {
    pub test: RunnableTest,
    pub shape: TestShape,
    pub outcomes: SerialOutcomes,
    pub compared: Compared,
    /// Variations under which its serial orders were run.
    varied: SortedSet<Variation>,
}

/// What became of a test.
#[derive(Clone, Debug)]
pub(super) enum Preparation {
    /// It can be explored.
    Ready(Box<PreparedTest>),
    /// It cannot: the reason.
    LeftOut(String, Box<PreparedTest>),
}

/// Visible operations of an observer, or of a drop, above which it is taken out: everything is run thousands of times.
const LONG: u32 = 500;

/// What was taken out of a test, to be left out of further tests of the subject too.
#[derive(Clone, Debug, Default)]
pub(super) struct Trimmed {
    /// Observers, with the reason.
    pub observers: Vec<(TestCall, &'static str)>,
    /// The drop of the objects.
    pub drop: bool,
}

/// Runs the serial orders of the test, and each a second time, see [`PreparedTest::settle`]. Observers that fail
/// serially or take long are taken out of it.
pub(super) fn prepare(
    runner: &mut TestRunner<'_>,
    test: RunnableTest,
    strict: bool,
) -> (Preparation, Trimmed) {
    let (mut preparation, trimmed) = prepare_unsettled(runner, test, strict);
    let (Preparation::Ready(prepared) | Preparation::LeftOut(_, prepared)) = &mut preparation;
    prepared.settle(runner);
    (preparation, trimmed)
}

/// Runs the serial orders of the test once: enough until an execution looks like a bug.
pub(super) fn prepare_unsettled(
    runner: &mut TestRunner<'_>,
    mut test: RunnableTest,
    strict: bool,
) -> (Preparation, Trimmed) {
    let mut trimmed = Trimmed::default();
    loop {
        let outcomes = SerialOutcomes::of(&test, runner);
        let shape = TestShape::of(&test);
        if trim(&mut test, &shape, &outcomes, &mut trimmed) {
            continue;
        }
        let compared = compared(&test, &outcomes, strict);
        let reason = unfit(&outcomes);
        let prepared = Box::new(PreparedTest {
            test,
            shape,
            outcomes,
            compared,
            varied: SortedSet::new(),
        });
        let preparation = match reason {
            Some(reason) => Preparation::LeftOut(reason, prepared),
            None => Preparation::Ready(prepared),
        };
        return (preparation, trimmed);
    }
}

/// Takes out what fails or takes long after the lanes have ended; true if there was something.
fn trim(
    test: &mut RunnableTest,
    shape: &TestShape,
    outcomes: &SerialOutcomes,
    trimmed: &mut Trimmed,
) -> bool {
    let why = |call: MainCall| -> Option<&'static str> {
        let name = CallName::Main(shape.number(call));
        outcomes.runs.iter().find_map(|run| {
            let here = run.history.call(name)?;
            match here.outcome {
                Outcome::Panicked(..) => Some("panics one call after another"),
                Outcome::Pending if matches!(run.history.ending, Ending::StepLimit(_)) => {
                    Some("takes too long")
                }
                Outcome::Pending => Some("blocks one call after another"),
                Outcome::Returned(_) if here.ended.saturating_sub(here.began) > LONG => {
                    Some("takes too long")
                }
                _ => None,
            }
        })
    };
    let mut index = 0;
    let before = test.observers.len();
    test.observers.retain(|call| {
        index += 1;
        let why = why(MainCall::Observer(index - 1));
        trimmed.observers.extend(why.map(|why| (call.clone(), why)));
        why.is_none()
    });
    // A drop that fails is a fact about the test; one that takes long is not.
    let long_drop = test.drops && why(MainCall::Drop) == Some("takes too long");
    if long_drop {
        test.drops = false;
        trimmed.drop = true;
    }
    long_drop || test.observers.len() < before
}

/// True if some call sleeps more than once: it may be looking for a change, and give up.
fn sleeps_again(record: &ExecutionRecord) -> bool {
    let mut slept = SortedSet::new();
    let sleeps = |event: &&Event| event.action == Action::Sleep && event.call.is_some();
    let mut sleeps = record.events.iter().filter(sleeps);
    sleeps.any(|event| !slept.insert((event.thread, event.call)))
}

impl PreparedTest {
    /// The test without its serial orders: nothing about its results can be judged.
    pub(super) fn unprepared(test: RunnableTest) -> Self {
        let shape = TestShape::of(&test);
        Self {
            test,
            shape,
            outcomes: SerialOutcomes::default(),
            compared: Compared::default(),
            varied: SortedSet::new(),
        }
    }

    /// Finds out which results depend on more than the order of calls; they are not compared any
    /// more. True if there are some, and it was not known before.
    pub(super) fn settle(&mut self, runner: &mut TestRunner<'_>) -> bool {
        let news = self.outcomes.settle(&self.test, runner);
        if news {
            let unstable = self.outcomes.unstable.iter().copied();
            self.compared.ignored.extend(unstable);
        }
        news
    }

    /// Puts what looks wrong by its serial orders on trial: they are run under variations as well.
    ///
    /// # Errors
    /// Why it is not wrong after all.
    pub(super) fn try_suspicion(
        &mut self,
        runner: &mut TestRunner<'_>,
        shown: &Shown,
    ) -> Result<Suspicion, &'static str> {
        let mut suspicion = shown.suspicion.clone();
        if !rests_on_serial_orders(suspicion.kind) {
            return Ok(suspicion);
        }
        let polls = sleeps_again(&shown.record);
        // Answers beside background threads take long, and are given under two clocks anyway: one is enough.
        if shown.history.background_steps {
            self.vary_all(runner);
            return match self.judge().judge(&shown.record, &shown.history, runner) {
                Verdict::Suspect(suspicion) => Ok(*suspicion),
                _ => Err(Variation::Draws.reason()),
            };
        }
        let variations = Variation::ALL.into_iter();
        for variation in variations.filter(|it| polls || *it != Variation::Sleeps) {
            self.vary(runner, variation);
            suspicion = self.judge_under(variation, shown, runner)?;
        }
        Ok(suspicion)
    }

    /// Runs the serial orders under all variations.
    pub(super) fn vary_all(&mut self, runner: &mut TestRunner<'_>) {
        for variation in Variation::ALL {
            self.vary(runner, variation);
        }
    }

    fn vary(&mut self, runner: &mut TestRunner<'_>, variation: Variation) {
        if self.varied.insert(variation) {
            vary(
                variation,
                &self.test,
                &mut self.outcomes,
                &mut self.compared,
                runner,
            );
        }
    }

    /// True if variations have shown what the serial orders alone do not.
    pub(super) fn varies(&self) -> bool {
        self.compared.is_loose() || !self.outcomes.varied.is_empty()
    }

    /// Judges by all that is known, and lets the judge's own questions be answered under this variation too: an error
    /// if nothing is wrong by one of the answers.
    fn judge_under(
        &self,
        variation: Variation,
        shown: &Shown,
        runner: &mut TestRunner<'_>,
    ) -> Result<Suspicion, &'static str> {
        let judge = self.judge();
        let mut suspicion = match judge.judge(&shown.record, &shown.history, runner) {
            Verdict::Suspect(suspicion) => suspicion,
            _ => return Err(variation.reason()),
        };
        if variation == Variation::Pasts {
            return Ok(*suspicion);
        }
        runner.set_waits(variation.waits());
        for circumstances in variation.circumstances() {
            let before = runner.set_circumstances(circumstances);
            let verdict = judge.judge(&shown.record, &shown.history, runner);
            runner.set_circumstances(before);
            match verdict {
                Verdict::Suspect(other) if suspicion.kind == other.kind => {}
                Verdict::Suspect(other) => suspicion = other,
                _ => {
                    runner.set_waits(Waits::Meet);
                    return Err(variation.reason());
                }
            }
        }
        runner.set_waits(Waits::Meet);
        Ok(*suspicion)
    }

    pub(super) fn judge(&self) -> Judge<'_> {
        Judge {
            test: &self.test,
            shape: &self.shape,
            outcomes: &self.outcomes,
            compared: &self.compared,
        }
    }

    /// True if closures of its calls panic or call the object.
    pub(super) fn has_callbacks(&self) -> bool {
        let calls = self.test.test.prefix.iter();
        let mut calls = calls.chain(self.test.test.threads.iter().flatten());
        calls.any(|call| {
            let operation = &self.test.subject.operations[usize::from(call.operation)];
            operation.contract.user_code != UserCode::Plain
        })
    }

    /// True if an object was made in this mode.
    pub(super) fn has_objects_in(&self, mode: StandInMode) -> bool {
        let constructors = self.test.subject.constructors;
        let mut objects = self.test.test.objects.iter();
        objects.any(|it| constructors[usize::from(it.constructor)].mode == mode)
    }

    /// Operation of a call.
    pub(super) fn operation(&self, call: CallName) -> Option<u16> {
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
    for name in approximate_calls(test) {
        if !pins_down(test, outcomes, name) {
            ignored.insert(name);
        }
    }
    Compared::without(ignored, strict)
}

/// Calls of lanes and observers whose results are approximate.
fn approximate_calls(test: &RunnableTest) -> Vec<CallName> {
    let is_approximate = |operation: u16| {
        let operation = &test.subject.operations[usize::from(operation)];
        operation.contract.approximate
    };
    let shape = TestShape::of(test);
    let mut names = Vec::new();
    for (lane, calls) in test.test.threads.iter().enumerate() {
        for (number, call) in calls.iter().enumerate() {
            if is_approximate(call.operation) {
                names.push(CallName::Lane(lane, number));
            }
        }
    }
    for (number, call) in test.observers.iter().enumerate() {
        if is_approximate(call.operation) {
            names.push(CallName::Main(shape.number(MainCall::Observer(number))));
        }
    }
    names
}

/// True if an approximate result at quiescence has only one right value: all serial orders agree on it, and no thread
/// calls what may change the object. Otherwise it may count operations that take effect later.
fn pins_down(test: &RunnableTest, outcomes: &SerialOutcomes, name: CallName) -> bool {
    let looks = |operation: u16| {
        let operation = &test.subject.operations[usize::from(operation)];
        operation.observer || operation.weak
    };
    let mut calls = test.test.threads.iter().flatten();
    let mut results = outcomes.runs.iter().map(|run| run.history.call(name));
    let first = results.next().flatten();
    matches!(name, CallName::Main(_))
        && calls.all(|call| looks(call.operation))
        && first.is_some_and(|first| {
            results.all(|other| other.is_some_and(|other| other.outcome == first.outcome))
        })
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
