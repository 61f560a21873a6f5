//! The functions that stand in place of atomic operations in instrumented code: they do the operation, and let it order
//! threads.

use std::sync::atomic::{
    AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, Ordering::SeqCst, fence,
};

use super::entry_points::entry;
use super::visible::InnerUse;
use super::{
    CHANGES, COUNTED, FrameRecord, SOME_VISIBLE, WATCHED, current, is_in_mode, is_looking,
    is_user_code, is_watched,
};
use crate::execution::active::atomics::publish;
use crate::execution::active::{AtomicKind, AtomicOperation, active};
use crate::execution::current::Access;
use crate::execution::machine::Machine;
use crate::execution::streams;
use contest_data::trace::{AccessKind, Action, Place, Update, acquires, releases};

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

/// An operation before it is done.
#[derive(Clone, Copy)]
struct Operation {
    address: usize,
    size: u8,
    kind: AtomicKind,
    order: Ordering,
    name: &'static str,
    /// What it means for others.
    inner: InnerUse,
}

/// Does an operation: the bits that were read, and those that were written, if any were.
type Perform<'p> = &'p mut dyn FnMut() -> (u64, Option<u64>);

/// Does the operation, in its turn if it is a visible one, and returns the bits that were read. `failure`: the order of
/// a compare-exchange that fails. Only this is compiled for each of the fifty operations.
#[inline]
fn run(
    operation: Operation,
    failure: Ordering,
    frame: *const FrameRecord,
    mut perform: impl FnMut() -> (u64, Option<u64>),
) -> u64 {
    if !is_in_mode(COUNTED) || !is_user_code() {
        return perform().0;
    }
    run_counted(operation, failure, frame, &mut perform)
}

fn run_counted(
    operation: Operation,
    failure: Ordering,
    frame: *const FrameRecord,
    perform: Perform,
) -> u64 {
    if goes_round() {
        active().inspect(|active| active.yield_now("loop"));
    }
    if is_in_mode(WATCHED | SOME_VISIBLE) {
        return run_looking(operation, failure, frame, perform);
    }
    let (read, wrote) = perform();
    if wrote.is_some()
        && let Some(mut machine) = machine()
    {
        match is_in_mode(CHANGES) {
            true => machine.note_inner_change(),
            false => machine.me().inner += 1,
        }
    }
    read
}

/// Atomic operations of a thread, none of them visible, after which others get a turn: it may wait for them in a loop.
const MOST_AT_ONCE: u32 = 1_024;

/// Counts an operation. True if there were so many since the thread did anything visible.
fn goes_round() -> bool {
    let Some(mut machine) = machine() else {
        return false;
    };
    let thread = machine.me();
    if thread.inner_since.0 != thread.executed {
        thread.inner_since = (thread.executed, 0);
    }
    thread.inner_since.1 += 1;
    thread.inner_since.1 > MOST_AT_ONCE
}

fn run_looking(
    operation: Operation,
    failure: Ordering,
    frame: *const FrameRecord,
    perform: Perform,
) -> u64 {
    let Some(mut access) = machine() else {
        return perform().0;
    };
    let machine = &mut *access;
    crate::memory::set_user_code(false);
    let Operation { address, size, .. } = operation;
    if streams::covers(address) {
        drop(access);
        let result = perform().0;
        crate::memory::set_user_code(true);
        return result;
    }
    if machine.streams.idle {
        machine.order_by_streams(false);
    }
    let action = |wrote: bool| match operation.kind {
        AtomicKind::Load => Action::Load(operation.order),
        AtomicKind::Store => Action::Store(operation.order),
        AtomicKind::Rmw(update) if wrote => Action::Rmw(operation.order, update),
        _ if wrote => Action::Rmw(operation.order, Update::Conditional),
        _ => Action::CasFail(failure),
    };
    let end = machine.threads[machine.running.index()].stack_end;
    let place = Place::Addresses(machine.layer.stacks.number(frame, end));
    let bytes = (address, usize::from(size));
    let mut result = None;
    let mut did = Action::Load(SeqCst);
    let mut counted_down = false;
    let mut perform = || {
        let (read, wrote) = perform();
        result = Some(read);
        counted_down = wrote == Some(0);
        did = action(wrote.is_some());
        (did, read, wrote.unwrap_or_default())
    };
    let is_visible = is_in_mode(SOME_VISIBLE) && machine.is_visible(bytes);
    let epoch = if is_visible {
        let visible = AtomicOperation {
            address,
            size,
            kind: operation.kind,
            ordering: operation.order,
            name: operation.name,
        };
        let epoch;
        // SAFETY: instrumented code is about to operate on the atomic, which it has in hand.
        (access, epoch) = unsafe { visible_atomic(access, &visible, perform) };
        access.note_place(bytes, place);
        epoch
    } else {
        perform();
        let watches = machine.watches_memory;
        let mut operation = operation;
        if counted_down && operation.kind == AtomicKind::Rmw(Update::Add) {
            // The last reference: its owner does what the others do not.
            operation.inner = InnerUse::LastChange;
        }
        watches.then(|| machine.order(&operation, did, place, frame))
    };
    if !is_visible && changes(did) {
        access.note_inner_change();
    }
    if let Some(epoch) = epoch
        && is_watched(address)
    {
        let kind = if changes(did) {
            AccessKind::AtomicWrite
        } else {
            AccessKind::AtomicRead
        };
        if !access.fault(address, bytes.1, kind, place) {
            access.access(address, bytes.1, kind, place, epoch);
        }
    }
    drop(access);
    crate::memory::set_user_code(true);
    result.expect("it has been performed")
}

