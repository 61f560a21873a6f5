//! Locks.

use std::panic::Location;
use std::time::Duration;

use super::{
    Active, Deferred, Site, site, stop, stop_inline, tearing_down, wait_for_turn, wait_in_teardown,
};
use crate::execution::current;
use crate::execution::machine::Machine;
use crate::execution::same_state::note_state;
use crate::execution::virtual_thread::Gate;
use crate::memory::set_user_code;
use contest_data::trace::{Action, LockMode, ObjectId, Pending};

/// The lock at this address; a new one if the engine's record says "held" and the real lock is free, because then the
/// memory of a lock that was forgotten while held has been reused.
pub(super) fn lock_at(
    address: usize,
    mode: LockMode,
    what: &'static str,
    is_free: &dyn Fn() -> bool,
) -> ObjectId {
    let mut machine = current::machine();
    let object = machine.objects.at(address, what);
    if machine.objects.get(object).is_free(mode) {
        return object;
    }
    drop(machine);
    if is_free() {
        return current::machine().objects.renew(address, what);
    }
    object
}

impl Active {
    /// Takes the lock at `address`, waiting as long as it is held in an incompatible mode, at most `timeout` of virtual
    /// time. Returns false if time ran out. `what` names the type in reports, e.g. `Mutex`. `is_free` looks at the real
    /// lock: the engine calls it when its own record says "held", because memory may have been reused for a new lock.
    #[track_caller]
    pub fn lock(
        self,
        address: usize,
        mode: LockMode,
        what: &'static str,
        timeout: Option<Duration>,
        is_free: impl Fn() -> bool,
    ) -> bool {
        self.take_lock(address, (mode, false), what, timeout, &is_free)
    }

    /// Takes the reader-writer lock at `address` to read, though a writer waits: locks that know of no threads offer
    /// this for readers that read already. Otherwise as [`Active::lock`].
    #[track_caller]
    pub fn read_again(
        self,
        address: usize,
        what: &'static str,
        timeout: Option<Duration>,
        is_free: impl Fn() -> bool,
    ) -> bool {
        self.take_lock(address, (LockMode::Read, true), what, timeout, &is_free)
    }

    #[track_caller]
    #[inline(never)]
    fn take_lock(
        self,
        address: usize,
        (mode, again): (LockMode, bool),
        what: &'static str,
        timeout: Option<Duration>,
        is_free: &dyn Fn() -> bool,
    ) -> bool {
        if tearing_down() {
            while !is_free() {
                wait_in_teardown();
            }
            return true;
        }
        set_user_code(false);
        let site = match mode {
            LockMode::Exclusive => site!("lock", Action::Acquire(LockMode::Exclusive)),
            LockMode::Read => site!("read", Action::Acquire(LockMode::Read)),
            LockMode::Upgradable => {
                site!("upgradable_read", Action::Acquire(LockMode::Upgradable))
            }
        };
        let object = lock_at(address, mode, what, is_free);
        let mut machine = current::machine();
        let pending = Pending {
            action: Action::Acquire(mode),
            object,
            second: ObjectId::NONE,
            name: site.name,
            check: site.check,
        };
        let gate = match again {
            true => Gate::ReadAgain(object),
            false => Gate::Lock(object, mode),
        };
        let is_refused = |machine: &Machine| {
            let lock = machine.objects.get(object);
            !(lock.admits(mode) || again && lock.is_free(mode))
        };
        machine.publish(pending, gate, site.location);
        machine.publish_timeout(timeout);
        let waits = is_refused(&machine);
        machine.note_waiting(waits);
        let mut machine = wait_for_turn(machine);
        let timed_out = machine.me().timed_out && is_refused(&machine);
        if timed_out {
            machine.commit(Action::AcquireTimeout(mode), object, site.name, 0, 0);
        } else {
            machine.take(object, mode, site.location);
            machine.commit(Action::Acquire(mode), object, site.name, 0, 0);
        }
        set_user_code(true);
        !timed_out
    }

    /// Tries to take the lock; true if this thread holds it now (then the real try-lock must succeed).
    #[track_caller]
    pub fn try_lock(
        self,
        address: usize,
        mode: LockMode,
        what: &'static str,
        is_free: impl Fn() -> bool,
    ) -> bool {
        note_state(Location::caller());
        self.try_to_lock(address, mode, what, &is_free)
    }

