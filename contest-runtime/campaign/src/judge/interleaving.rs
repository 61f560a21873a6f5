//! An execution as rows of a table (the model is Lincheck's report): calls, what they did in order, what they returned.

use super::awaits::{self, suspended};
use super::deadlock;
use super::event_text::EventWords;
use super::field_rows::field_rows;
use super::history::History;
use super::judgement::Judge;
use super::non_linearizable;
use super::race::location_in_code;
use super::step_facts::FactsOfSteps;
use contest_data::finding::{InterleavingStep, StepFacts};
use contest_data::sorted::SortedMap;
use contest_data::test::{CallName, MainCall};
use contest_data::trace::{
    Action, CallRecord, Deed, Ending, Event, ExecutionRecord, Outcome, PlainAccess, ThreadIndex,
    WaitsFor,
};

/// So many steps of a background thread in a row are shown.
const MOST_TICKS: usize = 200;
/// Longest loop body that is folded, in rows.
const LONGEST_LOOP: usize = 16;

/// The rows of an execution. Threads are numbered as the test has them: 0 is the main thread, then the lanes, then
/// others.
#[must_use]
pub(crate) fn interleaving(
    judge: &Judge<'_>,
    record: &ExecutionRecord,
    history: &History,
) -> Vec<InterleavingStep> {
    let mut table = Table {
        judge,
        history,
        words: EventWords::new(record),
        facts: FactsOfSteps::of(record),
        first_fault: None,
        rows: Vec::new(),
        last_row: SortedMap::new(),
        lanes_run: false,
        suspended: suspended(record),
    };
    walk(record, &mut table);
    table.add_results();
    table.add_blocked(record);
    fold(without_ticks(table.rows))
}

/// While all threads of a test wait, timers of background threads may pass many times; the first of these steps are
/// shown.
fn without_ticks(rows: Vec<InterleavingStep>) -> Vec<InterleavingStep> {
    let mut out: Vec<InterleavingStep> = Vec::with_capacity(rows.len());
    let mut left_out = 0;
    for (at, row) in rows.iter().enumerate() {
        let before = rows[..at].iter().rev();
        let steps = before.take_while(|it| it.call.is_none() && it.thread == row.thread);
        if row.call.is_none() && row.thread > 0 && steps.take(MOST_TICKS).count() == MOST_TICKS {
            left_out += 1;
            let next = rows.get(at + 1);
            if next.is_none_or(|next| next.call.is_some() || next.thread != row.thread) {
                out.push(InterleavingStep {
                    thread: row.thread,
                    event: format!("… and {left_out} steps more"),
                    ..InterleavingStep::default()
                });
                left_out = 0;
            }
        } else {
            out.push(row.clone());
        }
    }
    out
}

/// The rows of an execution as its reader sees it: a generated test, whose calls have rows of their own, or a model.
pub(super) trait Rows {
    /// A visible operation.
    fn event(&mut self, record: &ExecutionRecord, step: usize, event: &Event);
    /// An access of a field of an annotated type.
    fn field(&mut self, record: &ExecutionRecord, access: &PlainAccess, text: String);
    /// What happened after the operations before this one and is none itself: panics, accesses of a memory fault.
    fn between(&mut self, record: &ExecutionRecord, step: u32);
}

/// Brings operations, accesses of fields, and what happened between operations into one order.
pub(super) fn walk(record: &ExecutionRecord, rows: &mut impl Rows) {
    let mut fields = field_rows(record).into_iter().peekable();
    for (step, event) in record.events.iter().enumerate() {
        while let Some((access, text)) = fields.next_if(|it| it.0.step as usize <= step) {
            rows.field(record, access, text);
        }
        rows.between(record, step as u32);
        rows.event(record, step, event);
    }
    for (access, text) in fields {
        rows.field(record, access, text);
    }
    rows.between(record, record.events.len() as u32);
}

