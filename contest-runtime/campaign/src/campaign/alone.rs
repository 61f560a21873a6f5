//! Calls that fail without any concurrency: reported once, as what they are.

use super::prepared_test::PreparedTest;
use super::test_runner::TestRunner;
use crate::judge::{History, RunSerially};
use contest_data::subject::FutureUse;
use contest_data::test::call_text;
use contest_data::test::{CallName, MainCall, Split};
use contest_data::totals::{Alone, FailureAlone};
use contest_data::trace::{
    BlockedThread, Ending, ExecutionRecord, Origin, Outcome, ThreadIndex, WaitsFor, origin,
};
use contest_search::explore::Waits;

/// A call that fails alone.
#[derive(Clone, Debug)]
pub(super) struct FailsAlone {
    /// `None` for a constructor.
    pub operation: Option<u16>,
    pub alone: Alone,
    /// The serial order that shows it.
    order: Vec<u8>,
    /// Which call of the test it is.
    call: CallName,
    /// It waits for a lock that its own thread holds, which no other call gives back.
    waits_for_itself: bool,
}

/// So often a wait ends spuriously before a call counts as blocked.
const SPURIOUS_WAKEUPS: u32 = 8;

impl FailsAlone {
    /// Whether it does so in fact where no other call is made: its time limits expire, and some of its waits end
    /// spuriously. A future that is not polled to its end makes no call block.
    pub(super) fn is_a_fact(&self, runner: &mut TestRunner<'_>, prepared: &PreparedTest) -> bool {
        let CallName::Lane(lane, number) = self.call else {
            return true;
        };
        if self.alone.what == FailureAlone::Panics || self.waits_for_itself {
            return true;
        }
        let mut part = prepared.test.clone();
        part.observers.clear();
        let mut own = part.test.threads.swap_remove(lane);
        own.truncate(number + 1);
        if own
            .iter()
            .any(|call| part.future_use(call) != FutureUse::Run)
        {
            return false;
        }
        let order = vec![0; own.len()];
        part.test.threads = vec![own];
        runner.set_waits(Waits::Over);
        let blocks = [0, SPURIOUS_WAKEUPS].into_iter().all(|wakeups| {
            let before = runner.set_spurious_wakeups(wakeups);
            let run = runner.run_serially(&part, &order, &Split::new());
            runner.set_spurious_wakeups(before);
            let call = run.history.call(CallName::Lane(0, number));
            call.is_some_and(|call| call.outcome == Outcome::Pending)
        });
        runner.set_waits(Waits::Meet);
        blocks
    }

    /// The same with the names of the objects that it waits for: the order is run again.
    pub(super) fn named(mut self, runner: &mut TestRunner<'_>, prepared: &PreparedTest) -> Alone {
        if self.alone.what == FailureAlone::Panics {
            return self.alone;
        }
        runner.name_objects(true);
        runner.note_callers(true);
        let split = &prepared.outcomes.split;
        let again = runner.run_serially(&prepared.test, &self.order, split);
        runner.note_callers(false);
        runner.name_objects(false);
        if let Some(own) = waiting(&again.history) {
            let place = match is_of_tool(&own.location) {
                true => last_place(runner.record(), own.thread),
                false => own.location.clone(),
            };
            self.alone.detail = at_place(&what(own, &again.history.ending), &place);
        }
        self.alone
    }
}

/// All of them in the serial runs of a test.
pub(super) fn failing_alone(prepared: &PreparedTest) -> Vec<FailsAlone> {
    let outcomes = &prepared.outcomes;
    // What else closures lead to that panic or call the object is not for the crate alone to say.
    if prepared.has_callbacks() {
        return waits_for_itself(prepared).into_iter().collect();
    }
    if let Some((call, _)) = outcomes.failing_prefix() {
        return describe(prepared, call).into_iter().collect();
    }
    outcomes
        .failing_alone()
        .into_iter()
        .filter_map(|call| describe(prepared, call))
        .collect()
}

/// A call that waits in a serial order for a lock that its own thread holds, because a closure calls the object from
/// inside.
fn waits_for_itself(prepared: &PreparedTest) -> Option<FailsAlone> {
    let mut runs = prepared.outcomes.runs.iter();
    let (run, own) = runs.find_map(|run| {
        let own = waiting(&run.history).filter(|own| own.waits_for_itself());
        Some((run, own?))
    })?;
    let subject = prepared.test.subject;
    let test = &prepared.test.test;
    let call = CallName::Lane(run.history.lane(own.thread)?, own.call?.into());
    let mut calls = call_text::prefix(subject, test);
    for (lane, number) in prepared.outcomes.calls_of(&run.order) {
        let made = test.threads.get(lane)?.get(number)?;
        calls.push(call_text::call(subject, made));
        if call == CallName::Lane(lane, number) {
            break;
        }
    }
    let alone = Alone {
        subject: subject.name.to_owned(),
        calls,
        what: FailureAlone::Blocks,
        detail: at_place(&what(own, &run.history.ending), &own.location),
    };
    Some(FailsAlone {
        operation: prepared.operation(call),
        alone,
        order: run.order.clone(),
        call,
        waits_for_itself: true,
    })
}

