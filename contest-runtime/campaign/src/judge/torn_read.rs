//! Results that only calls which change nothing have wrong: they saw a mixture, and what changes the object is right.
//!
//! That a call changes nothing is measured: the serial orders with it and without it show the same, in what the other
//! calls return and in what is seen of the object afterwards.

use super::cancelled::Effect;
use super::history::History;
use super::judgement::Judge;
use super::linearizability::{Rest, differences};
use super::non_linearizable::{details, outcome, values};
use super::serial_outcomes::{RunSerially, SerialOutcomes, SerialRun};
use super::verdict::Suspicion;
use contest_data::finding::FindingKind;
use contest_data::subject::Receiver;
use contest_data::test::CallName;
use contest_data::trace::Outcome;

/// Makes it a suspicion of torn reads, if all others are explained without the calls that change nothing.
pub(super) fn about_readers(
    judge: &Judge<'_>,
    history: &History,
    run: &mut dyn RunSerially,
    suspicion: Suspicion,
) -> Suspicion {
    let is_plain = suspicion.kind == FindingKind::NonLinearizable
        && !history.background_steps
        && !judge.outcomes.some_call_blocks()
        && judge.outcomes.complete
        && judge.outcomes.runs.len() > 1
        && !judge.test.observers.is_empty();
    if !is_plain {
        return suspicion;
    }
    let readers = readers(judge, history, run);
    // Where nothing changes the object, what is wrong is what a first use sets up.
    if readers.is_empty() || readers.len() == history.lane_calls().count() {
        return suspicion;
    }
    let rest = without(judge, history, &readers, run);
    if !changes_nothing(judge.outcomes, &readers, &rest.outcomes) || !rest.is_explained() {
        return suspicion;
    }
    let wrong = wrong(judge, history, &readers);
    let texts: Vec<String> = wrong.iter().map(|&call| judge.text(call)).collect();
    let mut details = details(judge, history, &wrong);
    details.insert(
        0,
        format!(
            "{}, which changes nothing, saw a part of what the others do; without it, all is as in some order of the calls",
            texts.join(" and ")
        ),
    );
    Suspicion {
        kind: FindingKind::TornRead,
        details,
        calls: wrong,
        ..suspicion
    }
}

/// The calls of lanes each of which changes nothing.
fn readers(judge: &Judge<'_>, history: &History, run: &mut dyn RunSerially) -> Vec<CallName> {
    let calls: Vec<CallName> = history.lane_calls().map(|(name, _)| name).collect();
    let may_be = |name: &CallName| {
        let operation = judge.operation(*name);
        operation.is_some_and(|it| it.receiver != Receiver::Exclusive)
    };
    let mut readers = Vec::new();
    for name in calls.into_iter().filter(may_be) {
        let rest = without(judge, history, &[name], run);
        if changes_nothing(judge.outcomes, &[name], &rest.outcomes) {
            readers.push(name);
        }
    }
    readers
}

fn without(
    judge: &Judge<'_>,
    history: &History,
    calls: &[CallName],
    run: &mut dyn RunSerially,
) -> Rest {
    let effect = Effect::without(calls.to_vec());
    Rest::of(judge, history, &effect, judge.compared, run)
}

/// True if each order with these calls shows what the same order without them shows.
fn changes_nothing(whole: &SerialOutcomes, calls: &[CallName], rest: &SerialOutcomes) -> bool {
    let effect = Effect::without(calls.to_vec());
    whole.runs.iter().all(|with| {
        let order: Vec<(usize, usize)> = whole
            .calls_of(&with.order)
            .into_iter()
            .filter(|(lane, number)| !calls.contains(&CallName::Lane(*lane, *number)))
            .map(
                |(lane, number)| match effect.moved(CallName::Lane(lane, number)) {
                    CallName::Lane(lane, number) => (lane, number),
                    CallName::Main(_) => (lane, number),
                },
            )
            .collect();
        let mut runs = rest.runs.iter();
        let same = runs.find(|run| rest.calls_of(&run.order) == order);
        same.is_some_and(|run| shows_the_same(with, calls, &effect, run, whole))
    })
}

fn shows_the_same(
    with: &SerialRun,
    calls: &[CallName],
    effect: &Effect,
    without: &SerialRun,
    whole: &SerialOutcomes,
) -> bool {
    let others = with
        .history
        .lane_calls()
        .chain(with.history.observer_calls());
    let mut others = others.filter(|(name, _)| !calls.contains(name));
    others.all(|(name, call)| {
        // What differs by itself says nothing.
        let varies = whole.unstable.contains(&name);
        let there = without.history.call(effect.moved(name));
        let ended = matches!(call.outcome, Outcome::Returned(_));
        ended && there.is_some_and(|there| varies || there.outcome == call.outcome)
    })
}

/// Of these calls those with a result that no order gives them; if each result is possible, those that differ from the
/// nearest order.
fn wrong(judge: &Judge<'_>, history: &History, readers: &[CallName]) -> Vec<CallName> {
    let runs = || judge.outcomes.all();
    let never = |name: &&CallName| {
        let here = history.call(**name).map(|it| outcome(&it.outcome));
        here.is_some_and(|here| !values(runs(), **name).contains(&here))
    };
    let never: Vec<CallName> = readers.iter().filter(never).copied().collect();
    if !never.is_empty() {
        return never;
    }
    let differ = |run: &SerialRun| differences(history, &run.history, judge.compared);
    let mut nearest = runs().map(differ).collect::<Vec<_>>();
    nearest.retain(|calls| calls.iter().all(|it| readers.contains(it)));
    nearest.sort_by_key(Vec::len);
    nearest
        .into_iter()
        .next()
        .filter(|calls| !calls.is_empty())
        .unwrap_or_else(|| readers.to_vec())
}
