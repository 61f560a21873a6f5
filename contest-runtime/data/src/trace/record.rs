//! One execution as a value.

use std::time::Duration;

use super::ending::{Ending, Leak, Panic};
use super::event::{Event, ObjectId, Pending, ThreadIndex};
use super::frame::DRIVER_FILE;
use super::left_out::LeftOut;
use super::plain_access::PlainAccesses;
use super::race::{MemoryFault, Place};
use super::schedule::Schedule;
use super::thread_set::ThreadSet;
use super::unowned::Unowned;
use super::visible::{Contended, VisibleAccess};
use super::writes::Writes;
use crate::gap::Gaps;
#[cfg(feature = "explore")]
use crate::limits::{Leeway, MemoryModel};

/// What a call of a generated test came back with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Returned; the canonical text of the value, or `None` if it cannot be observed.
    Returned(Option<String>),
    /// Panicked: message with numbers and addresses stripped, and location.
    Panicked(String, String),
    /// Had not returned when the execution ended.
    Pending,
    /// Not started, because its thread stopped earlier.
    Absent,
}

/// One call of a generated test in one execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRecord {
    /// Virtual thread that ran it.
    pub thread: ThreadIndex,
    /// Number of the call in its thread, counting from 0.
    pub call: u16,
    /// Number of events before the call began.
    pub began: u32,
    /// Number of events before it ended; `u32::MAX` while pending.
    pub ended: u32,
    /// What it came back with.
    pub outcome: Outcome,
    /// True if it was ever blocked on its way.
    pub blocked: bool,
    /// True if dropping its result was more than forgetting it: there were visible operations, as when a guard is given
    /// back. Such a call takes effect twice.
    pub held: bool,
    /// Number of points in the call at which others may come between by its nature: after each part of a chain, and
    /// before its result is dropped.
    pub holds: u16,
    /// The longest wait of the call that ended because its time was up, sleeps aside.
    pub waited_out: Duration,
    /// The longest time that passed, as no thread could run, while it awaited something.
    pub awaited: Duration,
    /// It slept.
    pub slept: bool,
}

impl CallRecord {
    /// A call that has just begun, after so many events.
    #[must_use]
    pub const fn begun(thread: ThreadIndex, call: u16, began: u32) -> Self {
        Self {
            thread,
            call,
            began,
            ended: u32::MAX,
            outcome: Outcome::Pending,
            blocked: false,
            held: false,
            holds: 0,
            waited_out: Duration::ZERO,
            awaited: Duration::ZERO,
            slept: false,
        }
    }
}

/// An object as debug information names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NamedObject {
    /// Its name in reports: `Registry.last`, `Registry.last#2` where two values have the field, `Registry.last.permits`
    /// where a dependency's type keeps several objects in the field. No other object of its type has the same.
    pub name: &'static str,
    /// The field without the part.
    pub field: &'static str,
    /// It is a field of the package's own types, or a static of the package.
    pub of_package: bool,
}