fn describe(prepared: &PreparedTest, call: CallName) -> Option<FailsAlone> {
    let first = match call {
        CallName::Main(_) => 0,
        CallName::Lane(lane, _) => lane as u8,
    };
    let run = prepared
        .outcomes
        .runs
        .iter()
        .find(|run| matches!(call, CallName::Main(_)) || run.order.first() == Some(&first))?;
    let history = &run.history;
    let (how, detail) = match &history.call(call)?.outcome {
        Outcome::Panicked(message, location) => {
            // A panic that came from another thread and goes on in this one has no place here.
            let first = history.first_panic.as_ref().map(|(panic, _)| panic);
            let raw = first.filter(|it| location.is_empty() || it.location == *location);
            let (message, location) = match raw {
                Some(panic) => (&panic.message, &panic.location),
                None => (message, location),
            };
            (FailureAlone::Panics, at_place(message, location))
        }
        _ => {
            let how = match history.ending {
                Ending::Livelock(_) => FailureAlone::DoesNotEnd,
                _ => FailureAlone::Blocks,
            };
            let what = match waiting(history) {
                Some(own) => at_place(&what(own, &history.ending), &own.location),
                None => "until another call lets it go on".to_owned(),
            };
            (how, what)
        }
    };
    let subject = prepared.test.subject;
    let test = &prepared.test.test;
    let mut calls = call_text::prefix(subject, test);
    match call {
        CallName::Main(number) => calls.truncate(number + 1),
        CallName::Lane(lane, number) => {
            let own = test.threads.get(lane)?.iter().take(number + 1);
            calls.extend(own.map(|made| call_text::call(subject, made)));
        }
    }
    let operation = match call {
        CallName::Main(number)
            if matches!(prepared.shape.main_call(number), MainCall::Object(_)) =>
        {
            None
        }
        call => prepared.operation(call),
    };
    let alone = Alone {
        subject: subject.name.to_owned(),
        calls,
        what: how,
        detail,
    };
    Some(FailsAlone {
        operation,
        alone,
        order: run.order.clone(),
        call,
        waits_for_itself: false,
    })
}

/// What it waits for. A thread may hold that itself, or may wait for the end of one that waits for something else.
pub(super) fn what(own: &BlockedThread, ending: &Ending) -> String {
    let text = own.text(&|it| match it == own.thread {
        true => "itself".to_owned(),
        false => it.title(),
    });
    let (Ending::Deadlock(blocked) | Ending::Livelock(blocked)) = ending else {
        return text;
    };
    let WaitsFor::End(ends) = own.waits_for else {
        return text;
    };
    match blocked.iter().find(|it| it.thread == ends) {
        Some(other) => {
            let waits = at_place(&other.text(&ThreadIndex::title), other.place());
            format!("{text}, which {waits}; the call waits")
        }
        None => text,
    }
}

/// The thread whose call waits, if the run ended with it. A serial run has one call at a time.
fn waiting(history: &History) -> Option<&BlockedThread> {
    let (Ending::Deadlock(blocked) | Ending::Livelock(blocked)) = &history.ending else {
        return None;
    };
    blocked.iter().find(|thread| thread.call.is_some())
}

/// Where in the package the thread took its last step. A wait inside a library of locks has no place of its own there.
fn last_place(record: &ExecutionRecord, thread: ThreadIndex) -> String {
    let mut callers = record.callers.iter().rev();
    let last = callers.find(|(event, _)| {
        let event = record.events.get(*event as usize);
        event.is_some_and(|event| event.thread == thread)
    });
    last.map_or_else(String::new, |(_, place)| place.location_in_package())
}

fn is_of_tool(location: &str) -> bool {
    origin("", location) == Origin::Engine
}

/// The text with its place, if there is one outside of the tool.
pub(super) fn at_place(text: &str, location: &str) -> String {
    match location {
        "" => text.to_owned(),
        location if is_of_tool(location) => text.to_owned(),
        location => format!("{text} at {location}"),
    }
}
