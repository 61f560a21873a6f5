//! What an emitted test needs: interleavings of futures that one thread can play by polling them in turns, and the
//! results that are wrong.

use super::history::History;
use super::judgement::Judge;
use super::verdict::Suspicion;
use contest_data::finding::{Compared, Turns};
use contest_data::subject::Keeping;
use contest_data::test::{CallName, MainCall};
use contest_data::trace::{
    Action, AwaitEnd, BlockedThread, Ending, ExecutionRecord, ThreadIndex, WaitsFor,
};

/// The turns of the lanes in this execution. `None` if no call returns a future, if a thread was stopped elsewhere
/// than at an `await` or between two calls, if a result is kept over further calls, if a background thread took part,
/// if a timer would end the wait (a test without virtual time does not see that), or if something took an older value
/// than the newest one, which one thread never does.
pub(crate) fn turns(
    judge: &Judge<'_>,
    record: &ExecutionRecord,
    history: &History,
) -> Option<Turns> {
    let mut calls = judge.test.test.threads.iter().flatten();
    let operations = &judge.test.subject.operations;
    if calls.any(|it| operations[usize::from(it.operation)].contract.keeping != Keeping::No) {
        return None;
    }
    let late =
        |thread: &BlockedThread| matches!(thread.waits_for, WaitsFor::Wake { timers: true, .. });
    if matches!(&record.ending, Ending::Deadlock(blocked) if blocked.iter().any(late)) {
        return None;
    }
    if record.writes.stale().next().is_some() || !record.writes.spurious.is_empty() {
        return None;
    }
    let mut lanes: Vec<u8> = Vec::new();
    let mut awaits = false;
    let mut open = None;
    // A turn begins with the first operation that others may notice, which may be later.
    let mut begun = vec![false; history.lanes.len()];
    for event in &record.events {
        let Some(lane) = history.lane(event.thread) else {
            if event.thread != ThreadIndex::MAIN && (begun.contains(&true) || !lanes.is_empty()) {
                return None;
            }
            continue;
        };
        let begins = match event.action {
            Action::Begin | Action::LaneEnd | Action::End => continue,
            Action::CallBegin => true,
            Action::CallHold => event.wrote == 0,
            Action::Await if event.read == AwaitEnd::Probed.bits() => {
                awaits = true;
                break;
            }
            Action::Await | Action::Park(_) | Action::Yield => event.name == "await",
            _ => false,
        };
        let by_waker = event.read == AwaitEnd::PolledInWake.bits();
        awaits |= event.name == "await" || event.action == Action::Await && by_waker;
        let took_none = std::mem::replace(&mut begun[lane], begins);
        if took_none {
            lanes.push(lane as u8);
            open = Some(lane);
        }
        if !begins && open != Some(lane) {
            return None;
        }
    }
    let left = (0_u8..).zip(begun).filter(|(_, begun)| *begun);
    lanes.extend(left.map(|(lane, _)| lane));
    awaits.then_some(Turns { lanes })
}

/// What shows that results are wrong, of a suspicion that says so.
pub(crate) fn compared(judge: &Judge<'_>, suspicion: &Suspicion) -> Compared {
    let mut compared = Compared::default();
    for &call in &suspicion.calls {
        match call {
            CallName::Lane(lane, number) => {
                let may_drop = judge
                    .test
                    .future_use(&judge.test.test.threads[lane][number])
                    .may_drop();
                if !may_drop {
                    compared.results.push((lane as u16, number as u16));
                }
            }
            CallName::Main(number) => {
                if let MainCall::Observer(index) = judge.shape.main_call(number) {
                    compared.observers.push(judge.test.observers[index].clone());
                }
            }
        }
    }
    compared
}
