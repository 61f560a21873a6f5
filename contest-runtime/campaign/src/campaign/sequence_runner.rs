//! Runs sequences of calls in one thread for the generators, and says what each showed.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::Location;

use super::alone::{at_place, what};
use super::failing_calls::FailingCalls;
use super::left_behind::only_in_memory;
use super::lock_orders::lock_orders;
use super::test_runner::TestRunner;
use super::text_form::TextForm;
use crate::generate::RunCalls;
use crate::generate::TraceTable;
use crate::generate::in_order;
use crate::generate::{SequenceAccess, SequenceRun};
use contest_data::decision::Strategy as _;
use contest_data::settings::{Activity, Avoid, Listener};
use contest_data::test::{
    ConcurrentTest, MainCall, RunnableTest, Split, StateOf, TestCall, TestObject, TestShape,
    call_text,
};
use contest_data::totals::{Alone, FailureAlone, Reasons};
use contest_search::coverage::{Contents, access_of};
use contest_search::explore::Serial;

use contest_data::subject::{Subject, UserCode};
use contest_data::trace::{
    Action, BlockedThread, CallRecord, Ending, ExecutionRecord, Outcome, Place, ThreadIndex,
};

/// Of a sequence, so many calls at its end are looked at for what they access, ...
const CALLS_LOOKED_AT: usize = 3;
/// ... and so many for the fields that they access: looking up fields takes longer.
const CALLS_WITH_FIELDS: usize = 2;

/// The engine, and the traces of the subject so far.
pub(super) struct SequenceRunner<'a, 'i> {
    pub runner: &'a mut TestRunner<'i>,
    pub listener: &'a mut dyn Listener,
    pub subject: &'static Subject,
    pub index: u16,
    /// Number of the test that is looked for.
    pub number: u64,
    pub avoid: &'a [Avoid],
    pub failing: &'a mut FailingCalls,
    pub traces: &'a mut TraceTable,
    /// How the states of objects were distinguished, or why they were not.
    pub states: &'a mut Reasons,
    /// The form of all texts.
    pub text_form: TextForm,
}

impl RunCalls for SequenceRunner<'_, '_> {
    fn run_calls(&mut self, object: &TestObject, calls: &[TestCall]) -> SequenceRun {
        self.runner.in_sequence = true;
        let run = self.run_in_one_thread(object, calls);
        self.runner.in_sequence = false;
        run
    }
}

impl SequenceRunner<'_, '_> {
    /// Should the process die of this sequence, the tool knows of what. False if it is known to.
    pub(super) fn announce(&mut self, sequence: &ConcurrentTest) -> bool {
        let is_known = self.avoid.iter().any(|avoid| avoid.concerns(sequence));
        if !is_known {
            self.listener.sequence(self.number, sequence);
            self.listener.activity(Activity::Serial);
        }
        !is_known
    }

    fn run_in_one_thread(&mut self, object: &TestObject, calls: &[TestCall]) -> SequenceRun {
        if !in_order(self.subject, calls) || self.failing.is_never_made(object) {
            return SequenceRun::FAILED;
        }
        let mut test = ConcurrentTest {
            subject: self.index,
            objects: vec![object.clone()],
            prefix: calls.to_vec(),
            threads: Vec::new(),
        };
        self.text_form.write_test(self.subject, &mut test);
        if !self.announce(&test) {
            return SequenceRun::FAILED;
        }
        let test = RunnableTest {
            subject: self.subject,
            test,
            observers: Vec::new(),
            drops: false,
            state: Some(StateOf::Object),
        };
        let shape = TestShape::of(&test);
        let slot = self.runner.slot();
        let mut strategy = Serial::new(self.runner.slot());
        strategy.set_order(&[], &Split::new());
        strategy.begin();
        // What one call after another does is noted for its fields; it has no races.
        self.runner.watch(false);
        let first = MainCall::Prefix(calls.len().saturating_sub(CALLS_WITH_FIELDS));
        self.runner.symbolise_fields(Some(shape.number(first) + 1));
        self.runner.run(&test, &mut strategy, &[]);
        // What is in memory after it must not depend on what the process ran before.
        if self.runner.has_grown() {
            strategy.begin();
            self.runner.run(&test, &mut strategy, &[]);
        }
        self.runner.symbolise_fields(None);
        self.runner.watch(true);
        self.note_coming_back(&test, &mut strategy);
        let record = self.runner.record();
        let made = shape.number(MainCall::Object(0));
        if let Some(call) = record.calls.iter().find(|call| is_main(call, made)) {
            let made = matches!(call.outcome, Outcome::Returned(_));
            self.failing.note_object(object, made);
        }
        let last = shape.number(MainCall::Prefix(calls.len().saturating_sub(1)));
        let Some(call) = record.calls.iter().find(|call| is_main(call, last)) else {
            return SequenceRun::FAILED;
        };
        let returned = matches!(call.outcome, Outcome::Returned(_));
        let failed = !returned || record.ending != Ending::Finished;
        let waits = call.outcome == Outcome::Pending || is_awaited(record, last, waits_for_others);
        let pends = waits || is_awaited(record, last, |_| true);
        let gave_up = !failed && !call.waited_out.is_zero();
        let trace = self.traces.number(record, call);
        let accesses = accesses(record, &shape, calls.len().saturating_sub(CALLS_LOOKED_AT));
        let in_memory = only_in_memory(&record.events);
        let state = match (slot.state(), in_memory) {
            (Some(state), _) => Ok(("shown by `Debug`", state)),
            (None, true) => {
                let left = self.runner.left_in_memory();
                left.map(|state| ("recognised in memory", state))
            }
            (None, false) => Err("the engine knows more of an object than its memory"),
        };
        match state {
            Ok((how, _)) => self.states.add(how),
            Err(why) => self.states.add(&format!("unknown: {why}")),
        }
        SequenceRun {
            trace,
            state: state.ok().map(|(_, state)| state),
            failed,
            waits,
            pends,
            gave_up,
            acts: acts(record, last),
            accesses,
            lock_orders: lock_orders(record, &shape),
        }
    }
}