impl Rows for Table<'_> {
    fn event(&mut self, record: &ExecutionRecord, step: usize, event: &Event) {
        self.add(record, step, event);
        if let Some(&ends) = self.suspended.get(&step)
            && let Some(name) = self.name(event.thread, record.events[ends].call)
            && self.shown_inside(name)
        {
            let location = self.location(record, ends, Some(name));
            let (thread, call) = (event.thread, record.events[ends].call);
            self.push(thread, call, "await: pending".to_owned(), location, name);
        }
    }

    fn field(&mut self, record: &ExecutionRecord, access: &PlainAccess, text: String) {
        self.add_field(record, access, text);
    }

    fn between(&mut self, _: &ExecutionRecord, step: u32) {
        self.add_racing(step);
    }
}

struct Table<'a> {
    judge: &'a Judge<'a>,
    history: &'a History,
    words: EventWords<'a>,
    facts: FactsOfSteps,
    /// Number of the row of the first part of a memory fault.
    first_fault: Option<u32>,
    rows: Vec<InterleavingStep>,
    last_row: SortedMap<CallName, usize>,
    /// A lane has begun a call, and the main thread has not begun one since.
    lanes_run: bool,
    /// By the last operation before a thread waits in an `await`: the one that ends the wait.
    suspended: SortedMap<usize, usize>,
}

