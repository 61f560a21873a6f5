//! What operations do after their execution is over, while its unfinished threads unwind.
//!
//! A thread that unwinds runs destructors only. Their operations are carried out at once on the real objects and
//! recorded nowhere; one that would wait is tried again after other threads have unwound. Code that caught the
//! unwinding is unwound again at its next operation, so that nothing but destructors runs.

use crate::execution::coroutine::Fiber;
use crate::execution::current::{self, Access};
use crate::memory::set_user_code;

/// Operations that the destructors of one thread may execute: one that goes round a loop for ever ends here.
const MOST_STEPS: u32 = 10_000;

/// Payload of the unwinding that ends a thread of an execution that is over.
#[derive(Debug)]
pub struct Teardown;

/// True after the execution is over: the operation must be carried out without the scheduler.
#[inline(always)]
pub(super) fn tearing_down() -> bool {
    let tearing_down = current::machine().tearing_down;
    tearing_down && step()
}

#[cold]
#[inline(never)]
pub(super) fn step() -> bool {
    let mut machine = current::machine();
    if machine.unwinds_thread {
        if !std::thread::panicking() {
            drop(machine);
            set_user_code(true);
            std::panic::resume_unwind(Box::new(Teardown));
        }
        machine.teardown_steps += 1;
        if machine.teardown_steps > MOST_STEPS {
            drop(machine);
            give_up();
        }
    }
    true
}

/// What cannot go on now is tried again after other threads have unwound.
#[cold]
pub(super) fn wait_in_teardown() {
    let mut machine = current::machine();
    if !machine.unwinds_thread && !machine.dropping_statics {
        drop(machine);
        // In a destructor of something that never got a thread of its own.
        std::panic::resume_unwind(Box::new(Teardown));
    }
    machine.me().stuck = true;
    drop(suspend(machine));
}

/// What can never go on is given up here and now; what the thread owns is leaked.
#[cold]
pub(super) fn give_up() -> ! {
    loop {
        wait_in_teardown();
    }
}

/// Leaves the running thread for good, in the middle of whatever it does. The execution is over.
#[cfg(target_os = "linux")]
pub(crate) fn never_resume() -> ! {
    let mut machine = current::machine();
    loop {
        machine.me().stuck = true;
        machine = suspend(machine);
    }
}

/// Gives control to the engine; returns when the thread is resumed.
pub(super) fn suspend(machine: Access) -> Access {
    let (this, root) = (machine.fiber(machine.running), machine.root());
    // SAFETY: the running thread's fiber is this one, and the engine waits at the root.
    let (machine, ()) = machine.suspended(|| unsafe { Fiber::suspend(this, root) });
    machine
}
