//! The functions that stand in place of atomic operations in instrumented code: they do the operation, and let it order threads.

use std::sync::atomic::{
    AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, Ordering::SeqCst, fence,
};

use super::entry_points::entry;
use super::{FrameRecord, current, is_watched, is_watching};
use crate::execution::machine::Machine;
use crate::trace::{AccessKind, Place};

/// The C ABI's memory orders. The operation itself is always sequentially consistent: the order is for the engine.
fn order(code: i32) -> Ordering {
    match code {
        0 => Ordering::Relaxed,
        1 | 2 => Ordering::Acquire,
        3 => Ordering::Release,
        4 => Ordering::AcqRel,
        _ => Ordering::SeqCst,
    }
}

fn acquires(order: Ordering) -> bool {
    matches!(order, Ordering::Acquire | Ordering::AcqRel | SeqCst)
}

fn releases(order: Ordering) -> bool {
    matches!(order, Ordering::Release | Ordering::AcqRel | SeqCst)
}

/// Which parts an operation has.
#[derive(Clone, Copy, PartialEq)]
enum Parts {
    Read,
    Write,
    Both,
}

/// An atomic operation has been done.
fn note(address: usize, size: usize, parts: Parts, order: Ordering, frame: *const FrameRecord) {
    if is_watching() {
        note_done(address, size, parts, order, frame);
    }
}

/// The machine of the execution whose code under test runs, if it is watched.
fn machine<'a>() -> Option<&'a mut Machine> {
    if !current::is_set() {
        return None;
    }
    let machine = current::machine();
    (machine.watching && !machine.tearing_down && !machine.over).then_some(machine)
}

fn note_done(
    address: usize,
    size: usize,
    parts: Parts,
    order: Ordering,
    frame: *const FrameRecord,
) {
    let Some(machine) = machine() else { return };
    super::super::set_user_code(false);
    let thread = machine.running;
    let epoch = machine.synchronisation().epoch(thread);
    let object = machine.objects.at(address, "inner atomic");
    let synchronisation = machine.synchronisation();
    if parts != Parts::Write {
        synchronisation.atomic_read(thread, object, acquires(order));
    }
    if parts != Parts::Read {
        synchronisation.atomic_write(thread, object, releases(order), parts == Parts::Both);
    }
    if is_watched(address) {
        let kind = if parts == Parts::Read {
            AccessKind::AtomicRead
        } else {
            AccessKind::AtomicWrite
        };
        let end = machine.threads[thread.index()].stack_end;
        let place = Place::Addresses(machine.stacks.number(frame, end));
        if !machine.fault(address, size, kind, place) {
            machine.access(address, size, kind, place, epoch);
        }
    }
    super::super::set_user_code(true);
}

macro_rules! width {
    ($Atomic:ident, $Value:ty, $size:literal, $module:ident: $load:ident $store:ident $exchange:ident $add:ident $sub:ident $and:ident
        $or:ident $xor:ident $nand:ident $compare:ident) => {
        mod $module {
            use super::*;

            /// # Safety
            /// The address is that of an atomic of this width, alive.
            unsafe fn at<'a>(address: usize) -> &'a $Atomic {
                // SAFETY: as the caller promised.
                unsafe { &*std::ptr::with_exposed_provenance(address) }
            }

            pub(super) extern "C" fn load(address: usize, code: i32, frame: *const FrameRecord) -> $Value {
                // SAFETY: the compiler put this call in place of an atomic load.
                let value = unsafe { at(address) }.load(SeqCst);
                note(address, $size, Parts::Read, order(code), frame);
                value
            }

            pub(super) extern "C" fn store(address: usize, value: $Value, code: i32, frame: *const FrameRecord) {
                // SAFETY: as above, of a store.
                unsafe { at(address) }.store(value, SeqCst);
                note(address, $size, Parts::Write, order(code), frame);
            }

            width!(@modify $Value, $size, swap, fetch_add, fetch_sub, fetch_and, fetch_or, fetch_xor, fetch_nand);

            pub(super) extern "C" fn compare(
                address: usize,
                expected: $Value,
                new: $Value,
                success: i32,
                failure: i32,
                frame: *const FrameRecord,
            ) -> $Value {
                // SAFETY: as above, of a compare-exchange.
                match unsafe { at(address) }.compare_exchange(expected, new, SeqCst, SeqCst) {
                    Ok(old) => {
                        note(address, $size, Parts::Both, order(success), frame);
                        old
                    }
                    Err(old) => {
                        note(address, $size, Parts::Read, order(failure), frame);
                        old
                    }
                }
            }
        }

        entry!($load(address: usize, order: i32) -> $Value, $module::load, "rdx", "x2");
        entry!($store(address: usize, value: $Value, order: i32), $module::store, "rcx", "x3");
        entry!($exchange(address: usize, value: $Value, order: i32) -> $Value, $module::swap, "rcx", "x3");
        entry!($add(address: usize, value: $Value, order: i32) -> $Value, $module::fetch_add, "rcx", "x3");
        entry!($sub(address: usize, value: $Value, order: i32) -> $Value, $module::fetch_sub, "rcx", "x3");
        entry!($and(address: usize, value: $Value, order: i32) -> $Value, $module::fetch_and, "rcx", "x3");
        entry!($or(address: usize, value: $Value, order: i32) -> $Value, $module::fetch_or, "rcx", "x3");
        entry!($xor(address: usize, value: $Value, order: i32) -> $Value, $module::fetch_xor, "rcx", "x3");
        entry!($nand(address: usize, value: $Value, order: i32) -> $Value, $module::fetch_nand, "rcx", "x3");
        entry!(
            $compare(address: usize, expected: $Value, new: $Value, success: i32, failure: i32) -> $Value,
            $module::compare, "r9", "x5"
        );
    };
    (@modify $Value:ty, $size:literal, $($method:ident),*) => {$(
        pub(super) extern "C" fn $method(address: usize, value: $Value, code: i32, frame: *const FrameRecord) -> $Value {
            // SAFETY: the compiler put this call in place of a read-modify-write.
            let old = unsafe { at(address) }.$method(value, SeqCst);
            note(address, $size, Parts::Both, order(code), frame);
            old
        }
    )*};
}

