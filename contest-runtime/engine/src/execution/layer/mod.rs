//! Every memory access of instrumented code.
//!
//! The compiler's pass for thread sanitizers makes instrumented crates call `__tsan_read8(address)` and the like before
//! each escaping access, and `__tsan_atomic64_fetch_add(…)` in place of each atomic operation. The functions of these
//! names are here: nothing of a sanitizer's runtime is linked.
//!
//! What counts as an access: code under test runs (not the engine on its behalf), and the address is in the arena or in
//! a static. The stacks of virtual threads and memory of the tool are not looked at, so what threads share on a stack
//! is not checked.
//!
//! Accesses are held against each other for data races; atomic ones that come this way (`Arc` and others of `std`,
//! monomorphised into instrumented crates) order threads. Accesses are no scheduling points but of memory that is
//! contended (`visible`). Atomics that come by the facade are performed while the engine runs, and are therefore not
//! counted twice.
//!
//! What code under test frees is not used again in the same execution, so that use after free and double free are seen.
//!
//! Not seen: inline assembly, C, functions that `std` has compiled already, 128-bit atomics in inline assembly.

mod allocations;
mod atomics;
mod changes;
mod entry_points;
mod fields;
mod heap;
mod known_blocks;
mod last_drops;
mod listening;
mod naming;
mod object_names;
mod objects;
mod stacks;
mod visible;

use allocations::Allocations;
pub(super) use allocations::allocated;
use heap::Freed;
pub(super) use heap::freed;
use known_blocks::KnownBlocks;
pub(super) use known_blocks::resized;
use last_drops::LastDrops;
use listening::Notes;
use objects::Located;
use stacks::CallStacks;
use visible::Visible;
pub(super) use visible::{contend_stream, is_stream_visible};

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::current;
use super::machine::Machine;
use super::streams;
use crate::memory::arena;
use crate::memory::mapping::Region;
use crate::memory::shared::is_shared as is_watched;
use crate::memory::{is_user_code, set_user_code};
use contest_data::trace::{AccessKind, Allocated, Place, VisibleBytes};

/// What is done with accesses of the present execution. Set at the beginning of each, for statics are put back at its
/// end.
static MODE: AtomicU8 = AtomicU8::new(0);
/// They are held against each other.
const WATCHED: u8 = 1;
/// They are noted.
const LISTENED: u8 = 2;
/// Some are scheduling points.
const SOME_VISIBLE: u8 = 4;
/// Atomic operations are at least counted.
const COUNTED: u8 = 8;
/// A thread may go round a loop: what it writes makes the next round another one.
const CHANGES: u8 = 16;

/// What an execution has of this layer.
#[derive(Debug, Default)]
pub(super) struct Layer {
    pub stacks: CallStacks,
    freed: Freed,
    /// Where code under test allocated, if that is recorded.
    pub allocations: Option<Allocations>,
    /// Memory whose accesses are visible operations.
    pub visible: Visible,
    /// Counts of references that reached zero.
    pub last_drops: LastDrops,
    /// What the fields of accesses are found from, if they are wanted.
    pub notes: Notes,
    /// Where the objects of the last execution were, if that is wanted.
    located: Located,
}

impl Layer {
    /// Begins an execution, `watched` or not. `reports`: the code under test reports its accesses. Returns the memory
    /// that is visible in it.
    pub(super) fn begin(&mut self, reports: bool, watched: bool) -> &[VisibleBytes] {
        set_mode(watched, reports && self.notes.on, self.visible.is_any());
        self.freed.clear();
        self.notes.clear();
        self.visible.begin();
        self.last_drops.clear();
        self.located.clear();
        if let Some(allocations) = &mut self.allocations {
            allocations.clear();
        }
        self.visible.requested()
    }

    /// Ends an execution. What it was is no part of the state that it left in memory.
    pub(super) fn end(&mut self) {
        MODE.store(0, Relaxed);
    }

    /// Number of different call stacks of all executions so far.
    pub(super) fn call_stacks(&self) -> usize {
        self.stacks.len()
    }

    /// Makes accesses of this memory visible in the executions to come.
    pub(super) fn request_visible(&mut self, visible: &[VisibleBytes]) {
        self.visible.request(visible);
        crate::black_box::visible(visible);
    }

    /// From here on allocations are noted, or are no longer; returns what was before.
    pub(super) fn note_allocations(&mut self, on: bool) -> bool {
        let noted = on.then(Default::default);
        std::mem::replace(&mut self.allocations, noted).is_some()
    }

    /// The newest allocation at this address in the last execution, if allocations were noted.
    pub(super) fn allocated_at(&self, address: usize) -> Option<Allocated> {
        self.allocations.as_ref()?.at(address)
    }
}

/// Says whether the execution that begins is watched, whether it is listened to, and whether some of its accesses are
/// scheduling points.
fn set_mode(watched: bool, listened: bool, visible: bool) {
    let on = |is: bool, mode| if is { mode } else { 0 };
    let mode = on(watched, WATCHED) | on(listened, LISTENED) | on(visible, SOME_VISIBLE);
    MODE.store(mode | COUNTED, Relaxed);
}

/// From here on, writes say that their thread is not in the state in which it was before.
pub(super) fn watch_changes() {
    MODE.store(MODE.load(Relaxed) | CHANGES, Relaxed);
}

/// True if code under test runs, and its accesses are looked at.
#[inline(always)]
fn is_looking() -> bool {
    is_in_mode(WATCHED | LISTENED | SOME_VISIBLE | CHANGES) && is_user_code()
}

#[inline(always)]
fn is_in_mode(mode: u8) -> bool {
    MODE.load(Relaxed) & mode != 0
}

