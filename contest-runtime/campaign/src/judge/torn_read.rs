//! Results that only calls which change nothing have wrong: they saw a mixture, and what changes the object is right.
//!
//! That a call changes nothing is measured: in each serial order the state of the objects after it is the one before,
//! where both are known. They are not where a call fails, nor beside a runtime, whose threads and descriptors are no
//! memory. Then the steps of the call are looked at: it only reads if it leaves every lock and atomic as it found it,
//! and writes to no memory that was there before. Of a call for which neither is known nothing is said. Calls that give
//! back what they took, as a permit, change nothing for good either; then all memory must be as it was.
//!
//! So are results of calls on several objects that know each other, if those on each one are right beside those on the
//! first one.
//!
//! What is lost for good is no mixture: the same read, once all threads have ended, must return what it returns in that
//! order. Where the test does not make it then, it is made for this.

use std::collections::BTreeSet;

use super::cancelled::Effect;
use super::history::History;
use super::judgement::Judge;
use super::linearizability::{Rest, differences};
use super::non_linearizable::{details, outcome, values};
use super::refusal;
use super::serial_outcomes::{RunSerially, SerialRun};
use super::verdict::Suspicion;
use contest_data::finding::FindingKind;
use contest_data::subject::Receiver;
use contest_data::test::{CallName, MainCall, StateOf, TestCall, TestShape};
use contest_data::trace::Schedule;

/// Orders for which reads are made once more.
const ONCE_MORE: usize = 4;

/// Makes it a suspicion of torn reads, if some serial order has all results but those of calls that change nothing.
pub(super) fn about_readers(
    judge: &Judge<'_>,
    history: &History,
    run: &mut dyn RunSerially,
    suspicion: Suspicion,
) -> Suspicion {
    if !is_plain(judge, &suspicion) {
        return suspicion;
    }
    let readers = judge
        .outcomes
        .readers
        .get_or_init(|| readers(judge, history, run));
    let differ = |run: &SerialRun| differences(history, &run.history, judge.compared);
    let beside_callers = judge.outcomes.beside_callers.get().into_iter();
    let beside_callers = beside_callers.flat_map(|it| &it.runs);
    let all = judge.outcomes.all().chain(beside_callers);
    let mut by_readers: Vec<Vec<CallName>> = all.map(differ).collect();
    by_readers.retain(|calls| {
        let reads = |it: &CallName| readers.contains(it) && is_read_again(judge, *it);
        !calls.is_empty() && calls.iter().all(reads)
    });
    if let Some(nearest) = by_readers.into_iter().min_by_key(Vec::len) {
        return torn(judge, history, nearest, suspicion);
    }
    // Who gave up has done nothing, but whoever looked meanwhile saw that it was there.
    let mut again = readers.clone();
    again.retain(|it| is_read_again(judge, *it));
    let refused = refusal::refused_beside_callers_code(judge, history, run);
    again.retain(|it| !refused.contains(it));
    if refused.is_empty()
        || !refusal::explains_without(judge, history, run, refused.clone(), &again)
    {
        return suspicion;
    }
    let nearest = if again.is_empty() { refused } else { again };
    torn(judge, history, nearest, suspicion)
}

fn is_plain(judge: &Judge<'_>, suspicion: &Suspicion) -> bool {
    suspicion.kind == FindingKind::NonLinearizable
        && judge.outcomes.complete
        && !judge.outcomes.some_call_blocks()
}

/// The same, of reads that the test does not make again in the end: the execution is run once more, with these reads
/// after it, and so is each order that has all results but theirs.
pub(super) fn about_reads_once_more(
    judge: &Judge<'_>,
    schedule: &Schedule,
    history: &History,
    run: &mut dyn RunSerially,
    suspicion: Suspicion,
) -> Suspicion {
    if !is_plain(judge, &suspicion) || history.early_timeout {
        return suspicion;
    }
    let readers = judge
        .outcomes
        .readers
        .get_or_init(|| readers(judge, history, run));
    if readers.iter().all(|it| is_read_again(judge, *it)) {
        return suspicion;
    }
    let differ = |run: &SerialRun| differences(history, &run.history, judge.compared);
    let orders = judge.outcomes.all().map(|it| (differ(it), &it.order));
    let mut orders: Vec<_> = orders
        .filter(|(calls, _)| calls.iter().all(|it| readers.contains(it)))
        .collect();
    orders.sort_by_key(|(calls, _)| calls.len());
    let is_same = |(calls, order): &(Vec<CallName>, &Vec<u8>)| {
        let mut test = judge.test.clone();
        let reads = calls.iter().filter(|it| !is_read_again(judge, **it));
        let reads: Vec<TestCall> = reads.filter_map(|it| judge.made(*it).cloned()).collect();
        // The last calls may take the objects away.
        let operations = judge.test.subject.operations;
        let takes =
            |it: &TestCall| operations[usize::from(it.operation)].receiver == Receiver::Whole;
        let first = test
            .observers
            .iter()
            .position(takes)
            .unwrap_or(test.observers.len());
        let mut added = first..first + reads.len();
        test.observers.splice(first..first, reads);
        let here = run.run_again(&test, schedule)?;
        let there = run
            .run_serially(&test, order, &judge.outcomes.split)
            .history;
        let shape = TestShape::of(&test);
        let same = added.all(|number| {
            let name = CallName::Main(shape.number(MainCall::Observer(number)));
            let outcome = |of: &History| of.call(name).map(|it| it.outcome.clone());
            outcome(&here).is_some() && outcome(&here) == outcome(&there)
        });
        same.then(|| calls.clone())
    };
    match orders.iter().take(ONCE_MORE).find_map(is_same) {
        Some(nearest) => torn(judge, history, nearest, suspicion),
        None => suspicion,
    }
}

