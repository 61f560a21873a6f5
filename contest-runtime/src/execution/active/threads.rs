//! Virtual threads, their locals, and the calls of a generated test.

use super::{Active, Site, Teardown, give_up, stop, stop_at_gate, tearing_down};
use std::time::Duration;

use crate::execution::coroutine::{Fiber, FiberStack};
use crate::execution::current;
use crate::execution::thread_locals::Found;
use crate::execution::virtual_thread::Gate;
use crate::memory::set_user_code;
use crate::trace::{Action, CallRecord, Ending, Event, ObjectId, Outcome, ThreadIndex};

/// A moment in an execution.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    events: usize,
    objects: usize,
}

impl Active {
    /// Creates a virtual thread that runs `body`; `body` must not unwind (catch panics inside).
    ///
    /// # Safety
    /// Everything `body` borrows must live until the thread has ended or the execution is over.
    #[track_caller]
    pub unsafe fn spawn<F: FnOnce()>(self, name: Option<&str>, body: F) -> ThreadIndex {
        if tearing_down() {
            give_up();
        }
        set_user_code(false);
        let site = Site::here("spawn");
        let new = ThreadIndex(current::machine().live as u16);
        // Threads are numbered in the order of their creation, so creations are ordered among each other.
        let order = current::machine().objects.creation_order();
        stop(Action::Spawn(new), order, site);
        let machine = current::machine();
        let Some(thread) = machine.add_thread(site.location) else {
            let limit = machine.limits.threads.min(128);
            self.unsupported(&format!(
                "more than {limit} virtual threads in one execution, at {}; raise the limit up to 128 or start fewer threads",
                site.location
            ));
        };
        // SAFETY: passed on to the caller.
        unsafe { current::machine().start_thread(thread, body) };
        let machine = current::machine();
        machine.threads[thread.index()].name = name.map(ToOwned::to_owned);
        machine.commit(Action::Spawn(thread), order, site.name, 0, 0);
        set_user_code(true);
        thread
    }

