//! Values that must stay on the thread that made them. No scheduling points: what a thread owns, no other can hand on.

use std::cell::Cell;
use std::panic::Location;

use super::{Active, tearing_down};
use crate::execution::current;
use crate::memory::set_user_code;
use contest_data::trace::{MemoryFault, Occurrence, Place};

impl Active {
    /// The running thread makes such a value here; with a name of the execution.
    pub fn made(self, location: &'static Location<'static>) -> (Occurrence, u64) {
        let mut machine = current::machine();
        let name = Cell::new(0);
        machine.names.location(&name, 0);
        let made = Occurrence {
            thread: machine.running,
            step: machine.record.steps,
            place: Place::Source(location),
        };
        (made, name.get())
    }

    /// The running thread drops it, called from `place`. If another one made it, in this execution, that is kept with
    /// the faults.
    pub fn dropped(self, (made, name): (Occurrence, u64), place: Place) {
        if tearing_down() {
            return;
        }
        let mut machine = current::machine();
        let known = Cell::new(name);
        machine.names.location(&known, 0);
        let elsewhere = known.get() != name || machine.over || machine.dropping_statics;
        if elsewhere || made.thread == machine.running {
            return;
        }
        let dropped = Occurrence {
            thread: machine.running,
            step: machine.record.steps,
            place,
        };
        let fault = MemoryFault::WrongThread { made, dropped };
        let side = set_user_code(false);
        machine.settle_accesses();
        let faults = &mut machine.record.faults;
        if !faults.iter().any(|known| known.same_places(&fault)) {
            faults.push(fault);
        }
        set_user_code(side);
    }
}