width!(AtomicU8, u8, 1, one: __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange __tsan_atomic8_fetch_add
    __tsan_atomic8_fetch_sub __tsan_atomic8_fetch_and __tsan_atomic8_fetch_or __tsan_atomic8_fetch_xor __tsan_atomic8_fetch_nand
    __tsan_atomic8_compare_exchange_val);
width!(AtomicU16, u16, 2, two: __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange __tsan_atomic16_fetch_add
    __tsan_atomic16_fetch_sub __tsan_atomic16_fetch_and __tsan_atomic16_fetch_or __tsan_atomic16_fetch_xor __tsan_atomic16_fetch_nand
    __tsan_atomic16_compare_exchange_val);
width!(AtomicU32, u32, 4, four: __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange __tsan_atomic32_fetch_add
    __tsan_atomic32_fetch_sub __tsan_atomic32_fetch_and __tsan_atomic32_fetch_or __tsan_atomic32_fetch_xor __tsan_atomic32_fetch_nand
    __tsan_atomic32_compare_exchange_val);
width!(AtomicU64, u64, 8, eight: __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange __tsan_atomic64_fetch_add
    __tsan_atomic64_fetch_sub __tsan_atomic64_fetch_and __tsan_atomic64_fetch_or __tsan_atomic64_fetch_xor __tsan_atomic64_fetch_nand
    __tsan_atomic64_compare_exchange_val);

/// Holds 128-bit operations apart: stable Rust has no atomic of that width. Free whenever no operation is under way.
static WIDE: AtomicBool = AtomicBool::new(false);

fn wide(
    address: usize,
    code: i32,
    parts: Parts,
    change: impl FnOnce(u128) -> Option<u128>,
) -> u128 {
    while WIDE.swap(true, Ordering::Acquire) {
        std::hint::spin_loop();
    }
    let place: *mut u128 = std::ptr::with_exposed_provenance_mut(address);
    // SAFETY: the compiler put this call in place of an atomic operation of this width on the address; all such come here.
    let old = unsafe { place.read_volatile() };
    let new = change(old);
    if let Some(new) = new {
        // SAFETY: as above.
        unsafe { place.write_volatile(new) };
    }
    WIDE.store(false, Ordering::Release);
    let parts = if new.is_none() { Parts::Read } else { parts };
    note(address, 16, parts, order(code), std::ptr::null());
    old
}

macro_rules! wide {
    ($($name:ident($value:ident) |$old:ident| $new:expr;)*) => {$(
        /// # Safety
        /// Called by instrumented code only, in place of the operation.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(address: usize, $value: u128, code: i32) -> u128 {
            wide(address, code, Parts::Both, |$old| Some($new))
        }
    )*};
}

wide! {
    __tsan_atomic128_exchange(value) |_old| value;
    __tsan_atomic128_fetch_add(value) |old| old.wrapping_add(value);
    __tsan_atomic128_fetch_sub(value) |old| old.wrapping_sub(value);
    __tsan_atomic128_fetch_and(value) |old| old & value;
    __tsan_atomic128_fetch_or(value) |old| old | value;
    __tsan_atomic128_fetch_xor(value) |old| old ^ value;
    __tsan_atomic128_fetch_nand(value) |old| !(old & value);
}

/// # Safety
/// Called by instrumented code only, in place of the operation.
#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_atomic128_load(address: usize, code: i32) -> u128 {
    wide(address, code, Parts::Read, |_| None)
}

/// # Safety
/// Called by instrumented code only, in place of the operation.
#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_atomic128_store(address: usize, value: u128, code: i32) {
    wide(address, code, Parts::Write, |_| Some(value));
}

/// # Safety
/// Called by instrumented code only, in place of the operation.
#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_atomic128_compare_exchange_val(
    address: usize,
    expected: u128,
    new: u128,
    success: i32,
    failure: i32,
) -> u128 {
    // What is read when it fails is acquired if either order says so: the width is too rare to be exact about it.
    let code = success.max(failure);
    wide(address, code, Parts::Both, |old| {
        (old == expected).then_some(new)
    })
}

/// In place of a fence.
#[unsafe(no_mangle)]
extern "C" fn __tsan_atomic_thread_fence(code: i32) {
    fence(SeqCst);
    if is_watching()
        && let Some(machine) = machine()
    {
        let thread = machine.running;
        let order = order(code);
        if acquires(order) {
            machine.synchronisation().acquire_fence(thread);
        }
        if releases(order) {
            machine.synchronisation().release_fence(thread);
        }
    }
}

/// A fence for signal handlers: nothing between threads.
#[unsafe(no_mangle)]
extern "C" fn __tsan_atomic_signal_fence(_code: i32) {
    std::sync::atomic::compiler_fence(SeqCst);
}