/// What a function that calls in here has left on the stack: the frame pointer of its caller, and where it will go on.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(in crate::execution) struct FrameRecord {
    caller: *const FrameRecord,
    return_address: usize,
}

/// The frame of the function that this is inlined into. The runtime of a driver is built with frame pointers; elsewhere
/// this is no frame, and the stack is not known.
#[inline(always)]
fn own_frame() -> *const FrameRecord {
    let frame: *const FrameRecord;
    // SAFETY: reads a register.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!("mov {}, rbp", out(reg) frame, options(nomem, nostack, preserves_flags));
    }
    // SAFETY: reads a register.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!("mov {}, x29", out(reg) frame, options(nomem, nostack, preserves_flags));
    }
    frame
}

/// Where the function that this is inlined into was called from; unknown unless the execution is watched.
#[inline(always)]
pub fn place_of_caller() -> Place {
    let frame = own_frame();
    if !is_in_mode(WATCHED | LISTENED) || !current::is_set() {
        return Place::Stack(&[]);
    }
    let mut machine = current::machine();
    let end = machine.threads[machine.running.index()].stack_end;
    Place::Addresses(machine.layer.stacks.number(frame, end))
}

/// The function that calls this reads so many bytes, as far as they are watched: for what is compiled without reports
/// of its accesses.
#[inline(never)]
pub fn note_read(address: usize, size: usize) {
    if size == 0 {
        return;
    }
    note(address, size, AccessKind::Read, own_frame());
}

/// The call stack of the function that this is inlined into, whether or not the execution is watched.
#[inline(always)]
pub(super) fn stack_of_caller() -> Option<Place> {
    if !current::is_set() {
        return None;
    }
    stack_of_caller_in(&mut current::machine())
}

/// As [`stack_of_caller`].
#[inline(always)]
pub(super) fn stack_of_caller_in(machine: &mut Machine) -> Option<Place> {
    let end = machine.threads[machine.running.index()].stack_end;
    Some(Place::Addresses(
        machine.layer.stacks.number(own_frame(), end),
    ))
}

/// An access of the running virtual thread comes, if code under test runs.
#[inline(always)]
fn note(address: usize, size: usize, kind: AccessKind, frame: *const FrameRecord) {
    if is_looking() && is_watched(address) {
        let (read, written) = match kind {
            AccessKind::Read => (address, NOWHERE),
            _ => (NOWHERE, address),
        };
        note_and_clear(read, written, size, frame);
    }
}

/// A copy of so many bytes comes.
fn note_copy(into: usize, from: usize, size: usize, frame: *const FrameRecord) {
    if size > 0 && is_looking() {
        let if_watched = |address| {
            if is_watched(address) {
                address
            } else {
                NOWHERE
            }
        };
        note_and_clear(if_watched(from), if_watched(into), size, frame);
    }
}

/// No memory is at this address.
const NOWHERE: usize = 0;

/// Where fields are noted, code under test gets its stack back without what the engine has left below: that depends on
/// what the process has seen before (a stack of calls that is new takes another path), values copy it with their
/// padding, and states in memory would differ by it.
fn note_and_clear(read: usize, written: usize, size: usize, frame: *const FrameRecord) {
    if note_watched(read, written, size, frame) {
        clear_below();
    }
}

/// Clears more of the stack below its caller than the engine uses.
#[inline(never)]
fn clear_below() {
    std::hint::black_box(&mut [0_u64; 128]);
}

/// True if fields are noted.
#[inline(never)]
fn note_watched(read: usize, written: usize, size: usize, frame: *const FrameRecord) -> bool {
    if !current::is_set() {
        return false;
    }
    let mut access = current::machine();
    if access.tearing_down || access.over || streams::covers(read.max(written)) {
        return false;
    }
    set_user_code(false);
    if written != NOWHERE && is_in_mode(CHANGES) {
        access.note_write(written, frame.addr());
    }
    if is_in_mode(SOME_VISIBLE) {
        access = visible::plain_operation(access, read, written, size, frame);
    }
    let machine = &mut *access;
    for (address, kind) in [(read, AccessKind::Read), (written, AccessKind::Write)] {
        if address != NOWHERE && is_in_mode(WATCHED) {
            record(machine, address, size, kind, frame);
        } else if address != NOWHERE && is_in_mode(LISTENED) {
            listening::listen(machine, address, size, kind, frame);
        }
    }
    let notes_fields = machine.layer.notes.on;
    drop(access);
    set_user_code(true);
    notes_fields
}

/// True if the running thread changes memory that it has not allocated.
#[cold]
fn is_seen_by_others(machine: &Machine, address: usize, kind: AccessKind) -> bool {
    let own = Region::contains(address) && arena::place(address).0 == machine.running.index();
    kind.writes() && !own
}

#[inline]
fn record(
    machine: &mut Machine,
    address: usize,
    size: usize,
    kind: AccessKind,
    frame: *const FrameRecord,
) {
    if machine.forgets_accesses() && !machine.is_faulty(address, size, kind) {
        return;
    }
    if machine.streams.hidden && is_seen_by_others(machine, address, kind) {
        machine.order_by_streams(true);
    }
    if machine.streams.idle {
        machine.order_by_streams(false);
    }
    let thread = machine.running;
    let epoch = machine.synchronisation().epoch(thread);
    let accesses = &mut machine.accesses;
    if !accesses.is_repeated(thread, epoch, kind, address, size) {
        let end = machine.threads[thread.index()].stack_end;
        let place = Place::Addresses(machine.layer.stacks.number(frame, end));
        if !machine.fault(address, size, kind, place) {
            machine.access(address, size, kind, place, epoch);
        }
    }
}
