//! Locks and condition variables.

use std::panic::Location;
use std::time::Duration;

use super::{
    Active, Site, give_up, site, stop, stop_at_gate, stop_inline, tearing_down, wait_for_turn,
    wait_in_teardown,
};
use crate::execution::current;
use crate::execution::virtual_thread::Gate;
use crate::memory::set_user_code;
use crate::trace::schedule::check_of;
use crate::trace::{Action, LockMode, ObjectId, Pending};

/// The lock at this address; a new one if the engine's record says "held" and the real lock is free, because then the memory of
/// a lock that was forgotten while held has been reused.
pub(super) fn lock_at(
    address: usize,
    mode: LockMode,
    what: &'static str,
    is_free: impl Fn() -> bool,
) -> ObjectId {
    let machine = current::machine();
    let object = machine.objects.at(address, what);
    if !machine.objects.get(object).is_free(mode) && is_free() {
        return machine.objects.renew(address, what);
    }
    object
}

impl Active {
    /// Takes the lock at `address`, waiting as long as it is held in an incompatible mode, at most `timeout` of virtual time.
    /// Returns false if time ran out. `what` names the type in reports, e.g. `Mutex`. `is_free` looks at the real lock: the
    /// engine asks it when its own record says "held", because memory may have been reused for a new lock.
    #[track_caller]
    pub fn lock(
        self,
        address: usize,
        mode: LockMode,
        what: &'static str,
        timeout: Option<Duration>,
        is_free: impl Fn() -> bool,
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
        let machine = current::machine();
        let pending = Pending {
            action: Action::Acquire(mode),
            object,
            second: ObjectId::NONE,
            name: site.name,
            check: site.check,
        };
        machine.publish(pending, Gate::Lock(object, mode), site.location);
        machine.publish_timeout(timeout);
        let waits = !machine.objects.get(object).admits(mode);
        machine.note_waiting(waits);
        wait_for_turn();
        let machine = current::machine();
        let timed_out = machine.me().timed_out && !machine.objects.get(object).admits(mode);
        if timed_out {
            machine.commit(Action::AcquireTimeout(mode), object, site.name, 0, 0);
        } else {
            take(object, mode, site.location);
            current::machine().commit(Action::Acquire(mode), object, site.name, 0, 0);
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
        if tearing_down() {
            return is_free();
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
        current::machine().publish_conditional();
        stop(Action::TryAcquire(mode, true), object, site);
        let free = current::machine().objects.get(object).admits(mode);
        if free {
            take(object, mode, site.location);
        }
        current::machine().commit(Action::TryAcquire(mode, free), object, site.name, 0, 0);
        set_user_code(true);
        free
    }

    /// Gives the lock back: waits for the turn of this thread, then runs `release`, which drops the real guard.
    pub fn unlock<R>(self, address: usize, mode: LockMode, release: impl FnOnce() -> R) -> R {
        let machine = current::machine();
        if machine.tearing_down {
            let result = release();
            let object = machine.objects.at(address, "lock");
            give_back(object, mode);
            return result;
        }
        set_user_code(false);
        let object = machine.objects.at(address, "lock");
        let state = machine.objects.get(object);
        // A destructor has no caller location: the place where the guard was taken says more.
        let location = state.taken_at.unwrap_or(Location::caller());
        let site = match mode {
            LockMode::Upgradable => {
                site!("unlock", Action::Release(LockMode::Upgradable), location)
            }
            _ => site!("unlock", Action::Release(LockMode::Exclusive), location),
        };
        let reads = mode == LockMode::Read;
        let waited_for = reads && machine.objects.get(object).waiting != 0;
        let pending = Pending {
            action: Action::Release(mode),
            object,
            // A writer may come until this is executed, see `reserve`.
            second: if waited_for { object } else { ObjectId::NONE },
            name: site.name,
            check: site.check,
        };
        stop_inline(machine, pending, site.location);
        let second = if reads {
            current::machine().second_of_pending()
        } else {
            ObjectId::NONE
        };
        let result = release();
        give_back(object, mode);
        current::machine().commit_pair(Action::Release(mode), object, second, site.name, 0, 0);
        set_user_code(true);
        result
    }

    /// Turns an exclusive lock of this thread into a read lock in one step: waits for the turn of this thread, then runs `downgrade` on
    /// the real lock.
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
        if tearing_down() {
            return downgrade();
        }
        set_user_code(false);
        let site = match from {
            LockMode::Upgradable => site!("downgrade", Action::Release(LockMode::Upgradable)),
            _ => site!("downgrade", Action::Release(LockMode::Exclusive)),
        };
        let object = current::machine().objects.at(address, "RwLock");
        stop(Action::Release(from), object, site);
        let result = downgrade();
        give_back(object, from);
        take(object, to, site.location);
        current::machine().commit(Action::Release(from), object, site.name, 0, 0);
        set_user_code(true);
        result
    }

    /// Turns the upgradable lock of this thread into the exclusive one: waits until no reader is left, at most `timeout` of virtual time. No
    /// writer comes in between. Returns false if time ran out; the lock is upgradable then as before.
    #[track_caller]
    pub fn upgrade(
        self,
        address: usize,
        timeout: Option<Duration>,
        free: impl Fn() -> bool,
    ) -> bool {
        if tearing_down() {
            while !free() {
                wait_in_teardown();
            }
            return true;
        }
        set_user_code(false);
        let site = site!("upgrade", Action::Acquire(LockMode::Exclusive));
        let object = current::machine().objects.at(address, "RwLock");
        let pending = Pending {
            action: Action::Acquire(LockMode::Exclusive),
            object,
            second: ObjectId::NONE,
            name: site.name,
            check: site.check,
        };
        let machine = current::machine();
        machine.publish(pending, Gate::Upgrade(object), site.location);
        machine.publish_timeout(timeout);
        let waits = !machine.objects.get(object).can_upgrade();
        machine.note_waiting(waits);
        wait_for_turn();
        let machine = current::machine();
        let timed_out = machine.me().timed_out && !machine.objects.get(object).can_upgrade();
        if timed_out {
            let action = Action::AcquireTimeout(LockMode::Exclusive);
            machine.commit(action, object, site.name, 0, 0);
        } else {
            take(object, LockMode::Exclusive, site.location);
            let action = Action::Acquire(LockMode::Exclusive);
            current::machine().commit(action, object, site.name, 0, 0);
        }
        set_user_code(true);
        !timed_out
    }

    /// Tries to turn the upgradable lock of this thread into the exclusive one.
    #[track_caller]
    pub fn try_upgrade(self, address: usize, free: impl Fn() -> bool) -> bool {
        if tearing_down() {
            return free();
        }
        set_user_code(false);
        let site = site!("try_upgrade", Action::TryAcquire(LockMode::Exclusive, true));
        let object = current::machine().objects.at(address, "RwLock");
        current::machine().publish_conditional();
        stop(Action::TryAcquire(LockMode::Exclusive, true), object, site);
        let free = current::machine().objects.get(object).can_upgrade();
        if free {
            take(object, LockMode::Exclusive, site.location);
        }
        let action = Action::TryAcquire(LockMode::Exclusive, free);
        current::machine().commit(action, object, site.name, 0, 0);
        set_user_code(true);
        free
    }

    /// Condition wait on `condvar`, giving the mutex at `lock` back by `release` in the same step. Returns when notified (or
    /// timed out, or spuriously woken) and the mutex is this thread's again; the caller then takes the real mutex.
    /// True if it timed out.
    #[track_caller]
    pub fn wait(
        self,
        condvar: usize,
        lock: usize,
        timeout: Option<Duration>,
        release: impl FnOnce(),
    ) -> bool {
        self.wait_for_notification(condvar, lock, timeout, true, release)
    }

    /// As [`wait`](Self::wait), but never woken spuriously, if not `drowsy`: parking_lot promises that.
    #[track_caller]
    pub fn wait_for_notification(
        self,
        condvar: usize,
        lock: usize,
        timeout: Option<Duration>,
        drowsy: bool,
        release: impl FnOnce(),
    ) -> bool {
        if tearing_down() {
            release();
            give_up();
        }
        set_user_code(false);
        let site = site!("wait", Action::Wait);
        let machine = current::machine();
        let condvar = machine.objects.at(condvar, "Condvar");
        let lock = machine.objects.at(lock, "Mutex");
        let pending = Pending {
            action: Action::Wait,
            object: condvar,
            second: lock,
            name: site.name,
            check: site.check,
        };
        machine.publish(pending, Gate::Open, site.location);
        wait_for_turn();
        release();
        give_back(lock, LockMode::Exclusive);
        let machine = current::machine();
        let bit = 1 << machine.running.0;
        machine.objects.get_mut(condvar).waiting |= bit;
        machine.me().notified = false;
        machine.commit_pair(Action::Wait, condvar, lock, site.name, 0, 0);

        let pending = Pending {
            action: Action::Wake(false),
            object: condvar,
            second: lock,
            name: site.name,
            check: const { check_of(Action::Wake(false), "wait") },
        };
        machine.publish(pending, Gate::Wake(condvar, lock), site.location);
        machine.publish_timeout(timeout);
        if drowsy {
            machine.publish_drowsy();
        }
        machine.note_waiting(true);
        wait_for_turn();
        let machine = current::machine();
        let notified = machine.me().notified;
        let timed_out = machine.me().timed_out && !notified;
        if !notified {
            machine.objects.get_mut(condvar).waiting &= !bit;
            machine.commit(Action::WaitOver(timed_out), condvar, site.name, 0, 0);
            let pending = Pending {
                action: Action::Wake(timed_out),
                ..pending
            };
            machine.publish(
                pending,
                Gate::Lock(lock, LockMode::Exclusive),
                site.location,
            );
            wait_for_turn();
        }
        take(lock, LockMode::Exclusive, site.location);
        current::machine().commit_pair(Action::Wake(timed_out), condvar, lock, site.name, 0, 0);
        set_user_code(true);
        timed_out
    }

    /// True if a thread waits on this condition variable and was not notified yet. Not a visible operation.
    pub fn is_waited_on(self, condvar: usize) -> bool {
        let machine = current::machine();
        let condvar = machine.objects.at(condvar, "Condvar");
        machine.objects.get(condvar).waiting != 0
    }

    /// Wakes one waiter of the condition variable, or all; returns how many were woken.
    #[track_caller]
    pub fn notify(self, condvar: usize, all: bool) -> u32 {
        if tearing_down() {
            return 0;
        }
        set_user_code(false);
        let site = if all {
            site!("notify_all", Action::Notify(true))
        } else {
            site!("notify_one", Action::Notify(false))
        };
        let condvar = current::machine().objects.at(condvar, "Condvar");
        stop(Action::Notify(all), condvar, site);
        let (woken, mask) =
            current::machine().wake_waiters(condvar, if all { u32::MAX } else { 1 });
        current::machine().commit(Action::Notify(all), condvar, site.name, 0, mask);
        set_user_code(true);
        woken
    }

    /// Kernel futex wait: blocks while the 32-bit word at `address` holds `expected`, until woken. 0 on wake-up, else an errno
    /// (`EAGAIN`, `ETIMEDOUT`).
    #[track_caller]
    pub fn futex_wait(self, address: usize, expected: u32, timeout: Option<Duration>) -> i32 {
        if tearing_down() {
            return 0;
        }
        set_user_code(false);
        let site = site!("futex_wait", Action::FutexWait(false));
        let object = current::machine().objects.at(address, "atomic");
        let queue = current::machine().objects.queue(address);
        let pending = Pending {
            action: Action::FutexWait(false),
            object,
            second: queue,
            name: site.name,
            check: site.check,
        };
        current::machine().publish(pending, Gate::Open, site.location);
        wait_for_turn();
        let machine = current::machine();
        if crate::memory::peek(address, 4) != Some(u64::from(expected)) {
            machine.commit_pair(Action::FutexWait(true), object, queue, site.name, 0, 0);
            set_user_code(true);
            return libc::EAGAIN;
        }
        let bit = 1 << machine.running.0;
        machine.objects.get_mut(queue).waiting |= bit;
        machine.me().notified = false;
        machine.commit_pair(
            Action::FutexWait(false),
            object,
            queue,
            site.name,
            u64::from(expected),
            0,
        );
        let pending = Pending {
            action: Action::Wake(false),
            object: queue,
            second: ObjectId::NONE,
            name: site.name,
            check: const { check_of(Action::Wake(false), "futex_wait") },
        };
        machine.publish(pending, Gate::Futex(queue), site.location);
        machine.publish_timeout(timeout);
        machine.note_waiting(true);
        wait_for_turn();
        let machine = current::machine();
        let timed_out = machine.me().timed_out && !machine.me().notified;
        machine.objects.get_mut(queue).waiting &= !bit;
        machine.commit(Action::Wake(timed_out), queue, site.name, 0, 0);
        set_user_code(true);
        if timed_out { libc::ETIMEDOUT } else { 0 }
    }

    /// Kernel futex wake of at most `count` waiters; returns how many were woken.
    #[track_caller]
    pub fn futex_wake(self, address: usize, count: u32) -> u32 {
        if tearing_down() {
            return 0;
        }
        set_user_code(false);
        let site = site!("futex_wake", Action::FutexWake);
        let queue = current::machine().objects.queue(address);
        stop(Action::FutexWake, queue, site);
        let (woken, mask) = current::machine().wake_waiters(queue, count);
        current::machine().commit(Action::FutexWake, queue, site.name, 0, mask);
        set_user_code(true);
        woken
    }

    /// Arrives at a barrier for `n` threads and waits for the others; true for the leader.
    #[track_caller]
    pub fn barrier_wait(self, address: usize, n: usize) -> bool {
        if tearing_down() {
            give_up();
        }
        set_user_code(false);
        let site = site!("wait", Action::BarrierArrive);
        let object = current::machine().objects.at(address, "Barrier");
        stop(Action::BarrierArrive, object, site);
        let machine = current::machine();
        let state = machine.objects.get_mut(object);
        state.count += 1;
        let round = state.round;
        let leader = state.count >= n;
        let mut woken = 0;
        if leader {
            state.count = 0;
            state.round += 1;
            woken = std::mem::take(&mut state.waiting) as u64;
            machine.refresh(object);
        } else {
            state.waiting |= 1 << machine.running.0;
        }
        machine.commit(Action::BarrierArrive, object, site.name, 0, woken);
        if !leader {
            current::machine().note_waiting(true);
            stop_at_gate(
                Action::BarrierLeave(false),
                object,
                Gate::Barrier(object, round),
                site.again(Action::BarrierLeave(false)),
            );
            current::machine().commit(Action::BarrierLeave(false), object, site.name, 0, 0);
        }
        set_user_code(true);
        leader
    }
}

pub(super) fn take(object: ObjectId, mode: LockMode, location: &'static Location<'static>) {
    let machine = current::machine();
    let running = machine.running;
    machine
        .objects
        .get_mut(object)
        .acquire(running, mode, location);
    machine.refresh(object);
}

fn give_back(object: ObjectId, mode: LockMode) {
    let machine = current::machine();
    let running = machine.running;
    machine.objects.get_mut(object).release(running, mode);
    machine.refresh(object);
}