    /// Creates a thread of the test harness from a body that owns what it uses; otherwise as [`Active::spawn`].
    #[track_caller]
    pub fn spawn_owned<F: FnOnce() + 'static>(self, name: Option<&str>, body: F) -> ThreadIndex {
        // SAFETY: the body borrows nothing.
        let thread = unsafe { self.spawn(name, body) };
        current::machine().harness |= 1 << thread.0;
        thread
    }

    /// Waits for the end of a virtual thread.
    #[track_caller]
    pub fn join(self, thread: ThreadIndex) {
        if tearing_down() {
            let ended = current::machine()
                .threads
                .get(thread.index())
                .is_none_or(|slot| slot.ended);
            return if ended {
            } else {
                give_up()
            };
        }
        set_user_code(false);
        let site = Site::here("join");
        let machine = current::machine();
        let end = machine.objects.end(thread);
        let waits = !machine.threads[thread.index()].ended;
        machine.note_waiting(waits);
        stop_at_gate(Action::Join(thread), end, Gate::Join(thread), site);
        current::machine().commit(Action::Join(thread), end, site.name, 0, 0);
        set_user_code(true);
    }

    /// True if the thread has ended (`JoinHandle::is_finished`); a visible read.
    #[track_caller]
    pub fn is_finished(self, thread: ThreadIndex) -> bool {
        let machine = current::machine();
        let ended =
            |machine: &super::super::machine::Machine| machine.threads[thread.index()].ended;
        if machine.tearing_down {
            return ended(machine);
        }
        set_user_code(false);
        let site = Site::here("is_finished");
        let end = machine.objects.end(thread);
        stop(Action::OncePeek(false), end, site);
        let machine = current::machine();
        let done = ended(machine);
        machine.commit(Action::OncePeek(done), end, site.name, u64::from(done), 0);
        set_user_code(true);
        done
    }

    /// True if the running thread unwinds because of a panic of its own (`std::thread::panicking` is about the OS thread).
    #[must_use]
    pub fn panicking(self) -> bool {
        current::machine().is_unwinding()
    }

    /// Number of visible operations that the running thread has executed.
    #[must_use]
    pub fn executed(self) -> u32 {
        current::machine().me().executed
    }

    /// From here on a value is looked at; see [`Active::looked_at_shared`].
    #[must_use]
    pub fn look(self) -> Look {
        let machine = current::machine();
        Look {
            events: machine.record.events.len(),
            objects: machine.objects.all().len(),
        }
    }

    /// True if since `look` the running thread operated on an object that was in use before, or that another thread used too: not on
    /// the insides of a value that is its own.
    #[must_use]
    pub fn looked_at_shared(self, look: Look) -> bool {
        let machine = current::machine();
        let running = machine.running;
        let since = &machine.record.events[look.events.min(machine.record.events.len())..];
        let own = |event: &&Event| event.thread == running && event.object != ObjectId::NONE;
        since.iter().filter(own).any(|event| {
            let in_use_before = (event.object.0 as usize) < look.objects;
            let others = |other: &Event| other.thread != running && other.object == event.object;
            in_use_before || since.iter().any(others)
        })
    }

    /// The thread that runs now.
    #[must_use]
    pub fn current(self) -> ThreadIndex {
        current::machine().running
    }

    /// Name given to a thread at its creation.
    #[must_use]
    pub fn thread_name(self, thread: ThreadIndex) -> Option<String> {
        current::machine()
            .threads
            .get(thread.index())
            .and_then(|slot| slot.name.clone())
    }

    /// Value of the thread-local of the running virtual thread whose key is at `key`, made by `init` at first use and dropped when the
    /// thread ends, in reverse order of creation. `None` while or after it is being dropped.
    pub fn thread_local<T: 'static>(
        self,
        key: usize,
        init: impl FnOnce() -> T,
    ) -> Option<*const T> {
        let machine = current::machine();
        match machine.me().locals.find::<T>(key) {
            Found::Value(value) => return Some(value),
            Found::Gone => return None,
            Found::Missing => {}
        }
        // The initialiser is code under test: it may use other thread-locals, and this one.
        let value = Box::new(init());
        let side = set_user_code(false);
        let locals = &mut current::machine().me().locals;
        let pointer = match locals.find::<T>(key) {
            Found::Missing => Some(locals.insert(key, value)),
            Found::Value(value) => Some(value),
            Found::Gone => None,
        };
        set_user_code(side);
        pointer
    }

    /// A call of a generated test begins; a scheduling point. `call` is its number in its thread.
    pub fn call_begin(self, call: u16) {
        if tearing_down() {
            return;
        }
        set_user_code(false);
        let site = Site::here("call");
        stop(Action::CallBegin, ObjectId::NONE, site);
        let machine = current::machine();
        machine.commit(
            Action::CallBegin,
            ObjectId::NONE,
            site.name,
            0,
            u64::from(call),
        );
        let running = machine.running;
        let record = machine.record.calls.len();
        machine.record.calls.push(CallRecord {
            thread: running,
            call,
            began: machine.record.steps,
            ended: u32::MAX,
            outcome: Outcome::Pending,
            blocked: false,
            held: false,
            holds: 0,
            waited_out: Duration::ZERO,
        });
        let thread = machine.me();
        thread.call = Some(call);
        thread.executed_at_hold = u32::MAX;
        thread.call_record = record;
        set_user_code(true);
    }

    /// The call of a generated test that runs has its result, which is dropped after this; a scheduling point.
    pub fn call_hold(self) {
        if tearing_down() || current::machine().me().call.is_none() {
            return;
        }
        set_user_code(false);
        let site = Site::here("hold");
        stop(Action::CallHold, ObjectId::NONE, site);
        let machine = current::machine();
        machine.commit(Action::CallHold, ObjectId::NONE, site.name, 0, 0);
        let thread = machine.me();
        let before = std::mem::replace(&mut thread.executed_at_hold, thread.executed);
        // Operations between two holds count as those after the last one do.
        let worked = before != u32::MAX && thread.executed > before + 1;
        let index = thread.call_record;
        let record = &mut machine.record.calls[index];
        record.holds += 1;
        record.held |= worked;
        set_user_code(true);
    }

    /// A thread of the test has returned from all its calls: waits until all have, so that no thread ends (and drops its thread-locals) while
    /// another is in a call.
    pub fn lane_end(self) {
        if tearing_down() {
            return;
        }
        set_user_code(false);
        let site = Site::here("end of calls");
        let machine = current::machine();
        machine.lanes_done |= 1 << machine.running.0;
        for index in 0..machine.live {
            if machine.threads[index].gate == Gate::Lanes {
                machine.refresh_thread(ThreadIndex(index as u16));
            }
        }
        stop_at_gate(Action::LaneEnd, ObjectId::NONE, Gate::Lanes, site);
        current::machine().commit(Action::LaneEnd, ObjectId::NONE, site.name, 0, 0);
        set_user_code(true);
    }

    /// The call ended with this outcome. Its texts are copied out of the memory of the code under test.
    pub fn call_end(self, outcome: &Outcome) {
        if tearing_down() {
            return;
        }
        set_user_code(false);
        let machine = current::machine();
        let steps = machine.record.steps;
        let thread = machine.me();
        if thread.call.take().is_some() {
            let index = thread.call_record;
            let held =
                thread.executed_at_hold != u32::MAX && thread.executed > thread.executed_at_hold;
            let record = &mut machine.record.calls[index];
            record.ended = steps;
            record.held |= held;
            record.outcome = outcome.clone();
        }
        set_user_code(true);
    }
}