impl Table<'_> {
    fn name(&self, thread: ThreadIndex, call: Option<u16>) -> Option<CallName> {
        let call = usize::from(call?);
        if thread == ThreadIndex::MAIN {
            return Some(CallName::Main(call));
        }
        Some(CallName::Lane(self.history.lane(thread)?, call))
    }

    fn add(&mut self, record: &ExecutionRecord, step: usize, event: &Event) {
        if event.action == Action::CallBegin {
            // The engine puts the number of the call that begins here: the event itself is still outside of it.
            let call = event.call.or(u16::try_from(event.wrote).ok());
            self.lanes_run = event.thread != ThreadIndex::MAIN;
            if let Some(name) = self.name(event.thread, call)
                && self.shown(name)
            {
                let text = self.judge.text(name);
                self.push(event.thread, call, text, String::new(), name);
            }
            return;
        }
        if self.is_racing(event, step) {
            return;
        }
        let name = self.name(event.thread, event.call);
        if name.is_some_and(|name| !self.shown_inside(name)) {
            return;
        }
        // The main thread outside its calls is the harness; background threads matter while lanes run.
        if name.is_none() && (event.thread == ThreadIndex::MAIN || !self.lanes_run) {
            return;
        }
        let Some(text) = self.words.of(record, step) else {
            return;
        };
        let location = self.location(record, step, name);
        match name {
            Some(name) => {
                self.push(event.thread, event.call, text, location, name);
                self.attach(self.facts.at(step));
                self.note_caller(record, step);
            }
            None if self.history.lane(event.thread).is_none() => {
                let thread = self.history.number(event.thread);
                self.rows.push(InterleavingStep {
                    thread,
                    call: None,
                    event: text,
                    location,
                    result: None,
                    facts: self.facts.at(step),
                    ..InterleavingStep::default()
                });
                self.note_caller(record, step);
            }
            None => {}
        }
    }

    /// Where an event is; of one that ends an `await`, where that is.
    fn location(&self, record: &ExecutionRecord, step: usize, call: Option<CallName>) -> String {
        let event = &record.events[step];
        match (record.location(step), call) {
            (known, Some(call)) if known.is_empty() && event.name == "await" => {
                awaits::location_before(self.judge, record, event.thread, call, step)
            }
            (known, _) => known,
        }
    }

    /// True if the event is one of the accesses of the first memory fault, which has a row of its own.
    fn is_racing(&self, event: &Event, step: usize) -> bool {
        let is_plain = matches!(event.action, Action::PlainRead | Action::PlainWrite);
        is_plain
            && self.history.faults.first().is_some_and(|(fault, _)| {
                let mut deeds = fault.deeds();
                deeds.any(|(_, at)| at.thread == event.thread && at.step as usize == step + 1)
            })
    }

    /// The parts of the first memory fault that come before the operation with this number.
    fn add_racing(&mut self, step: u32) {
        let history = self.history;
        let Some((fault, calls)) = history.faults.first() else {
            return;
        };
        let both = [fault.first(), Some(fault.second())];
        for (one, call) in both.into_iter().zip(calls) {
            if let Some((deed, at)) = one
                && at.step == step
                && let Some(name) = *call
            {
                let number = match name {
                    CallName::Lane(_, number) | CallName::Main(number) => number,
                };
                let field = fault.touched().and_then(|touched| touched.field);
                let text = format!("{} of {}", deed.name(), field.unwrap_or(deed.of_what()));
                let location = match deed {
                    // In what the harness does.
                    Deed::Making => String::new(),
                    _ => location_in_code(at),
                };
                self.push(at.thread, u16::try_from(number).ok(), text, location, name);
                let facts = self.facts.fault(at.thread, step as usize, self.first_fault);
                self.first_fault.get_or_insert(facts.number);
                self.attach(Some(facts));
            }
        }
    }

    fn add_field(&mut self, record: &ExecutionRecord, access: &PlainAccess, text: String) {
        let within = |call: &&CallRecord| {
            call.thread == access.thread && (call.began..=call.ended).contains(&access.step)
        };
        let call = record.calls.iter().rev().find(within).map(|it| it.call);
        if let Some(name) = self.name(access.thread, call) {
            let location = access.place.location();
            self.push(access.thread, call, text, location, name);
        }
    }

    fn push(
        &mut self,
        thread: ThreadIndex,
        call: Option<u16>,
        event: String,
        location: String,
        name: CallName,
    ) {
        let thread = self.history.number(thread);
        self.last_row.insert(name, self.rows.len());
        self.rows.push(InterleavingStep {
            thread,
            call,
            event,
            location,
            ..InterleavingStep::default()
        });
    }

    /// Adds facts to the last row.
    fn attach(&mut self, facts: Option<StepFacts>) {
        if let Some(last) = self.rows.last_mut() {
            last.facts = facts;
        }
    }

    /// Adds the line of the package that led to the operation of the last row, if that is in a dependency.
    fn note_caller(&mut self, record: &ExecutionRecord, step: usize) {
        if let Some(last) = self.rows.last_mut() {
            last.caller = record
                .caller(step)
                .filter(|caller| *caller != last.location);
        }
    }

    /// Of the main thread's calls after the lanes, only those that say something are shown.
    fn shown(&self, name: CallName) -> bool {
        let CallName::Main(number) = name else {
            return true;
        };
        match self.judge.shape.main_call(number) {
            MainCall::Object(_) | MainCall::Prefix(_) => true,
            MainCall::Observer(_) => {
                self.shown_inside(name) || self.judge.is_informative(name, self.history)
            }
            MainCall::Drop => self.shown_inside(name),
        }
    }

    /// What the main thread does inside its calls is shown only if the call fails.
    fn shown_inside(&self, name: CallName) -> bool {
        match name {
            CallName::Lane(..) => true,
            CallName::Main(_) => self
                .history
                .call(name)
                .is_some_and(|call| !matches!(call.outcome, Outcome::Returned(_))),
        }
    }

    fn add_results(&mut self) {
        for (name, row) in self.last_row.iter() {
            let Some(call) = self.history.call(*name) else {
                continue;
            };
            let made = matches!(name, CallName::Main(number)
                if matches!(self.judge.shape.main_call(*number), MainCall::Object(_)));
            self.rows[*row].result = match &call.outcome {
                Outcome::Returned(_) if made => None,
                Outcome::Returned(Some(_)) => Some(format!(
                    "returned {}",
                    non_linearizable::outcome(&call.outcome)
                )),
                Outcome::Returned(None) => Some("returned".to_owned()),
                Outcome::Panicked(message, _) => Some(format!("panicked: {message}")),
                Outcome::Pending if matches!(self.history.ending, Ending::Exit(_)) => {
                    Some("<process ended>".to_owned())
                }
                Outcome::Pending => Some("<hung>".to_owned()),
                Outcome::Absent => None,
            };
        }
    }

    /// One row more for each thread that waits at the end.
    fn add_blocked(&mut self, record: &ExecutionRecord) {
        let (Ending::Deadlock(blocked) | Ending::Livelock(blocked)) = &record.ending else {
            return;
        };
        for thread in blocked {
            let Some(name) = self.name(thread.thread, thread.call) else {
                continue;
            };
            if let Some(row) = self.last_row.get(&name) {
                self.rows[*row].result = None;
            }
            let text = deadlock::state(self.history, thread);
            let mut location = thread.place().to_owned();
            if location.is_empty() && matches!(thread.waits_for, WaitsFor::Wake { .. }) {
                let end = record.events.len();
                location = awaits::location_before(self.judge, record, thread.thread, name, end);
            }
            self.push(thread.thread, thread.call, text, location, name);
            let facts = self.facts.blocked(&self.words, thread);
            self.attach(Some(facts));
            if let Some(last) = self.rows.last_mut() {
                last.result = Some("<hung>".to_owned());
            }
        }
    }
}

