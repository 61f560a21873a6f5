//! Virtual threads, their locals, and the calls of a generated test.

use super::{
    Active, Site, Teardown, give_up, site, stop, stop_here, tearing_down, wait_in_teardown,
};
use std::panic::Location;

use crate::execution::commit::{NEITHER, WRITES};
use crate::execution::coroutine::Fiber;
use crate::execution::current;
use crate::execution::machine::Machine;
use crate::execution::panics::text_of;
use crate::execution::thread_locals::Found;
use crate::execution::virtual_thread::{Gate, VirtualThread};
use crate::memory::set_user_code;
use crate::object::MOST_THREADS;
use contest_data::trace::{Action, Ending, LeftOut, Panic, ThreadIndex};

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
        let site = site!("spawn", Action::Spawn(ThreadIndex::MAIN));
        let mut machine = current::machine();
        let new = ThreadIndex(machine.live as u16);
        // Threads are numbered in the order of their creation, so creations are ordered among each other.
        let order = machine.objects.creation_order();
        let mut machine = stop_here(machine, Action::Spawn(new), order, site);
        let Some(thread) = machine.add_thread(site.location) else {
            let limit = machine.limits.threads.min(MOST_THREADS as u16);
            let raise = if usize::from(limit) < MOST_THREADS {
                "raise the limit, up to 128, or "
            } else {
                ""
            };
            drop(machine);
            self.unsupported(&format!(
                "more than {limit} virtual threads in one execution, at {}; {raise}start fewer threads: those that have ended count too",
                site.location
            ));
        };
        // SAFETY: the caller promises that what `body` borrows lives as long as the thread.
        unsafe { machine.start_thread(thread, body) };
        if let Some(name) = name {
            machine.threads[thread.index()].name = Some(name.to_owned());
        }
        if thread == new {
            machine.commit_pending::<WRITES>(0, 0);
        } else {
            machine.commit_as(Action::Spawn(thread), 0, 0);
        }
        set_user_code(true);
        thread
    }

    /// Creates a virtual thread from a body that owns what it uses; otherwise as [`Active::spawn`].
    #[track_caller]
    pub fn spawn_beside<F: FnOnce() + 'static>(self, name: Option<&str>, body: F) -> ThreadIndex {
        // SAFETY: the body borrows nothing.
        unsafe { self.spawn(name, body) }
    }

    /// Creates a thread of the test harness from a body that owns what it uses; otherwise as [`Active::spawn`].
    #[track_caller]
    pub fn spawn_owned<F: FnOnce() + 'static>(self, name: Option<&str>, body: F) -> ThreadIndex {
        // SAFETY: the body borrows nothing.
        let thread = unsafe { self.spawn(name, body) };
        let mut machine = current::machine();
        machine.harness.insert(thread);
        machine.has_harness = true;
        thread
    }

    /// Waits for the end of a virtual thread.
    #[track_caller]
    pub fn join(self, thread: ThreadIndex) {
        self.wait_for_end(thread, Gate::Join(thread));
    }

    /// The thread is one of a scope of `owner`.
    pub fn note_scope(self, thread: ThreadIndex, owner: Option<ThreadIndex>) {
        current::machine().threads[thread.index()].scope_of = owner;
    }

    /// Waits for the end of a thread of a scope. If it is held up while it drops its thread-locals, its scope ends
    /// before that, as scopes of `std` may.
    #[track_caller]
    pub fn join_in_scope(self, thread: ThreadIndex) {
        self.wait_for_end(thread, Gate::Leave(thread));
        let mut machine = current::machine();
        if machine.threads[thread.index()].drops_visibly {
            machine.record.left_out |= LeftOut::LATE_LOCALS;
        }
    }

    #[track_caller]
    fn wait_for_end(self, thread: ThreadIndex, gate: Gate) {
        if tearing_down() {
            let is = |what: fn(&VirtualThread) -> bool| {
                let machine = current::machine();
                machine.threads.get(thread.index()).is_some_and(what)
            };
            while is(|thread| !thread.ended) {
                wait_in_teardown();
            }
            if is(|thread| thread.executed == 0) {
                // It never ran, so there is no result to come back with.
                give_up();
            }
            return;
        }
        set_user_code(false);
        let site = site!("join", Action::Join(ThreadIndex::MAIN));
        let mut machine = current::machine();
        let end = machine.objects.end(thread);
        let waits = match gate {
            Gate::Leave(_) => !machine.has_left(thread),
            _ => !machine.threads[thread.index()].ended,
        };
        machine.note_waiting(waits);
        if waits {
            machine.wait_for_end(gate, end);
        }
        let mut machine = stop_here(machine, Action::Join(thread), end, site);
        if waits {
            machine.leave_gate();
        }
        machine.commit_pending::<WRITES>(0, 0);
        set_user_code(true);
    }

    /// True if the thread has ended (`JoinHandle::is_finished`); a visible read.
    #[track_caller]
    pub fn is_finished(self, thread: ThreadIndex) -> bool {
        let mut machine = current::machine();
        let ended = |machine: &Machine| machine.threads[thread.index()].ended;
        if machine.tearing_down {
            return ended(&machine);
        }
        set_user_code(false);
        let site = site!("is_finished", Action::OncePeek(false));
        let end = machine.objects.end(thread);
        let mut machine = stop(machine, Action::OncePeek(false), end, site);
        let done = ended(&machine);
        machine.commit(Action::OncePeek(done), end, site.name, u64::from(done), 0);
        set_user_code(true);
        done
    }

    /// The running thread ends by a panic, which waits in its join handle.
    pub fn panic_escaped(self) {
        let mut machine = current::machine();
        if !machine.tearing_down {
            let side = set_user_code(false);
            let running = machine.running;
            machine.record.unhandled.push(running);
            set_user_code(side);
        }
    }

    /// The panic of this thread was taken from its join handle.
    pub fn panic_taken(self, thread: ThreadIndex) {
        let mut machine = current::machine();
        if !machine.tearing_down {
            machine.record.unhandled.retain(|other| *other != thread);
        }
    }

    /// True if the running thread unwinds because of a panic of its own (`std::thread::panicking` is about the OS
    /// thread).
    #[must_use]
    pub fn panicking(self) -> bool {
        current::machine().is_unwinding()
    }

    /// True if a lock that the running thread gives back while `std` believes that the OS thread panics is poisoned by
    /// that: not if it is another virtual thread that unwinds, or the engine that ends this one.
    pub fn poisons(self) -> bool {
        let machine = current::machine();
        if machine.tearing_down {
            machine.was_unwinding()
        } else {
            machine.is_unwinding()
        }
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

    /// Value of the thread-local of the running virtual thread whose key is at `key`, made by `init` at first use and
    /// dropped when the thread ends, in reverse order of creation. `None` while or after it is being dropped.
    pub fn thread_local<T: 'static>(
        self,
        key: usize,
        init: impl FnOnce() -> T,
    ) -> Option<*const T> {
        let found = current::machine().me().locals.find::<T>(key);
        match found {
            Found::Value(value) => return Some(value),
            Found::Gone => return None,
            Found::Missing => {}
        }
        // The initialiser is code under test: it may use other thread-locals, and this one.
        let value = Box::new(init());
        let side = set_user_code(false);
        let mut machine = current::machine();
        let locals = &mut machine.me().locals;
        let pointer = match locals.find::<T>(key) {
            Found::Missing => Some(locals.insert(key, value)),
            Found::Value(value) => Some(value),
            Found::Gone => None,
        };
        drop(machine);
        set_user_code(side);
        pointer
    }
}

