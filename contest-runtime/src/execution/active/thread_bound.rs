//! Values that must stay on the thread that made them. No scheduling points: what a thread owns, no other can hand on.

use std::cell::Cell;
use std::panic::Location;

use super::{Active, tearing_down};
use crate::execution::current;
use crate::memory::set_user_code;
use crate::trace::{AccessKind, Place, Race, RacingAccess};

impl Active {
    /// The running thread makes such a value here; with a name of the execution.
    pub(crate) fn made(self, location: &'static Location<'static>) -> (RacingAccess, u64) {
        let machine = current::machine();
        let name = Cell::new(0);
        machine.names.location(&name, 0);
        let access = RacingAccess {
            thread: machine.running,
            step: machine.record.steps,
            place: Place::Source(location),
            kind: AccessKind::Make,
        };
        (access, name.get())
    }

    /// The running thread drops it, called from `place`. If another one made it, in this execution, that is kept with the races.
    pub(crate) fn dropped(self, (made, name): (RacingAccess, u64), place: Place) {
        if tearing_down() {
            return;
        }
        let machine = current::machine();
        let known = Cell::new(name);
        machine.names.location(&known, 0);
        let elsewhere = known.get() != name || machine.over || machine.dropping_statics;
        if elsewhere || made.thread == machine.running {
            return;
        }
        let race = Race {
            first: made,
            second: RacingAccess {
                thread: machine.running,
                step: machine.record.steps,
                place,
                kind: AccessKind::Drop,
            },
            touched: None,
        };
        let side = set_user_code(false);
        machine.settle_accesses();
        let races = &mut machine.record.races;
        if !races.iter().any(|known| known.same_places(&race)) {
            races.push(race);
        }
        set_user_code(side);
    }
}
