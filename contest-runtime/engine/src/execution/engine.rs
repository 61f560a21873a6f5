//! The pooled machine that runs executions one after another.

use super::coroutine::{self, Fiber};
use super::current::{self, StrategyPointer};
use super::hash_keys;
use super::machine::Machine;
use super::panics;
use crate::fault_point::{self, FaultPoint};
use crate::memory::{UnownedBlock, set_user_code};
use crate::object::MOST_THREADS;
use contest_data::circumstances::Circumstances;
use contest_data::decision::Strategy;
use contest_data::gap::{Gap, Gaps};
use contest_data::limits::Limits;
use contest_data::trace::{
    CallRecord, Drawn, Ending, ExecutionRecord, LeftOut, ThreadIndex, VisibleBytes,
};
use std::ops::Range;
use std::ptr::NonNull;

/// Runs executions; keeps its stacks and tables from one to the next, so that an execution costs no allocation of its
/// own.
#[derive(Debug)]
pub struct Engine {
    /// From a box that this owns. All use of the machine is derived from this pointer: fibers find it by address, and
    /// while an execution runs it is used through [`current`] only.
    machine: NonNull<Machine>,
    given_up: u64,
    spoilt: bool,
    /// The largest counts of all executions so far.
    largest: [usize; 5],
    has_grown: bool,
}

