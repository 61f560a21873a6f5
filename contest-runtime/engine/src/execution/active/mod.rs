//! What a drop-in type calls inside an execution. Each method is one visible operation: it publishes the operation,
//! lets the strategy pick the next thread, and returns when it is this thread's turn and the operation is enabled.
//!
//! The real `std` object stays the truth: a drop-in `Mutex` calls [`Active::lock`] first and then takes the real lock,
//! which must succeed at once. The engine keeps, by address, only the holders and the waiters.

mod assembly;
mod atomic_bits;
mod atomic_operation;
pub(in crate::execution) mod atomics;
mod calls;
mod channels;
mod deferred;
mod final_state;
mod locks;
pub(in crate::execution) mod memory;
mod model;
mod once;
mod parking;
mod poison;
mod polls_in_wake;
mod tasks;
mod teardown;
mod thread_bound;
mod threads;
mod waiting;
mod weak_atomics;
mod writers;

use self::deferred::Deferred;
pub use self::teardown::Teardown;
#[cfg(target_os = "linux")]
pub(super) use self::teardown::never_resume;
use self::teardown::{give_up, suspend, tearing_down, wait_in_teardown};
use self::weak_atomics::execute_fence;

use std::marker::PhantomData;
use std::panic::Location;
use std::sync::atomic::Ordering;

use super::coroutine::Fiber;
use super::current::{self, Access};
use super::machine::Machine;
use super::virtual_thread::Gate;
use crate::memory::set_user_code;
use contest_data::gap::Gap;
use contest_data::trace::{Action, Ending, ObjectId, Pending};

pub use assembly::{AssemblyBlock, AssemblyFence};
pub use atomic_operation::{AtomicEffect, AtomicKind, AtomicMethod, AtomicOperation};
pub use polls_in_wake::{PollInWake, PollStep};

/// The execution that runs on this OS thread. Not `Send`.
#[derive(Clone, Copy, Debug)]
pub struct Active(PhantomData<*mut ()>);

/// The execution that runs on this OS thread, if any; outside, drop-in types behave as the real ones.
#[inline(always)]
#[must_use]
pub fn active() -> Option<Active> {
    if current::is_set() {
        Some(Active(PhantomData))
    } else {
        None
    }
}

/// Answer to a thread that enters a `Once`-like object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnceEntry {
    /// It is complete (according to the `complete` closure given to [`Active::once_begin`]).
    Complete,
    /// This thread runs the initialiser now and must call [`Active::once_end`].
    Run,
}

/// Answer to a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// There is room: put the message into the real queue now.
    Room,
    /// All receivers are gone.
    Closed,
    /// No room, and the call does not wait (or its time ran out).
    Full,
}

/// Answer to a receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// A message is there: take it from the real queue now.
    Message,
    /// The queue is empty and all senders are gone.
    Closed,
    /// Empty, and the call does not wait.
    Empty,
    /// Empty until the time ran out.
    TimedOut,
}

/// What every operation has: where it is and what it is called.
#[derive(Clone, Copy, Debug)]
struct Site {
    location: &'static Location<'static>,
    name: &'static str,
    /// As [`Pending::check`].
    check: u8,
}

impl Site {
    /// For a name that is known at run time only.
    fn of(
        machine: &mut Machine,
        action: Action,
        name: &'static str,
        location: &'static Location<'static>,
    ) -> Self {
        let check = machine.checks.of(action, name);
        Self {
            location,
            name,
            check,
        }
    }

    /// The same place and name, for another kind of operation.
    fn again(self, machine: &mut Machine, action: Action) -> Self {
        Self::of(machine, action, self.name, self.location)
    }
}

/// The site of an operation of this name and kind at the caller's source location, or at the one that is given.
macro_rules! site {
    ($name:expr, $action:expr) => {
        site!($name, $action, Location::caller())
    };
    ($name:expr, $action:expr, $location:expr) => {
        Site {
            location: $location,
            name: $name,
            check: const { contest_data::trace::schedule::check_of($action, $name) },
        }
    };
}
use site;

/// Publishes an operation that can always be executed, and waits for the turn of this thread: the access is given up
/// for the others, and comes back when it is this thread's turn.
fn stop(machine: Access, action: Action, object: ObjectId, site: Site) -> Access {
    stop_here(machine, action, object, site)
}

/// As `stop`, where every call counts.
#[inline(always)]
fn stop_here(machine: Access, action: Action, object: ObjectId, site: Site) -> Access {
    let pending = Pending {
        action,
        object,
        second: ObjectId::NONE,
        name: site.name,
        check: site.check,
    };
    stop_inline(machine, pending, site.location)
}

/// As `stop_here`, of an operation that is described already.
#[inline(always)]
pub(in crate::execution) fn stop_inline(
    mut machine: Access,
    pending: Pending,
    location: &'static Location<'static>,
) -> Access {
    machine.publish_open(pending, location);
    if !machine.decide_inline() {
        machine = switch(machine);
    }
    machine.begin_open_commit();
    machine
}

