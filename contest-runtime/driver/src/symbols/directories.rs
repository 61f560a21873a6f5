//! What is in a directory, in an order that no one promises: in tests of the crate it depends on the draw of random
//! numbers, but for the first draw, which has the kernel's.

use std::ffi::{CStr, c_int, c_void};
use std::mem::offset_of;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use contest_data::rng::Rng;
use contest_engine::memory::set_user_code;
use libc::dirent64;

use super::call::controlled;
use super::look_up;
use super::paths::{are_ordered, changes};

/// The C library's functions, found once, before the snapshot.
static READDIR: AtomicUsize = AtomicUsize::new(0);
static CLOSEDIR: AtomicUsize = AtomicUsize::new(0);
static REWINDDIR: AtomicUsize = AtomicUsize::new(0);

type Readdir = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
type Closedir = unsafe extern "C" fn(*mut c_void) -> c_int;
type Rewinddir = unsafe extern "C" fn(*mut c_void);

/// Entries of an open directory, and how many of them were given.
struct Listing {
    directory: usize,
    entries: Vec<Vec<u64>>,
    given: usize,
}

/// Directories that code under test reads. A static on purpose: it starts again in every execution.
static LISTINGS: Mutex<Vec<Listing>> = Mutex::new(Vec::new());

/// Finds the C library's functions that are called in the end.
pub(super) fn find_functions() {
    READDIR.store(look_up(c"readdir64"), Relaxed);
    CLOSEDIR.store(look_up(c"closedir"), Relaxed);
    REWINDDIR.store(look_up(c"rewinddir"), Relaxed);
}

/// A process that links this and has not started a driver looks it up at each call.
fn found(place: &AtomicUsize, name: &CStr) -> usize {
    match place.load(Relaxed) {
        0 => look_up(name),
        found => found,
    }
}

/// # Safety
/// As for `readdir(3)`.
pub unsafe fn readdir64(directory: *mut c_void) -> *mut c_void {
    let function = found(&READDIR, c"readdir64");
    // SAFETY: the C library's function of that name, which every C library has.
    let read: Readdir = unsafe { std::mem::transmute(function) };
    // SAFETY: by this function's contract.
    let next = || unsafe { read(directory) };
    let Some(active) = controlled().filter(|_| are_ordered()) else {
        return next();
    };
    let draw = active.draw_of_order();
    if draw == 0 {
        return next();
    }
    let side = set_user_code(false);
    let entry = in_other_order(directory.addr(), draw, next);
    set_user_code(side);
    entry
}

/// The next entry in an order of this draw; `next` gives the kernel's.
fn in_other_order(
    directory: usize,
    draw: u64,
    mut next: impl FnMut() -> *mut c_void,
) -> *mut c_void {
    let mut listings = LISTINGS.lock().unwrap_or_else(PoisonError::into_inner);
    let at = listings.iter().position(|it| it.directory == directory);
    let at = at.unwrap_or_else(|| {
        let mut entries = Vec::new();
        loop {
            let entry: *mut dirent64 = next().cast();
            if entry.is_null() {
                break;
            }
            // SAFETY: what the C library has returned is an entry.
            entries.push(unsafe { copy(entry) });
        }
        // As long as nothing is changed, it is the same order.
        let mut rng = Rng::new(Rng::at(draw, changes()));
        for last in (1..entries.len()).rev() {
            entries.swap(last, rng.below(last as u32 + 1) as usize);
        }
        listings.push(Listing {
            directory,
            entries,
            given: 0,
        });
        listings.len() - 1
    });
    let listing = &mut listings[at];
    listing.given += 1;
    let entry = listing.entries.get_mut(listing.given - 1);
    entry.map_or(std::ptr::null_mut(), |entry| entry.as_mut_ptr().cast())
}

/// A copy of an entry, aligned as one.
///
/// # Safety
/// An entry is there.
unsafe fn copy(entry: *const dirent64) -> Vec<u64> {
    // SAFETY: by this function's contract.
    let name = unsafe { CStr::from_ptr((&raw const (*entry).d_name).cast()) };
    let length = offset_of!(dirent64, d_name) + name.count_bytes() + 1;
    let mut copy = vec![0_u64; length.div_ceil(8)];
    // SAFETY: an entry is as long as its name says, and the copy at least so long.
    unsafe {
        let into: *mut u8 = copy.as_mut_ptr().cast();
        into.copy_from_nonoverlapping(entry.cast(), length);
    }
    copy
}

/// What was listed of it is not given any more.
fn forget(directory: *mut c_void) {
    if controlled().is_some() {
        let side = set_user_code(false);
        let mut listings = LISTINGS.lock().unwrap_or_else(PoisonError::into_inner);
        listings.retain(|it| it.directory != directory.addr());
        drop(listings);
        set_user_code(side);
    }
}

/// # Safety
/// As for `rewinddir(3)`.
pub unsafe fn rewinddir(directory: *mut c_void) {
    forget(directory);
    let function = found(&REWINDDIR, c"rewinddir");
    // SAFETY: the C library's function of that name, which every C library has.
    let rewind: Rewinddir = unsafe { std::mem::transmute(function) };
    // SAFETY: the same function with the same argument, for which the caller keeps its contract.
    unsafe { rewind(directory) };
}

/// # Safety
/// As for `closedir(3)`.
pub unsafe fn closedir(directory: *mut c_void) -> c_int {
    forget(directory);
    let function = found(&CLOSEDIR, c"closedir");
    // SAFETY: the C library's function of that name, which every C library has.
    let close: Closedir = unsafe { std::mem::transmute(function) };
    // SAFETY: the same function with the same argument, for which the caller keeps its contract.
    unsafe { close(directory) }
}