/// Everything one execution left behind.
#[derive(Clone, Debug, PartialEq)]
pub struct ExecutionRecord {
    /// How it ended.
    pub ending: Ending,
    /// Decisions that lead here.
    pub schedule: Schedule,
    /// Visible operations in order.
    pub events: Vec<Event>,
    /// What each thread was about to do at the end, by thread number; `None` for threads that have ended.
    pub pending: Vec<Option<Pending>>,
    /// Type names of the objects, by [`ObjectId`](super::ObjectId): `Mutex`, `AtomicUsize`, `channel`.
    pub objects: Vec<&'static str>,
    /// Their names by the fields that they are, where they were looked up; else empty.
    pub object_names: Vec<Option<NamedObject>>,
    /// Calls of a generated test, in order of their beginning.
    pub calls: Vec<CallRecord>,
    /// All panics, caught ones included, in order.
    pub panics: Vec<Panic>,
    /// Values of a model that had to be dropped and were not, although all threads ended.
    pub leaks: Vec<Leak>,
    /// True if every thread had ended at the end, background threads included.
    pub quiescent: bool,
    /// Memory without an owner at the end, by address; only looked for where the driver allocates, in executions that
    /// came to their regular end with all threads.
    pub unowned: Vec<Unowned>,
    /// Threads that ended with a panic whose result no thread joined.
    pub unhandled: Vec<ThreadIndex>,
    /// Number of visible operations.
    pub steps: u32,
    /// Number of times a thread that could have gone on was stopped.
    pub preemptions: u32,
    /// Number of threads, the main thread included.
    pub threads: u16,
    /// Threads whose pending operation might have ended without what it waits for: by a timeout where timeouts are
    /// choices, or spuriously.
    pub interruptible: ThreadSet,
    /// Threads that looked at the clock.
    pub clock_readers: ThreadSet,
    /// How often that was.
    pub readings: u32,
    /// Time passed by looking at the clock.
    pub clock_moved: bool,
    /// The event of the delay, if a thread was held up.
    pub delayed: Option<u32>,
    /// Milliseconds, rounded up, after which the first wait of another thread was over while one was held up.
    pub over_meanwhile: Option<u16>,
    /// True if a spurious wake-up was the only enabled step: the execution without it is not explored.
    pub woken_as_last_resort: bool,
    /// True if a timeout fired before it was due, although another thread could have run.
    pub early_timeout: bool,
    /// So was a sleep.
    pub early_sleep: bool,
    /// Threads whose timeouts did.
    pub ended_early: ThreadSet,
    /// What is possible beside this execution and was no choice.
    pub left_out: LeftOut,
    /// True if a thread that the harness did not start took a step while the test's threads ran.
    pub background_steps: bool,
    /// True if a thread of the test took a step although such a thread could have gone on.
    pub background_waited: bool,
    /// True if a thread that the harness did not start ran code that a caller has handed in, while the test's threads
    /// were in calls.
    pub callers_in_background: bool,
    /// Data races and other undefined behaviour, each pair of places once, in the order in which they were noticed.
    pub faults: Vec<MemoryFault>,
    /// Plain accesses, where they are reported.
    pub plain: PlainAccesses,
    /// Places of the visible operations that compiled code made itself, in order of their events.
    pub visible: Vec<VisibleAccess>,
    /// Places of operations whose event knows none in the source, `await`s and wake-ups, in order of their events.
    pub places: Vec<(u32, Place)>,
    /// Call stacks of visible operations, where they are noted, in order of their events.
    pub callers: Vec<(u32, Place)>,
    /// Memory that would have to be visible for all that this execution shows to be explored.
    pub contended: Vec<Contended>,
    /// Which write each read took, under a weak memory model.
    pub writes: Writes,
    /// Random numbers that it drew.
    pub drawn: Drawn,
    /// Why no strategy could choose all that may happen otherwise: what was decided for it, or is outside of its reach.
    pub gaps: Gaps,
}

/// Random numbers that an execution drew, by where they come from; what says more comes later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Drawn {
    /// None.
    #[default]
    Nothing,
    /// Keys of hashers: they decide in which order a map is walked through, and some code makes random numbers of them.
    HashKeys,
    /// Random bytes or numbers.
    Numbers,
}

impl ExecutionRecord {
    /// Of an execution that has not begun.
    #[cfg(feature = "explore")]
    pub fn empty() -> Self {
        Self {
            ending: Ending::Finished,
            schedule: Schedule::default(),
            events: Vec::with_capacity(256),
            pending: Vec::new(),
            objects: Vec::new(),
            object_names: Vec::new(),
            calls: Vec::new(),
            panics: Vec::new(),
            leaks: Vec::new(),
            quiescent: false,
            unowned: Vec::new(),
            unhandled: Vec::new(),
            steps: 0,
            preemptions: 0,
            threads: 0,
            interruptible: ThreadSet::EMPTY,
            clock_readers: ThreadSet::EMPTY,
            readings: 0,
            clock_moved: false,
            delayed: None,
            over_meanwhile: None,
            woken_as_last_resort: false,
            early_timeout: false,
            early_sleep: false,
            ended_early: ThreadSet::EMPTY,
            left_out: LeftOut::NOTHING,
            background_steps: false,
            background_waited: false,
            callers_in_background: false,
            faults: Vec::new(),
            plain: PlainAccesses::default(),
            visible: Vec::new(),
            places: Vec::new(),
            callers: Vec::new(),
            contended: Vec::new(),
            writes: Writes::default(),
            drawn: Drawn::Nothing,
            gaps: Gaps::NONE,
        }
    }