impl Engine {
    /// An engine for executions within these limits.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        panics::install_hook();
        Self {
            machine: NonNull::from(Box::leak(Box::new(Machine::new(limits)))),
            given_up: 0,
            spoilt: false,
            largest: [0; 5],
            has_grown: false,
        }
    }

    /// The machine, between executions.
    pub(super) fn machine(&self) -> &Machine {
        // SAFETY: it lives as long as this engine, whose methods do not call this while an execution runs.
        unsafe { self.machine.as_ref() }
    }

    /// The machine, between executions, to change it.
    pub(super) fn machine_mut(&mut self) -> &mut Machine {
        // SAFETY: it lives as long as this engine, whose methods do not call this while an execution runs; the borrow
        // of the engine keeps others away.
        unsafe { self.machine.as_mut() }
    }

    /// The limits of its executions.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.machine().limits
    }

    /// Sets what the executions to come meet beside their schedules; returns what it was.
    pub fn set_circumstances(&mut self, circumstances: Circumstances) -> Circumstances {
        std::mem::replace(&mut self.machine_mut().circumstances, circumstances)
    }

    /// Sets how often waits end spuriously in the executions to come, when the strategy says so; returns what it was.
    pub fn set_spurious_wakeups(&mut self, times: u32) -> u32 {
        std::mem::replace(&mut self.machine_mut().limits.spurious_wakeups, times)
    }

    /// Sets whether memory accesses are watched in the executions to come, where the code under test reports them. On
    /// by default.
    pub fn watch(&mut self, on: bool) {
        self.machine_mut().watching = on;
    }

    /// Makes accesses of this memory visible operations in the executions to come, where the code under test reports
    /// them. At first there is none.
    pub fn see(&mut self, visible: &[VisibleBytes]) {
        self.machine_mut().layer.request_visible(visible);
    }

    /// Name given to a thread of the last execution at its creation, if any.
    #[must_use]
    pub fn thread_name(&self, thread: ThreadIndex) -> Option<&str> {
        let slot = self.machine().threads.get(thread.index())?;
        slot.name.as_deref()
    }

    /// Number of threads that were given up in the middle of a destructor, because what they waited for could not come
    /// any more; what they owned is leaked.
    #[must_use]
    pub fn given_up(&self) -> u64 {
        self.given_up
    }

    /// What the last execution left behind.
    #[must_use]
    pub fn record(&self) -> &ExecutionRecord {
        &self.machine().record
    }

    /// True if a thread of the last execution was given up while it unwound: `std` counts panics by OS thread, and
    /// believes that this one still panics. Further executions on it would see poisoned locks where there are none; run
    /// them on another OS thread.
    #[must_use]
    pub fn spoilt_os_thread(&self) -> bool {
        self.spoilt
    }

    /// Runs `body` as the main virtual thread under `strategy`, to the end or until it cannot go on. The record lives
    /// until the next run; clone it to keep it. The caller has called [`Strategy::begin`] and will call
    /// [`Strategy::end`].
    ///
    /// # Panics
    /// If called from inside an execution.
    pub fn run<F: FnOnce()>(&mut self, strategy: &mut dyn Strategy, body: F) -> &ExecutionRecord {
        assert!(
            !current::is_set(),
            "an execution cannot run inside another one: `model` and `Engine::run` must not be nested"
        );
        hash_keys::draw(self.machine().circumstances.draws + u64::from(strategy.leeway().draw));
        let keys = hash_keys::count();
        // SAFETY: the machine lives as long as this engine, which is borrowed until no machine is current any more; up
        // to there it is used through accesses only.
        unsafe { current::set(self.machine.as_ptr()) };
        {
            let mut machine = current::machine();
            machine.reset(StrategyPointer::new(strategy));
            let main = machine
                .add_thread(std::panic::Location::caller())
                .expect("the limits allow one thread");
            fault_point::pass(FaultPoint::Executing);
            // SAFETY: the main thread's fiber is gone when this function returns, so everything `body` borrows outlives
            // it.
            unsafe { machine.start_thread(main, body) };
            #[cfg(all(feature = "driver", target_os = "linux"))]
            if machine.limits.shares_main_stack {
                let slot = &machine.threads[main.index()];
                crate::memory::shared::set_main_stack(slot.stack_limit, slot.stack_end);
            }
        }
        run_threads();
        let drew_keys = hash_keys::were_made_since(keys);
        {
            let mut machine = current::machine();
            if drew_keys {
                machine.note_drawn(Drawn::HashKeys);
            }
            machine.settle_last_accesses();
            machine.record.quiescent = machine.unfinished == 0;
            machine.write_down_writes();
            #[cfg(feature = "driver")]
            super::debugger::over(&machine.record.ending);
        }
        self.spoilt = false;
        self.locate_objects();
        self.tear_down();
        self.drop_statics();
        self.restore_statics();
        // SAFETY: no machine.
        unsafe { current::set(std::ptr::null_mut()) };
        set_user_code(false);
        let machine = self.machine_mut();
        machine.strategy = None;
        machine.layer.end();
        let pending = &machine.pending[..machine.live];
        machine.record.pending.extend_from_slice(pending);
        machine.record.interruptible = machine.interruptible;
        if machine.record.left_out.has(LeftOut::LATE_LOCALS) {
            machine.record.gaps.add(Gap::LateLocals);
        }
        let objects = machine.objects.all().iter();
        machine
            .record
            .objects
            .extend(objects.map(|object| object.what));
        self.note_growth();
        self.record()
    }

    /// Compares what the last execution filled of the engine's tables with all before it.
    fn note_growth(&mut self) {
        let machine = self.machine();
        let record = &machine.record;
        let counts = [
            record.events.len(),
            record.plain.list.len(),
            record.objects.len(),
            usize::from(record.threads),
            machine.layer.call_stacks(),
        ];
        self.has_grown = false;
        for (largest, count) in self.largest.iter_mut().zip(counts) {
            self.has_grown |= count > *largest;
            *largest = count.max(*largest);
        }
    }

    /// True if the last execution needed larger tables than those before it. They grow on the stack of the thread that
    /// runs, so values whose padding is what was on the stack before may differ when it is run again.
    #[must_use]
    pub fn has_grown(&self) -> bool {
        self.has_grown
    }

    /// From here on executions note where code under test allocates, or do no longer; returns what was before.
    pub fn note_allocations(&mut self, on: bool) -> bool {
        self.machine_mut().layer.note_allocations(on)
    }

    /// From here on executions note the call stack of each visible operation, or do no longer.
    pub fn note_callers(&mut self, on: bool) {
        self.machine_mut().notes_callers = on;
    }

    /// From here on executions may have four times as many steps, and wait four times as long where only timers of
    /// background threads pass; or no longer. For a second look at what never returns.
    pub fn wait_longer(&mut self, on: bool) {
        self.machine_mut().wait_longer(on);
    }

    /// For this reason no strategy could choose all that may happen otherwise in the last execution.
    pub fn note_gaps(&mut self, gaps: &Gaps) {
        self.machine_mut().record.gaps.join(gaps);
    }

    /// The last execution left these blocks, which nothing owns.
    pub fn set_unowned(&mut self, blocks: &[UnownedBlock]) {
        let machine = self.machine_mut();
        for block in blocks {
            let allocated = machine.layer.allocated_at(block.address);
            machine.record.unowned.push(block.recorded(allocated));
        }
    }

    /// Where the stacks of virtual threads are. Between executions nothing on them is alive: what still points there
    /// points to nothing.
    #[must_use]
    pub fn stacks(&mut self) -> Vec<Range<usize>> {
        let machine = self.machine_mut();
        let ranges = (0..MOST_THREADS).map(|index| {
            // SAFETY: no coroutine runs, and they do not move.
            let (start, end) = unsafe { (*machine.fiber(ThreadIndex(index as u16))).stack_range() };
            start..end
        });
        ranges.filter(|stack| !stack.is_empty()).collect()
    }

    /// Clears the stacks of virtual threads, on which nothing is alive between executions. Optimised code copies what
    /// earlier executions have left there with the padding of its values, so a state in memory would depend on them.
    pub fn clear_stacks(&mut self) {
        for stack in self.stacks() {
            // SAFETY: the stack of a coroutine, and none runs.
            unsafe { coroutine::clear(stack) };
        }
    }

    /// Adds to the record of the last execution calls that were not run, because what they come back with is known.
    pub fn add_calls(&mut self, calls: impl IntoIterator<Item = CallRecord>) {
        self.machine_mut().record.calls.extend(calls);
    }

    /// Ends what is unfinished.
    fn tear_down(&mut self) {
        let mut machine = current::machine();
        machine.tearing_down = true;
        if machine.unfinished == 0 {
            return;
        }
        if !machine.limits.forget_unfinished && cfg!(panic = "unwind") {
            (machine, ()) = machine.suspended(|| self.unwind_unfinished());
        }
        for index in 0..machine.live {
            // SAFETY: no coroutine runs.
            unsafe { (*machine.fiber(ThreadIndex(index as u16))).give_up() };
            machine.threads[index].ended = true;
        }
    }

    /// Unwinds unfinished threads, youngest first. A destructor that waits is tried again as long as others come
    /// further.
    fn unwind_unfinished(&mut self) {
        // What destructors do is no part of the execution.
        let (events, steps, live) = {
            let machine = current::machine();
            let record = &machine.record;
            (record.events.len(), record.steps, machine.live)
        };
        let mut given_up;
        loop {
            let mut progress = false;
            given_up = 0;
            for index in (0..live).rev() {
                let thread = ThreadIndex(index as u16);
                if is_done(thread) {
                    continue;
                }
                if unwind(thread) {
                    progress = true;
                } else {
                    given_up += 1;
                }
            }
            if !progress || given_up == 0 {
                break;
            }
        }
        let mut machine = current::machine();
        machine.record.events.truncate(events);
        machine.record.steps = steps;
        self.given_up += given_up;
        self.spoilt = given_up > 0;
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // SAFETY: from a box, in `new`; no execution runs, for that borrows the engine.
        drop(unsafe { Box::from_raw(self.machine.as_ptr()) });
    }
}