/// The suspicion as one about these reads.
fn torn(
    judge: &Judge<'_>,
    history: &History,
    nearest: Vec<CallName>,
    suspicion: Suspicion,
) -> Suspicion {
    let never = |name: &&CallName| {
        let here = history.call(**name).map(|it| outcome(&it.outcome));
        here.is_some_and(|here| !values(judge.outcomes.all(), **name).contains(&here))
    };
    let never: Vec<CallName> = nearest.iter().filter(never).copied().collect();
    let (message, wrong) = match never.is_empty() {
        true => (beside_others(judge, history, &nearest), nearest),
        false => (suspicion.message, never),
    };
    let mut details = details(judge, history, &wrong);
    details.insert(
        0,
        format!(
            "{}, which changes nothing, saw a part of what the others do; without it, all is as in some order of the calls",
            texts(judge, &wrong)
        ),
    );
    Suspicion {
        kind: FindingKind::TornRead,
        message,
        details,
        calls: wrong,
        ..suspicion
    }
}

/// Makes it a suspicion of torn reads, if a test has a first object and several others that know it, as a bus and its
/// subscribers, and the calls on each of these are right beside those on the first one. A call such as `publish` does
/// its work on one of them after another, and need not be one step.
pub(super) fn about_objects(
    judge: &Judge<'_>,
    history: &History,
    run: &mut dyn RunSerially,
    suspicion: Suspicion,
) -> Suspicion {
    if suspicion.kind != FindingKind::NonLinearizable || !judge.outcomes.complete {
        return suspicion;
    }
    let part = |name: CallName| match judge.operation(name)?.receiver {
        Receiver::End(of) => Some((judge.made(name)?.object, of.end)),
        _ => None,
    };
    let calls = history.lane_calls().chain(history.observer_calls());
    let parts: Vec<(CallName, (u8, u8))> = calls
        .filter_map(|(name, _)| Some((name, part(name)?)))
        .collect();
    let ends = parts.iter().map(|it| it.1);
    let others: BTreeSet<(u8, u8)> = ends.filter(|(_, end)| *end > 0).collect();
    // Without the calls on the rest: one of them may wait for the first object, and so fix the order.
    let is_right = |&(object, end): &(u8, u8)| {
        let mut compared = judge.compared.clone();
        let counts = |part: (u8, u8)| part == (object, end) || part == (object, 0);
        let rest = parts.iter().filter(|it| !counts(it.1));
        let rest: Vec<CallName> = rest.map(|it| it.0).collect();
        compared.ignored.extend(rest.iter().copied());
        let effect = Effect::without(rest);
        Rest::of(judge, history, &effect, &compared, run).is_explained()
    };
    let ends = others.first().zip(others.last());
    let of_one_tuple = ends.is_some_and(|(one, other)| one.0 == other.0);
    if others.len() < 2 || !of_one_tuple || !others.iter().all(is_right) {
        return suspicion;
    }
    let mut details = suspicion.details;
    details.insert(
        0,
        "each of the objects is right beside the first one: a call that changes several of them is not one step"
            .to_owned(),
    );
    Suspicion {
        kind: FindingKind::TornRead,
        details,
        ..suspicion
    }
}

