//! Environment variables: what tests share without a word. `std` guards them by a lock of its own, so nothing is torn;
//! who reads what another thread has set is a matter of order, and so a visible operation.

use std::ffi::{CStr, c_char, c_int};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use contest_data::contact::{Shared, Uses};
use contest_engine::memory::contacts;
use contest_std::sync::atomic::{AtomicU32 as Visible, Ordering::SeqCst};

use super::call::controlled;
use super::look_up;

/// One for each variable, by a hash of its name. Statics on purpose: they start again in every execution.
static VARIABLES: [Visible; 64] = [const { Visible::new(0) }; 64];

/// The C library's functions, found once, before the snapshot.
static GET: AtomicUsize = AtomicUsize::new(0);
static SET: AtomicUsize = AtomicUsize::new(0);
static UNSET: AtomicUsize = AtomicUsize::new(0);

type Get = unsafe extern "C" fn(*const c_char) -> *mut c_char;
type Set = unsafe extern "C" fn(*const c_char, *const c_char, c_int) -> c_int;
type Unset = unsafe extern "C" fn(*const c_char) -> c_int;

/// Finds the C library's functions that are called in the end.
pub(super) fn find_functions() {
    found(&GET, c"getenv");
    found(&SET, c"setenv");
    found(&UNSET, c"unsetenv");
}

/// The C library's function of this name, which may be called before any other code of ours runs.
fn found(kept: &AtomicUsize, name: &CStr) -> usize {
    match kept.load(Relaxed) {
        0 => {
            let found = look_up(name);
            kept.store(found, Relaxed);
            found
        }
        found => found,
    }
}

/// The variable of this name.
///
/// # Safety
/// A text that ends with 0 is there, or it is null.
unsafe fn variable(name: *const c_char) -> Option<&'static Visible> {
    if name.is_null() {
        return None;
    }
    // SAFETY: by this function's contract.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    let hash = (name.iter()).fold(5_381_usize, |hash, byte| {
        hash.wrapping_mul(33) ^ usize::from(*byte)
    });
    VARIABLES.get(hash % VARIABLES.len())
}

/// Notes how code under test uses a variable.
///
/// # Safety
/// A text that ends with 0 is there.
unsafe fn note(name: *const c_char, uses: Uses) {
    contacts::note(
        || {
            // SAFETY: by this function's contract.
            let name = unsafe { CStr::from_ptr(name) };
            Shared::Variable(name.to_string_lossy().into_owned())
        },
        uses,
    );
}

/// Notes that code under test changes a variable.
///
/// # Safety
/// As for [`variable`].
unsafe fn changes(name: *const c_char) {
    if let Some(active) = controlled()
        // SAFETY: by this function's contract.
        && let Some(variable) = unsafe { variable(name) }
    {
        active.note_environment_change();
        // SAFETY: as above.
        unsafe { note(name, Uses::CHANGES) };
        variable.fetch_add(1, SeqCst);
    }
}

/// # Safety
/// As for `getenv(3)`.
pub unsafe fn getenv(name: *const c_char) -> *mut c_char {
    if controlled().is_some()
        // SAFETY: the caller gives a text.
        && let Some(variable) = unsafe { variable(name) }
    {
        variable.load(SeqCst);
        // SAFETY: the caller gives a text.
        unsafe { note(name, Uses::READS) };
    }
    let found = found(&GET, c"getenv");
    if found == 0 {
        return std::ptr::null_mut();
    }
    // SAFETY: the C library's function of that name.
    let get: Get = unsafe { std::mem::transmute(found) };
    // SAFETY: by this function's contract.
    unsafe { get(name) }
}

/// # Safety
/// As for `setenv(3)`.
pub unsafe fn setenv(name: *const c_char, value: *const c_char, replace: c_int) -> c_int {
    // SAFETY: the caller gives a text.
    unsafe { changes(name) };
    let found = found(&SET, c"setenv");
    if found == 0 {
        return -1;
    }
    // SAFETY: the C library's function of that name.
    let set: Set = unsafe { std::mem::transmute(found) };
    // SAFETY: by this function's contract.
    unsafe { set(name, value, replace) }
}

/// # Safety
/// As for `unsetenv(3)`.
pub unsafe fn unsetenv(name: *const c_char) -> c_int {
    // SAFETY: the caller gives a text.
    unsafe { changes(name) };
    let found = found(&UNSET, c"unsetenv");
    if found == 0 {
        return -1;
    }
    // SAFETY: the C library's function of that name.
    let unset: Unset = unsafe { std::mem::transmute(found) };
    // SAFETY: by this function's contract.
    unsafe { unset(name) }
}
