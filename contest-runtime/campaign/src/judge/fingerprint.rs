//! What distinguishes two findings of one bug from two bugs.

use super::history::History;
use super::judgement::Judge;
use super::verdict::Suspicion;
use contest_data::finding::FindingKind;
use contest_data::sorted::SortedSet;
use contest_data::subject::FutureUse;
use contest_data::test::CallName;
use contest_data::trace::{
    Action, BlockedThread, Ending, Event, ExecutionRecord, Outcome, ThreadIndex,
};

/// A place inside a call at which its thread was stopped and another one went on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Switch {
    /// Name of the operation.
    pub operation: String,
    /// Where it had come.
    pub location: String,
    /// The line of the package that led there, if that is in a dependency and call stacks were noted.
    pub line: Option<String>,
}

/// Places inside calls of lanes at which another lane went on, in order, each once.
#[must_use]
pub(crate) fn switches(
    judge: &Judge<'_>,
    record: &ExecutionRecord,
    history: &History,
) -> Vec<Switch> {
    let mut found: Vec<Switch> = Vec::new();
    let in_call = |event: &Event| -> Option<CallName> {
        Some(CallName::Lane(
            history.lane(event.thread)?,
            usize::from(event.call?),
        ))
    };
    for (index, pair) in record.events.windows(2).enumerate() {
        let [before, after] = pair else { continue };
        if before.thread == after.thread || after.thread == ThreadIndex::MAIN {
            continue;
        }
        let Some(call) = in_call(before) else {
            continue;
        };
        let goes_on = record.events[index + 1..]
            .iter()
            .any(|event| in_call(event) == Some(call));
        let hangs = history.pending().any(|pending| pending == call);
        if !goes_on && !hangs {
            continue;
        }
        let before = &record.events[..=index];
        let Some(last) = before.iter().rposition(|event| {
            in_call(event) == Some(call)
                && !matches!(event.action, Action::CallBegin | Action::CallHold)
        }) else {
            // The call had only begun.
            continue;
        };
        let switch = Switch {
            operation: operation(judge, call),
            location: record.location(last),
            line: record.caller(last),
        };
        if !found.contains(&switch) {
            found.push(switch);
        }
    }
    found
}

/// Kind, type, and what is most likely at fault: where it panicked; where the locks were taken that are waited for, or
/// where it waits; for results, the operation that was stopped half-way.
#[must_use]
pub(crate) fn fingerprint(
    judge: &Judge<'_>,
    suspicion: &Suspicion,
    record: &ExecutionRecord,
    history: &History,
) -> String {
    let path = judge.test.subject.bug_path();
    let parts: SortedSet<String> = match &record.ending {
        Ending::Deadlock(blocked) if suspicion.kind == FindingKind::Deadlock => blocked
            .iter()
            .filter(|thread| thread.call.is_some())
            .map(fault)
            .collect(),
        _ if suspicion.kind == FindingKind::NonLinearizable => {
            // With the fewest preemptions, the first switch is one.
            match switches(judge, record, history).into_iter().next() {
                Some(switch) => SortedSet::from([switch.operation]),
                None => suspicion
                    .calls
                    .iter()
                    .map(|&call| operation(judge, call))
                    .collect(),
            }
        }
        // Which thread is interrupted does not matter: the reader has to be mended, or a mixture is good enough for it.
        _ if suspicion.kind == FindingKind::TornRead => {
            let calls = suspicion.calls.iter();
            calls.map(|&call| operation(judge, call)).collect()
        }
        _ if suspicion.kind == FindingKind::LostWakeup => {
            let waits = suspicion.locations.iter().cloned();
            waits.chain(silent(judge, suspicion, history)).collect()
        }
        _ => suspicion.locations.iter().cloned().collect(),
    };
    let parts: Vec<String> = parts.into_iter().collect();
    format!("{}|{path}|{}", suspicion.kind, parts.join("|"))
}

/// The operation that should have woken a future which is simply run: that of the call that ended last. Each operation
/// that forgets to is a bug of its own. Where a future is dropped or polled once more, that is the bug.
fn silent(judge: &Judge<'_>, suspicion: &Suspicion, history: &History) -> Option<String> {
    let is_run = |&call: &CallName| match call {
        CallName::Lane(lane, number) => {
            let made = judge.test.test.threads.get(lane)?.get(number)?;
            Some(judge.test.future_use(made) == FutureUse::Run)
        }
        CallName::Main(_) => None,
    };
    if !suspicion
        .calls
        .iter()
        .all(|call| is_run(call) == Some(true))
    {
        return None;
    }
    let returned = history
        .lane_calls()
        .filter(|(_, call)| matches!(call.outcome, Outcome::Returned(_)));
    let (last, _) = returned.max_by_key(|(_, call)| call.ended)?;
    Some(operation(judge, last))
}

/// Where the lock that the thread waits for was taken, if it waits for one, else where it waits.
fn fault(thread: &BlockedThread) -> String {
    let taken = thread.waits_for.lock().and_then(|lock| lock.since);
    taken.map_or_else(|| thread.location.clone(), ToString::to_string)
}

/// Name of the operation a call is of.
fn operation(judge: &Judge<'_>, call: CallName) -> String {
    let made = match call {
        CallName::Lane(lane, number) => judge
            .test
            .test
            .threads
            .get(lane)
            .and_then(|calls| calls.get(number)),
        CallName::Main(_) => None,
    };
    made.and_then(|made| {
        judge
            .test
            .subject
            .operations
            .get(usize::from(made.operation))
    })
    .map_or_else(|| judge.text(call), |operation| operation.name.to_owned())
}
