//! Where threads wait for futures.
//!
//! An `await` is named by the place at which its future takes the waker. One that takes none has the place of the last
//! step of its poll, as far outside as the package goes; one whose poll has no steps, that of its function.

use super::judgement::Judge;
use contest_data::sorted::SortedMap;
use contest_data::test::CallName;
use contest_data::trace::{Action, ExecutionRecord, Place, ThreadIndex};

/// For each operation after which its thread waits in an `await`, the operation that ends the wait.
pub(super) fn suspended(record: &ExecutionRecord) -> SortedMap<usize, usize> {
    let mut last: SortedMap<ThreadIndex, usize> = SortedMap::new();
    let mut found = SortedMap::new();
    for (step, event) in record.events.iter().enumerate() {
        let before = last.insert(event.thread, step);
        if event.name == "await"
            && let Some(before) = before
        {
            found.insert(before, step);
        }
    }
    found
}

/// Where a call waits that has taken no waker, by the operations of its thread before `step`.
pub(super) fn location_before(
    judge: &Judge<'_>,
    record: &ExecutionRecord,
    thread: ThreadIndex,
    call: CallName,
    step: usize,
) -> String {
    let events = record.events[..step].iter().enumerate().rev();
    let poll = events
        .filter(|(_, event)| event.thread == thread)
        .take_while(|(_, event)| event.name != "await" && event.action != Action::CallBegin);
    let stacks = poll.filter_map(|(step, _)| record.stack(step));
    match stacks.filter_map(Place::outermost_in_package).next() {
        Some(frame) => frame.place().to_owned(),
        None => declared(judge, call),
    }
}

/// Where the operation of a call is declared.
fn declared(judge: &Judge<'_>, call: CallName) -> String {
    let CallName::Lane(lane, number) = call else {
        return String::new();
    };
    let test = judge.test;
    let operation = usize::from(test.test.threads[lane][number].operation);
    test.subject.operations[operation].declared.to_owned()
}