    /// As [`empty`](Self::empty); keeps the buffers.
    #[cfg(feature = "explore")]
    pub fn clear(&mut self) {
        if !matches!(self.ending, Ending::Finished) {
            self.ending = Ending::Finished;
        }
        self.schedule.decisions.clear();
        self.schedule.checks.clear();
        self.schedule.visible.clear();
        self.schedule.memory_model = MemoryModel::Sc;
        self.schedule.leeway = Leeway::default();
        self.events.clear();
        self.pending.clear();
        self.objects.clear();
        self.object_names.clear();
        self.calls.clear();
        self.panics.clear();
        self.leaks.clear();
        self.quiescent = false;
        self.unowned.clear();
        self.unhandled.clear();
        self.steps = 0;
        self.preemptions = 0;
        self.threads = 0;
        self.interruptible = ThreadSet::EMPTY;
        self.clock_readers = ThreadSet::EMPTY;
        self.readings = 0;
        self.clock_moved = false;
        self.delayed = None;
        self.over_meanwhile = None;
        self.woken_as_last_resort = false;
        self.early_timeout = false;
        self.early_sleep = false;
        self.ended_early = ThreadSet::EMPTY;
        self.left_out = LeftOut::NOTHING;
        self.background_steps = false;
        self.background_waited = false;
        self.callers_in_background = false;
        self.faults.clear();
        self.plain.clear();
        self.visible.clear();
        self.places.clear();
        self.callers.clear();
        self.contended.clear();
        self.writes.clear();
        self.drawn = Drawn::Nothing;
        self.gaps.clear();
    }

    /// The name of an object, if it was looked up and is known.
    #[must_use]
    pub fn object_name(&self, object: ObjectId) -> Option<NamedObject> {
        *self.object_names.get(object.0 as usize)?
    }

    /// Where an event is, as in reports: `src/lib.rs:10:5`. Empty for a place in the driver, which says nothing to its
    /// user.
    #[must_use]
    pub fn location(&self, event: usize) -> String {
        let place = match self.visible_at(event) {
            Some(access) => access.place.location(),
            None => match self.places.binary_search_by_key(&event, |it| it.0 as usize) {
                Ok(found) => self.places[found].1.location_in_package(),
                Err(_) => self.events[event].location.to_string(),
            },
        };
        match place.contains(DRIVER_FILE) {
            true => String::new(),
            false => place,
        }
    }

    /// The line of the package under test that called the dependency in which an event is; `None` if the event is not
    /// in a dependency, or its call stack is not known.
    #[must_use]
    pub fn caller(&self, event: usize) -> Option<String> {
        let place = self.stack(event)?;
        let within = place.telling_frame()?;
        if !within.of_dependency {
            return None;
        }
        let caller = place.frame_in_package()?;
        Some(caller.place().to_owned())
    }

    /// The call stack of an event, if it was noted.
    #[must_use]
    pub fn stack(&self, event: usize) -> Option<Place> {
        let found = self
            .callers
            .binary_search_by_key(&event, |it| it.0 as usize);
        Some(self.callers[found.ok()?].1)
    }

    /// The access that an event is, if compiled code made it itself.
    #[must_use]
    pub fn visible_at(&self, event: usize) -> Option<&VisibleAccess> {
        if self.visible.is_empty() {
            return None;
        }
        let own = |access: &VisibleAccess| (access.event as usize).cmp(&event);
        let found = self.visible.binary_search_by(own).ok()?;
        Some(&self.visible[found])
    }
}