impl Machine {
    /// The newest panic of the thread, as far as it is known.
    pub(crate) fn last_panic_of(&self, thread: ThreadIndex) -> Panic {
        let mut newest_first = self.record.panics.iter().rev();
        let panic = newest_first.find(|panic| panic.thread == thread);
        panic.cloned().unwrap_or_default()
    }

    /// The panic with which this thread ends: one of its own, that it did not catch, or the one of another thread that
    /// it goes on with (`resume_unwind`). `text` is that of the payload, which is all that is known of it: of several
    /// with this text it is the newest.
    fn panic_of(&self, thread: ThreadIndex, text: String) -> Panic {
        let alike = || (self.record.panics.iter().rev()).filter(|it| it.message == text);
        // Without a panic of its own that it did not catch, it goes on with another thread's.
        let is_own = self.threads[thread.index()].panics > 0;
        let whose = alike().find(|it| (it.thread == thread) == is_own);
        let same = whose.or_else(|| alike().next());
        same.cloned().unwrap_or_else(|| Panic {
            thread,
            message: text,
            step: self.record.steps,
            ..Panic::default()
        })
    }

    /// Gives a new thread its fiber.
    ///
    /// # Safety
    /// Everything `body` borrows must live until the thread has ended or the execution is over.
    #[inline]
    pub(crate) unsafe fn start_thread<F: FnOnce()>(&mut self, thread: ThreadIndex, body: F) {
        // SAFETY: the thread is new, so its fiber does not run. `run_thread` catches every unwinding, so the body does
        // not unwind. The caller guarantees that what `body` borrows lives until the thread has ended.
        unsafe {
            self.start_fiber(thread, move || {
                run_thread(body);
                next_fiber()
            });
        }
    }

