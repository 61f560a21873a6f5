//! What the types for hand-written models call: accesses to cells, values that must be dropped, statics of one
//! execution.

use std::panic::Location;

use super::{Active, Deferred, Site, give_up, site, stop, stop_at_gate, tearing_down};
use crate::execution::KeptLock;
use crate::execution::MainName;
use crate::execution::current;
use crate::execution::thread_locals::Found;
use crate::execution::virtual_thread::Gate;
use crate::memory::set_user_code;
use contest_data::trace::{Action, Leak};

/// Stands for all statics of an execution together.
const STATICS_ADDRESS: usize = usize::MAX - 0x4_FFFF;

impl Active {
    /// A number that no other execution of this process has. It distinguishes what belongs to this execution from what
    /// an earlier one left.
    #[must_use]
    pub fn execution_number(self) -> u64 {
        current::machine().model.epoch()
    }

    /// Waits until the signal at `address` is set, and takes it back. `set` is what the real one is now: the engine's
    /// record may be that of an earlier signal at the same address. One visible operation.
    #[track_caller]
    pub fn await_signal(self, address: usize, set: bool) {
        if tearing_down() {
            give_up();
        }
        set_user_code(false);
        let site = site!("wait", Action::Park(false));
        let mut machine = current::machine();
        let object = machine.objects.at(address, "Notify");
        machine.objects.get_mut(object).count = usize::from(set);
        machine.note_waiting(!set);
        let action = Action::Park(false);
        let mut machine = stop_at_gate(machine, action, object, Gate::Signal(object), site);
        machine.objects.get_mut(object).count = 0;
        machine.refresh(object);
        machine.commit(Action::Park(false), object, site.name, 0, 0);
        set_user_code(true);
    }

    /// Sets the signal at `address`; `set` runs at the turn of this thread, sets the real one and returns whether it
    /// was set before. One visible operation.
    #[track_caller]
    pub fn signal(self, address: usize, set: impl FnOnce() -> bool) {
        let mut set = Deferred::new(set);
        self.signal_by(address, &mut || *set.call());
    }

    #[track_caller]
    #[inline(never)]
    fn signal_by(self, address: usize, set: &mut dyn FnMut() -> bool) {
        if tearing_down() {
            set();
            return;
        }
        set_user_code(false);
        let site = site!("notify", Action::Unpark);
        let mut machine = current::machine();
        let object = machine.objects.at(address, "Notify");
        let machine = stop(machine, Action::Unpark, object, site);
        let (mut machine, before) = machine.suspended(set);
        machine.objects.get_mut(object).count = 1;
        machine.refresh(object);
        machine.commit(Action::Unpark, object, site.name, u64::from(before), 0);
        set_user_code(true);
    }

    /// One of `alternatives` numbers from 0, as the strategy says: explored as the order of threads is.
    #[must_use]
    pub fn choose(self, alternatives: u16) -> u16 {
        if tearing_down() || alternatives < 2 {
            return 0;
        }
        let side = set_user_code(false);
        let chosen = current::machine().choose_value(alternatives);
        set_user_code(side);
        chosen
    }

    /// An access to a cell begins. It lasts until [`Active::end_cell_access`] is called with the number returned, which
    /// may be after other threads have run; it is not a visible operation.
    ///
    /// # Panics
    /// If another access to the cell has not ended, and one of the two writes.
    #[track_caller]
    #[must_use]
    pub fn begin_cell_access(self, cell: usize, writes: bool) -> Option<u32> {
        if tearing_down() {
            return None;
        }
        let side = set_user_code(false);
        let mut machine = current::machine();
        let running = machine.running;
        let begun = machine
            .model
            .begin_access(cell, writes, running, Location::caller());
        drop(machine);
        set_user_code(side);
        match begun {
            Ok(token) => Some(token),
            Err(other) => panic!(
                "a cell is {} while {} {} it, since {}",
                if writes { "accessed mutably" } else { "read" },
                other.thread.title(),
                if other.writes {
                    "accesses it mutably, having begun to use"
                } else {
                    "reads it, having begun to use"
                },
                other.location
            ),
        }
    }

    /// The access ends.
    pub fn end_cell_access(self, access: u32) {
        current::machine().model.end_access(access);
    }

    /// A value came to be that must be dropped before the execution is over; returns its number.
    #[track_caller]
    pub fn track_value(self, what: &'static str) -> usize {
        let side = set_user_code(false);
        let number = current::machine().model.track(Leak {
            what,
            location: Location::caller(),
        });
        set_user_code(side);
        number
    }

    /// The value was dropped.
    pub fn untrack_value(self, number: usize) {
        current::machine().model.untrack(number);
    }

