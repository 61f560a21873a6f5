//! How long this thread of the operating system has computed: what else the machine does is not counted.

use std::time::Duration;

#[cfg(unix)]
pub(super) fn processor_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: a place to write to. If the clock is missing, no time passes.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Time of the calendar, where there is no such clock.
#[cfg(not(unix))]
pub(super) fn processor_time() -> Duration {
    let epoch = std::time::SystemTime::UNIX_EPOCH;
    epoch.elapsed().unwrap_or_default()
}
