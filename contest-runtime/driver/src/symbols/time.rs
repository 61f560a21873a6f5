//! Clocks and sleeping: time is virtual.

use std::ffi::{c_int, c_long, c_void};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use contest_engine::execution::Active;
use libc::{clockid_t, time_t, timespec, timeval};

use super::call::{call, controlled, fail, raw_call};
use super::look_up;

/// Begin of virtual time on the calendar: noon of 2024-05-15, UTC. Yesterday and tomorrow are in the same month.
const CALENDAR_EPOCH: Duration = Duration::from_secs(1_715_774_400);
/// The same, where executions differ in what a delay makes of them, shortly before the end of 2023: then a second, a
/// minute, a day and a year may end between two readings.
const BEFORE_MIDNIGHT: Duration = Duration::from_millis(1_704_067_200_000 - 500);
/// Begin of virtual time on the other clocks: a machine that has been up for a year, so that code may go back from now.
const UPTIME_EPOCH: Duration = Duration::from_secs(31_536_000);

/// The C library's `clock_gettime`, which makes no system call; found once, before the snapshot.
static CLOCK: AtomicUsize = AtomicUsize::new(0);

type ClockGettime = unsafe extern "C" fn(clockid_t, *mut timespec) -> c_int;

/// Finds the C library's function that is called in the end.
pub(super) fn find_function() {
    CLOCK.store(look_up(c"clock_gettime"), Relaxed);
}

/// Begin of virtual time on the calendar.
pub(super) fn calendar(active: Active) -> Duration {
    match active.begins_before_midnight() {
        true => BEFORE_MIDNIGHT,
        false => CALENDAR_EPOCH,
    }
}

pub(super) fn virtual_time(active: Active, clock: clockid_t) -> Duration {
    let epoch = match clock {
        libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE | libc::CLOCK_TAI => calendar(active),
        libc::CLOCK_PROCESS_CPUTIME_ID | libc::CLOCK_THREAD_CPUTIME_ID => Duration::ZERO,
        _ => UPTIME_EPOCH,
    };
    epoch + active.now()
}

pub(super) fn to_timespec(time: Duration) -> timespec {
    timespec {
        tv_sec: time.as_secs() as time_t,
        tv_nsec: c_long::from(time.subsec_nanos()),
    }
}

/// `None` for what the kernel would refuse.
pub(super) fn to_duration(time: &timespec) -> Option<Duration> {
    let nanos = u32::try_from(time.tv_nsec)
        .ok()
        .filter(|nanos| *nanos < 1_000_000_000)?;
    Some(Duration::new(u64::try_from(time.tv_sec).ok()?, nanos))
}

/// # Safety
/// As for `clock_gettime(2)`.
pub unsafe fn clock_gettime(clock: clockid_t, time: *mut timespec) -> c_int {
    if let Some(active) = controlled() {
        // SAFETY: the caller gives a place to write to.
        unsafe { time.write(to_timespec(virtual_time(active, clock))) };
        return 0;
    }
    let found = CLOCK.load(Relaxed);
    if found != 0 {
        // SAFETY: the C library's function of that name.
        let function: ClockGettime = unsafe { std::mem::transmute(found) };
        // SAFETY: the same function with the same arguments, for which the caller keeps its contract.
        return unsafe { function(clock, time) };
    }
    // SAFETY: the system call behind that function, with the same arguments.
    unsafe {
        call(
            libc::SYS_clock_gettime,
            [clock.into(), time.expose_provenance() as c_long],
        )
    }
}

/// # Safety
/// As for `gettimeofday(2)`.
pub unsafe fn gettimeofday(time: *mut timeval, _zone: *mut c_void) -> c_int {
    let mut now = to_timespec(Duration::ZERO);
    // SAFETY: a place of our own.
    let result = unsafe { clock_gettime(libc::CLOCK_REALTIME, &raw mut now) };
    if !time.is_null() {
        // SAFETY: the caller gives a place to write to.
        unsafe {
            time.write(timeval {
                tv_sec: now.tv_sec,
                tv_usec: now.tv_nsec / 1000,
            });
        }
    }
    result
}

/// # Safety
/// As for `time(2)`.
pub unsafe fn time(place: *mut time_t) -> time_t {
    let mut now = to_timespec(Duration::ZERO);
    // SAFETY: a place of our own.
    unsafe { clock_gettime(libc::CLOCK_REALTIME, &raw mut now) };
    if !place.is_null() {
        // SAFETY: the caller gives a place to write to.
        unsafe { place.write(now.tv_sec) };
    }
    now.tv_sec
}

/// # Safety
/// As for `nanosleep(2)`.
pub unsafe fn nanosleep(request: *const timespec, remaining: *mut timespec) -> c_int {
    if let Some(active) = controlled() {
        // SAFETY: the caller gives a valid time or null.
        return match unsafe { request.as_ref() }.map(to_duration) {
            Some(Some(duration)) => {
                active.sleep(duration);
                0
            }
            Some(None) => fail(libc::EINVAL),
            None => fail(libc::EFAULT),
        };
    }
    // SAFETY: the system call of that name with the caller's arguments, which are valid for it.
    unsafe {
        call(
            libc::SYS_nanosleep,
            [
                request.expose_provenance() as c_long,
                remaining.expose_provenance() as c_long,
            ],
        )
    }
}

/// # Safety
/// As for `clock_nanosleep(2)`.
pub unsafe fn clock_nanosleep(
    clock: clockid_t,
    flags: c_int,
    request: *const timespec,
    remaining: *mut timespec,
) -> c_int {
    if let Some(active) = controlled() {
        // SAFETY: the caller gives a valid time or null.
        let Some(request) = (unsafe { request.as_ref() }) else {
            return libc::EFAULT;
        };
        let Some(mut duration) = to_duration(request) else {
            return libc::EINVAL;
        };
        if flags & libc::TIMER_ABSTIME != 0 {
            duration = duration.saturating_sub(virtual_time(active, clock));
        }
        active.sleep(duration);
        return 0;
    }
    let arguments = [
        clock.into(),
        flags.into(),
        request.expose_provenance() as c_long,
        remaining.expose_provenance() as c_long,
    ];
    // This function returns the error instead of setting errno.
    // SAFETY: the system call of that name with the caller's arguments, which are valid for it.
    -unsafe { raw_call(libc::SYS_clock_nanosleep, arguments) } as c_int
}

/// `sched_yield(2)`.
pub fn sched_yield() -> c_int {
    if let Some(active) = controlled() {
        active.yield_now("sched_yield");
        return 0;
    }
    // SAFETY: takes nothing, touches nothing.
    unsafe { call(libc::SYS_sched_yield, []) }
}
