//! The state of one execution and the step from one visible operation to the next.
//!
//! A drop-in operation *publishes* what it will do, *decides* which thread runs next, and, when it is its turn,
//! *commits* what it did. The machine runs on the stack of the thread that called it; control goes back to the engine
//! only to switch threads.

use std::cell::UnsafeCell;
use std::panic::Location;
use std::ptr::NonNull;
use std::time::Duration;

use super::blocks::Blocks;
use super::checks::Checks;
use super::coroutine::Fiber;
use super::current::StrategyPointer;
use super::delays::Delaying;
use super::field_names::FieldNames;
use super::layer::Layer;
use super::model_state::ModelState;
use super::processor_time::processor_time;
use super::streams::Streams;
use super::timers::Ticks;
use super::virtual_thread::{Gate, VirtualThread};
use super::waiting::EarlyProbe;
use super::weak::Weak;
use crate::happens_before::{Accesses, Names, Synchronisation};
use crate::object::{MOST_THREADS, ObjectTable};
use contest_data::circumstances::Circumstances;
use contest_data::decision::ThreadSet;
use contest_data::limits::Limits;
use contest_data::rng::Rng;
use contest_data::trace::schedule::check_of;
use contest_data::trace::{
    Action, BlockedThread, Ending, ExecutionRecord, ObjectId, Pending, ThreadIndex,
};

/// Steps from one look at the clock to the next, where the time of an execution is limited.
const LOOK_AT_TIME: u32 = 1 << 14;

/// The clocks are those of an earlier execution.
pub(super) const NOT_SYNCHRONISED: usize = usize::MAX;

/// Threads in the lower half of a [`ThreadSet`].
const HALF: usize = 64;

#[derive(Debug)]
pub(super) struct Machine {
    pub limits: Limits,
    pub strategy: Option<StrategyPointer>,
    /// A place for each thread that there may be; an array, so that a masked number needs no look at a length.
    pub threads: Box<[VirtualThread; MOST_THREADS]>,
    /// Coroutines by thread. In cells and never moved, because one of them runs while others are added.
    fibers: Box<[UnsafeCell<Fiber>; MOST_THREADS]>,
    /// The engine's place among them.
    root: UnsafeCell<Fiber>,
    /// How many threads the limits allow.
    most_threads: usize,
    /// Threads of this execution; slots beyond are spare.
    pub live: usize,
    /// Of these, how many have not ended.
    pub unfinished: usize,
    pub running: ThreadIndex,
    pub next: ThreadIndex,
    /// Threads whose gate is open.
    pub enabled: ThreadSet,
    /// Threads that are blocked with a deadline.
    pub timed: ThreadSet,
    /// Threads that only spin.
    pub spinning: ThreadSet,
    /// Threads that poll in vain, and go round once more because no other could run.
    pub reluctant: ThreadSet,
    /// Threads that wait until no other one can run.
    pub resting: ThreadSet,
    /// Threads whose published operation does one thing or another by the state it finds.
    pub conditional: ThreadSet,
    /// Threads that had to give way while they unwind.
    pub unwinding: ThreadSet,
    /// At least the threads in any of `timed`, `spinning`, `reluctant`, `resting`, `conditional` and `unwinding`: while
    /// it is empty, a decision takes the fast path.
    pub slow_path: ThreadSet,
    /// Threads that the harness started.
    pub harness: ThreadSet,
    /// There are any.
    pub has_harness: bool,
    /// Call stacks of visible operations are noted.
    pub notes_callers: bool,
    /// Of these, the threads that have returned from all their calls.
    pub lanes_done: ThreadSet,
    /// By thread.
    pub pending: Box<[Option<Pending>; MOST_THREADS]>,
    pub objects: ObjectTable,
    pub model: ModelState,
    /// Clocks of the events before `synchronised`; see `synchronisation()`.
    pub(in crate::execution) synchronisation: Synchronisation,
    pub synchronised: usize,
    /// What reads may take, where that is not the last write always.
    pub weak: Weak,
    /// Operations among the others that are accesses, in order.
    pub noted: Vec<super::noted_accesses::NotedAccess>,
    pub accesses: Accesses,
    pub names: Names,
    /// Fields that objects and cells are.
    pub field_names: FieldNames,
    /// What is known of the memory accesses of instrumented code.
    pub layer: Layer,
    /// Accesses of instrumented code are held against each other.
    pub watching: bool,
    /// Plain accesses are reported, so atomic ones count too: they may race with them.
    pub watches_memory: bool,
    pub clock: Duration,
    /// How much of it has passed because no thread could run.
    pub passed: Duration,
    pub circumstances: Circumstances,
    /// Which draw of random numbers the execution has, by its circumstances and by its schedule.
    pub draws: u64,
    pub timeouts_left: u32,
    /// There were any at the beginning.
    pub timeouts_are_choices: bool,
    /// The thread that is held up once.
    pub delaying: Delaying,
    /// Seed of the random numbers, once drawn.
    pub seed: Option<u64>,
    /// Threads whose published operation may end otherwise than by what it waits for, as a choice.
    pub interruptible: ThreadSet,
    /// Of these, those that may do so spuriously; and how often that may still be.
    pub wakes_spuriously: ThreadSet,
    pub spurious_left: u32,
    pub last_resort: bool,
    /// The strategy lets time pass although threads could run.
    pub lets_time_pass: bool,
    pub ticks: Ticks,
    pub streams: Streams,
    /// No thread could run, so futures are polled without a wake-up; and what each thread waited for before.
    pub probing: bool,
    pub blocked_at_probe: Vec<BlockedThread>,
    pub early_probe: Option<EarlyProbe>,
    pub early_probes: u32,
    pub yielded: bool,
    pub tearing_down: bool,
    /// The engine unwinds the running thread.
    pub unwinds_thread: bool,
    /// `std` is about to abort the process because of a panic in the running thread.
    pub aborts: bool,
    /// Operations of the thread that unwinds.
    pub teardown_steps: u32,
    /// All threads are gone; destructors of statics run, whose panics count.
    pub dropping_statics: bool,
    pub over: bool,
    /// Steps at which the next decision is not simple: the limit, or none once the execution is over.
    pub step_gate: u32,
    /// When the execution began, if its time is limited.
    pub begun: Option<Duration>,
    /// As `step_gate`, where decisions are drawn among threads of the lower half of a set; else 0.
    pub walk_gate: u32,
    /// Steps that do not count against the limit.
    pub(in crate::execution) steps_forgiven: u32,
    pub checks: Checks,
    /// The strategy wants to see decisions that leave no choice too.
    pub needs_forced_points: bool,
    /// What to draw decisions from instead of asking the strategy.
    pub walk: Option<NonNull<Rng>>,
    /// Memory for results of threads.
    pub blocks: Blocks,
    pub record: ExecutionRecord,
}

