//! Locks that C code takes, as databases do: they are those of the system's thread. While one is held no virtual thread
//! may be stopped, because another one that takes the same would wait for ever.

use std::ffi::{CStr, c_int};
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering::Relaxed};

use libc::pthread_mutex_t;

use super::look_up;

/// How many are held. A static on purpose: it starts again in every execution.
static HELD: AtomicI32 = AtomicI32::new(0);

/// The C library's functions, found at first use.
static LOCK: AtomicUsize = AtomicUsize::new(0);
static TRY_LOCK: AtomicUsize = AtomicUsize::new(0);
static UNLOCK: AtomicUsize = AtomicUsize::new(0);

type OfMutex = unsafe extern "C" fn(*mut pthread_mutex_t) -> c_int;

/// True if C code holds no lock.
pub(super) fn are_free() -> bool {
    HELD.load(Relaxed) <= 0
}

/// Calls the C library's function of this name.
///
/// # Safety
/// As for the function.
unsafe fn forward(kept: &AtomicUsize, name: &CStr, mutex: *mut pthread_mutex_t) -> c_int {
    let mut found = kept.load(Relaxed);
    if found == 0 {
        found = look_up(name);
        kept.store(found, Relaxed);
    }
    if found == 0 {
        return libc::ENOSYS;
    }
    // SAFETY: the C library's function of that name, which has this type.
    let function: OfMutex = unsafe { std::mem::transmute(found) };
    // SAFETY: by this function's contract.
    unsafe { function(mutex) }
}

/// # Safety
/// As for `pthread_mutex_lock(3)`.
pub unsafe fn pthread_mutex_lock(mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: by this function's contract.
    let result = unsafe { forward(&LOCK, c"pthread_mutex_lock", mutex) };
    HELD.fetch_add(i32::from(result == 0), Relaxed);
    result
}

/// # Safety
/// As for `pthread_mutex_trylock(3)`.
pub unsafe fn pthread_mutex_trylock(mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: by this function's contract.
    let result = unsafe { forward(&TRY_LOCK, c"pthread_mutex_trylock", mutex) };
    HELD.fetch_add(i32::from(result == 0), Relaxed);
    result
}

/// # Safety
/// As for `pthread_mutex_unlock(3)`.
pub unsafe fn pthread_mutex_unlock(mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: by this function's contract.
    let result = unsafe { forward(&UNLOCK, c"pthread_mutex_unlock", mutex) };
    HELD.fetch_sub(i32::from(result == 0), Relaxed);
    result
}
