//! Flags of a lock, poisoned and held: looked at and cleared without taking the lock.

use std::panic::Location;

use super::{Active, Site, site, stop_inline, tearing_down};
use crate::execution::current;
use crate::memory::set_user_code;
use contest_data::trace::{Action, Pending};

impl Active {
    /// A look at the poison flag of the lock at `address`: waits for the turn of this thread, then runs `look`. It
    /// orders nothing, as in `std`.
    #[track_caller]
    pub fn look_at_poison(
        self,
        address: usize,
        what: &'static str,
        look: impl FnOnce() -> bool,
    ) -> bool {
        self.look_at_flag(
            address,
            what,
            site!("is_poisoned", Action::OncePeek(false)),
            look,
        )
    }

    /// The same to see whether the lock is held.
    #[track_caller]
    pub fn look_at_lock(
        self,
        address: usize,
        what: &'static str,
        look: impl FnOnce() -> bool,
    ) -> bool {
        self.look_at_flag(
            address,
            what,
            site!("is_locked", Action::OncePeek(false)),
            look,
        )
    }

    fn look_at_flag(
        self,
        address: usize,
        what: &'static str,
        site: Site,
        look: impl FnOnce() -> bool,
    ) -> bool {
        let mut look = Some(look);
        let look = &mut || look.take().is_some_and(|look| look());
        self.use_flag(address, what, Action::OncePeek, site, look)
    }

    /// Clears the poison flag of the lock at `address` by `clear`, in the turn of this thread.
    #[track_caller]
    pub fn clear_poison(self, address: usize, what: &'static str, clear: impl FnOnce()) {
        let site = site!("clear_poison", Action::OnceEnd(false));
        let mut clear = Some(clear);
        let clear = &mut || {
            clear.take().into_iter().for_each(|clear| clear());
            false
        };
        self.use_flag(address, what, Action::OnceEnd, site, clear);
    }

    #[inline(never)]
    fn use_flag(
        self,
        address: usize,
        what: &'static str,
        action: fn(bool) -> Action,
        site: Site,
        perform: &mut dyn FnMut() -> bool,
    ) -> bool {
        if tearing_down() {
            return perform();
        }
        set_user_code(false);
        let mut machine = current::machine();
        let object = machine.objects.at(address, what);
        let pending = Pending {
            action: action(false),
            object,
            // The lock itself: says that a flag of it is meant.
            second: object,
            name: site.name,
            check: site.check,
        };
        let machine = stop_inline(machine, pending, site.location);
        let (mut machine, flag) = machine.suspended(perform);
        machine.commit_pair(action(flag), object, object, site.name, u64::from(flag), 0);
        set_user_code(true);
        flag
    }
}