/// Shows a loop that goes round without interruption once, and how often. Loops of several threads in step with each
/// other are folded too, from the fourth round on: fewer are more likely to be the interleaving that matters.
pub(super) fn fold(rows: Vec<InterleavingStep>) -> Vec<InterleavingStep> {
    let same = |left: &InterleavingStep, right: &InterleavingStep| {
        left.thread == right.thread
            && left.call == right.call
            && left.event == right.event
            && left.location == right.location
            && left.result.is_none()
    };
    let mut out: Vec<InterleavingStep> = Vec::with_capacity(rows.len());
    let mut at = 0;
    while at < rows.len() {
        let folded = (1..=LONGEST_LOOP).find_map(|length| {
            let body = rows[at..].iter().take(length);
            let one_thread = body.clone().all(|row| row.thread == rows[at].thread);
            let again = (1..)
                .take_while(|time| {
                    let start = at + time * length;
                    start + length <= rows.len()
                        && (0..length).all(|row| same(&rows[start + row], &rows[at + row]))
                })
                .count();
            (again >= if one_thread { 2 } else { 3 }).then_some((length, again + 1))
        });
        match folded {
            Some((length, times)) => {
                out.extend_from_slice(&rows[at..at + length]);
                let first = &rows[at];
                out.push(InterleavingStep {
                    thread: first.thread,
                    call: first.call,
                    event: format!("… {times} times"),
                    location: first.location.clone(),
                    ..InterleavingStep::default()
                });
                at += length * times;
            }
            None => {
                out.push(rows[at].clone());
                at += 1;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(thread: u16, event: &str) -> InterleavingStep {
        InterleavingStep {
            thread,
            call: Some(0),
            event: event.to_owned(),
            ..InterleavingStep::default()
        }
    }

    fn texts(rows: Vec<InterleavingStep>) -> Vec<String> {
        fold(rows).into_iter().map(|row| row.event).collect()
    }

    #[test]
    fn a_loop_of_one_thread_is_shown_once() {
        let mut rows = vec![row(1, "a")];
        for _ in 0..50 {
            rows.extend([row(1, "load"), row(1, "spin")]);
        }
        rows.push(row(1, "b"));
        assert_eq!(texts(rows), ["a", "load", "spin", "… 50 times", "b"]);
    }

    #[test]
    fn a_loop_with_another_thread_in_between_and_two_rounds_are_not_folded() {
        let between = vec![row(1, "x"), row(2, "x"), row(1, "x"), row(1, "x")];
        assert_eq!(texts(between), ["x", "x", "x", "x"]);
    }

    #[test]
    fn threads_that_go_round_in_step_are_folded_together() {
        let rounds = |times| vec![[row(1, "x"), row(2, "y")]; times].concat();
        assert_eq!(texts(rounds(3)).len(), 6);
        assert_eq!(texts(rounds(9)), ["x", "y", "… 9 times"]);
    }

    #[test]
    fn the_last_row_of_a_call_is_kept() {
        let mut rows = vec![row(1, "x"); 5];
        rows[4].result = Some("returned".to_owned());
        assert_eq!(texts(rows), ["x", "… 4 times", "x"]);
    }
}
