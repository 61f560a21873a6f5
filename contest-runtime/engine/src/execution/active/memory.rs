//! Accesses to memory that are not operations of a drop-in type: no scheduling points, but held against each other for
//! data races.

use std::panic::Location;

use super::{Active, stop_inline, tearing_down};
use crate::execution::commit::{READS, WRITES};
use crate::execution::current::{self, Access};
use crate::execution::machine::Machine;
use crate::happens_before::Access as MemoryAccess;
use crate::memory::set_user_code;
use contest_data::trace::schedule::check_of;
use contest_data::trace::{AccessKind, Action, Field, ObjectId, Pending, Place, PlainAccess};

impl Active {
    /// The running thread reads these bytes, at the caller's source location. Not a scheduling point.
    ///
    /// A type that lends its contents to a closure reports the access before the closure runs, and again after it if
    /// the closure may contain visible operations. Races are in
    /// [`ExecutionRecord::faults`](contest_data::trace::ExecutionRecord::faults) afterwards.
    #[track_caller]
    #[inline]
    pub fn plain_read(self, address: usize, size: usize) {
        self.plain(address, size, AccessKind::Read, Location::caller());
    }

    /// The running thread writes these bytes; otherwise as [`Active::plain_read`].
    #[track_caller]
    #[inline]
    pub fn plain_write(self, address: usize, size: usize) {
        self.plain(address, size, AccessKind::Write, Location::caller());
    }

    /// The running thread is about to read the memory at one address, or to write that at another, or to copy the one
    /// to the other: a scheduling point, for memory that threads are known to contend for. Not held against other
    /// accesses for data races.
    ///
    /// # Examples
    /// ```
    /// let report = contest::Builder::new().exhaustive().run(|| {
    ///     let thread = contest::thread::spawn(|| contest::execution::active().unwrap().contended(None, Some(8)));
    ///     contest::execution::active().unwrap().contended(Some(8), None);
    ///     thread.join().unwrap();
    /// });
    /// assert!(report.executions() >= 2, "either may come first");
    /// ```
    pub fn contended(self, read: Option<usize>, written: Option<usize>) {
        let Some(first) = written.or(read) else {
            return;
        };
        if tearing_down() {
            return;
        }
        set_user_code(false);
        let mut machine = current::machine();
        let object = machine.objects.at(first, "memory");
        let second = match written.and(read) {
            Some(read) => machine.objects.at(read, "memory"),
            None => ObjectId::NONE,
        };
        visible_access(machine, written.is_some(), object, second, first as u64);
        set_user_code(true);
    }

    /// A location for an object that cannot tell when its address is given up: a name of its own instead of its
    /// address, kept in `slot` for the rest of the execution. `slot` starts as 0 and moves with the object.
    #[must_use]
    pub fn own_location(self, slot: &std::cell::Cell<u64>, size: usize) -> usize {
        let mut machine = current::machine();
        machine.names.location(slot, size)
    }

    /// The next atomic operation of the running thread counts as an access to this location, not to its address.
    pub fn locate_next_atomic(self, location: usize) {
        let mut machine = current::machine();
        machine.watches_memory = true;
        machine.me().atomic_location = location;
    }

    /// The running thread accesses a field of an annotated type, at the caller's source location. Not a scheduling
    /// point, and not held against other accesses: memory that was freed and used again would look like a race.
    #[track_caller]
    pub fn field_access(self, field: Field, address: usize, writes: bool) {
        if tearing_down() {
            return;
        }
        let place = Place::Source(Location::caller());
        let side = set_user_code(false);
        let mut machine = current::machine();
        let access = PlainAccess {
            thread: machine.running,
            step: machine.record.steps,
            place,
            writes,
            location: address,
            size: 0,
            field: Some(field),
            symbols: None,
        };
        machine.record.plain.push(access);
        set_user_code(side);
    }

    fn plain(
        self,
        address: usize,
        size: usize,
        kind: AccessKind,
        location: &'static Location<'static>,
    ) {
        if tearing_down() {
            return;
        }
        let side = set_user_code(false);
        let mut machine = current::machine();
        machine.watches_memory = true;
        let thread = machine.running;
        let epoch = machine.synchronisation().epoch(thread);
        machine.access(address, size, kind, Place::Source(location), epoch);
        set_user_code(side);
    }
}

impl Machine {
    pub(crate) fn access(
        &mut self,
        location: usize,
        size: usize,
        kind: AccessKind,
        place: Place,
        epoch: u32,
    ) {
        let thread = self.running;
        let access = MemoryAccess {
            thread,
            epoch,
            step: self.record.steps,
            place,
            kind,
            location,
            size,
        };
        if matches!(kind, AccessKind::Read | AccessKind::Write) {
            self.record.plain.push(PlainAccess {
                thread,
                step: access.step,
                place,
                writes: kind == AccessKind::Write,
                location,
                size,
                field: None,
                symbols: None,
            });
        }
        self.synchronise();
        let clock = self.synchronisation.clock(thread);
        let races = &mut self.record.faults;
        let known = races.len();
        if kind == AccessKind::Free {
            self.accesses.free(&access, clock, races);
        } else {
            self.accesses.access(&access, clock, races);
        }
        if self.record.faults.len() > known {
            self.note_blocks_of_faults(known);
        }
    }
}

/// Waits for the turn of the running thread before a plain access of memory that is visible, and records it: a write of
/// `object`, or else a read. `second` is what is copied. The access itself comes next. `value` is the same if the
/// thread reads the same again at the same place.
pub(crate) fn visible_access(
    mut machine: Access,
    writes: bool,
    object: ObjectId,
    second: ObjectId,
    value: u64,
) -> Access {
    let (action, name, check) = if writes {
        (
            Action::PlainWrite,
            "write",
            const { check_of(Action::PlainWrite, "write") },
        )
    } else {
        (
            Action::PlainRead,
            "read",
            const { check_of(Action::PlainRead, "read") },
        )
    };
    let location = machine.me().location;
    let pending = Pending {
        action,
        object,
        second,
        name,
        check,
    };
    let mut machine = stop_inline(machine, pending, location);
    if writes {
        machine.commit_pending::<WRITES>(0, 0);
    } else {
        machine.commit_pending::<READS>(value, 0);
    }
    machine
}

/// Records an executed atomic operation by `commit`, and the access that it is.
#[cold]
pub(crate) fn commit_watched(
    machine: &mut Machine,
    address: usize,
    size: u8,
    kind: AccessKind,
    commit: impl FnOnce(&mut Machine),
) {
    let own = std::mem::take(&mut machine.me().atomic_location);
    let location = if own == 0 { address } else { own };
    commit(machine);
    machine.note_access(location, size, kind);
}
