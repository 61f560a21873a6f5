//! Every memory access of instrumented code.
//!
//! The compiler's pass for thread sanitizers makes instrumented crates call `__tsan_read8(address)` and the like before each escaping
//! access, and `__tsan_atomic64_fetch_add(…)` in place of each atomic operation. The functions of these names are here: nothing of
//! a sanitizer's runtime is linked.
//!
//! What counts as an access: code under test runs (not the engine on its behalf), and the address is in the arena or in a static. The
//! stacks of virtual threads and memory of the tool are not looked at, so what threads share on a stack is not checked.
//!
//! Accesses are held against each other for data races; atomic ones that come this way (`Arc` and others of `std`, monomorphised into
//! instrumented crates) order threads, but are no scheduling points. Atomics that come by the facade are performed while the engine runs, and
//! are therefore not counted twice.
//!
//! What code under test frees is not used again in the same execution, so that use after free and double free are seen.
//!
//! Not seen: inline assembly, C, functions that `std` has compiled already, 128-bit atomics in inline assembly.

mod allocations;
mod atomics;
mod entry_points;
mod heap;
mod known_blocks;
mod listening;
mod stacks;

pub(crate) use allocations::Allocations;
pub(super) use allocations::allocated;
pub(crate) use heap::Freed;
pub(super) use heap::freed;
use known_blocks::KnownBlocks;
pub(super) use known_blocks::resized;
pub(crate) use listening::Notes;
pub(crate) use stacks::CallStacks;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use super::is_user_code;
use super::mapping::Region;
use crate::execution::current;
use crate::trace::{AccessKind, Place};

/// Writable static data of the executable: first address and length. Set before the snapshot.
static STATICS: (AtomicUsize, AtomicUsize) = (AtomicUsize::new(0), AtomicUsize::new(0));

/// The present execution is watched, or listened to. Set at the beginning of each, for statics are put back at its end.
static WATCHING: AtomicBool = AtomicBool::new(false);

/// Says whether the execution that begins is watched, or listened to.
pub(crate) fn set_watching(on: bool) {
    WATCHING.store(on, Relaxed);
}

/// True if code under test runs in an execution that is watched.
#[inline(always)]
fn is_watching() -> bool {
    WATCHING.load(Relaxed) && is_user_code()
}

/// Tells where static data is.
pub(super) fn set_statics(start: usize, end: usize) {
    STATICS.0.store(start, Relaxed);
    STATICS.1.store(end - start, Relaxed);
}

/// What a function that calls in here has left on the stack: the frame pointer of its caller, and where it will go on.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct FrameRecord {
    caller: *const FrameRecord,
    return_address: usize,
}

/// The frame of the function that this is inlined into. The runtime of a driver is built with frame pointers; elsewhere this is no frame,
/// and the stack is not known.
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
pub(crate) fn place_of_caller() -> Place {
    let frame = own_frame();
    if !WATCHING.load(Relaxed) || !current::is_set() {
        return Place::Stack(&[]);
    }
    let machine = current::machine();
    let end = machine.threads[machine.running.index()].stack_end;
    Place::Addresses(machine.stacks.number(frame, end))
}

#[inline]
fn is_watched(address: usize) -> bool {
    Region::contains(address)
        || address.wrapping_sub(STATICS.0.load(Relaxed)) < STATICS.1.load(Relaxed)
}

/// Notes an access of the running virtual thread, if code under test runs.
#[inline(always)]
fn note(address: usize, size: usize, kind: AccessKind, frame: *const FrameRecord) {
    if is_watching() && is_watched(address) {
        note_watched(address, size, kind, frame);
    }
}

fn note_watched(address: usize, size: usize, kind: AccessKind, frame: *const FrameRecord) {
    if !current::is_set() {
        return;
    }
    let machine = current::machine();
    if machine.tearing_down || machine.over {
        return;
    }
    super::set_user_code(false);
    if !machine.watching {
        listening::listen(machine, address, size, kind, frame);
        super::set_user_code(true);
        return;
    }
    let thread = machine.running;
    let epoch = machine.synchronisation().epoch(thread);
    if !machine
        .accesses
        .is_repeated(thread, epoch, kind, address, size)
    {
        let place = Place::Addresses(
            machine
                .stacks
                .number(frame, machine.threads[thread.index()].stack_end),
        );
        if !machine.fault(address, size, kind, place) {
            machine.access(address, size, kind, place, epoch);
        }
    }
    super::set_user_code(true);
}
