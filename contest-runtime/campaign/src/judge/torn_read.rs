//! Results that only calls which change nothing have wrong: they saw a mixture, and what changes the object is right.
//!
//! That a call changes nothing is measured: in each serial order the state of the objects after it is the one before,
//! where both are known. They are not where a call fails, nor beside a runtime, whose threads and descriptors are no
//! memory. Then the steps of the call are looked at: it only reads if it leaves every lock and atomic as it found it,
//! and writes to no memory that was there before. Of a call for which neither is known nothing is said. Calls that give
//! back what they took, as a permit, change nothing for good either; then all memory must be as it was.
//!
//! So are results of calls on several objects that know each other, if those on each one are right beside those on the
//! first one. Without a call that gave up beside code of a caller, which has done nothing, only reads are wrong that
//! saw it at work.
//!
//! What is lost for good is no mixture: the same read, once all threads have ended, must return what it returns in that
//! order. Where the test does not make it then, it is made for this.

use super::cancelled::Effect;
use super::history::History;
use super::judgement::Judge;
use super::linearizability::{Rest, differences};
use super::non_linearizable::{details, outcome, values};
use super::readers::readers;
use super::refusal;
use super::serial_outcomes::{RunSerially, SerialRun};
use super::verdict::Suspicion;
use contest_data::finding::FindingKind;
use contest_data::sorted::{self, SortedSet};
use contest_data::subject::Receiver;
use contest_data::test::{CallName, MainCall, TestCall, TestShape};
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
    let readers = readers(judge, history, run);
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
    beside_refused(judge, history, run, readers, suspicion)
}

/// The same, where calls gave up beside the code of callers. Such a call has done nothing, but a read may have seen it
/// at work: without these calls, all results but those of reads must be right.
fn beside_refused(
    judge: &Judge<'_>,
    history: &History,
    run: &mut dyn RunSerially,
    readers: &[CallName],
    suspicion: Suspicion,
) -> Suspicion {
    for refused in refusal::refused_beside_callers_code(judge, history, run) {
        let looked = |it: &&CallName| is_read_again(judge, **it) && !refused.contains(*it);
        let mut wrong: Vec<CallName> = readers.iter().filter(looked).copied().collect();
        let mut explains = |readers: &[CallName]| {
            refusal::explains_without(judge, history, run, refused.clone(), readers)
        };
        if wrong.is_empty() || !explains(&wrong) || explains(&[]) {
            continue;
        }
        for reader in wrong.clone() {
            let others: Vec<CallName> = wrong.iter().copied().filter(|it| *it != reader).collect();
            if explains(&others) {
                wrong = others;
            }
        }
        return torn(judge, history, wrong, suspicion);
    }
    suspicion
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
    let readers = readers(judge, history, run);
    if readers.iter().all(|it| is_read_again(judge, *it)) {
        return suspicion;
    }
    let differ = |run: &SerialRun| differences(history, &run.history, judge.compared);
    let orders = judge.outcomes.all().map(|it| (differ(it), &it.order));
    let mut orders: Vec<_> = orders
        .filter(|(calls, _)| calls.iter().all(|it| readers.contains(it)))
        .collect();
    sorted::sort_by_key(&mut orders, |(calls, _)| calls.len());
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
    let others: SortedSet<(u8, u8)> = ends.filter(|(_, end)| *end > 0).collect();
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