/// True if the thread's coroutine has come to its end.
fn is_done(thread: ThreadIndex) -> bool {
    // SAFETY: no coroutine runs, and they do not move.
    unsafe { (*current::machine().fiber(thread)).done() }
}

/// Runs a thread, and those that it hands over to, until one of them gives control back.
fn resume(thread: ThreadIndex) {
    let (fiber, root) = {
        let machine = current::machine();
        (machine.fiber(thread), machine.root())
    };
    // SAFETY: no coroutine runs; the callers have seen that this one is not done.
    unsafe { Fiber::resume(fiber, root) };
}

/// Unwinds one thread, which is not done; false if it has to wait.
fn unwind(thread: ThreadIndex) -> bool {
    let mut machine = current::machine();
    machine.running = thread;
    machine.teardown_steps = 0;
    let fiber = machine.fiber(thread);
    // SAFETY: no coroutine runs.
    let started = unsafe { (*fiber).started() };
    if started {
        machine.unwinds_thread = true;
        machine.me().stuck = false;
    }
    drop(machine);
    set_user_code(true);
    if started {
        loop {
            resume(thread);
            if is_done(thread) || current::machine().me().stuck {
                break;
            }
        }
        current::machine().unwinds_thread = false;
    } else {
        // What a body owns may panic when it is dropped, or stop at an operation.
        let cancel = std::panic::AssertUnwindSafe(|| {
            // SAFETY: no coroutine runs.
            unsafe { (*fiber).cancel() };
        });
        if let Err(payload) = std::panic::catch_unwind(cancel) {
            // Its destructor may panic too, and there is no caller who could handle it.
            std::mem::forget(payload);
        }
    }
    set_user_code(false);
    let done = is_done(thread);
    current::machine().threads[thread.index()].ended = done;
    done
}