/// As [`visible_access`](crate::execution::active::memory::visible_access), of an atomic operation: waits for the turn,
/// performs it and records it. Returns the epoch that it belongs to, if accesses are watched.
///
/// # Safety
/// That of [`Active::atomic`](crate::execution::Active::atomic).
unsafe fn visible_atomic(
    mut machine: Access,
    operation: &AtomicOperation,
    perform: impl FnOnce() -> (Action, u64, u64),
) -> (Access, Option<u32>) {
    let location = machine.me().location;
    // SAFETY: the caller says what is at the operation's address.
    let machine = unsafe { publish(machine, operation, location) };
    let (mut machine, (action, read, wrote)) = machine.suspended(perform);
    let thread = machine.running;
    // A releasing operation hands this number on and starts the next.
    let watches = machine.watches_memory;
    let epoch = watches.then(|| machine.synchronisation().epoch(thread));
    machine.commit_as(action, read, wrote);
    (machine, epoch)
}

/// The machine of the execution whose code under test runs.
fn machine() -> Option<Access> {
    if !current::is_set() {
        return None;
    }
    let machine = current::machine();
    (!machine.tearing_down && !machine.over).then_some(machine)
}

fn changes(action: Action) -> bool {
    !matches!(action, Action::Load(_) | Action::CasFail(_))
}

impl Machine {
    /// Lets an operation that is no scheduling point, and has been done, order threads. Returns the epoch that it
    /// belongs to.
    fn order(
        &mut self,
        operation: &Operation,
        did: Action,
        place: Place,
        frame: *const FrameRecord,
    ) -> u32 {
        let thread = self.running;
        if is_watched(operation.address) {
            let how = if changes(did) {
                operation.inner
            } else {
                InnerUse::Look
            };
            let bytes = (operation.address, usize::from(operation.size));
            self.note_inner(bytes, how, place, frame);
        }
        let epoch = self.synchronisation().epoch(thread);
        let object = self.objects.at(operation.address, "inner atomic");
        let synchronisation = self.synchronisation();
        match did {
            Action::Load(order) | Action::CasFail(order) => {
                synchronisation.atomic_read(thread, object, acquires(order));
            }
            Action::Store(order) => {
                synchronisation.atomic_write(thread, object, releases(order), false);
            }
            _ => {
                let order = operation.order;
                synchronisation.atomic_read(thread, object, acquires(order));
                synchronisation.atomic_write(thread, object, releases(order), true);
            }
        }
        epoch
    }
}