impl Machine {
    pub(super) fn new(limits: Limits) -> Self {
        let most_threads = usize::from(limits.threads).min(MOST_THREADS);
        let mut objects = ObjectTable::new();
        if limits.fresh_statics {
            objects.statics.enable();
        }
        Self {
            limits,
            strategy: None,
            threads: (0..MOST_THREADS)
                .map(|_| VirtualThread::new())
                .collect::<Vec<_>>()
                .try_into()
                .expect("that many were made"),
            fibers: Box::new([const { UnsafeCell::new(Fiber::empty()) }; MOST_THREADS]),
            root: UnsafeCell::new(Fiber::empty()),
            most_threads,
            live: 0,
            unfinished: 0,
            running: ThreadIndex::MAIN,
            next: ThreadIndex::MAIN,
            enabled: ThreadSet::EMPTY,
            timed: ThreadSet::EMPTY,
            spinning: ThreadSet::EMPTY,
            reluctant: ThreadSet::EMPTY,
            resting: ThreadSet::EMPTY,
            conditional: ThreadSet::EMPTY,
            unwinding: ThreadSet::EMPTY,
            slow_path: ThreadSet::EMPTY,
            harness: ThreadSet::EMPTY,
            has_harness: false,
            notes_callers: false,
            lanes_done: ThreadSet::EMPTY,
            pending: Box::new([None; MOST_THREADS]),
            objects,
            model: ModelState::default(),
            synchronisation: Synchronisation::default(),
            synchronised: 0,
            weak: Weak::default(),
            noted: Vec::new(),
            accesses: Accesses::default(),
            names: Names::default(),
            field_names: FieldNames::default(),
            layer: Layer::default(),
            watching: true,
            watches_memory: false,
            clock: Duration::ZERO,
            passed: Duration::ZERO,
            circumstances: Circumstances::USUAL,
            draws: 0,
            timeouts_left: 0,
            timeouts_are_choices: false,
            delaying: Delaying::NONE,
            seed: None,
            interruptible: ThreadSet::EMPTY,
            wakes_spuriously: ThreadSet::EMPTY,
            spurious_left: 0,
            last_resort: false,
            lets_time_pass: false,
            ticks: Ticks::default(),
            streams: Streams::default(),
            probing: false,
            blocked_at_probe: Vec::new(),
            early_probe: None,
            early_probes: 0,
            yielded: false,
            tearing_down: false,
            unwinds_thread: false,
            aborts: false,
            teardown_steps: 0,
            dropping_statics: false,
            over: false,
            step_gate: 0,
            begun: None,
            walk_gate: 0,
            steps_forgiven: 0,
            checks: Checks::new(),
            needs_forced_points: true,
            walk: None,
            blocks: Blocks::default(),
            record: ExecutionRecord::empty(),
        }
    }

