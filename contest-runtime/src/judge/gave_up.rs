//! A `try_` operation may give up because another call is in progress: by name and custom that is no answer about the object. The
//! results are right if they are right without it.

use super::history::{CallName, History};
use super::judgement::Judge;
use super::linearizability::{Compared, Explanation, explain};
use super::serial_outcomes::{RunSerially, SerialOutcomes};
use crate::trace::Outcome;

/// True if some `try_` operations gave up while another lane's call was in progress, and the other results are those of a serial
/// order of the other calls.
pub(super) fn explains(judge: &Judge<'_>, history: &History, run: &mut dyn RunSerially) -> bool {
    let gave_up: Vec<CallName> = history
        .lane_calls()
        .filter(|(name, call)| {
            is_failure(&call.outcome) && is_try(judge, *name) && overlaps(history, *name)
        })
        .map(|(name, _)| name)
        .collect();
    if gave_up.is_empty() {
        return false;
    }
    let mut part = judge.test.clone();
    let mut rest = history.clone();
    let mut compared = Compared::default();
    for (lane, calls) in part.test.threads.iter_mut().enumerate() {
        let kept: Vec<usize> = (0..calls.len())
            .filter(|&number| !gave_up.contains(&CallName::Lane(lane, number)))
            .collect();
        *calls = kept.iter().map(|&number| calls[number].clone()).collect();
        rest.lanes[lane] = kept
            .iter()
            .map(|&number| history.lanes[lane][number].clone())
            .collect();
        for (new, &old) in kept.iter().enumerate() {
            if judge.compared.ignored.contains(&CallName::Lane(lane, old)) {
                compared.ignored.insert(CallName::Lane(lane, new));
            }
        }
    }
    let of_main = judge
        .compared
        .ignored
        .iter()
        .filter(|name| matches!(name, CallName::Main(_)));
    compared.ignored.extend(of_main);
    let outcomes = SerialOutcomes::of(&part, run);
    compared.ignored.extend(outcomes.unstable.iter().copied());
    matches!(
        explain(&rest, &outcomes, &compared),
        Some(Explanation::Linearizable(_) | Explanation::OnlySequential(_))
    )
}

fn is_failure(outcome: &Outcome) -> bool {
    let Outcome::Returned(Some(text)) = outcome else {
        return false;
    };
    text.starts_with("None") || text.starts_with("Err(") || text.starts_with("false")
}

fn is_try(judge: &Judge<'_>, name: CallName) -> bool {
    let CallName::Lane(lane, number) = name else {
        return false;
    };
    let call = judge
        .test
        .test
        .threads
        .get(lane)
        .and_then(|calls| calls.get(number));
    let operation = call.and_then(|call| {
        judge
            .test
            .subject
            .operations
            .get(usize::from(call.operation))
    });
    operation.is_some_and(|operation| {
        let name = operation.name.split('(').next().unwrap_or_default();
        name.rsplit("::")
            .next()
            .unwrap_or_default()
            .starts_with("try_")
    })
}

fn overlaps(history: &History, name: CallName) -> bool {
    let Some(call) = history.call(name) else {
        return false;
    };
    let CallName::Lane(own, _) = name else {
        return false;
    };
    history.lane_calls().any(|(other, there)| {
        !matches!(other, CallName::Lane(lane, _) if lane == own)
            && there.began < call.ended
            && call.began < there.ended
    })
}