    /// Memory was allocated that must be given back before the execution is over.
    #[track_caller]
    pub fn track_memory(self, address: usize) {
        let side = set_user_code(false);
        let leak = Leak {
            what: "allocation",
            location: Location::caller(),
        };
        current::machine().model.track_memory(address, leak);
        set_user_code(side);
    }

    /// The memory was given back.
    pub fn untrack_memory(self, address: usize) {
        current::machine().model.untrack_memory(address);
    }

    /// The value of a static of this execution whose key is at `key`, made by `init` at first use. It is dropped after
    /// all threads have ended. `None` if the statics were dropped already, by [`Active::drop_statics`]. A visible
    /// operation.
    #[track_caller]
    pub fn execution_static<T: 'static>(
        self,
        key: usize,
        init: impl FnOnce() -> T,
    ) -> Option<*const T> {
        let dropped = self.once_peek(
            STATICS_ADDRESS,
            "statics",
            || current::machine().model.statics_dropped,
            |dropped| *dropped,
        );
        if dropped {
            return None;
        }
        let found = current::machine().model.statics.find::<T>(key);
        match found {
            Found::Value(value) => return Some(value),
            Found::Gone => return None,
            Found::Missing => {}
        }
        // The initialiser is code under test, but only wraps what runs at first use: it performs no visible operation.
        let value = Box::new(init());
        let side = set_user_code(false);
        let value = current::machine().model.statics.insert(key, value);
        set_user_code(side);
        Some(value)
    }

    /// True if what is at this address is a static that every execution finds as it was at the start of the first.
    #[inline(always)]
    pub fn keeps_static(self, address: usize) -> bool {
        current::machine().objects.statics.contains(address)
    }

    /// The running thread holds this lock, in static memory, and has not used its contents yet.
    ///
    /// # Safety
    /// What is said of the lock is true: it is in the static data of the executable, its contents are inside it, and
    /// `mend` may be called when no thread of the execution uses the lock.
    pub unsafe fn keep_static_lock(self, lock: KeptLock) {
        let side = set_user_code(false);
        let address = lock.whole.0;
        let mut machine = current::machine();
        if !machine.tearing_down {
            // SAFETY: the caller says that the lock is what it says.
            unsafe { machine.objects.statics.touch_lock(address, || lock) };
        }
        set_user_code(side);
    }

    /// True if the lazily initialised static at this address has a value of its own in each execution; `complete` looks
    /// at the real one.
    pub fn owns_lazy_static(self, address: usize, complete: impl FnOnce() -> bool) -> bool {
        let side = set_user_code(false);
        let own = current::machine().objects.statics.is_own(address, complete);
        set_user_code(side);
        own
    }

    /// The value that this execution has for the lazily initialised static at this address.
    ///
    /// # Safety
    /// `T` is the type that was given to [`Active::set_lazy_static`] for this address.
    pub unsafe fn lazy_static<T>(self, address: usize) -> Option<*const T> {
        let machine = current::machine();
        let statics = &machine.model.statics;
        // SAFETY: the caller answers for the type of the value at this address.
        unsafe { statics.find_unbounded(address) }
    }

    /// Gives this execution a value for the lazily initialised static at this address; dropped after all threads have
    /// ended.
    ///
    /// # Safety
    /// The static at this address is of a type that owns a `T`, so that `T` lives as long as the process.
    pub unsafe fn set_lazy_static<T>(self, address: usize, value: T) -> *const T {
        let value = Box::new(value);
        let side = set_user_code(false);
        let mut machine = current::machine();
        let statics = &mut machine.model.statics;
        // SAFETY: the caller answers for the type of the value at this address.
        let value = unsafe { statics.insert_unbounded(address, value) };
        drop(machine);
        set_user_code(side);
        value
    }

    /// Drops the statics of this execution, newest first; using one afterwards is an error. For models that take the
    /// end of their main thread for the end of the process.
    #[track_caller]
    pub fn drop_statics(self) {
        if !tearing_down() {
            set_user_code(false);
            let site = site!("end of the statics", Action::OnceEnd(true));
            let mut machine = current::machine();
            let object = machine.objects.at(STATICS_ADDRESS, "statics");
            let mut machine = stop(machine, Action::OnceEnd(true), object, site);
            machine.model.statics_dropped = true;
            machine.commit(Action::OnceEnd(true), object, site.name, 0, 0);
            set_user_code(true);
        }
        loop {
            let destructor = current::machine().model.statics.take_newest();
            match destructor {
                Some(run) => run(),
                None => return,
            }
        }
    }

    /// Names the main thread of this execution.
    pub fn name_main(self, name: &MainName) {
        let side = set_user_code(false);
        current::machine().model.main_name = name.clone();
        set_user_code(side);
    }

    /// What the main thread is called.
    #[must_use]
    pub fn main_name(self) -> MainName {
        current::machine().model.main_name.clone()
    }
}
