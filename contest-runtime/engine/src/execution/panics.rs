//! Panics inside executions are facts for the record, not text on the terminal.

use std::any::Any;
use std::panic::PanicHookInfo;
use std::sync::Once;

use super::current;
use crate::memory::set_user_code;
#[cfg(all(feature = "driver", target_os = "linux"))]
use contest_data::contact::Shared;
use contest_data::contact::Uses;
use contest_data::trace::{Ending, Panic};

/// Installs, once per process, a hook that records panics of virtual threads and passes all others to the hook that was
/// there.
pub fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            // Who panics while it has the machine is the engine, not code under test.
            if !current::is_set() || current::is_accessed() {
                return before(info);
            }
            let machine = current::machine();
            let (forgets, idle) = (machine.limits.forget_unfinished, machine.over_or_idle());
            drop(machine);
            if !forgets && ends_the_process(info) {
                before_the_abort(info);
            } else if !idle {
                record(info);
            }
        }));
    });
}

/// Records the panic of a virtual thread, if that has not been done: called by hooks of code under test, which replace
/// the one above.
pub fn note(info: &PanicHookInfo<'_>) {
    if current::is_set() && !current::is_accessed() && !current::machine().over_or_idle() {
        record(info);
    }
}

/// What a panic says whose payload this is, where no hook has seen it.
pub(super) fn text_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
    text.unwrap_or(NO_TEXT).to_owned()
}

const NO_TEXT: &str = "a panic whose payload is no text";

/// True if `std` aborts the process as soon as the hook returns: a destructor panicked during unwinding, or a panic
/// came to a function that cannot unwind.
fn ends_the_process(info: &PanicHookInfo<'_>) -> bool {
    info.payload_as_str().is_some_and(|text| {
        text == "panic in a destructor during cleanup"
            || text == "panic in a function that cannot unwind"
    })
}

/// Ends the execution, and lets `std` go on to its abort: `signals` leaves the thread there, on Linux. Leaving it from
/// here would leave the process's panic hook locked.
fn before_the_abort(info: &PanicHookInfo<'_>) {
    let text = info.payload_as_str().unwrap_or_default();
    set_user_code(false);
    let mut machine = current::machine();
    machine.aborts = true;
    if !machine.over_or_idle() {
        machine.finish(Ending::Exit(format!("abort: {text}")));
        if machine.dropping_statics {
            machine.record.ending = Ending::Exit(format!("abort: {text}"));
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let (thread, location) = (machine.running.0, machine.me().location);
        drop(machine);
        eprintln!(
            "contest: {text}, in thread {thread} of the model (0 is the main thread), after its operation at {location}; \
             this ends the process, except on Linux, where it is reported"
        );
    }
}

/// Notes that the running thread has caught a panic.
pub fn note_caught() {
    if current::is_set() && !current::is_accessed() {
        let mut machine = current::machine();
        let me = machine.me();
        me.panics = me.panics.saturating_sub(1);
    }
}

/// Notes that code under test sets or takes the hook of the process.
pub fn note_hook_changed() {
    note_hook(Uses::CHANGES);
}

fn note_hook(_uses: Uses) {
    #[cfg(all(feature = "driver", target_os = "linux"))]
    crate::memory::contacts::note(|| Shared::PanicHook, _uses);
}

fn record(info: &PanicHookInfo<'_>) {
    note_hook(Uses::READS);
    let side = set_user_code(false);
    let message = info.payload_as_str().unwrap_or(NO_TEXT).to_owned();
    let location = info.location().map(ToString::to_string).unwrap_or_default();
    let mut machine = current::machine();
    let thread = machine.running;
    let panic = Panic {
        thread,
        message,
        location,
        step: machine.record.steps,
        call: machine.me().call,
    };
    // Hooks may call the one that was there before them.
    if machine.record.panics.last() != Some(&panic) {
        machine.record.panics.push(panic);
        machine.me().panics += 1;
    }
    drop(machine);
    set_user_code(side);
}
