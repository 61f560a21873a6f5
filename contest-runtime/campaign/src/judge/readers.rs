//! Calls that only read: in each serial order they leave the objects as they were.

use super::history::History;
use super::judgement::Judge;
use super::serial_outcomes::{RunSerially, SerialRun};
use contest_data::sorted::SortedSet;
use contest_data::subject::Receiver;
use contest_data::test::{CallName, StateOf, TestCall};

/// The calls of lanes each of which leaves the objects as they were, in each serial order.
pub(super) fn readers<'a>(
    judge: &Judge<'a>,
    history: &History,
    run: &mut dyn RunSerially,
) -> &'a [CallName] {
    let readers = &judge.outcomes.readers;
    readers.get_or_init(|| readers_by_measure(judge, history, run))
}

fn readers_by_measure(
    judge: &Judge<'_>,
    history: &History,
    run: &mut dyn RunSerially,
) -> Vec<CallName> {
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
    unchanged: SortedSet<CallName>,
    changed: SortedSet<CallName>,
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
