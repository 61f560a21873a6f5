//! What one execution showed to the callers: its history.

use std::time::Duration;

use super::crossed_locks::{LockWait, lock_waits};
use super::turned_away::{TurnedAway, turned_away};
use super::under_way::{steps_of_call, under_way};
use contest_data::test::{CallName, MainCall, TestShape, TestSlot};
use contest_data::trace::{
    Action, AwaitEnd, CallRecord, Ending, Event, ExecutionRecord, MemoryFault, Outcome,
    POLLED_IN_WAKE, Panic, REST, ThreadIndex, Unowned,
};
use contest_engine::observe::stripped;

/// Steps of background threads after the last call, above which they may not have come to rest.
const UNSETTLED: u32 = 1_000;

/// One call of a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Observed {
    /// What it came back with; panics with message (stripped) and location.
    pub outcome: Outcome,
    /// Number of events before it began; `u32::MAX` if it never did.
    pub began: u32,
    /// Number of events before it ended; `u32::MAX` if it never did.
    pub ended: u32,
    /// It was blocked on its way.
    pub blocked: bool,
    /// Dropping its result was visible: it gave a guard back, so it takes effect twice.
    pub held: bool,
    /// Number of points at which others may come between.
    pub holds: u16,
    /// The longest wait that ended because time was up; timeouts fire only when no thread can run.
    pub waited_out: Duration,
    /// The longest time that passed while it awaited something.
    pub awaited: Duration,
    /// It slept.
    pub slept: bool,
    /// Where that wait was.
    pub waited_at: String,
    /// Other calls that may have turned it away.
    pub turned_away: Vec<TurnedAway>,
    /// Its steps, if they are few and it takes no lock.
    pub steps: Option<Vec<u64>>,
}

impl Observed {
    const ABSENT: Self = Self {
        outcome: Outcome::Absent,
        began: u32::MAX,
        ended: u32::MAX,
        blocked: false,
        held: false,
        holds: 0,
        waited_out: Duration::ZERO,
        awaited: Duration::ZERO,
        slept: false,
        waited_at: String::new(),
        turned_away: Vec::new(),
        steps: None,
    };
}

/// A history.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct History {
    /// Calls of each lane.
    pub lanes: Vec<Vec<Observed>>,
    /// Calls of the main thread: objects, prefix, observers, drop.
    pub main: Vec<Observed>,
    /// Which of these are observers.
    pub observers: std::ops::Range<usize>,
    /// Virtual thread of each lane, if it was started.
    pub threads: Vec<Option<u16>>,
    /// How the execution ended.
    pub ending: Ending,
    /// First panic that ended a call or a thread, and in which call, if in one.
    pub first_panic: Option<(Panic, Option<CallName>)>,
    /// A timeout fired although another thread could have run.
    pub early_timeout: bool,
    /// So was a sleep.
    pub early_sleep: bool,
    /// A clock was read.
    pub reads_clock: bool,
    /// A background thread took a step while the lanes ran.
    pub background_steps: bool,
    /// Whenever a lane took a step, the background threads were at rest.
    pub background_rested: bool,
    /// A background thread ran code that a caller has handed in, while the lanes ran.
    pub callers_in_background: bool,
    /// Number of threads besides the main thread and the lanes, without those that have done nothing since they came to
    /// rest.
    pub background_threads: u16,
    /// Steps that these took after the last call of the lanes.
    pub settling: u32,
    /// The objects ended with the lanes, before these threads came to rest.
    pub ended_at_once: bool,
    /// A wait ended because time was up, in the lanes or while they ran.
    pub time_passed: bool,
    /// Undefined behaviour by what threads did to memory, each with the calls in which the first and the second thing
    /// was done, if in calls.
    pub faults: Vec<(MemoryFault, [Option<CallName>; 2])>,
    /// Threads that were polling the future of another one, inside the `wake` of its waker, when it ended.
    pub polls_in_wake: Vec<ThreadIndex>,
    /// If all is explained by what calls under way show of themselves: those that saw it.
    pub under_way: Option<Vec<CallName>>,
    /// Who waits for whose locks in the end.
    pub lock_waits: Vec<LockWait>,
    /// Memory without an owner at the end, each block with the call that allocated it, if in one and known.
    pub unowned: Vec<(Unowned, Option<CallName>)>,
}

