//! The state of one execution and the step from one visible operation to the next.
//!
//! A drop-in operation *publishes* what it will do, *decides* who goes on, and, when it is its turn, *commits* what it did. The
//! machine runs on the stack of the thread that called it; control goes back to the engine only to switch threads.

use std::panic::Location;
use std::time::Duration;

use super::Limits;
use super::current::StrategyPointer;
use super::decision::ThreadSet;
use super::limits::Timeouts;
use super::virtual_thread::{Gate, PendingExchange, VirtualThread};
use crate::object::ObjectTable;
use crate::trace::{Action, Ending, ExecutionRecord, ObjectId, Pending, Schedule, ThreadIndex};

#[derive(Debug)]
pub(crate) struct Machine {
    pub(crate) limits: Limits,
    pub(crate) strategy: Option<StrategyPointer>,
    pub(crate) threads: Vec<VirtualThread>,
    /// Threads of this execution; slots beyond are spare.
    pub(crate) live: usize,
    pub(crate) running: ThreadIndex,
    pub(crate) next: ThreadIndex,
    /// Threads whose gate is open.
    pub(crate) enabled: ThreadSet,
    /// Threads that are blocked with a deadline.
    pub(crate) timed: ThreadSet,
    /// Threads that only spin.
    pub(crate) spinning: ThreadSet,
    /// Threads whose published operation does one thing or another by the state it finds.
    pub(super) conditional: ThreadSet,
    /// Threads that had to give way while they unwind.
    pub(super) unwinding: ThreadSet,
    /// Threads that the harness started.
    pub(crate) harness: ThreadSet,
    /// Of these, the threads that have returned from all their calls.
    pub(crate) lanes_done: ThreadSet,
    pub(crate) pending: Vec<Option<Pending>>,
    pub(crate) objects: ObjectTable,
    pub(crate) clock: Duration,
    pub(crate) tick: Duration,
    pub(super) timeouts_left: u32,
    /// Seed of the random numbers, once drawn.
    pub(super) seed: Option<u64>,
    pub(super) yielded: bool,
    pub(crate) tearing_down: bool,
    pub(crate) over: bool,
    pub(crate) record: ExecutionRecord,
}

