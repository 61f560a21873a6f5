//! The driver's memory: which side of the engine's boundary allocates, and isolation of executions from each other.
//!
//! Every execution starts from the same bytes at the same addresses:
//! * what code under test allocates comes from an `arena` at a fixed address that is emptied after each execution;
//! * writable static data and the thread-local block of the executable are put back from a snapshot (`statics`);
//! * heap blocks from before the snapshot (what `std` keeps for the process) are part of it (`startup_heap`);
//! * so are the environment, the working directory and handlers of signals (`environment`, `process_state`), and
//!   descriptors that an execution leaves open are closed (`descriptors`);
//! * files and directories that tests of a crate create are removed (`contacts`).
//!
//! # Rules for code of the tool that is linked into the driver
//! 1. State that changes and must survive an execution lives on the stack of the driver's main or on the heap, in
//!    blocks allocated after the snapshot and outside code under test. A `static` or `thread_local!` is back at its
//!    value of the snapshot after every execution, and so is every heap block from before it.
//! 2. A value that is set once before the snapshot and never changes (an address, a hook) may be a `static`.
//! 3. A block allocated by code under test is gone after the execution: copy what you keep before [`Isolation::end`]. A
//!    block allocated for code under test (thread-locals of virtual threads, bodies of threads) is allocated with
//!    `set_user_code(true)`, or its address would differ from run to run.

#[cfg(feature = "driver")]
use std::cell::Cell;
#[cfg(feature = "driver")]
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

mod names;

pub use names::{
    Content, FieldName, Isolation, NoIsolation, ObjectField, Sought, Symbols, Turn, UnownedBlock,
};

#[cfg(all(feature = "driver", target_os = "linux"))]
pub mod arena;
#[cfg(all(feature = "driver", target_os = "linux"))]
pub mod contacts;
#[cfg(all(feature = "driver", target_os = "linux"))]
pub mod descriptors;
#[cfg(all(feature = "driver", target_os = "linux"))]
mod environment;
#[cfg(all(feature = "driver", target_os = "linux"))]
mod isolation;
#[cfg(all(feature = "driver", target_os = "linux"))]
pub mod mapping;
#[cfg(all(feature = "driver", target_os = "linux"))]
pub mod outside;
#[cfg(all(feature = "driver", target_os = "linux"))]
pub(crate) mod pointers;
#[cfg(all(feature = "driver", target_os = "linux"))]
pub mod process_state;
#[cfg(all(feature = "driver", target_os = "linux"))]
pub(crate) mod shared;
#[cfg(feature = "driver")]
mod size_class;
#[cfg(all(feature = "driver", target_os = "linux"))]
pub(crate) mod startup_heap;
#[cfg(all(feature = "driver", target_os = "linux"))]
mod state;
#[cfg(any(target_os = "linux", windows))]
pub(crate) mod static_range;
#[cfg(all(feature = "driver", target_os = "linux"))]
mod statics;
#[cfg(all(feature = "driver", target_os = "linux"))]
mod turns;
#[cfg(all(feature = "driver", target_os = "linux"))]
mod unowned;

#[cfg(all(feature = "driver", target_os = "linux"))]
pub use isolation::ProcessIsolation;
#[cfg(all(feature = "driver", target_os = "linux"))]
pub use statics::SnapshotError;

#[cfg(feature = "driver")]
thread_local! {
    static USER_CODE: Cell<bool> = const { Cell::new(false) };
}

/// Says whether code under test runs from here on; returns what it was. The engine calls it at its boundary; the
/// driver's allocator serves code under test from the arena of the execution and everything else from the system.
#[inline]
#[cfg(feature = "driver")]
pub fn set_user_code(on: bool) -> bool {
    USER_CODE.replace(on)
}

/// Outside the driver there is no allocator that distinguishes code under test.
#[inline(always)]
#[cfg(not(feature = "driver"))]
pub fn set_user_code(_on: bool) -> bool {
    false
}

/// True while code under test runs.
#[inline]
#[must_use]
#[cfg(feature = "driver")]
pub fn is_user_code() -> bool {
    USER_CODE.get()
}

/// The last value that was kept. Put back before each execution, as all statics are.
#[cfg(feature = "driver")]
static LAST_KEPT: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());

/// Keeps a value that is never dropped where the search for memory without an owner finds it; returns the one that was
/// kept before it, to which it has to point.
#[cfg(feature = "driver")]
pub fn keep(value: *mut u8) -> *mut u8 {
    LAST_KEPT.swap(value, Relaxed)
}

/// The value of a live atomic of 1, 2, 4 or 8 bytes, as bits; `None` for other sizes.
///
/// # Safety
/// At the address are so many bytes, aligned and alive, that other threads access atomically or not at all; a reference
/// to them has exposed its provenance.
#[must_use]
pub unsafe fn peek(address: usize, size: u8) -> Option<u64> {
    use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};
    // SAFETY: the caller says what is at the address, and the type has the size that it says.
    unsafe {
        Some(match size {
            1 => u64::from((*(address as *const AtomicU8)).load(Relaxed)),
            2 => u64::from((*(address as *const AtomicU16)).load(Relaxed)),
            4 => u64::from((*(address as *const AtomicU32)).load(Relaxed)),
            8 => (*(address as *const AtomicU64)).load(Relaxed),
            _ => return None,
        })
    }
}

/// The value of a live atomic of 1, 2, 4 or 8 bytes, as bits, for code under test: with what came before its store.
///
/// # Safety
/// As for [`peek`]; the size is one of these.
#[inline(always)]
pub unsafe fn acquire(address: usize, size: u8) -> u64 {
    use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Acquire};
    // SAFETY: the caller says what is at the address, and the type has the size that it says.
    unsafe {
        match size {
            8 => (*(address as *const AtomicU64)).load(Acquire),
            4 => u64::from((*(address as *const AtomicU32)).load(Acquire)),
            1 => u64::from((*(address as *const AtomicU8)).load(Acquire)),
            _ => u64::from((*(address as *const AtomicU16)).load(Acquire)),
        }
    }
}

/// Sets the value of a live atomic of 1, 2, 4 or 8 bytes for code under test, after all that came before.
///
/// # Safety
/// As for [`peek`]; the size is one of these, and the bits are a value of what is there.
#[inline(always)]
pub unsafe fn release(address: usize, size: u8, bits: u64) {
    use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Release};
    // SAFETY: the caller says what is at the address, and the type has the size that it says.
    unsafe {
        match size {
            8 => (*(address as *const AtomicU64)).store(bits, Release),
            4 => (*(address as *const AtomicU32)).store(bits as u32, Release),
            1 => (*(address as *const AtomicU8)).store(bits as u8, Release),
            _ => (*(address as *const AtomicU16)).store(bits as u16, Release),
        }
    }
}

/// Sets the value of a live atomic of 1, 2, 4 or 8 bytes.
///
/// # Safety
/// As for [`peek`]; the bits are a value of what is there.
pub unsafe fn poke(address: usize, size: u8, bits: u64) {
    use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};
    // SAFETY: the caller says what is at the address, and the type has the size that it says.
    unsafe {
        match size {
            1 => (*(address as *const AtomicU8)).store(bits as u8, Relaxed),
            2 => (*(address as *const AtomicU16)).store(bits as u16, Relaxed),
            4 => (*(address as *const AtomicU32)).store(bits as u32, Relaxed),
            8 => (*(address as *const AtomicU64)).store(bits, Relaxed),
            _ => {}
        }
    }
}
