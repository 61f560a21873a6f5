//! Files: the world outside. The kernel answers; it is noted that code under test reached out.

use std::ffi::{c_char, c_int, c_long, c_uint};

use contest_engine::memory::outside::Outside;

use super::call::{call, note, note_opened};
use super::paths::{Given, made, moved};
use super::random;

const HERE: c_int = libc::AT_FDCWD;

/// Lets `make` make something that was not there, unless it returns a negative number: it is removed after the
/// execution.
fn make(place: Option<Given<'_>>, make: impl FnOnce() -> c_int) -> c_int {
    note(Outside::File);
    if let Some(place) = place {
        place.comes_or_goes();
    }
    // No thread runs between this and what is made.
    let new = place.and_then(Given::free_place);
    let result = make();
    made(new, result >= 0);
    result
}

/// # Safety
/// As for `open64(2)`; `mode` counts only if a file is created.
pub unsafe fn open64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    // SAFETY: by this function's contract.
    unsafe { openat64(HERE, path, flags, mode) }
}

/// # Safety
/// As for `openat64(2)`; `mode` counts only if a file is created.
pub unsafe fn openat64(directory: c_int, path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    let arguments = [
        directory.into(),
        path.expose_provenance() as c_long,
        (flags | libc::O_LARGEFILE).into(),
        c_long::from(mode),
    ];
    // SAFETY: the system call behind that function, with the caller's arguments, which are valid for it.
    let open = || unsafe { call(libc::SYS_openat, arguments) };
    // SAFETY: the caller gives a path.
    let place = unsafe { Given::beside(directory, path) };
    let is_file = |flags: c_int| flags & libc::O_TMPFILE != libc::O_TMPFILE;
    let descriptor = if flags & libc::O_CREAT != 0 && is_file(flags) {
        make_file(place, flags, open)
    } else {
        if flags & (libc::O_WRONLY | libc::O_RDWR) != 0 {
            note(Outside::File);
            place.into_iter().for_each(Given::changed);
        } else {
            place.into_iter().for_each(Given::looked_at);
        }
        open()
    };
    note_opened();
    if descriptor >= 0 {
        place
            .into_iter()
            .for_each(|it| random::note_opened(it.path(), descriptor));
    }
    descriptor
}

/// As [`make`], where there may be a file already.
fn make_file(place: Option<Given<'_>>, flags: c_int, open: impl FnOnce() -> c_int) -> c_int {
    match place {
        Some(there) if flags & libc::O_EXCL == 0 && there.is_taken() => {
            note(Outside::File);
            there.changed();
            open()
        }
        place => make(place, open),
    }
}

/// # Safety
/// As for `unlink(2)`.
pub unsafe fn unlink(path: *const c_char) -> c_int {
    // SAFETY: by this function's contract.
    unsafe { unlinkat(HERE, path, 0) }
}

/// # Safety
/// As for `rmdir(2)`.
pub unsafe fn rmdir(path: *const c_char) -> c_int {
    // SAFETY: by this function's contract.
    unsafe { unlinkat(HERE, path, libc::AT_REMOVEDIR) }
}

/// # Safety
/// As for `unlinkat(2)`.
pub unsafe fn unlinkat(directory: c_int, path: *const c_char, flags: c_int) -> c_int {
    note(Outside::File);
    // SAFETY: the caller gives a path.
    let place = unsafe { Given::beside(directory, path) };
    place.into_iter().for_each(Given::goes);
    let path = path.expose_provenance() as c_long;
    let arguments = [directory.into(), path, flags.into()];
    // SAFETY: the system call behind that function, with the caller's arguments, which are valid for it.
    unsafe { call(libc::SYS_unlinkat, arguments) }
}

/// # Safety
/// As for `rename(2)`.
pub unsafe fn rename(from: *const c_char, to: *const c_char) -> c_int {
    // SAFETY: the caller gives two paths.
    let (source, target) = unsafe { (Given::new(from), Given::new(to)) };
    source.into_iter().for_each(Given::goes);
    note(Outside::File);
    target.into_iter().for_each(Given::comes_or_goes);
    let created = source.and_then(Given::place_of_created);
    let free = target.and_then(Given::free_place);
    let here: c_long = HERE.into();
    let arguments = [
        here,
        from.expose_provenance() as c_long,
        here,
        to.expose_provenance() as c_long,
    ];
    // SAFETY: the system call behind that function, with the caller's arguments, which are valid for it.
    let result = unsafe { call(libc::SYS_renameat, arguments) };
    // What replaces something stays, and so does what is older.
    moved(created, free, result == 0);
    result
}

/// # Safety
/// As for `mkdir(2)`.
pub unsafe fn mkdir(path: *const c_char, mode: c_uint) -> c_int {
    let arguments = [
        HERE.into(),
        path.expose_provenance() as c_long,
        c_long::from(mode),
    ];
    // SAFETY: the system call behind that function, with the caller's arguments, which are valid for it.
    let call = || unsafe { call(libc::SYS_mkdirat, arguments) };
    // SAFETY: the caller gives a path.
    match unsafe { Given::new(path) } {
        // `create_dir_all` asks for what is there.
        Some(there) if there.is_taken() => {
            note(Outside::File);
            there.looked_at();
            call()
        }
        place => make(place, call),
    }
}

/// # Safety
/// As for `symlink(2)`.
pub unsafe fn symlink(target: *const c_char, link: *const c_char) -> c_int {
    let arguments = [
        target.expose_provenance() as c_long,
        HERE.into(),
        link.expose_provenance() as c_long,
    ];
    // SAFETY: the caller gives a path.
    let place = unsafe { Given::new(link) };
    // SAFETY: the system call behind that function, with the caller's arguments, which are valid for it.
    make(place, || unsafe { call(libc::SYS_symlinkat, arguments) })
}

/// # Safety
/// As for `linkat(2)`.
pub unsafe fn linkat(
    old_directory: c_int,
    old: *const c_char,
    new_directory: c_int,
    new: *const c_char,
    flags: c_int,
) -> c_int {
    let arguments = [
        old_directory.into(),
        old.expose_provenance() as c_long,
        new_directory.into(),
        new.expose_provenance() as c_long,
        flags.into(),
    ];
    // SAFETY: the caller gives paths.
    let (source, place) = unsafe {
        (
            Given::beside(old_directory, old),
            Given::beside(new_directory, new),
        )
    };
    source.into_iter().for_each(Given::looked_at);
    // SAFETY: the system call behind that function, with the caller's arguments, which are valid for it.
    let link = || unsafe { call(libc::SYS_linkat, arguments) };
    let created = source.and_then(Given::place_of_created);
    let is_new = created.is_some();
    made(created, false);
    if is_new {
        return make(place, link);
    }
    // A further name of what is older: the only one, once the others are removed.
    note(Outside::File);
    place.into_iter().for_each(Given::comes_or_goes);
    link()
}