impl Machine {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            strategy: None,
            threads: Vec::with_capacity(8),
            live: 0,
            running: ThreadIndex::MAIN,
            next: ThreadIndex::MAIN,
            enabled: 0,
            timed: 0,
            spinning: 0,
            conditional: 0,
            unwinding: 0,
            harness: 0,
            lanes_done: 0,
            pending: Vec::with_capacity(8),
            objects: ObjectTable::new(),
            clock: Duration::ZERO,
            tick: super::limits::DEFAULT_TICK,
            timeouts_left: 0,
            seed: None,
            yielded: false,
            tearing_down: false,
            over: false,
            record: ExecutionRecord {
                ending: Ending::Finished,
                schedule: Schedule::default(),
                events: Vec::with_capacity(256),
                pending: Vec::new(),
                objects: Vec::new(),
                calls: Vec::new(),
                panics: Vec::new(),
                steps: 0,
                preemptions: 0,
                threads: 0,
                early_timeout: false,
                background_steps: false,
                unhandled: Vec::new(),
            },
        }
    }

    /// Empties everything for the next execution; keeps buffers and stacks.
    pub(crate) fn reset(&mut self, strategy: StrategyPointer) {
        self.strategy = Some(strategy);
        self.live = 0;
        self.running = ThreadIndex::MAIN;
        self.next = ThreadIndex::MAIN;
        self.enabled = 0;
        self.timed = 0;
        self.spinning = 0;
        self.conditional = 0;
        self.unwinding = 0;
        self.harness = 0;
        self.lanes_done = 0;
        self.pending.clear();
        self.objects.clear();
        self.clock = Duration::ZERO;
        self.timeouts_left = match self.limits.timeouts {
            Timeouts::LastResort => 0,
            Timeouts::Choice(times) => times,
        };
        self.seed = None;
        self.yielded = false;
        self.tearing_down = false;
        self.over = false;
        let record = &mut self.record;
        record.ending = Ending::Finished;
        record.schedule.decisions.clear();
        record.schedule.checks.clear();
        record.events.clear();
        record.pending.clear();
        record.objects.clear();
        record.calls.clear();
        record.panics.clear();
        record.unhandled.clear();
        record.steps = 0;
        record.preemptions = 0;
        record.threads = 0;
        record.early_timeout = false;
        record.background_steps = false;
    }

    /// Adds a thread whose first operation is published; its fiber is set by the caller.
    pub(crate) fn add_thread(
        &mut self,
        location: &'static Location<'static>,
    ) -> Option<ThreadIndex> {
        if self.live >= usize::from(self.limits.threads).min(128) {
            return None;
        }
        let thread = ThreadIndex(self.live as u16);
        if self.threads.len() == self.live {
            self.threads.push(VirtualThread::new());
        }
        self.threads[self.live].renew(location);
        self.live += 1;
        self.record.threads = self.live as u16;
        self.pending.push(Some(Pending {
            action: Action::Begin,
            object: ObjectId::NONE,
            second: ObjectId::NONE,
            name: "begin",
        }));
        self.enabled |= 1 << thread.0;
        Some(thread)
    }

    #[inline]
    pub(crate) fn me(&mut self) -> &mut VirtualThread {
        &mut self.threads[self.running.index()]
    }

    /// Publishes the running thread's next operation.
    #[inline]
    pub(crate) fn publish(
        &mut self,
        pending: Pending,
        gate: Gate,
        location: &'static Location<'static>,
    ) {
        let running = self.running;
        let bit = 1 << running.0;
        let thread = &mut self.threads[running.index()];
        thread.gate = gate;
        thread.location = location;
        thread.deadline = None;
        thread.timed_out = false;
        self.pending[running.index()] = Some(pending);
        if gate == Gate::Open {
            self.enabled |= bit;
        } else {
            self.concern(gate, running);
            if self.is_open(running) {
                self.enabled |= bit
            } else {
                self.enabled &= !bit
            }
        }
        if thread_repeats(&mut self.threads[running.index()]) {
            self.mark_spinning();
        }
    }

    pub(crate) fn publish_exchange(&mut self, exchange: PendingExchange) {
        self.me().exchange = Some(exchange);
        self.publish_conditional();
    }

    /// The operation about to be published does one thing or another by the state it finds.
    pub(crate) fn publish_conditional(&mut self) {
        self.conditional |= 1 << self.running.0;
    }

    /// Gives the published operation a deadline, `timeout` from now.
    pub(crate) fn publish_timeout(&mut self, timeout: Option<Duration>) {
        let Some(timeout) = timeout else { return };
        let deadline = self.clock.saturating_add(timeout);
        self.me().deadline = Some(deadline);
        self.me().patience = timeout;
        let bit = 1 << self.running.0;
        if self.enabled & bit == 0 {
            self.timed |= bit;
        }
    }

    /// Ends the execution. The caller's thread is not resumed.
    pub(crate) fn finish(&mut self, ending: Ending) {
        if !self.over {
            self.over = true;
            self.record.ending = ending;
        }
    }

    /// The running thread gives way: it spins if nothing it read since its last yield has changed.
    pub(crate) fn mark_spinning(&mut self) {
        let bit = 1 << self.running.0;
        let spin = &mut self.threads[self.running.index()].spin;
        spin.repeats = false;
        let stale = !spin.reads.is_empty()
            && spin
                .reads
                .iter()
                .all(|&(object, version)| self.objects.get(object).version == version);
        if stale {
            spin.waits_on.clear();
            for &(object, _) in &spin.reads {
                spin.waits_on.push(object);
                self.objects.get_mut(object).spinners |= bit;
            }
            self.spinning |= bit;
        }
        spin.yielded();
        self.yielded = true;
    }

    /// Notes for the running call that it had to wait.
    #[inline]
    pub(crate) fn note_waiting(&mut self, waits: bool) {
        if waits && self.me().call.is_some() {
            let record = self.me().call_record;
            self.record.calls[record].blocked = true;
        }
    }

    /// The thread has executed its last operation.
    pub(crate) fn retire(&mut self, thread: ThreadIndex) {
        let bit = 1 << thread.0;
        self.threads[thread.index()].ended = true;
        self.pending[thread.index()] = None;
        self.enabled &= !bit;
        self.timed &= !bit;
        self.spinning &= !bit;
    }

    /// Notifies up to `count` of those that wait on a condition variable or futex; which ones is the strategy's choice. Returns how
    /// many, and the mask of those among the first 64 threads.
    pub(crate) fn wake_waiters(&mut self, object: ObjectId, count: u32) -> (u32, u64) {
        let mut woken = 0;
        let mut mask = 0;
        while woken < count {
            let waiting = self.objects.get(object).waiting;
            let number = waiting.count_ones();
            if number == 0 {
                break;
            }
            let mut choice = if number > 1 && count < number {
                self.choose_value(number as u16)
            } else {
                0
            };
            let mut set = waiting;
            while choice > 0 {
                set &= set - 1;
                choice -= 1;
            }
            let thread = ThreadIndex(set.trailing_zeros() as u16);
            self.objects.get_mut(object).waiting &= !(1 << thread.0);
            self.threads[thread.index()].notified = true;
            self.refresh_thread(thread);
            mask |= (1u128 << thread.0) as u64;
            woken += 1;
        }
        (woken, mask)
    }

    /// Threads that wait to receive from the channel.
    pub(crate) fn receivers_waiting(&self, channel: ObjectId) -> usize {
        (0..self.live)
            .filter(|&index| {
                !self.threads[index].ended && self.threads[index].gate == Gate::Receive(channel)
            })
            .count()
    }

    /// True if the running thread unwinds. While others are blocked in the middle of unwinding, `std` says of every thread that it
    /// panics; then a thread counts as unwinding if it has panicked at all, caught or not.
    #[inline]
    pub(crate) fn is_unwinding(&self) -> bool {
        std::thread::panicking()
            && (self.unwinding & !(1 << self.running.0) == 0
                || self
                    .record
                    .panics
                    .iter()
                    .any(|panic| panic.thread == self.running))
    }

    /// Moves the clock a little and reads it.
    pub(crate) fn now(&mut self) -> Duration {
        self.clock += self.tick;
        self.clock
    }
}

fn thread_repeats(thread: &mut VirtualThread) -> bool {
    thread.spin.repeats
}
