//! What the driver executable defines in place of libc: time, random bytes, sleeping, the futex system call, and what
//! waits for descriptors. `std` and libraries that no Rust path leads to (parking_lot's parking, `libc` calls) end up
//! here. Inside an execution the engine answers; everywhere else the kernel does. The source location of an event that
//! begins here is in these files: C has no callers to report.

mod call;
mod definitions;
mod descriptors;
mod futex;
mod outside;
mod process_state;
mod random;
mod system_calls;
mod time;
mod waiting;

use std::ffi::CStr;

pub use libc::{clockid_t, epoll_event, sigset_t, sockaddr, socklen_t, time_t, timespec, timeval};

pub use descriptors::{
    accept4, close, epoll_create1, epoll_ctl, epoll_pwait, epoll_pwait2, epoll_wait, eventfd,
    fcntl, pipe2, read, recv, send, socket, socketpair, timerfd_create, write,
};
pub use outside::{mkdir, open64, posix_spawnp, unlink};
pub use process_state::{chdir, fchdir, sigaction, signal};
pub use random::getrandom;
pub use system_calls::syscall;
pub use time::{clock_gettime, clock_nanosleep, gettimeofday, nanosleep, sched_yield, time};

/// Finds the C library's functions that are called in the end.
pub fn find_functions() {
    outside::find_function();
    process_state::find_functions();
    time::find_function();
}

/// The address of the C library's function of this name, 0 if it has none.
fn look_up(name: &CStr) -> usize {
    // SAFETY: a look-up by name.
    unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) }.expose_provenance()
}