/// What an execution did beside its calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BesideCalls {
    /// See [`History`].
    pub background_threads: u16,
    /// Likewise.
    pub background_steps: bool,
    /// Likewise.
    pub settling: u32,
    /// Likewise.
    pub time_passed: bool,
    /// Likewise.
    pub polls_in_wake: Vec<ThreadIndex>,
}

impl BesideCalls {
    /// Of the execution that just ran in `slot`.
    pub(crate) fn of(record: &ExecutionRecord, slot: &TestSlot) -> Self {
        let of_lane = |thread: ThreadIndex| slot.threads().any(|lane| lane == thread.0);
        let calls = record.calls.iter().filter(|call| of_lane(call.thread));
        let began = calls.map(|call| call.began).min();
        // Where something stale was read, calls may have been anywhere; of calls that did not start, nothing is known.
        let stale = record.writes.stale().next().is_some();
        let began = began
            .filter(|_| !stale)
            .map_or(0, |began| began as usize)
            .min(record.events.len());
        let background =
            |event: &&Event| event.thread != ThreadIndex::MAIN && !of_lane(event.thread);
        let last = record
            .events
            .iter()
            .rposition(|event| of_lane(event.thread));
        let (during, after) = record.events[began..]
            .split_at(last.map_or(0, |last| (last + 1).saturating_sub(began)));
        Self {
            background_threads: background_threads(record, slot),
            background_steps: record.background_steps && during.iter().any(|it| background(&it)),
            settling: after.iter().filter(background).count() as u32,
            time_passed: during.iter().any(|event| waits_out(event.action)),
            polls_in_wake: polls_in_wake(record),
        }
    }

    /// True if what runs in the background may not have come to rest after the last call.
    pub(crate) fn is_unsettled(settling: u32) -> bool {
        settling >= UNSETTLED
    }
}

fn background_threads(record: &ExecutionRecord, slot: &TestSlot) -> u16 {
    let of_test = 1 + slot.threads().count() as u16;
    let all = record.threads.saturating_sub(of_test);
    let is_rest = |event: &Event| event.action == Action::Yield && event.name == REST;
    let Some(rest) = record.events.iter().position(is_rest) else {
        return all;
    };
    let (before, after) = record.events.split_at(rest);
    let mut at_rest: Vec<ThreadIndex> = Vec::new();
    for event in before {
        let of_test =
            event.thread == ThreadIndex::MAIN || slot.threads().any(|lane| lane == event.thread.0);
        let goes_on = || after.iter().any(|later| later.thread == event.thread);
        if !of_test && !at_rest.contains(&event.thread) && !goes_on() {
            at_rest.push(event.thread);
        }
    }
    all.saturating_sub(at_rest.len() as u16)
}

/// Of polls inside each other, the last one begun ends first.
fn polls_in_wake(record: &ExecutionRecord) -> Vec<ThreadIndex> {
    let mut open: Vec<ThreadIndex> = Vec::new();
    for event in &record.events {
        match event.action {
            Action::Await if event.read == AwaitEnd::PolledInWake.bits() => open.push(event.thread),
            Action::Unpark if event.name == POLLED_IN_WAKE => {
                if let Some(last) = open.iter().rposition(|it| *it == event.thread) {
                    open.remove(last);
                }
            }
            _ => {}
        }
    }
    open
}

