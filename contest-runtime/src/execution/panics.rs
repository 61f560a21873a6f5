//! Panics inside executions are facts for the record, not text on the terminal.

use std::panic::PanicHookInfo;
use std::sync::Once;

use super::current;
use crate::memory::set_user_code;
use crate::trace::Panic;

/// Installs, once per process, a hook that records panics of virtual threads and passes all others to the hook that was there.
pub(crate) fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if current::is_set() && !current::machine().over_or_idle() {
                record(info)
            } else {
                before(info)
            }
        }));
    });
}

fn record(info: &PanicHookInfo<'_>) {
    let side = set_user_code(false);
    let machine = current::machine();
    let message = info
        .payload_as_str()
        .unwrap_or("a panic whose payload is no text")
        .to_owned();
    let location = info.location().map(ToString::to_string).unwrap_or_default();
    let thread = machine.running;
    let panic = Panic {
        thread,
        message,
        location,
        step: machine.record.steps,
        call: machine.me().call,
    };
    machine.record.panics.push(panic);
    set_user_code(side);
}