    /// Empties everything for the next execution; keeps buffers and stacks.
    pub(super) fn reset(&mut self, strategy: StrategyPointer) {
        self.strategy = Some(strategy);
        self.record.clear();
        self.live = 0;
        self.unfinished = 0;
        self.running = ThreadIndex::MAIN;
        self.next = ThreadIndex::MAIN;
        self.enabled = ThreadSet::EMPTY;
        self.timed = ThreadSet::EMPTY;
        self.spinning = ThreadSet::EMPTY;
        self.reluctant = ThreadSet::EMPTY;
        self.resting = ThreadSet::EMPTY;
        self.conditional = ThreadSet::EMPTY;
        self.unwinding = ThreadSet::EMPTY;
        self.slow_path = ThreadSet::EMPTY;
        self.harness = ThreadSet::EMPTY;
        self.has_harness = false;
        self.lanes_done = ThreadSet::EMPTY;
        self.objects.clear();
        self.synchronised = NOT_SYNCHRONISED;
        self.noted.clear();
        self.model.reset();
        if self.watches_memory {
            self.accesses.reset();
        }
        self.names.reset();
        self.field_names.reset();
        let watched = self.limits.accesses && self.watching;
        let visible = self.layer.begin(self.limits.accesses, watched);
        self.record.schedule.visible.extend_from_slice(visible);
        if self.limits.accesses {
            self.watches_memory = self.watching;
        }
        self.clock = self.circumstances.clock;
        self.passed = Duration::ZERO;
        self.seed = None;
        self.interruptible = ThreadSet::EMPTY;
        self.wakes_spuriously = ThreadSet::EMPTY;
        self.spurious_left = self.limits.spurious_wakeups;
        self.last_resort = false;
        self.lets_time_pass = false;
        self.ticks.begin(0);
        self.streams.clear();
        self.probing = false;
        self.early_probe = None;
        self.early_probes = 0;
        self.yielded = false;
        self.tearing_down = false;
        self.dropping_statics = false;
        self.over = false;
        self.steps_forgiven = 0;
        self.needs_forced_points = strategy.needs_forced_points();
        self.walk = strategy.uniform();
        self.reset_weak();
        self.reset_leeway();
        self.begun = self.limits.time.map(|_| processor_time());
        self.set_step_gate(self.gate_after(0));
    }

    /// The number of steps, after so many, at which a limit is looked at next.
    pub(super) fn gate_after(&self, steps: u32) -> u32 {
        let all = self.limits.steps.saturating_add(self.steps_forgiven);
        let all = all.min(self.delaying.at_step);
        match self.limits.time {
            Some(_) => all.min(steps.saturating_add(LOOK_AT_TIME)),
            None => all,
        }
    }

    /// True if the execution has had its time; else it is looked at again some steps later.
    #[cold]
    pub(super) fn is_out_of_time(&mut self) -> bool {
        if let (Some(begun), Some(most)) = (self.begun, self.limits.time)
            && processor_time().saturating_sub(begun) > most
        {
            return true;
        }
        self.set_step_gate(self.gate_after(self.record.steps));
        false
    }

    /// Adds a thread whose first operation is published; its fiber is set by the caller.
    pub(super) fn add_thread(
        &mut self,
        location: &'static Location<'static>,
    ) -> Option<ThreadIndex> {
        if self.live >= self.most_threads {
            return None;
        }
        let thread = ThreadIndex(self.live as u16);
        self.threads[self.live].renew(location);
        self.threads[self.live].born = self.record.events.len() as u32;
        self.live += 1;
        self.unfinished += 1;
        self.record.threads = self.live as u16;
        self.pending[thread.index() % MOST_THREADS] = Some(Pending {
            action: Action::Begin,
            object: ObjectId::NONE,
            second: ObjectId::NONE,
            name: "begin",
            check: const { check_of(Action::Begin, "begin") },
        });
        self.enabled.insert(thread);
        if self.live > HALF {
            self.walk_gate = 0;
        }
        Some(thread)
    }

    /// The place of a thread's coroutine.
    #[inline]
    pub(super) fn fiber(&self, thread: ThreadIndex) -> *mut Fiber {
        self.fibers[thread.index() % MOST_THREADS].get()
    }

    /// The engine's place among the coroutines.
    #[inline]
    pub(super) fn root(&self) -> *mut Fiber {
        self.root.get()
    }

    /// The place of a thread, for those who may have interrupted a use of it.
    ///
    /// # Safety
    /// `this` is a machine that lives.
    #[cfg(target_os = "linux")]
    pub(super) unsafe fn slot(this: *const Self, thread: ThreadIndex) -> *const VirtualThread {
        // SAFETY: the caller promises that the machine lives. A shared look at where the array is, which never changes;
        // of the array itself no reference is made.
        unsafe {
            let threads: *const [VirtualThread; MOST_THREADS] = &raw const *(*this).threads;
            threads
                .cast::<VirtualThread>()
                .add(thread.index() % MOST_THREADS)
        }
    }