/// Publishes an operation and waits until its gate is open and it is this thread's turn.
fn stop_at_gate(
    mut machine: Access,
    action: Action,
    object: ObjectId,
    gate: Gate,
    site: Site,
) -> Access {
    machine.publish(
        Pending {
            action,
            object,
            second: ObjectId::NONE,
            name: site.name,
            check: site.check,
        },
        gate,
        site.location,
    );
    wait_for_turn(machine)
}

/// Lets the strategy decide; returns when it is this thread's turn.
pub(in crate::execution) fn wait_for_turn(mut machine: Access) -> Access {
    if !machine.decide() {
        machine = switch(machine);
    }
    machine.begin_commit();
    machine
}

/// Lets the chosen thread go on, or the engine if the execution is over; returns when it is this thread's turn.
#[inline(always)]
fn switch(mut machine: Access) -> Access {
    let (this, next, root) = (
        machine.fiber(machine.running),
        machine.fiber(machine.next),
        machine.root(),
    );
    // SAFETY: a fiber that runs or waits is not moved.
    if machine.over || unsafe { (*next).done() } {
        return leave(machine);
    }
    machine.running = machine.next;
    if machine.streams.any {
        machine.show_owners_of_streams();
    }
    // SAFETY: the running thread's fiber is this one; the other one is not done, and the engine waits at the root.
    let (machine, ()) = machine.suspended(|| unsafe { Fiber::hand_over(this, next, root) });
    if machine.unwinds_thread {
        return unwind(machine);
    }
    machine
}

/// Gives control to the engine: the execution is over.
#[cold]
#[inline(never)]
fn leave(mut machine: Access) -> Access {
    if !machine.over {
        let next = machine.next;
        let ending = format!("thread {} was chosen after its end", next.0);
        machine.finish(Ending::Unsupported(ending));
    }
    unwind(suspend(machine))
}

/// What a thread does that is resumed after the execution is over.
#[cold]
#[inline(never)]
fn unwind(mut machine: Access) -> Access {
    loop {
        if !machine.was_unwinding() {
            drop(machine);
            set_user_code(true);
            std::panic::resume_unwind(Box::new(Teardown));
        }
        // In a destructor that already runs because of a panic: another panic would abort. It goes on if what it waits
        // for has come meanwhile, else it is given up as it is.
        if machine.is_open(machine.running) {
            return machine;
        }
        machine.me().stuck = true;
        machine = suspend(machine);
    }
}

/// Ends the execution at once.
fn end(ending: impl FnOnce() -> Ending) -> ! {
    set_user_code(false);
    let mut machine = current::machine();
    machine.finish(ending());
    drop(switch(machine));
    unreachable!("an execution that is over resumes no thread")
}

impl Active {
    /// Memory fence.
    #[track_caller]
    pub fn fence(self, ordering: Ordering) {
        if tearing_down() {
            return;
        }
        set_user_code(false);
        let site = site!("fence", Action::Fence(Ordering::SeqCst));
        let mut machine = current::machine();
        let ordering = match machine.weak.on {
            true => machine.other_fence(site.location, ordering),
            false => ordering,
        };
        let mut machine = stop(machine, Action::Fence(ordering), ObjectId::NONE, site);
        if machine.weak.on {
            machine = execute_fence(machine, ordering);
        } else {
            machine.commit(Action::Fence(ordering), ObjectId::NONE, site.name, 0, 0);
        }
        drop(machine);
        set_user_code(true);
    }

    /// Ends the execution at once: the code under test called a function that ends the process.
    pub fn exit(self, call: &str) -> ! {
        end(|| Ending::Exit(call.to_owned()))
    }

    /// Ends the execution at once, for a reason the user must know: what cannot be controlled, and where.
    pub fn unsupported(self, reason: &str) -> ! {
        end(|| Ending::Unsupported(reason.to_owned()))
    }

    /// Ends the execution at once because its memory limit is reached.
    pub fn out_of_memory(self, bytes: u64) -> ! {
        end(|| Ending::MemoryLimit(bytes))
    }

    /// Notes that the thread is about to change an environment variable.
    pub fn note_environment_change(self) {
        let side = set_user_code(false);
        let mut machine = current::machine();
        if machine.live > 1 {
            machine.record.gaps.add(Gap::Environment);
        }
        drop(machine);
        set_user_code(side);
    }

    /// True if the execution begins shortly before the end of a day: those in which a thread is held up do.
    #[must_use]
    pub fn begins_before_midnight(self) -> bool {
        current::machine().record.schedule.leeway.delay.is_some()
    }

    /// Virtual time since the start of the execution, of which nobody notices that it was asked for.
    #[must_use]
    pub fn time(self) -> std::time::Duration {
        current::machine().clock
    }

    /// Virtual time since the start of the execution. Not a visible operation; every call moves the clock a little.
    #[must_use]
    pub fn now(self) -> std::time::Duration {
        current::machine().now()
    }
}