impl Engine {
    /// Drops the statics of the execution, then records leaked values.
    fn drop_statics(&mut self) {
        let mut machine = current::machine();
        if !machine.limits.forget_unfinished && machine.model.has_statics() {
            machine.running = ThreadIndex::MAIN;
            machine.dropping_statics = true;
            machine.me().stuck = false;
            // SAFETY: all threads are gone; the body borrows nothing and catches every unwinding.
            unsafe { machine.start_fiber(ThreadIndex::MAIN, end_of_statics) };
            let is_done = || {
                resume(ThreadIndex::MAIN);
                is_done(ThreadIndex::MAIN)
            };
            let done;
            (machine, done) = machine.suspended(is_done);
            // A destructor that waits for what cannot come any more is given up.
            if !done {
                self.given_up += 1;
                // SAFETY: no coroutine runs.
                unsafe { (*machine.fiber(ThreadIndex::MAIN)).give_up() };
            }
            machine.settle_last_accesses();
            machine.dropping_statics = false;
            machine.me().locals.forget();
        }
        let machine = &mut *machine;
        if matches!(machine.record.ending, Ending::Finished) {
            machine.record.leaks.extend(machine.model.leaks());
        }
    }
}

impl Engine {
    /// Puts statics back to what they were when the first execution began.
    fn restore_statics(&mut self) {
        let mut machine = current::machine();
        if machine.objects.statics.are_untouched() {
            return;
        }
        let leak = self.spoilt;
        let mut statics = std::mem::take(&mut machine.objects.statics);
        // What was in them is dropped, which is code under test.
        let (mut machine, problem) = machine.suspended(|| {
            statics.restore(leak, |address| {
                let objects = &mut current::machine().objects;
                let object = objects.at(address, "lock");
                !objects.get(object).holders().is_empty()
            })
        });
        machine.objects.statics = statics;
        if let Some(problem) = problem
            && matches!(machine.record.ending, Ending::Finished)
        {
            machine.record.ending = Ending::Unsupported(problem);
        }
    }
}

/// What runs on the main thread's fiber after all threads are gone.
fn end_of_statics() -> *mut Fiber {
    if std::panic::catch_unwind(run_destructors_of_statics).is_err() {
        set_user_code(false);
        let mut machine = current::machine();
        if matches!(machine.record.ending, Ending::Finished) {
            let panic = machine.record.panics.last().cloned();
            machine.record.ending = Ending::Panicked(panic.unwrap_or_default());
        }
    }
    current::machine().root()
}

fn run_destructors_of_statics() {
    loop {
        let destructor = current::machine().model.statics.take_newest();
        let Some(run) = destructor else { return };
        set_user_code(true);
        run();
        set_user_code(false);
    }
}

/// Resumes the chosen threads until the execution is over.
fn run_threads() {
    loop {
        let next = {
            let mut machine = current::machine();
            if machine.over {
                return;
            }
            machine.running = machine.next;
            if machine.streams.any {
                machine.show_owners_of_streams();
            }
            machine.next
        };
        if is_done(next) {
            return after_its_end(next);
        }
        resume(next);
    }
}

#[cold]
fn after_its_end(thread: ThreadIndex) {
    let ending = Ending::Unsupported(format!("thread {} was chosen after its end", thread.0));
    current::machine().finish(ending);
}

impl Machine {
    /// True when panics are no longer those of the code under test.
    pub(super) fn over_or_idle(&self) -> bool {
        self.tearing_down && !self.dropping_statics
    }
}