    /// The set of the running thread only.
    #[inline(always)]
    pub(super) fn running_bit(&self) -> ThreadSet {
        ThreadSet::only(self.running)
    }

    #[inline]
    pub(super) fn me(&mut self) -> &mut VirtualThread {
        &mut self.threads[self.running.index() % MOST_THREADS]
    }

    pub(super) fn set_step_gate(&mut self, steps: u32) {
        self.step_gate = steps;
        self.walk_gate = match self.walk {
            Some(_) if !self.needs_forced_points && self.live <= HALF => steps,
            _ => 0,
        };
    }

    /// Ends the execution in the ordinary way, which is how its record begins.
    pub(super) fn finish_ordinarily(&mut self) {
        self.over = true;
        self.set_step_gate(0);
    }

    /// Ends the execution. The caller's thread is not resumed.
    pub(super) fn finish(&mut self, ending: Ending) {
        if !self.over {
            self.over = true;
            self.set_step_gate(0);
            self.record.ending = ending;
        }
    }

    /// Notes for the running call that it had to wait.
    #[inline]
    pub(super) fn note_waiting(&mut self, waits: bool) {
        if waits && self.me().call.is_some() {
            let record = self.me().call_record;
            self.record.calls[record].blocked = true;
        }
    }

    /// The running thread has executed its last operation.
    pub(super) fn retire(&mut self) {
        // Its last commit has taken it out of the other sets.
        self.enabled &= !self.running_bit();
        self.pending[self.running.index() % MOST_THREADS] = None;
        self.me().ended = true;
        self.unfinished -= 1;
    }

    /// Notifies up to `count` of those that wait on a condition variable or futex; which ones is the strategy's choice.
    /// Returns how many, and the mask of those among the first 64 threads.
    pub(super) fn wake_waiters(&mut self, object: ObjectId, count: u32) -> (u32, u64) {
        let mut woken = 0;
        let mut mask = 0;
        while woken < count {
            let waiting = self.objects.get(object).waiting;
            let number = waiting.len();
            if number == 0 {
                break;
            }
            let choice = if number > 1 && count < number {
                self.choose_value(number as u16)
            } else {
                0
            };
            let thread = waiting.member(u32::from(choice));
            self.objects.get_mut(object).waiting.remove(thread);
            // From here on it waits for its mutex only.
            let slot = &mut self.threads[thread.index()];
            slot.notified = true;
            slot.deadline = None;
            self.timed.remove(thread);
            self.wakes_spuriously.remove(thread);
            self.refresh_thread(thread);
            mask |= ThreadSet::only(thread).mask();
            woken += 1;
        }
        (woken, mask)
    }

    /// Threads, as a mask of the first 56, that wait for one of the messages with these numbers to be taken from the
    /// channel.
    pub(super) fn senders_of(&self, channel: ObjectId, messages: std::ops::Range<u64>) -> u64 {
        let waits = |index: &usize| match self.threads[*index].gate {
            Gate::Taken(object, number) => object == channel && messages.contains(&number),
            _ => false,
        };
        (0..self.live.min(56))
            .filter(waits)
            .fold(0, |mask, index| mask | 1 << index)
    }

    /// True if the running thread unwinds. While others are blocked in the middle of unwinding, `std` says of every
    /// thread that it panics; then a thread counts as unwinding if it has a panic that was not seen to be caught.
    #[inline]
    pub(super) fn is_unwinding(&self) -> bool {
        std::thread::panicking()
            && ((self.unwinding & !self.running_bit()).is_empty()
                || self.threads[self.running.index() % MOST_THREADS].panics > 0)
    }

    /// The running thread gives way in the middle of unwinding. Every thread that has not done so is not unwinding now,
    /// so it has caught its panics.
    pub(super) fn gives_way_unwinding(&mut self) {
        self.unwinding.insert(self.running);
        self.slow_path.insert(self.running);
        for index in 0..self.live {
            if !self.unwinding.contains(ThreadIndex(index as u16)) {
                self.threads[index].panics = 0;
            }
        }
    }

    /// True if the running thread gave way in the middle of unwinding.
    pub(super) fn was_unwinding(&self) -> bool {
        self.unwinding.contains(self.running)
    }

    /// Reads the clock, and moves it a little if it is time for that.
    pub(super) fn now(&mut self) -> Duration {
        self.record.clock_readers |= self.running_bit();
        let me = self.me();
        me.spin.forget_states();
        me.poll.reads_clock();
        if let Some(probe) = &mut self.early_probe {
            probe.saw_clock = true;
        }
        self.clock = self.clock.saturating_add(self.moved_clock());
        self.clock
    }
}