    /// Gives the fiber of a thread that does not run a body. The body does not unwind and returns the fiber that runs
    /// next.
    ///
    /// # Safety
    /// Everything `body` borrows must live until it has returned or the execution is over.
    #[inline]
    pub(crate) unsafe fn start_fiber<F>(&mut self, thread: ThreadIndex, body: F)
    where
        F: FnOnce() -> *mut Fiber,
    {
        let fiber = self.fiber(thread);
        // SAFETY: fibers are not moved while the machine lives. The caller guarantees the rest: what `body` borrows
        // lives until it has returned, and it does not unwind.
        unsafe { Fiber::start(fiber, self.limits.stack_bytes, body) };
        let slot = &mut self.threads[thread.index()];
        if slot.stack_end == 0 {
            // SAFETY: it does not run.
            (slot.stack_limit, slot.stack_end) = unsafe { (*fiber).stack_range() };
        }
    }
}

/// The fiber that runs after that of a thread that has ended.
fn next_fiber() -> *mut Fiber {
    let mut machine = current::machine();
    let (next, root) = (machine.next, machine.root());
    let fiber = machine.fiber(next);
    // SAFETY: fibers are where they are as long as there is a machine.
    let gone = next == machine.running || unsafe { (*fiber).done() };
    if machine.over || machine.tearing_down || gone {
        return root;
    }
    machine.running = next;
    if machine.streams.any {
        machine.show_owners_of_streams();
    }
    fiber
}

/// What runs on a thread's fiber, from its first step to its last.
fn run_thread<F: FnOnce()>(body: F) {
    let mut machine = current::machine();
    machine.begin_open_commit();
    machine.commit_pending::<NEITHER>(0, 0);
    drop(machine);
    set_user_code(true);
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        body();
        drop_locals();
    }));
    set_user_code(false);
    let (me, tearing_down) = {
        let machine = current::machine();
        (machine.running, machine.tearing_down)
    };
    if tearing_down
        || outcome
            .as_ref()
            .is_err_and(|payload| payload.is::<Teardown>())
    {
        forget_payload(outcome);
        drop_locals_of_unfinished();
        current::machine().me().ended = true;
        return;
    }
    if me == ThreadIndex::MAIN
        && let Err(payload) = &outcome
    {
        let panic = current::machine().panic_of(me, text_of(&**payload));
        forget_payload(outcome);
        let mut machine = current::machine();
        machine.finish(Ending::Panicked(panic));
        if !machine.limits.forget_unfinished {
            machine.tearing_down = true;
            drop(machine);
            drop_locals_of_unfinished();
        }
        return;
    }
    forget_payload(outcome);
    // An execution may be over while a thread stands before its last step: the unwinding that ends it must not leave
    // the fiber.
    if std::panic::catch_unwind(end_thread).is_err() {
        set_user_code(false);
        current::machine().me().ended = true;
    }
}

/// Drops the locals of a thread that did not run to its end. What their destructors throw, or what stops them at an
/// operation, ends that destructor only.
fn drop_locals_of_unfinished() {
    if current::machine().limits.forget_unfinished {
        return;
    }
    set_user_code(true);
    loop {
        let destructor = current::machine().me().locals.take_newest();
        let Some(destructor) = destructor else { break };
        if let Err(payload) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(destructor)) {
            forget_payload(Err(payload));
            set_user_code(true);
        }
    }
    set_user_code(false);
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
    let executed = {
        let mut machine = current::machine();
        let me = machine.me();
        me.drops_locals = true;
        me.executed
    };
    loop {
        let destructor = current::machine().me().locals.take_newest();
        match destructor {
            Some(run) => run(),
            None => break,
        }
    }
    let mut machine = current::machine();
    let me = machine.me();
    me.drops_visibly = me.executed > executed;
}

/// The last step of a thread: a visible operation, because others join.
fn end_thread() {
    let mut machine = current::machine();
    let me = machine.running;
    let end = machine.objects.end(me);
    let location = machine.me().location;
    let site = site!("end", Action::End, location);
    let mut machine = stop_here(machine, Action::End, end, site);
    machine.commit_pending::<WRITES>(0, 0);
    machine.retire();
    machine.open_end(end);
    if machine.unfinished == 0 || me == ThreadIndex::MAIN && !machine.limits.run_detached {
        machine.finish_ordinarily();
        return;
    }
    machine.decide();
}
