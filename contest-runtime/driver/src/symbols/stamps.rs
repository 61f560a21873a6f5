//! Stamps of files. The kernel makes them of real time, and code under test compares them with its clock, which is
//! virtual, and with each other after a sleep that took no time: it is shown when they were made in virtual time.
//!
//! In the beginning of an execution all stamps are moved by as much as the calendar is. From then on it is noted at
//! each change how far virtual time has come. A stamp that code under test sets is moved back, so that it reads the
//! same one.

use std::ffi::{c_char, c_int, c_long};
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use contest_engine::execution::Active;
use libc::timespec;

use super::call::{call, controlled, raw_call};
use super::paths::{Given, change_file};
use super::time::{calendar, to_timespec};

/// Moments that are noted, and stamps that were set. Of more, the last one is forgotten.
const MOST: usize = 64;
/// What is less apart has one stamp, as on many file systems. So long a pause, too, until the kernel's clock has moved.
const TICK: Duration = Duration::from_millis(1);
/// Looks at that clock until it has moved.
const LOOKS: u32 = 40;

/// Statics on purpose: they start again in every execution.
static MOMENTS: Table = Table::EMPTY;
static SET: Table = Table::EMPTY;

/// Pairs of a stamp of the kernel and what belongs to it, in nanoseconds.
struct Table {
    length: AtomicUsize,
    entries: [[AtomicI64; 2]; MOST],
}

impl Table {
    #[allow(
        clippy::declare_interior_mutable_const,
        reason = "only statics are made of it"
    )]
    const EMPTY: Self = Self {
        length: AtomicUsize::new(0),
        entries: [const { [const { AtomicI64::new(0) }; 2] }; MOST],
    };

    fn push(&self, kernel: i64, other: i64) {
        let at = self.length.load(Relaxed).min(MOST - 1);
        self.entries[at][0].store(kernel, Relaxed);
        self.entries[at][1].store(other, Relaxed);
        self.length.store(at + 1, Relaxed);
    }

    fn entries(&self) -> impl DoubleEndedIterator<Item = (i64, i64)> {
        let entries = self.entries[..self.length.load(Relaxed)].iter();
        entries.map(|[kernel, other]| (kernel.load(Relaxed), other.load(Relaxed)))
    }
}

fn nanoseconds(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}

/// A clock of the kernel.
fn kernel_time(clock: c_int) -> i64 {
    let mut now = to_timespec(Duration::ZERO);
    let arguments = [clock.into(), (&raw mut now).expose_provenance() as c_long];
    // SAFETY: a place of our own.
    unsafe { raw_call(libc::SYS_clock_gettime, arguments) };
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}

/// The calendar in the execution, in nanoseconds.
fn virtual_now(active: Active) -> i64 {
    nanoseconds(calendar(active) + active.time())
}

/// The first moment of the execution that was noted; it is now, if there is none.
fn begin(active: Active) -> (i64, i64) {
    if let Some(first) = MOMENTS.entries().next() {
        return first;
    }
    let first = (
        kernel_time(libc::CLOCK_REALTIME_COARSE),
        virtual_now(active),
    );
    MOMENTS.push(first.0, first.1);
    first
}

/// Code under test is about to change a file. If a tick of virtual time has passed since the last one that was noted,
/// what comes now has a later stamp of the kernel as well. As the kernel's own, stamps are never later than the change.
pub(super) fn before_change(active: Active) {
    begin(active);
    let now = virtual_now(active);
    let last = MOMENTS.entries().next_back();
    if last.is_some_and(|(_, then)| now - then < nanoseconds(TICK)) {
        return;
    }
    let fine = kernel_time(libc::CLOCK_REALTIME);
    let mut coarse = kernel_time(libc::CLOCK_REALTIME_COARSE);
    let tick = to_timespec(TICK);
    for _ in 0..LOOKS {
        if coarse > fine {
            break;
        }
        let arguments = [(&raw const tick).expose_provenance() as c_long, 0];
        // SAFETY: a time of our own.
        unsafe { raw_call(libc::SYS_nanosleep, arguments) };
        coarse = kernel_time(libc::CLOCK_REALTIME_COARSE);
    }
    MOMENTS.push(coarse, now);
}

/// What a stamp of the kernel is in virtual time.
fn shown(active: Active, stamp: i64) -> i64 {
    let (real, first) = begin(active);
    let moved = stamp - real + first;
    let is_set = SET.entries().any(|(set, _)| set == stamp);
    if is_set || stamp < real || stamp > kernel_time(libc::CLOCK_REALTIME) {
        return moved;
    }
    let made = MOMENTS.entries().rfind(|(kernel, _)| *kernel <= stamp);
    made.map_or(moved, |(_, then)| then)
}

/// Shows the stamps of a file in virtual time.
pub(super) fn show(status: &mut libc::statx) {
    let Some(active) = controlled() else {
        return;
    };
    for stamp in [
        &mut status.stx_atime,
        &mut status.stx_btime,
        &mut status.stx_ctime,
        &mut status.stx_mtime,
    ] {
        let kernel = stamp.tv_sec * 1_000_000_000 + i64::from(stamp.tv_nsec);
        if kernel != 0 {
            let time = shown(active, kernel);
            stamp.tv_sec = time.div_euclid(1_000_000_000);
            stamp.tv_nsec = time.rem_euclid(1_000_000_000) as u32;
        }
    }
}

/// The stamps for the kernel that code under test sets: those of access and of change.
///
/// # Safety
/// Two times are there, or it is null.
unsafe fn to_kernel(times: *const timespec) -> Option<[timespec; 2]> {
    let active = controlled()?;
    if times.is_null() {
        return None;
    }
    // SAFETY: by this function's contract.
    let mut times = unsafe { times.cast::<[timespec; 2]>().read() };
    let (real, first) = begin(active);
    for time in &mut times {
        if (0..1_000_000_000).contains(&time.tv_nsec) {
            let stamp = time.tv_sec * 1_000_000_000 + time.tv_nsec + real - first;
            SET.push(stamp, 0);
            time.tv_sec = stamp.div_euclid(1_000_000_000);
            time.tv_nsec = stamp.rem_euclid(1_000_000_000);
        }
    }
    Some(times)
}

/// # Safety
/// As for `utimensat(2)`.
pub unsafe fn utimensat(
    directory: c_int,
    path: *const c_char,
    times: *const timespec,
    flags: c_int,
) -> c_int {
    // SAFETY: the caller gives a path.
    match unsafe { Given::beside(directory, path) } {
        Some(given) => given.changed(),
        None => change_file(),
    }
    // SAFETY: the caller gives two times or null.
    let moved = unsafe { to_kernel(times) };
    let times = moved.as_ref().map_or(times, |it| it.as_ptr());
    let arguments = [
        directory.into(),
        path.expose_provenance() as c_long,
        times.expose_provenance() as c_long,
        flags.into(),
    ];
    // SAFETY: the system call of that name, with the caller's arguments, or times of our own.
    unsafe { call(libc::SYS_utimensat, arguments) }
}

/// # Safety
/// As for `futimens(3)`.
pub unsafe fn futimens(descriptor: c_int, times: *const timespec) -> c_int {
    // SAFETY: the call behind that function, with the caller's arguments.
    unsafe { utimensat(descriptor, std::ptr::null(), times, 0) }
}