impl SequenceRunner<'_, '_> {
    /// Reports that the last call waits for a lock of its own, because a closure calls the object from inside. The
    /// execution is run again for the names of the objects.
    fn note_coming_back(&mut self, test: &RunnableTest, strategy: &mut Serial) {
        let Some(call) = test.test.prefix.last() else {
            return;
        };
        let operation = &self.subject.operations[usize::from(call.operation)];
        let hangs = own_lock(self.runner.record()).is_some();
        if operation.contract.user_code != UserCode::ComesBack
            || !hangs
            || !self
                .failing
                .report_alone(Some(call.operation), FailureAlone::Blocks)
        {
            return;
        }
        self.runner.name_objects(true);
        strategy.begin();
        self.runner.run(test, strategy, &[]);
        self.runner.name_objects(false);
        let Some(own) = own_lock(self.runner.record()) else {
            return;
        };
        let alone = Alone {
            subject: self.subject.name.to_owned(),
            calls: call_text::prefix(self.subject, &test.test),
            what: FailureAlone::Blocks,
            detail: at_place(&what(own, &self.runner.record().ending), own.place()),
        };
        self.listener.alone(alone);
    }
}

/// The main thread, if it waits for a lock that it holds.
fn own_lock(record: &ExecutionRecord) -> Option<&BlockedThread> {
    let Ending::Deadlock(blocked) = &record.ending else {
        return None;
    };
    let mut blocked = blocked.iter();
    blocked.find(|it| it.thread == ThreadIndex::MAIN && it.waits_for_itself())
}

/// What the calls of the sequence accessed, from this one on.
fn accesses(record: &ExecutionRecord, shape: &TestShape, first: usize) -> Vec<SequenceAccess> {
    let hash = |location: &Location<'_>| {
        let mut hasher = DefaultHasher::new();
        (location.file(), location.line(), location.column()).hash(&mut hasher);
        hasher.finish()
    };
    let events = record.events.iter();
    let of_calls = events.filter(|event| event.thread == ThreadIndex::MAIN);
    let mut sections = Sections::default();
    let mut found: Vec<SequenceAccess> = of_calls
        .filter_map(|event| {
            let MainCall::Prefix(call) = shape.main_call(usize::from(event.call?)) else {
                return None;
            };
            if call < first {
                return None;
            }
            let section = sections.of(call, event.action);
            let (variable, reads, writes, _) = access_of(event, Contents::Counted)?;
            Some(SequenceAccess {
                call,
                variable: variable.0,
                site: hash(event.location),
                reads,
                writes,
                visible: true,
                section,
            })
        })
        .collect();
    found.extend(field_accesses(record, shape, hash));
    found
}

/// Numbers the sections of calls.
#[derive(Debug, Default)]
struct Sections {
    call: usize,
    section: u32,
    held: u32,
    /// The section has given a lock back: one that takes another one begins the next section.
    gave_back: bool,
}

impl Sections {
    /// The section of the call's next event, which is this one.
    fn of(&mut self, call: usize, action: Action) -> u32 {
        if call != self.call {
            *self = Self {
                call,
                ..Self::default()
            };
        }
        match action {
            Action::Acquire(_) | Action::TryAcquire(_, true) | Action::Arrive(true) => {
                if self.held == 0 || self.gave_back {
                    self.section += 1;
                    self.gave_back = false;
                }
                self.held += 1;
            }
            Action::Release(_, None) => {
                self.held = self.held.saturating_sub(1);
                self.gave_back = true;
            }
            // The mutex of a condition variable is taken once more.
            Action::Wake(_) => self.section += 1,
            _ if self.held == 0 => self.section += 1,
            _ => {}
        }
        self.section
    }
}