impl History {
    /// Of the execution that just ran in `slot`.
    #[must_use]
    pub(crate) fn of(record: &ExecutionRecord, shape: &TestShape, slot: &TestSlot) -> Self {
        let mut lanes: Vec<Vec<Observed>> = shape
            .lanes
            .iter()
            .map(|&calls| vec![Observed::ABSENT; calls])
            .collect();
        let mut main = vec![Observed::ABSENT; shape.main_calls()];
        for call in &record.calls {
            let place = match name_of(call.thread, call.call, slot) {
                Some(CallName::Main(number)) => main.get_mut(number),
                Some(CallName::Lane(lane, number)) => {
                    lanes.get_mut(lane).and_then(|calls| calls.get_mut(number))
                }
                None => None,
            };
            if let Some(place) = place {
                *place = Observed {
                    turned_away: turned_away(record, call, slot),
                    steps: steps_of_call(record, call),
                    ..observed(call, &record.panics)
                };
            }
        }
        if record.writes.stale().next().is_some() {
            // A call that did not see what had been written was beside it, whenever it ran.
            let ended = |call: &&mut Observed| call.ended != u32::MAX;
            for call in lanes.iter_mut().flatten().filter(ended) {
                (call.began, call.ended) = (0, u32::MAX - 1);
            }
        }
        for event in &record.events {
            let waited = |call: &Observed| match event.action {
                Action::Park(false) | Action::Await => !call.awaited.is_zero(),
                action => waits_out(action),
            };
            if let Some(number) = event.call
                && let Some(CallName::Lane(lane, number)) = name_of(event.thread, number, slot)
                && let Some(call) = lanes.get_mut(lane).and_then(|calls| calls.get_mut(number))
                && waited(call)
            {
                call.waited_at = event.location.to_string();
            }
        }
        let first = shape.number(MainCall::Observer(0));
        let beside = BesideCalls::of(record, slot);
        let call_at = |thread: ThreadIndex, step: u32| {
            let call = record.calls.iter().find(|call| {
                // The operation that begins the next call of the thread comes between.
                call.thread == thread && (call.began..=call.ended).contains(&step)
            })?;
            name_of(call.thread, call.call, slot)
        };
        Self {
            lanes,
            main,
            threads: (0..shape.lanes.len())
                .map(|lane| slot.thread(lane))
                .collect(),
            // What they end with then depends on how far background threads have come.
            observers: match slot.ends_at_once() {
                true => first..first,
                false => first..first + shape.observers,
            },
            ending: record.ending.clone(),
            first_panic: first_panic(record, slot),
            early_timeout: record.early_timeout,
            early_sleep: record.early_sleep,
            reads_clock: record.readings > 0,
            background_steps: beside.background_steps,
            background_rested: !record.background_waited,
            callers_in_background: record.callers_in_background,
            background_threads: beside.background_threads,
            settling: beside.settling,
            ended_at_once: slot.ends_at_once(),
            time_passed: beside.time_passed,
            faults: record
                .faults
                .iter()
                .map(|fault| {
                    let both = [fault.first(), Some(fault.second())];
                    let calls = both.map(|one| one.and_then(|(_, at)| call_at(at.thread, at.step)));
                    (*fault, calls)
                })
                .collect(),
            polls_in_wake: beside.polls_in_wake,
            under_way: under_way(record, slot),
            lock_waits: lock_waits(record, slot),
            unowned: record
                .unowned
                .iter()
                .map(|block| {
                    let allocated = block.allocated;
                    let call = allocated.and_then(|made| call_at(made.thread, made.step));
                    (*block, call)
                })
                .collect(),
        }
    }

    /// The call with this name.
    #[must_use]
    pub(crate) fn call(&self, name: CallName) -> Option<&Observed> {
        match name {
            CallName::Main(number) => self.main.get(number),
            CallName::Lane(lane, number) => self.lanes.get(lane)?.get(number),
        }
    }

    /// Lane that ran as this virtual thread.
    #[must_use]
    pub(crate) fn lane(&self, thread: ThreadIndex) -> Option<usize> {
        self.threads
            .iter()
            .position(|of_lane| *of_lane == Some(thread.0))
    }

    /// Number of a thread for people: 0 is the main thread, the lanes come first, then all others, by age.
    #[must_use]
    pub(crate) fn number(&self, thread: ThreadIndex) -> u16 {
        if thread == ThreadIndex::MAIN {
            return 0;
        }
        if let Some(lane) = self.lane(thread) {
            return lane as u16 + 1;
        }
        let older = self.threads.iter().flatten();
        let older = older.filter(|lane| **lane < thread.0).count() as u16;
        self.lanes.len() as u16 + thread.0.saturating_sub(older)
    }