impl super::super::machine::Machine {
    /// Gives a new thread its fiber.
    ///
    /// # Safety
    /// Everything `body` borrows must live until the thread has ended or the execution is over.
    pub(crate) unsafe fn start_thread<F: FnOnce()>(&mut self, thread: ThreadIndex, body: F) {
        let bytes = self.limits.stack_bytes;
        let slot = &mut self.threads[thread.index()];
        let stack = slot.stack.take().unwrap_or_else(|| FiberStack::new(bytes));
        // SAFETY: passed on to the caller; the wrapper below catches every unwinding.
        slot.fiber = Some(unsafe {
            Fiber::new(stack, move |suspender| {
                current::machine().me().suspender = suspender;
                run_thread(body);
            })
        });
    }
}

/// What runs on a thread's fiber, from its first step to its last.
fn run_thread<F: FnOnce()>(body: F) {
    let machine = current::machine();
    machine.begin_commit();
    machine.commit(Action::Begin, ObjectId::NONE, "begin", 0, 0);
    set_user_code(true);
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        body();
        drop_locals();
    }));
    set_user_code(false);
    let machine = current::machine();
    let me = machine.running;
    if machine.tearing_down
        || outcome
            .as_ref()
            .is_err_and(|payload| payload.is::<Teardown>())
    {
        machine.me().ended = true;
        forget_payload(outcome);
        return;
    }
    if outcome.is_err() && me == ThreadIndex::MAIN {
        let panic = machine
            .record
            .panics
            .iter()
            .rev()
            .find(|panic| panic.thread == me)
            .cloned();
        forget_payload(outcome);
        let machine = current::machine();
        machine.finish(Ending::Panicked(panic.unwrap_or_default()));
        return;
    }
    forget_payload(outcome);
    // An execution may be over while a thread stands before its last step: the unwinding that ends it must not leave the fiber.
    if std::panic::catch_unwind(end_thread).is_err() {
        set_user_code(false);
        current::machine().me().ended = true;
    }
}

/// Drops a panic payload as what it is: code under test.
fn forget_payload(outcome: std::thread::Result<()>) {
    if let Err(payload) = outcome {
        set_user_code(true);
        // A payload whose destructor panics must not take the engine with it.
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(payload))).is_err() {
            // Nothing to do: the panic is on record by the hook.
        }
        set_user_code(false);
    }
}

/// Runs the destructors of the thread's locals, newest first; they may make new ones.
fn drop_locals() {
    loop {
        let destructor = current::machine().me().locals.take_newest();
        match destructor {
            Some(run) => run(),
            None => return,
        }
    }
}

/// The last step of a thread: a visible operation, because others join.
fn end_thread() {
    let machine = current::machine();
    let me = machine.running;
    let end = machine.objects.end(me);
    let location = machine.me().location;
    stop(
        Action::End,
        end,
        Site {
            location,
            name: "end",
        },
    );
    let machine = current::machine();
    machine.commit(Action::End, end, "end", 0, 0);
    machine.retire(me);
    machine.refresh(end);
    if me == ThreadIndex::MAIN && !machine.limits.run_detached {
        machine.finish(Ending::Finished);
        return;
    }
    if (0..machine.live).all(|index| machine.threads[index].ended) {
        machine.finish(Ending::Finished);
        return;
    }
    machine.decide();
}