/// What they accessed of fields: variables with numbers after those of the objects.
fn field_accesses(
    record: &ExecutionRecord,
    shape: &TestShape,
    hash: impl Fn(&Location<'_>) -> u64,
) -> Vec<SequenceAccess> {
    let mut numbers: HashMap<usize, u32> = HashMap::new();
    let mut found = Vec::new();
    for access in &record.plain.list {
        let site = match (access.symbols, access.field, access.place) {
            (Some(symbols), _, _) if symbols.counts() => {
                let mut hasher = DefaultHasher::new();
                symbols.hash(&mut hasher);
                hasher.finish()
            }
            (None, Some(_), Place::Source(location)) => hash(location),
            _ => continue,
        };
        let within = |call: &&CallRecord| {
            call.thread == access.thread && (call.began..=call.ended).contains(&access.step)
        };
        let call = record.calls.iter().rev().find(within);
        let Some(MainCall::Prefix(call)) = call
            .filter(|call| call.thread == ThreadIndex::MAIN)
            .map(|call| shape.main_call(usize::from(call.call)))
        else {
            continue;
        };
        let next = (record.objects.len() + numbers.len()) as u32;
        found.push(SequenceAccess {
            call,
            variable: *numbers.entry(access.location).or_insert(next),
            site,
            reads: !access.writes,
            writes: access.writes,
            visible: false,
            section: 0,
        });
    }
    found
}

/// True if the future of this call was polled more than once, after such an event.
fn is_awaited(record: &ExecutionRecord, call: usize, how: fn(Action) -> bool) -> bool {
    let mut events = record.events.iter();
    events.any(|event| {
        event.thread == ThreadIndex::MAIN
            && event.call.map(usize::from) == Some(call)
            && how(event.action)
            && event.name == "await"
    })
}

/// True unless a future has woken itself.
fn waits_for_others(action: Action) -> bool {
    matches!(action, Action::Await | Action::Park(_))
}

/// True if others may notice something that this call did.
fn acts(record: &ExecutionRecord, call: usize) -> bool {
    let mut events = record.events.iter();
    events.any(|event| {
        event.thread == ThreadIndex::MAIN
            && event.call.map(usize::from) == Some(call)
            && !matches!(
                event.action,
                Action::Begin | Action::End | Action::CallBegin | Action::CallHold
            )
    })
}

fn is_main(call: &CallRecord, number: usize) -> bool {
    call.thread == ThreadIndex::MAIN && usize::from(call.call) == number
}

#[cfg(test)]
mod tests {
    use super::*;
    use contest_data::trace::LockMode;
    use std::sync::atomic::Ordering;

    fn sections(of_calls: &[(usize, Action)]) -> Vec<u32> {
        let mut sections = Sections::default();
        let numbers = of_calls.iter();
        numbers
            .map(|&(call, action)| sections.of(call, action))
            .collect()
    }

    #[test]
    fn a_section_ends_where_a_lock_is_taken_after_one_was_given_back() {
        const TAKE: Action = Action::Acquire(LockMode::Exclusive);
        const GIVE: Action = Action::Release(LockMode::Exclusive, None);
        const LOAD: Action = Action::Load(Ordering::SeqCst);
        let of_one = |actions: &[Action]| {
            let calls: Vec<(usize, Action)> = actions.iter().map(|&it| (0, it)).collect();
            sections(&calls)
        };
        assert_eq!(of_one(&[TAKE, TAKE, LOAD, GIVE, GIVE]), [1, 1, 1, 1, 1]);
        assert_eq!(of_one(&[TAKE, GIVE, TAKE, GIVE]), [1, 1, 2, 2]);
        // Hand over hand.
        assert_eq!(of_one(&[TAKE, TAKE, GIVE, TAKE, GIVE]), [1, 1, 1, 2, 2]);
        assert_eq!(of_one(&[LOAD, LOAD, TAKE, LOAD]), [1, 2, 3, 3]);
        // The mutex of a condition variable.
        let waits = [TAKE, Action::Wait, Action::Wake(false), LOAD, GIVE];
        assert_eq!(of_one(&waits), [1, 1, 2, 2, 2]);
    }

    #[test]
    fn each_call_has_sections_of_its_own() {
        let load = Action::Load(Ordering::SeqCst);
        assert_eq!(sections(&[(1, load), (1, load), (2, load)]), [1, 2, 1]);
    }
}