/// True if the same call looks at the objects in the end, and its result counts.
fn is_read_again(judge: &Judge<'_>, call: CallName) -> bool {
    let CallName::Lane(lane, number) = call else {
        return false;
    };
    let lanes = &judge.test.test.threads;
    let made = lanes.get(lane).and_then(|calls| calls.get(number));
    let mut observers = judge.test.observers.iter().enumerate();
    observers.any(|(number, observer)| {
        let name = CallName::Main(judge.shape.number(MainCall::Observer(number)));
        Some(observer) == made && !judge.compared.ignored.contains(&name)
    })
}

fn texts(judge: &Judge<'_>, calls: &[CallName]) -> String {
    let texts: Vec<String> = calls.iter().map(|&call| judge.text(call)).collect();
    texts.join(" and ")
}

/// Each result is possible, but not beside what the others return.
fn beside_others(judge: &Judge<'_>, history: &History, calls: &[CallName]) -> String {
    let here = calls.iter().filter_map(|&call| history.call(call));
    let here: Vec<String> = here.map(|it| outcome(&it.outcome)).collect();
    format!(
        "{} returned {}, which no order of the calls explains beside the results of the others",
        texts(judge, calls),
        here.join(" and ")
    )
}

/// The calls of lanes each of which leaves the objects as they were, in each serial order.
fn readers(judge: &Judge<'_>, history: &History, run: &mut dyn RunSerially) -> Vec<CallName> {
    let names = history.lane_calls().map(|(name, _)| name);
    let may_be = |name: &CallName| {
        let operation = judge.operation(*name);
        operation.is_some_and(|it| it.receiver != Receiver::Exclusive)
    };
    let names: Vec<CallName> = names.filter(may_be).collect();
    // What a background thread changes is not the call's.
    let known = (!history.background_steps).then(|| by_states(judge, run, &names, StateOf::Object));
    let mut known = known.unwrap_or_default();
    if known.readers().len() == history.lane_calls().count() {
        // Nothing changes the objects for good: what is wrong may be what a first use sets up elsewhere.
        known = by_states(judge, run, &names, StateOf::Memory);
    }
    let mut unknown = names;
    unknown.retain(|it| !known.unchanged.contains(it) && !known.changed.contains(it));
    let mut readers = known.readers();
    readers.extend(by_steps(judge, run, &unknown).readers());
    readers
}

/// Calls that left the objects as they were in some serial order, and calls that did not in some.
#[derive(Default)]
struct Measured {
    unchanged: BTreeSet<CallName>,
    changed: BTreeSet<CallName>,
}

impl Measured {
    fn add(&mut self, call: CallName, is_unchanged: Option<bool>) {
        match is_unchanged {
            Some(true) => _ = self.unchanged.insert(call),
            Some(false) => _ = self.changed.insert(call),
            None => {}
        }
    }

    fn readers(&self) -> Vec<CallName> {
        self.unchanged.difference(&self.changed).copied().collect()
    }
}

/// By the state of the objects before and after these calls.
fn by_states(
    judge: &Judge<'_>,
    run: &mut dyn RunSerially,
    names: &[CallName],
    of: StateOf,
) -> Measured {
    let mut measured = Measured::default();
    for serial in &judge.outcomes.runs {
        let (mut before, mut state) = (Vec::new(), None);
        for (name, call) in calls_of(judge, serial) {
            let mut after: Vec<TestCall> = before.clone();
            after.push(call);
            let was = state.take();
            if names.contains(&name) && !measured.changed.contains(&name) {
                let was = was.or_else(|| run.state_after(judge.test, &before, of));
                let is = was.and_then(|_| run.state_after(judge.test, &after, of));
                measured.add(name, is.map(|_| is == was));
                state = is;
            }
            before = after;
        }
    }
    measured
}

/// By the steps of these calls: beside a runtime, or with a file, the state of the objects is not known.
fn by_steps(judge: &Judge<'_>, run: &mut dyn RunSerially, names: &[CallName]) -> Measured {
    let mut measured = Measured::default();
    for serial in &judge.outcomes.runs {
        let mut calls: Vec<TestCall> = Vec::new();
        for (name, call) in calls_of(judge, serial) {
            calls.push(call);
            if names.contains(&name) && !measured.changed.contains(&name) {
                measured.add(name, run.only_reads(judge.test, &calls));
            }
        }
    }
    measured
}

/// The calls of a serial order.
fn calls_of(judge: &Judge<'_>, serial: &SerialRun) -> Vec<(CallName, TestCall)> {
    let threads = &judge.test.test.threads;
    let calls = judge.outcomes.calls_of(&serial.order).into_iter();
    let call = |(lane, number): (usize, usize)| {
        let call = threads.get(lane)?.get(number)?.clone();
        Some((CallName::Lane(lane, number), call))
    };
    calls.filter_map(call).collect()
}
