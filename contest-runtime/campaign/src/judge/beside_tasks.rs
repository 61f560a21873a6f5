//! Results of calls that a background thread takes part in, such as the runtime that runs an object's tasks.
//!
//! What a call returns then depends on how far the tasks have come, so an order of the calls alone does not say what is
//! right. Two ways out:
//!
//! - Where the background thread was at rest whenever a call took a step, the object with its tasks is one that reacts
//!   at once, as an object without tasks does. Its calls one after another, with the background thread at rest in the
//!   same way, say what is right.
//! - Otherwise right is what the calls show if one thread makes them one after another, in some order, while the
//!   background thread runs beside it in any interleaving. All of these are explored.
//!
//! Where that does not come to an end, or depends on more than the interleaving, nothing is said.

use super::history::{BesideCalls, History, Observed};
use super::judgement::Judge;
use super::linearizability::{Explanation, explain};
use super::serial_outcomes::{Interleavings, RunSerially, SerialOutcomes, SerialRun};
use contest_data::circumstances::Circumstances;
use contest_data::subject::FutureUse;
use contest_data::test::{CallName, RunnableTest};
use contest_data::trace::{Ending, Outcome};

const ON_TIME: &str = "results depend on time or random numbers beside background threads";

/// What is known of results beside tasks.
pub(super) enum BesideTasks {
    /// Some order of the calls explains them.
    Explained,
    /// None does; these are all serial outcomes.
    Unexplained(Box<SerialOutcomes>),
    /// It cannot be known: the reason.
    Unknown(&'static str),
}

/// Explains the results of a history in which a background thread ran.
pub(super) fn explain_beside_tasks(
    judge: &Judge<'_>,
    history: &History,
    run: &mut dyn RunSerially,
) -> BesideTasks {
    use BesideTasks::{Explained, Unexplained, Unknown};
    if let Some(reason) = unfit(judge, history) {
        return Unknown(reason);
    }
    let mut outcomes = judge.outcomes.clone();
    let explained = |outcomes: &SerialOutcomes| {
        let explanation = explain(history, outcomes, judge.compared);
        explanation.is_some_and(|it| !matches!(it, Explanation::None(_)))
    };
    // What is right is mostly shown by few of the interleavings.
    for serial in &judge.outcomes.runs {
        let some = in_one_thread(judge.test, &serial.order, Interleavings::Some, run);
        outcomes.runs.extend(some.runs);
        if explained(&outcomes) {
            return Explained;
        }
    }
    if history.background_rested {
        return explain_at_rest(judge, outcomes, &explained, run);
    }
    let (usual, cut) = in_all_orders(judge, run);
    outcomes.runs.extend(usual.iter().cloned());
    if explained(&outcomes) {
        return Explained;
    }
    if let Some(reason) = cut {
        return Unknown(reason);
    }
    // Time and random numbers are others there: if they matter, not all right results are known.
    let before = fast_clock(run);
    let (fast, cut) = in_all_orders(judge, run);
    run.set_circumstances(before);
    let is_among = |one: &SerialRun, others: &[SerialRun]| {
        let mut others = others.iter();
        others.any(|other| same_results(judge, &one.history, &other.history))
    };
    let differ = fast.iter().any(|one| !is_among(one, &usual));
    if cut.is_some() || differ || usual.iter().any(|one| !is_among(one, &fast)) {
        return Unknown(ON_TIME);
    }
    Unexplained(Box::new(outcomes))
}

/// Explains the results of a history in which the background thread was at rest at each step of a call.
fn explain_at_rest(
    judge: &Judge<'_>,
    mut outcomes: SerialOutcomes,
    explained: &dyn Fn(&SerialOutcomes) -> bool,
    run: &mut dyn RunSerially,
) -> BesideTasks {
    run.set_background_first(true);
    let mut differs = false;
    for serial in &judge.outcomes.runs {
        let usual = run.run_serially(judge.test, &serial.order, &judge.outcomes.split);
        let before = fast_clock(run);
        let fast = run.run_serially(judge.test, &serial.order, &judge.outcomes.split);
        run.set_circumstances(before);
        differs |=
            !same_results(judge, &usual.history, &fast.history) || !all_returned(&usual.history);
        outcomes.runs.push(usual);
    }
    run.set_background_first(false);
    if explained(&outcomes) {
        return BesideTasks::Explained;
    }
    if differs {
        return BesideTasks::Unknown(ON_TIME);
    }
    BesideTasks::Unexplained(Box::new(outcomes))
}

/// What all orders of the calls show beside the background thread, and why that is not all, if so.
fn in_all_orders(
    judge: &Judge<'_>,
    run: &mut dyn RunSerially,
) -> (Vec<SerialRun>, Option<&'static str>) {
    let (mut all, mut cut) = (Vec::new(), None);
    for serial in &judge.outcomes.runs {
        let beside = in_one_thread(judge.test, &serial.order, Interleavings::All, run);
        let same = |one: &SerialRun| same_results(judge, &one.history, &serial.history);
        cut = cut.or(beside.cut);
        if !beside.runs.iter().any(same) {
            cut = cut.or(Some("results depend on which thread makes a call"));
        }
        all.extend(beside.runs);
        if cut.is_some() {
            break;
        }
    }
    (all, cut)
}

/// From here on time passes many times faster; returns what was before.
fn fast_clock(run: &mut dyn RunSerially) -> Circumstances {
    let before = run.set_circumstances(Circumstances::USUAL);
    run.set_circumstances(before.with_fast_clock());
    before
}

/// Why nothing is said of this history, if so.
fn unfit(judge: &Judge<'_>, history: &History) -> Option<&'static str> {
    let calls = || judge.test.test.threads.iter().flatten();
    let disturbed = calls().any(|call| judge.test.future_use(call) != FutureUse::Run);
    if history.background_threads != 1 {
        return Some("results depend on several background threads");
    }
    if disturbed {
        return Some("results of disturbed futures depend on background threads");
    }
    if history.time_passed {
        return Some("results depend on time beside background threads");
    }
    if BesideCalls::is_unsettled(history.settling) {
        return Some("background threads do not come to rest");
    }
    if !judge.outcomes.split.is_empty() {
        return Some("results of calls that hold something depend on background threads");
    }
    let serial = || judge.outcomes.runs.iter();
    if judge.outcomes.some_call_blocks()
        || !all_returned(history)
        || !serial().all(|run| all_returned(&run.history))
    {
        return Some("results of calls that wait for each other, beside background threads");
    }
    None
}

fn all_returned(history: &History) -> bool {
    let mut calls = history.lane_calls().chain(history.observer_calls());
    calls.all(|(_, call)| matches!(call.outcome, Outcome::Returned(_)))
}

/// What one order of the calls shows beside the background thread.
struct Beside {
    runs: Vec<SerialRun>,
    /// Why these are not all, or not comparable.
    cut: Option<&'static str>,
}

/// Runs the calls in this order in one thread, beside the background thread.
fn in_one_thread(
    test: &RunnableTest,
    order: &[u8],
    interleavings: Interleavings,
    run: &mut dyn RunSerially,
) -> Beside {
    let mut one = test.clone();
    let mut names = Vec::with_capacity(order.len());
    let mut begun = vec![0; test.test.threads.len()];
    one.test.threads = vec![Vec::with_capacity(order.len())];
    for &lane in order {
        let lane = usize::from(lane);
        let Some(call) = test.test.threads[lane].get(begun[lane]) else {
            continue;
        };
        one.test.threads[0].push(call.clone());
        names.push(CallName::Lane(lane, begun[lane]));
        begun[lane] += 1;
    }
    let mut beside = Beside {
        runs: Vec::new(),
        cut: None,
    };
    let complete = run.run_beside_tasks(&one, interleavings, &mut |history| {
        if !matches!(history.ending, Ending::Finished)
            || history.first_panic.is_some()
            || history.pending().next().is_some()
        {
            beside.cut = Some("a call does not return in some order, beside background threads");
        }
        if history.time_passed || BesideCalls::is_unsettled(history.settling) {
            beside.cut = Some("results depend on time beside background threads");
        }
        let history = in_lanes(test, &names, history);
        let known = |run: &SerialRun| same_outcomes(&run.history, &history);
        if !beside.runs.iter().any(known) {
            beside.runs.push(SerialRun {
                order: order.to_vec(),
                history,
                overlapped: false,
                panics: Vec::new(),
            });
        }
    });
    if !complete {
        beside.cut = Some("too many interleavings with background threads to judge results");
    }
    beside
}

/// The history of the calls as those of their own threads.
fn in_lanes(test: &RunnableTest, names: &[CallName], mut history: History) -> History {
    let made = std::mem::take(&mut history.lanes);
    let lanes = test.test.threads.iter();
    let mut lanes: Vec<Vec<Option<Observed>>> = lanes.map(|it| vec![None; it.len()]).collect();
    for (name, call) in names.iter().zip(made.into_iter().flatten()) {
        if let CallName::Lane(lane, number) = *name {
            lanes[lane][number] = Some(call);
        }
    }
    let lanes = lanes.into_iter();
    history.lanes = lanes.map(|it| it.into_iter().flatten().collect()).collect();
    history
}

/// True if all calls came back with the same, to the letter.
fn same_outcomes(left: &History, right: &History) -> bool {
    let outcomes = |history: &History| -> Vec<Outcome> {
        let calls = history.lane_calls().chain(history.observer_calls());
        calls.map(|(_, call)| call.outcome.clone()).collect()
    };
    outcomes(left) == outcomes(right)
}

/// True if all results are the same that are compared.
fn same_results(judge: &Judge<'_>, left: &History, right: &History) -> bool {
    super::linearizability::differences(left, right, judge.compared).is_empty()
}
