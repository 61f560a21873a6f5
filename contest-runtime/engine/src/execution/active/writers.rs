//! Writers that wait for readers, and keep new ones out.

use super::locks::lock_at;
use super::{Active, Site, site, tearing_down, wait_for_turn, wait_in_teardown};
use crate::execution::current;
use crate::execution::machine::Machine;
use crate::execution::virtual_thread::Gate;
use crate::memory::set_user_code;
use crate::object::MOST_THREADS;
use contest_data::trace::{Action, LockMode, ObjectId, Pending};
use std::panic::Location;

impl Active {
    /// Takes the reader-writer lock at `address` exclusively, as the locks of `std` do: a writer that comes while
    /// readers hold the lock waits, and from then on no further reader gets in until those that hold it are gone, not
    /// even one that holds it already. That a writer comes is a step of its own only where readers hold the lock.
    /// Otherwise as [`Active::lock`].
    ///
    /// `std` leaves the order open, but shows the deadlock of two reads of one thread around another's write in its
    /// documentation, and its implementations all have it: those on futexes and those with a queue. Which of several
    /// that wait is first when the lock is free is anybody's guess here; `std`'s futex lock prefers writers then too,
    /// which makes no difference to what can happen.
    #[track_caller]
    pub fn write(self, address: usize, what: &'static str, is_free: impl Fn() -> bool) {
        self.take_write_lock(address, what, &is_free);
    }

    #[track_caller]
    #[inline(never)]
    fn take_write_lock(self, address: usize, what: &'static str, is_free: &dyn Fn() -> bool) {
        if tearing_down() {
            while !is_free() {
                wait_in_teardown();
            }
            return;
        }
        const MODE: LockMode = LockMode::Exclusive;
        set_user_code(false);
        let site = site!("write", Action::Arrive(true));
        let object = lock_at(address, MODE, what, is_free);
        let mut machine = current::machine();
        // Whether it gets the lock or begins to wait is known when it is executed.
        machine.publish_conditional();
        let pending = Pending {
            action: Action::Arrive(true),
            object,
            second: ObjectId::NONE,
            name: site.name,
            check: site.check,
        };
        machine.publish(pending, Gate::Arrive(object), site.location);
        let waits = !machine.objects.get(object).is_free(MODE);
        machine.note_waiting(waits);
        let mut machine = wait_for_turn(machine);
        if !machine.objects.get(object).is_free(MODE) {
            machine.reserve(object);
            machine.commit(Action::Arrive(false), object, site.name, 0, 0);
            let site = site!("lock", Action::Acquire(MODE), site.location);
            let pending = Pending {
                action: Action::Acquire(MODE),
                name: site.name,
                check: site.check,
                ..pending
            };
            machine.publish(pending, Gate::Lock(object, MODE), site.location);
            let mut machine = wait_for_turn(machine);
            machine.take(object, MODE, site.location);
            machine.commit(Action::Acquire(MODE), object, site.name, 0, 0);
        } else {
            machine.take(object, MODE, site.location);
            machine.commit(Action::Arrive(true), object, site.name, 0, 0);
        }
        set_user_code(true);
    }
}

impl Machine {
    /// The running thread has come to write: no further reader gets in. Readers that are about to give the lock back
    /// now give it to a writer, which makes a difference to other readers; such a release names its object twice.
    fn reserve(&mut self, object: ObjectId) {
        let bit = self.running_bit();
        self.objects.get_mut(object).waiting |= bit;
        self.refresh(object);
        for pending in self.pending[..self.live].iter_mut().flatten() {
            if pending.object == object && pending.action == Action::Release(LockMode::Read, None) {
                pending.second = object;
            }
        }
    }

    /// The second object of what the running thread has published.
    pub(crate) fn second_of_pending(&self) -> ObjectId {
        let pending = &self.pending[self.running.index() % MOST_THREADS];
        pending.map_or(ObjectId::NONE, |pending| pending.second)
    }
}