macro_rules! width {
    ($Atomic:ident, $Value:ty, $size:literal, $module:ident: $load:ident $store:ident $exchange:ident $add:ident $sub:ident $and:ident
        $or:ident $xor:ident $nand:ident $compare:ident) => {
        mod $module {
            use super::*;

            /// # Safety
            /// The address is that of an atomic of this width, alive.
            unsafe fn at<'a>(address: usize) -> &'a $Atomic {
                // SAFETY: the caller says that there is such an atomic.
                unsafe { &*std::ptr::with_exposed_provenance(address) }
            }

            fn operation(address: usize, kind: AtomicKind, code: i32, name: &'static str, inner: InnerUse) -> Operation {
                Operation { address, size: $size, kind, order: order(code), name, inner }
            }

            pub(super) extern "C" fn load(address: usize, code: i32, frame: *const FrameRecord) -> $Value {
                let operation = operation(address, AtomicKind::Load, code, "load", InnerUse::Look);
                run(operation, SeqCst, frame, || {
                    // SAFETY: the compiler put this call in place of an atomic load.
                    let value = unsafe { at(address) }.load(SeqCst);
                    (u64::from(value), None)
                }) as $Value
            }

            pub(super) extern "C" fn store(address: usize, value: $Value, code: i32, frame: *const FrameRecord) {
                let operation = operation(address, AtomicKind::Store, code, "store", InnerUse::Change);
                run(operation, SeqCst, frame, || {
                    // SAFETY: the compiler put this call in place of an atomic store.
                    let old = unsafe { at(address) }.swap(value, SeqCst);
                    (u64::from(old), Some(u64::from(value)))
                });
            }

            // What adds, or sets a bit, mostly does not depend on what was there.
            width!(@modify $Value, $size, swap: LookAndChange Replace, fetch_add: Change Add,
                fetch_sub: Change Add, fetch_and: Change Combine, fetch_or: Change Combine, fetch_xor: Change Combine,
                fetch_nand: Change Combine);

            pub(super) extern "C" fn compare(
                address: usize,
                expected: $Value,
                new: $Value,
                success: i32,
                failure: i32,
                frame: *const FrameRecord,
            ) -> $Value {
                let kind = AtomicKind::CompareExchange(u64::from(expected), order(failure));
                let operation = operation(address, kind, success, "compare_exchange", InnerUse::LookAndChange);
                run(operation, order(failure), frame, || {
                    // SAFETY: the compiler put this call in place of a compare-exchange.
                    match unsafe { at(address) }.compare_exchange(expected, new, SeqCst, SeqCst) {
                        Ok(old) => (u64::from(old), Some(u64::from(new))),
                        Err(old) => (u64::from(old), None),
                    }
                }) as $Value
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
    (@modify $Value:ty, $size:literal, $($method:ident: $inner:ident $update:ident),*) => {$(
        pub(super) extern "C" fn $method(address: usize, value: $Value, code: i32, frame: *const FrameRecord) -> $Value {
            let kind = AtomicKind::Rmw(Update::$update);
            let operation = operation(address, kind, code, stringify!($method), InnerUse::$inner);
            run(operation, SeqCst, frame, || {
                // SAFETY: the compiler put this call in place of a read-modify-write.
                let old = unsafe { at(address) }.$method(value, SeqCst);
                // SAFETY: the compiler put this call in place of a read-modify-write; the atomic is alive still, for
                // no other virtual thread has run.
                let new = unsafe { at(address) }.load(SeqCst);
                (u64::from(old), Some(u64::from(new)))
            }) as $Value
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

/// `codes`: the orders of an operation that succeeds, and of one that fails.
fn wide(
    address: usize,
    codes: (i32, i32),
    kind: AtomicKind,
    change: impl Fn(u128) -> Option<u128>,
) -> u128 {
    let operation = Operation {
        address,
        size: 16,
        kind,
        order: order(codes.0),
        name: "128-bit operation",
        inner: InnerUse::LookAndChange,
    };
    let mut old = 0;
    run(operation, order(codes.1), std::ptr::null(), || {
        while WIDE.swap(true, Ordering::Acquire) {
            std::hint::spin_loop();
        }
        let place: *mut u128 = std::ptr::with_exposed_provenance_mut(address);
        // SAFETY: the compiler put this call in place of an atomic operation of this width on the address; all such
        // come here.
        old = unsafe { place.read_volatile() };
        let new = change(old);
        if let Some(new) = new {
            // SAFETY: the compiler put this call in place of an atomic operation that writes, on the same address.
            unsafe { place.write_volatile(new) };
        }
        WIDE.store(false, Ordering::Release);
        (old as u64, new.map(|new| new as u64))
    });
    old
}

macro_rules! wide {
    ($($name:ident($value:ident) |$old:ident| $new:expr;)*) => {$(
        /// # Safety
        /// Called by instrumented code only, in place of the operation.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(address: usize, $value: u128, code: i32) -> u128 {
            wide(address, (code, code), AtomicKind::Rmw(Update::Conditional), |$old| Some($new))
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
    wide(address, (code, code), AtomicKind::Load, |_| None)
}

/// # Safety
/// Called by instrumented code only, in place of the operation.
#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_atomic128_store(address: usize, value: u128, code: i32) {
    wide(address, (code, code), AtomicKind::Store, |_| Some(value));
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
    let kind = AtomicKind::Rmw(Update::Conditional);
    wide(address, (success, failure), kind, |old| {
        (old == expected).then_some(new)
    })
}

/// In place of a fence.
#[unsafe(no_mangle)]
extern "C" fn __tsan_atomic_thread_fence(code: i32) {
    fence(SeqCst);
    if is_looking()
        && let Some(mut machine) = machine()
        && machine.watches_memory
    {
        // What clocks and accesses need outlives the execution.
        crate::memory::set_user_code(false);
        let thread = machine.running;
        let order = order(code);
        if acquires(order) {
            machine.synchronisation().acquire_fence(thread);
        }
        if releases(order) {
            machine.synchronisation().release_fence(thread);
        }
        drop(machine);
        crate::memory::set_user_code(true);
    }
}

/// A fence for signal handlers: nothing between threads.
#[unsafe(no_mangle)]
extern "C" fn __tsan_atomic_signal_fence(_code: i32) {
    std::sync::atomic::compiler_fence(SeqCst);
}
