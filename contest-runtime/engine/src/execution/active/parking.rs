//! Giving way: park, yield, sleep.

use std::panic::Location;
use std::time::Duration;

use super::{Active, Site, site, stop, tearing_down, wait_for_turn};
use crate::execution::current::{self, Access};
use crate::execution::same_state::note_state_at_yield;
use crate::execution::virtual_thread::Gate;
use crate::memory::set_user_code;
use contest_data::trace::{Action, ObjectId, Pending, REST, ThreadIndex};

impl Active {
    /// Waits for the token of this thread; true if it returns without, because time is up or spuriously.
    #[track_caller]
    pub fn park(self, timeout: Option<Duration>) -> bool {
        if tearing_down() {
            return false;
        }
        set_user_code(false);
        let site = if timeout.is_some() {
            site!("park_timeout", Action::Park(false))
        } else {
            site!("park", Action::Park(false))
        };
        let mut machine = current::machine();
        let running = machine.running;
        let object = machine.objects.token(running);
        let pending = Pending {
            action: Action::Park(false),
            object,
            second: ObjectId::NONE,
            name: site.name,
            check: site.check,
        };
        machine.publish(pending, Gate::Park, site.location);
        machine.publish_timeout(timeout);
        machine.publish_spurious_wakeup();
        let waits = !machine.me().token;
        machine.note_waiting(waits);
        let mut machine = wait_for_turn(machine);
        let got_token = std::mem::take(&mut machine.me().token);
        machine.commit(Action::Park(!got_token), object, site.name, 0, 0);
        set_user_code(true);
        !got_token
    }

    /// Makes the token of `thread` available.
    #[track_caller]
    pub fn unpark(self, thread: ThreadIndex) {
        if tearing_down() {
            return;
        }
        set_user_code(false);
        let site = site!("unpark", Action::Unpark);
        let mut machine = current::machine();
        let object = machine.objects.token(thread);
        let mut machine = stop(machine, Action::Unpark, object, site);
        let slot = &mut machine.threads[thread.index()];
        let had_token = std::mem::replace(&mut slot.token, true);
        machine.refresh(object);
        machine.commit(Action::Unpark, object, site.name, u64::from(had_token), 0);
        set_user_code(true);
    }

    /// Gives way: `yield_now` and `spin_loop`. If the thread goes round a loop, it waits until something it read in the
    /// last round was written by another thread, if anybody else can run.
    #[track_caller]
    #[inline]
    pub fn yield_now(self, name: &'static str) {
        self.give_way(name, ObjectId::NONE);
    }

    /// Gives way until no other thread can run. They do so in one order, which is no decision.
    #[track_caller]
    pub fn let_others_rest(self) {
        if tearing_down() {
            return;
        }
        set_user_code(false);
        let mut machine = publish_yield(REST, ObjectId::NONE);
        let bit = machine.running_bit();
        machine.resting |= bit;
        machine.slow_path |= bit;
        wait_for_turn(machine).commit(Action::Yield, ObjectId::NONE, REST, 0, 0);
        set_user_code(true);
    }

    /// Gives way, and looks at `object` when it is its turn again.
    #[track_caller]
    #[inline]
    pub fn give_way(self, name: &'static str, object: ObjectId) {
        note_state_at_yield();
        self.give_way_now(name, object);
    }

    #[track_caller]
    #[inline(never)]
    fn give_way_now(self, name: &'static str, object: ObjectId) {
        if tearing_down() {
            return;
        }
        set_user_code(false);
        let mut machine = publish_yield(name, object);
        machine.mark_spinning(true);
        wait_for_turn(machine).commit(Action::Yield, object, name, 0, 0);
        set_user_code(true);
    }

    /// Sleeps for a span of virtual time.
    #[track_caller]
    pub fn sleep(self, duration: Duration) {
        if tearing_down() {
            return;
        }
        set_user_code(false);
        let site = site!("sleep", Action::Sleep);
        let mut machine = current::machine();
        let pending = Pending {
            action: Action::Sleep,
            object: ObjectId::NONE,
            second: ObjectId::NONE,
            name: site.name,
            check: site.check,
        };
        machine.publish(pending, Gate::Never, site.location);
        machine.publish_timeout(Some(duration));
        wait_for_turn(machine).commit(Action::Sleep, ObjectId::NONE, site.name, 0, 0);
        set_user_code(true);
    }
}

#[track_caller]
fn publish_yield(name: &'static str, object: ObjectId) -> Access {
    let mut machine = current::machine();
    let site = Site::of(&mut machine, Action::Yield, name, Location::caller());
    let pending = Pending {
        action: Action::Yield,
        object,
        second: ObjectId::NONE,
        name,
        check: site.check,
    };
    machine.publish(pending, Gate::Open, site.location);
    machine
}
