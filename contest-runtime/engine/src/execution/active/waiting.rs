//! Threads that wait for each other: condition variables, futexes, barriers.

use std::panic::Location;
use std::time::Duration;

use super::{
    Active, Deferred, Site, give_up, site, stop, stop_at_gate, tearing_down, wait_for_turn,
};
use crate::execution::current;
use crate::execution::virtual_thread::Gate;
use crate::memory::set_user_code;
use contest_data::trace::schedule::check_of;
use contest_data::trace::{Action, LockMode, ObjectId, Pending};

impl Active {
    /// Condition wait on `condvar`, giving the mutex at `lock` back by `release` in the same step. Returns when
    /// notified (or timed out, or spuriously woken) and the mutex is this thread's again; the caller then takes the
    /// real mutex. True if it timed out.
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

    /// As [`wait`](Self::wait), but never woken spuriously, if not `wakes_spuriously`: parking_lot promises that.
    #[track_caller]
    pub fn wait_for_notification(
        self,
        condvar: usize,
        lock: usize,
        timeout: Option<Duration>,
        wakes_spuriously: bool,
        release: impl FnOnce(),
    ) -> bool {
        let mut release = Deferred::new(release);
        let release = &mut || *release.call();
        self.wait_without_lock(condvar, lock, timeout, wakes_spuriously, release)
    }

    #[track_caller]
    #[inline(never)]
    fn wait_without_lock(
        self,
        condvar: usize,
        lock: usize,
        timeout: Option<Duration>,
        wakes_spuriously: bool,
        release: &mut dyn FnMut(),
    ) -> bool {
        if tearing_down() {
            release();
            give_up();
        }
        set_user_code(false);
        let site = site!("wait", Action::Wait);
        let mut machine = current::machine();
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
        let (mut machine, ()) = wait_for_turn(machine).suspended(release);
        machine.give_back(lock, LockMode::Exclusive);
        let bit = machine.running_bit();
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
        if wakes_spuriously {
            machine.publish_spurious_wakeup();
        }
        machine.note_waiting(true);
        let mut machine = wait_for_turn(machine);
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
            machine = wait_for_turn(machine);
        }
        machine.take(lock, LockMode::Exclusive, site.location);
        machine.commit_pair(Action::Wake(timed_out), condvar, lock, site.name, 0, 0);
        set_user_code(true);
        timed_out
    }

    /// True if a thread waits on this condition variable and was not notified yet. Not a visible operation.
    pub fn is_waited_on(self, condvar: usize) -> bool {
        let mut machine = current::machine();
        let condvar = machine.objects.at(condvar, "Condvar");
        !machine.objects.get(condvar).waiting.is_empty()
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
        let mut machine = current::machine();
        let condvar = machine.objects.at(condvar, "Condvar");
        let mut machine = stop(machine, Action::Notify(all), condvar, site);
        let (woken, mask) = machine.wake_waiters(condvar, if all { u32::MAX } else { 1 });
        machine.commit(Action::Notify(all), condvar, site.name, 0, mask);
        set_user_code(true);
        woken
    }

    /// Kernel futex wait: blocks while the 32-bit word at `address` holds `expected`, until woken. 0 on wake-up, else
    /// an errno (`EAGAIN`, `ETIMEDOUT`).
    ///
    /// # Safety
    /// `address` is that of an atomic of 32 bits, alive until this returns, whose provenance is exposed.
    #[track_caller]
    pub unsafe fn futex_wait(
        self,
        address: usize,
        expected: u32,
        timeout: Option<Duration>,
    ) -> i32 {
        if tearing_down() {
            return 0;
        }
        set_user_code(false);
        let site = site!("futex_wait", Action::FutexWait(false));
        let mut machine = current::machine();
        let object = machine.objects.at(address, "atomic");
        let queue = machine.objects.queue(address);
        let pending = Pending {
            action: Action::FutexWait(false),
            object,
            second: queue,
            name: site.name,
            check: site.check,
        };
        machine.publish(pending, Gate::Open, site.location);
        let mut machine = wait_for_turn(machine);
        // SAFETY: the caller says what is at the address.
        let now = unsafe { crate::memory::peek(address, 4) };
        if now != Some(u64::from(expected)) {
            machine.commit_pair(Action::FutexWait(true), object, queue, site.name, 0, 0);
            machine.has_seen_the_word();
            set_user_code(true);
            return libc::EAGAIN;
        }
        let bit = machine.running_bit();
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
        let mut machine = wait_for_turn(machine);
        let timed_out = machine.me().timed_out && !machine.me().notified;
        machine.objects.get_mut(queue).waiting &= !bit;
        machine.commit(Action::Wake(timed_out), queue, site.name, 0, 0);
        machine.has_seen_the_word();
        set_user_code(true);
        if timed_out { libc::ETIMEDOUT } else { 0 }
    }

    /// True if a thread waits at this address in [`futex_wait`](Self::futex_wait). Not a visible operation.
    pub fn has_futex_waiters(self, address: usize) -> bool {
        let mut machine = current::machine();
        let queue = machine.objects.queue(address);
        !machine.objects.get(queue).waiting.is_empty()
    }

    /// Kernel futex wake of at most `count` waiters; returns how many were woken.
    #[track_caller]
    pub fn futex_wake(self, address: usize, count: u32) -> u32 {
        if tearing_down() {
            return 0;
        }
        set_user_code(false);
        let site = site!("futex_wake", Action::FutexWake);
        let mut machine = current::machine();
        let queue = machine.objects.queue(address);
        let mut machine = stop(machine, Action::FutexWake, queue, site);
        let (woken, mask) = machine.wake_waiters(queue, count);
        machine.commit(Action::FutexWake, queue, site.name, 0, mask);
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
        let mut access = current::machine();
        let object = access.objects.at(address, "Barrier");
        let mut access = stop(access, Action::BarrierArrive, object, site);
        let machine = &mut *access;
        let state = machine.objects.get_mut(object);
        state.count += 1;
        let round = state.round;
        let leader = state.count >= n;
        let mut woken = 0;
        if leader {
            state.count = 0;
            state.round += 1;
            woken = std::mem::take(&mut state.waiting).mask();
            machine.refresh(object);
        } else {
            state.waiting.insert(machine.running);
        }
        machine.commit(Action::BarrierArrive, object, site.name, 0, woken);
        if !leader {
            machine.note_waiting(true);
            let action = Action::BarrierLeave(false);
            let site = site.again(machine, action);
            let gate = Gate::Barrier(object, round);
            access = stop_at_gate(access, action, object, gate, site);
            access.commit(Action::BarrierLeave(false), object, site.name, 0, 0);
        }
        set_user_code(true);
        leader
    }
}