    /// All calls of the lanes.
    pub(crate) fn lane_calls(&self) -> LaneCalls<'_> {
        LaneCalls {
            lanes: &self.lanes,
            next: (0, 0),
        }
    }

    /// The observers.
    pub(crate) fn observer_calls(&self) -> impl Iterator<Item = (CallName, &Observed)> {
        self.observers
            .clone()
            .filter_map(|number| Some((CallName::Main(number), self.main.get(number)?)))
    }

    /// Calls that had begun and not ended, of lanes and main thread.
    pub(crate) fn pending(&self) -> impl Iterator<Item = CallName> {
        let main = (0..self.main.len()).map(|number| (CallName::Main(number), &self.main[number]));
        self.lane_calls()
            .chain(main)
            .filter(|(_, call)| call.outcome == Outcome::Pending)
            .map(|(name, _)| name)
    }
}

/// The calls of lanes, lane after lane. A named type: adapters with closures are compiled anew at each use.
#[derive(Clone)]
pub(crate) struct LaneCalls<'h> {
    lanes: &'h [Vec<Observed>],
    next: (usize, usize),
}

impl<'h> Iterator for LaneCalls<'h> {
    type Item = (CallName, &'h Observed);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (lane, number) = self.next;
            match self.lanes.get(lane)?.get(number) {
                Some(call) => {
                    self.next.1 += 1;
                    return Some((CallName::Lane(lane, number), call));
                }
                None => self.next = (lane + 1, 0),
            }
        }
    }
}

/// Which call of the test a call of a virtual thread is.
#[must_use]
pub(crate) fn name_of(thread: ThreadIndex, call: u16, slot: &TestSlot) -> Option<CallName> {
    if thread == ThreadIndex::MAIN {
        return Some(CallName::Main(usize::from(call)));
    }
    Some(CallName::Lane(slot.lane(thread.0)?, usize::from(call)))
}

fn observed(call: &CallRecord, panics: &[Panic]) -> Observed {
    let outcome = match &call.outcome {
        Outcome::Panicked(message, location) => {
            // The last panic of the call is the one that left it.
            let last = panics
                .iter()
                .rfind(|panic| panic.thread == call.thread && panic.call == Some(call.call));
            let location = last.map_or_else(|| location.clone(), |panic| panic.location.clone());
            Outcome::Panicked(stripped(message), location)
        }
        other => other.clone(),
    };
    Observed {
        outcome,
        began: call.began,
        ended: call.ended,
        blocked: call.blocked,
        held: call.held,
        waited_out: call.waited_out,
        awaited: in_half_seconds(call.awaited),
        slept: call.slept,
        waited_at: String::new(),
        holds: call.holds,
        turned_away: Vec::new(),
        steps: None,
    }
}

/// Such a time to the nearest half second: how much of it passes before a wait begins depends on the interleaving.
pub(crate) fn in_half_seconds(time: Duration) -> Duration {
    let halves = (time.as_millis() + 250) / 500;
    Duration::from_millis(500) * u32::try_from(halves).unwrap_or(u32::MAX)
}

/// The end of a wait because time was up.
fn waits_out(action: Action) -> bool {
    matches!(
        action,
        Action::Wake(true)
            | Action::Park(true)
            | Action::FutexWait(true)
            | Action::AcquireTimeout(_)
            | Action::Receive(_, false)
    )
}

/// The first panic that was not caught inside the code under test. A panic of a background thread counts: it may never
/// be looked at.
fn first_panic(record: &ExecutionRecord, slot: &TestSlot) -> Option<(Panic, Option<CallName>)> {
    record.panics.iter().enumerate().find_map(|(index, panic)| {
        let Some(number) = panic.call else {
            return Some((panic.clone(), None));
        };
        let call = record
            .calls
            .iter()
            .find(|call| call.thread == panic.thread && call.call == number)?;
        let later = record.panics[index + 1..]
            .iter()
            .any(|other| other.thread == panic.thread && other.call == panic.call);
        let left_the_call = matches!(call.outcome, Outcome::Panicked(..)) && !later;
        left_the_call.then(|| (panic.clone(), name_of(panic.thread, number, slot)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_rounded_to_the_nearest_half_second() {
        let half_seconds =
            |micros| in_half_seconds(Duration::from_micros(micros)).as_millis() / 500;
        let cases = [
            (0, 0),
            (100, 0),
            (999_900, 2),
            (1_000_050, 2),
            (4_999_900, 10),
        ];
        for (micros, expected) in cases {
            assert_eq!(half_seconds(micros), expected, "{micros}");
        }
    }
}