    #[track_caller]
    #[inline(never)]
    fn try_to_lock(
        self,
        address: usize,
        mode: LockMode,
        what: &'static str,
        is_free: &dyn Fn() -> bool,
    ) -> bool {
        if tearing_down() {
            return is_free();
        }
        {
            let mut machine = current::machine();
            let thread = machine.me();
            if (thread.shows.as_ref()).is_some_and(|value| !value.contains(&address)) {
                thread.shown_in_part = true;
                return false;
            }
        }
        set_user_code(false);
        let site = match mode {
            LockMode::Exclusive => site!("try_lock", Action::TryAcquire(LockMode::Exclusive, true)),
            LockMode::Read => site!("try_read", Action::TryAcquire(LockMode::Read, true)),
            LockMode::Upgradable => {
                site!(
                    "try_upgradable_read",
                    Action::TryAcquire(LockMode::Upgradable, true)
                )
            }
        };
        let object = lock_at(address, mode, what, is_free);
        // Which way it will go is known when it is executed; until then it counts as one that takes the lock.
        let mut machine = current::machine();
        machine.publish_conditional();
        let mut machine = stop(machine, Action::TryAcquire(mode, true), object, site);
        let free = machine.objects.get(object).admits(mode);
        if free {
            machine.take(object, mode, site.location);
        }
        machine.commit(Action::TryAcquire(mode, free), object, site.name, 0, 0);
        set_user_code(true);
        free
    }

    /// Gives the lock back: waits for the turn of this thread, then runs `release`, which drops the real guard.
    #[inline]
    pub fn unlock<R>(self, address: usize, mode: LockMode, release: impl FnOnce() -> R) -> R {
        let mut release = Deferred::new(release);
        self.give_lock_back(address, mode, &mut || _ = release.call());
        release.result()
    }

    #[inline(never)]
    fn give_lock_back(self, address: usize, mode: LockMode, release: &mut dyn FnMut()) {
        let mut machine = current::machine();
        if machine.tearing_down {
            let (mut machine, ()) = machine.suspended(release);
            let object = machine.objects.at(address, "lock");
            machine.give_back(object, mode);
            return;
        }
        set_user_code(false);
        let object = machine.objects.at(address, "lock");
        let state = machine.objects.get(object);
        // A destructor has no caller location: the place where the guard was taken says more.
        let location = state.taken_at.unwrap_or(Location::caller());
        let site = match mode {
            LockMode::Upgradable => {
                site!(
                    "unlock",
                    Action::Release(LockMode::Upgradable, None),
                    location
                )
            }
            _ => site!(
                "unlock",
                Action::Release(LockMode::Exclusive, None),
                location
            ),
        };
        let reads = mode == LockMode::Read;
        let waited_for = reads && !machine.objects.get(object).waiting.is_empty();
        let pending = Pending {
            action: Action::Release(mode, None),
            object,
            // A writer may come until this is executed, see `reserve`.
            second: if waited_for { object } else { ObjectId::NONE },
            name: site.name,
            check: site.check,
        };
        let machine = stop_inline(machine, pending, site.location);
        let second = if reads {
            machine.second_of_pending()
        } else {
            ObjectId::NONE
        };
        let (mut machine, ()) = machine.suspended(release);
        machine.give_back(object, mode);
        let action = Action::Release(mode, None);
        machine.commit_pair(action, object, second, site.name, 0, 0);
        set_user_code(true);
    }

    /// Turns an exclusive lock of this thread into a read lock in one step: waits for the turn of this thread, then
    /// runs `downgrade` on the real lock.
    #[track_caller]
    pub fn downgrade<R>(self, address: usize, downgrade: impl FnOnce() -> R) -> R {
        self.downgrade_from(address, LockMode::Exclusive, LockMode::Read, downgrade)
    }

    /// Turns a lock of this thread into one of a weaker mode in one step, as [`downgrade`](Self::downgrade).
    #[track_caller]
    pub fn downgrade_from<R>(
        self,
        address: usize,
        from: LockMode,
        to: LockMode,
        downgrade: impl FnOnce() -> R,
    ) -> R {
        let mut downgrade = Deferred::new(downgrade);
        self.weaken(address, from, to, &mut || _ = downgrade.call());
        downgrade.result()
    }

