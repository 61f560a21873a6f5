//! A panic that no serial order shows. Only the first one counts: what comes after it may be its consequence.

use super::cancelled::effects;
use super::history::History;
use super::judgement::Judge;
use super::linearizability::Rest;
use super::serial_outcomes::{RunSerially, SerialOutcomes};
use super::verdict::{Suspicion, Verdict};
use contest_data::finding::FindingKind;
use contest_data::subject::Contract;
use contest_data::test::{CallName, Split};
use contest_data::trace::{Outcome, Panic};

/// Judges the first panic of an execution.
pub(super) fn judge(
    judge: &Judge<'_>,
    history: &History,
    panic: &Panic,
    call: Option<CallName>,
    run: &mut dyn RunSerially,
) -> Verdict {
    if call.is_some_and(|call| judge.outcomes.unstable.contains(&call)) {
        return Verdict::Unjudged("a call that differs from run to run");
    }
    let contract = call.map_or(Contract::NONE, |call| judge.contract(call));
    if contract.may_panic {
        return Verdict::Excused("may panic, says its annotation");
    }
    if shown_serially(judge.outcomes, call, panic)
        || shown_without_cancelled(judge, history, call, panic, run)
    {
        return Verdict::Excused("panics in a serial order too");
    }
    if let Some(CallName::Lane(lane, number)) = call
        && panics_alone(judge, panic, (lane, number), run)
    {
        return Verdict::Excused("panics alone too, in another state of the object");
    }
    let announced = announced(judge, contract, panic);
    if announced.is_some() && !judge.compared.strict {
        return Verdict::Excused("documentation announces this panic (--strict reports it)");
    }
    let message = match call {
        Some(call) => format!("{} panics: {}", judge.text(call), panic.message),
        None => format!(
            "{} panics: {}",
            super::deadlock::thread_name(history, panic.thread, ""),
            panic.message
        ),
    };
    let mut details = vec![format!(
        "panicked at {}; in none of the {} serial orders of the calls does it",
        panic.location,
        judge.outcomes.runs.len()
    )];
    details.extend(announced.map(|it| format!("documentation announces it: \"{it}\"")));
    Verdict::Suspect(Box::new(Suspicion {
        kind: if contract.invariant {
            FindingKind::Invariant
        } else {
            FindingKind::Panic
        },
        rests_on_order: false,
        only_reads: false,
        message,
        details,
        locations: vec![panic.location.clone()],
        calls: call.into_iter().collect(),
    }))
}

/// True if the call, or a thread of the object, panics at this place in some serial order.
fn shown_serially(outcomes: &SerialOutcomes, call: Option<CallName>, panic: &Panic) -> bool {
    outcomes.all().any(|run| match call {
        // Where the call had to wait for a later one it did not run alone: such a run is no linearization.
        Some(call) => run.history.call(call).is_some_and(|there| {
            !(run.overlapped && there.blocked)
                && matches!(&there.outcome, Outcome::Panicked(_, at) if *at == panic.location)
        }),
        None => run.panics.contains(&panic.location),
    })
}

/// The same without some of the calls that were cancelled. Serial orders run these to their end, and the lane may
/// panic there before it comes to the call.
fn shown_without_cancelled(
    judge: &Judge<'_>,
    history: &History,
    call: Option<CallName>,
    panic: &Panic,
    run: &mut dyn RunSerially,
) -> bool {
    effects(judge, history).iter().any(|effect| {
        let without = &effect.without;
        let call = call.map(|call| match call {
            CallName::Lane(lane, number) => {
                let before = (0..number).filter(|&it| without.contains(&CallName::Lane(lane, it)));
                CallName::Lane(lane, number - before.count())
            }
            main @ CallName::Main(_) => main,
        });
        !effect.is_none() && {
            let rest = Rest::of(judge, history, effect, judge.compared, run);
            shown_serially(&rest.outcomes, call, panic)
        }
    })
}

/// The sentence that announces this panic: of the documentation of the call, or, where it says so with the same word,
/// of another operation of the type, which the call makes inside.
fn announced(judge: &Judge<'_>, contract: Contract, panic: &Panic) -> Option<&'static str> {
    const SAME: &str = "borrow";
    if !contract.announced_panic.is_empty() {
        return Some(contract.announced_panic);
    }
    let operations = judge.test.subject.operations.iter();
    let mut others = operations.map(|it| it.contract.announced_panic);
    let sentence = others.find(|it| it.contains(SAME))?;
    panic.message.contains(SAME).then_some(sentence)
}

/// True if the call panics at the same place when it is the only one: it does so by contract, in a state of the object
/// that the other calls happened to leave.
fn panics_alone(
    judge: &Judge<'_>,
    panic: &Panic,
    (lane, number): (usize, usize),
    run: &mut dyn RunSerially,
) -> bool {
    let mut part = judge.test.clone();
    part.observers.clear();
    let Some(call) = part
        .test
        .threads
        .get(lane)
        .and_then(|calls| calls.get(number))
    else {
        return false;
    };
    part.test.threads = vec![vec![call.clone()]];
    let alone = run.run_serially(&part, &[0], &Split::new()).history;
    alone.call(CallName::Lane(0, 0)).is_some_and(
        |there| matches!(&there.outcome, Outcome::Panicked(_, at) if *at == panic.location),
    )
}
