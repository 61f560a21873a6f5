//! `Once`-like objects.

use std::panic::Location;

use super::{
    Active, Deferred, OnceEntry, Site, give_up, site, stop, stop_at_gate, tearing_down,
    wait_in_teardown,
};
use crate::execution::current;
use crate::execution::same_state::note_state;
use crate::execution::virtual_thread::Gate;
use crate::memory::set_user_code;
use contest_data::trace::Action;

impl Active {
    /// Enters a `Once`-like object: waits while another thread runs the initialiser. `complete` looks at the real
    /// object.
    #[track_caller]
    pub fn once_begin(
        self,
        address: usize,
        what: &'static str,
        complete: impl Fn() -> bool,
    ) -> OnceEntry {
        self.enter_once(address, what, &complete)
    }

    #[track_caller]
    #[inline(never)]
    fn enter_once(
        self,
        address: usize,
        what: &'static str,
        complete: &dyn Fn() -> bool,
    ) -> OnceEntry {
        if tearing_down() {
            loop {
                if complete() {
                    return OnceEntry::Complete;
                }
                let mut machine = current::machine();
                let object = machine.objects.at(address, what);
                let runs = machine.objects.get(object).running.is_some();
                drop(machine);
                if !runs {
                    return OnceEntry::Run;
                }
                wait_in_teardown();
            }
        }
        set_user_code(false);
        let site = site!("call_once", Action::OnceBegin(true));
        let mut machine = current::machine();
        let object = machine.objects.at(address, what);
        let waits = machine.objects.get(object).running.is_some();
        machine.note_waiting(waits);
        let action = Action::OnceBegin(true);
        let machine = stop_at_gate(machine, action, object, Gate::Once(object), site);
        let (mut access, done) = machine.suspended(complete);
        let machine = &mut *access;
        if !done {
            let state = machine.objects.get_mut(object);
            state.running = Some(machine.running);
            state.failed = false;
            machine.refresh(object);
        }
        machine.commit(Action::OnceBegin(!done), object, site.name, 0, 0);
        set_user_code(true);
        if done {
            OnceEntry::Complete
        } else {
            OnceEntry::Run
        }
    }

    /// The initialiser is about to end: waits for the turn of this thread. The caller then completes the real object
    /// and calls [`Active::once_end`], with no visible operation between. `location` is that of the call that entered
    /// the object.
    pub fn once_ending(self, address: usize, location: &'static Location<'static>) {
        if tearing_down() {
            return;
        }
        set_user_code(false);
        let site = site!("call_once", Action::OnceEnd(true), location);
        let mut machine = current::machine();
        let object = machine.objects.at(address, "Once");
        let mut machine = stop(machine, Action::OnceEnd(true), object, site);
        machine.me().once_ending = true;
        set_user_code(true);
    }

    /// The initialiser ended; `complete` says whether the object is initialised now (false after a panic or an `Err`).
    /// A visible operation of its own unless [`Active::once_ending`] came before.
    #[track_caller]
    pub fn once_end(self, address: usize, complete: bool) {
        let mut machine = current::machine();
        if machine.tearing_down {
            let object = machine.objects.at(address, "Once");
            machine.objects.get_mut(object).running = None;
            return;
        }
        set_user_code(false);
        let site = site!("call_once", Action::OnceEnd(true));
        let object = machine.objects.at(address, "Once");
        if !std::mem::take(&mut machine.me().once_ending) {
            machine = stop(machine, Action::OnceEnd(complete), object, site);
        }
        let state = machine.objects.get_mut(object);
        state.running = None;
        state.failed = !complete;
        machine.refresh(object);
        machine.commit(Action::OnceEnd(complete), object, site.name, 0, 0);
        set_user_code(true);
    }

    /// True if the last initialiser of the object failed in this execution, and none has begun since.
    #[must_use]
    pub fn once_failed(self, address: usize, what: &'static str) -> bool {
        let mut machine = current::machine();
        let object = machine.objects.at(address, what);
        machine.objects.get(object).failed
    }

    /// Waits, without running anything, until the object is complete (`OnceLock::wait`, `Once::wait`).
    #[track_caller]
    pub fn once_wait(self, address: usize, what: &'static str, complete: impl Fn() -> bool) {
        loop {
            if self.once_peek(address, what, &complete, |done| *done) {
                return;
            }
            if tearing_down() {
                give_up();
            }
            // Wakes when the object changes; a failed initialiser leads round again.
            self.yield_now("wait");
        }
    }

    /// A look at a `Once`-like object (`get`, `is_completed`): one visible read; returns what `look` returns.
    /// `complete` is applied to the result for the record.
    #[track_caller]
    pub fn once_peek<R>(
        self,
        address: usize,
        what: &'static str,
        look: impl FnOnce() -> R,
        complete: impl FnOnce(&R) -> bool,
    ) -> R {
        note_state(Location::caller());
        let mut look = Deferred::new(|| {
            let result = look();
            let done = complete(&result);
            (result, done)
        });
        self.look_at_once(address, what, &mut || look.call().1);
        look.result().0
    }

    /// `look` says whether the object is complete.
    #[track_caller]
    #[inline(never)]
    fn look_at_once(self, address: usize, what: &'static str, look: &mut dyn FnMut() -> bool) {
        if tearing_down() {
            look();
            return;
        }
        set_user_code(false);
        let site = site!("get", Action::OncePeek(false));
        let mut machine = current::machine();
        let object = machine.objects.at(address, what);
        let machine = stop(machine, Action::OncePeek(false), object, site);
        let (mut machine, done) = machine.suspended(look);
        let action = Action::OncePeek(done);
        machine.commit(action, object, site.name, u64::from(done), 0);
        set_user_code(true);
    }
}