    #[track_caller]
    #[inline(never)]
    fn weaken(self, address: usize, from: LockMode, to: LockMode, downgrade: &mut dyn FnMut()) {
        if tearing_down() {
            return downgrade();
        }
        set_user_code(false);
        let site = match from {
            LockMode::Upgradable => site!("downgrade", Action::Release(LockMode::Upgradable, None)),
            _ => site!("downgrade", Action::Release(LockMode::Exclusive, None)),
        };
        let mut machine = current::machine();
        let object = machine.objects.at(address, "RwLock");
        let action = Action::Release(from, Some(to));
        let machine = stop(machine, action, object, site);
        let (mut machine, ()) = machine.suspended(downgrade);
        machine.give_back(object, from);
        machine.take(object, to, site.location);
        machine.commit(action, object, site.name, 0, 0);
        set_user_code(true);
    }

    /// Turns the upgradable lock of this thread into the exclusive one: waits until no reader is left, at most
    /// `timeout` of virtual time. No writer comes in between. Returns false if time ran out; the lock is upgradable
    /// then as before.
    #[track_caller]
    pub fn upgrade(
        self,
        address: usize,
        timeout: Option<Duration>,
        free: impl Fn() -> bool,
    ) -> bool {
        self.strengthen(address, timeout, &free)
    }

    #[track_caller]
    #[inline(never)]
    fn strengthen(
        self,
        address: usize,
        timeout: Option<Duration>,
        free: &dyn Fn() -> bool,
    ) -> bool {
        if tearing_down() {
            while !free() {
                wait_in_teardown();
            }
            return true;
        }
        set_user_code(false);
        let site = site!("upgrade", Action::Acquire(LockMode::Exclusive));
        let mut machine = current::machine();
        let object = machine.objects.at(address, "RwLock");
        let pending = Pending {
            action: Action::Acquire(LockMode::Exclusive),
            object,
            second: ObjectId::NONE,
            name: site.name,
            check: site.check,
        };
        machine.publish(pending, Gate::Upgrade(object), site.location);
        machine.publish_timeout(timeout);
        let waits = !machine.objects.get(object).can_upgrade();
        machine.note_waiting(waits);
        let mut machine = wait_for_turn(machine);
        let timed_out = machine.me().timed_out && !machine.objects.get(object).can_upgrade();
        if timed_out {
            let action = Action::AcquireTimeout(LockMode::Exclusive);
            machine.commit(action, object, site.name, 0, 0);
        } else {
            machine.take(object, LockMode::Exclusive, site.location);
            let action = Action::Acquire(LockMode::Exclusive);
            machine.commit(action, object, site.name, 0, 0);
        }
        set_user_code(true);
        !timed_out
    }

    /// Tries to turn the upgradable lock of this thread into the exclusive one.
    #[track_caller]
    pub fn try_upgrade(self, address: usize, free: impl Fn() -> bool) -> bool {
        self.try_to_strengthen(address, &free)
    }

    #[track_caller]
    #[inline(never)]
    fn try_to_strengthen(self, address: usize, free: &dyn Fn() -> bool) -> bool {
        if tearing_down() {
            return free();
        }
        set_user_code(false);
        let site = site!("try_upgrade", Action::TryAcquire(LockMode::Exclusive, true));
        let mut machine = current::machine();
        let object = machine.objects.at(address, "RwLock");
        machine.publish_conditional();
        let action = Action::TryAcquire(LockMode::Exclusive, true);
        let mut machine = stop(machine, action, object, site);
        let free = machine.objects.get(object).can_upgrade();
        if free {
            machine.take(object, LockMode::Exclusive, site.location);
        }
        let action = Action::TryAcquire(LockMode::Exclusive, free);
        machine.commit(action, object, site.name, 0, 0);
        set_user_code(true);
        free
    }
}

impl Machine {
    /// The running thread holds the lock from here on.
    pub(crate) fn take(
        &mut self,
        object: ObjectId,
        mode: LockMode,
        location: &'static Location<'static>,
    ) {
        let running = self.running;
        self.objects
            .get_mut(object)
            .acquire(running, mode, location);
        self.refresh(object);
    }

    /// The running thread holds it no longer.
    pub(crate) fn give_back(&mut self, object: ObjectId, mode: LockMode) {
        let running = self.running;
        self.objects.get_mut(object).release(running, mode);
        self.refresh(object);
    }
}
