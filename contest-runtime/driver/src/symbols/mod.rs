//! What the driver executable defines in place of libc: time, random bytes, sleeping, the futex system call, what waits
//! for descriptors, and processes. `std` and libraries that no Rust path leads to (parking_lot's parking, `libc` calls)
//! end up here. Inside an execution the engine answers; everywhere else the kernel does. The source location of an
//! event that begins here is in these files: C has no callers to report.

mod addresses;
mod c_locks;
mod call;
mod definitions;
mod descriptors;
mod directories;
mod environment;
mod file_locks;
mod futex;
mod interrupts;
mod looks;
mod outside;
mod paths;
mod polling;
mod process_state;
mod processes;
mod random;
mod real_time;
mod sockets;
mod stamps;
mod streams;
mod system_calls;
mod time;
mod transfers;
mod waiting;

use std::ffi::CStr;

pub use libc::{
    clockid_t, epoll_event, id_t, iovec, nfds_t, pid_t, pollfd, pthread_mutex_t, pthread_t, rusage,
    siginfo_t, sigset_t, sockaddr, socklen_t, time_t, timespec, timeval,
};

pub use c_locks::{pthread_mutex_lock, pthread_mutex_trylock, pthread_mutex_unlock};
pub use descriptors::{
    accept4, bind, close, connect, dup, dup2, dup3, eventfd, fcntl, inotify_init, inotify_init1,
    pipe, pipe2, socket, socketpair, timerfd_create,
};
pub use directories::{closedir, readdir64, rewinddir};
pub use environment::{getenv, setenv, unsetenv};
pub use file_locks::flock;
pub use interrupts::pthread_kill;
pub use looks::{getcwd, opendir, readlink, realpath, statx};
pub use outside::{linkat, mkdir, open64, openat64, rename, rmdir, symlink, unlink, unlinkat};
pub(crate) use paths::order_files;
pub use polling::{epoll_create1, epoll_ctl, epoll_pwait, epoll_pwait2, epoll_wait, poll, ppoll};
pub use process_state::{chdir, fchdir, sigaction, signal};
pub use processes::{fork, posix_spawn, posix_spawnp, wait, wait4, waitid, waitpid};
pub use random::getrandom;
pub use stamps::{futimens, utimensat};
pub(crate) use streams::claim_streams;
pub use system_calls::syscall;
pub use time::{clock_gettime, clock_nanosleep, gettimeofday, nanosleep, sched_yield, time};
pub use transfers::{read, readv, recv, recvfrom, send, sendto, write, writev};

/// Finds the C library's functions that are called in the end.
pub fn find_functions() {
    processes::find_functions();
    waiting::set_hook();
    process_state::find_functions();
    interrupts::find_function();
    time::find_function();
    environment::find_functions();
    looks::find_functions();
    directories::find_functions();
}

/// The address of the C library's function of this name, 0 if it has none.
fn look_up(name: &CStr) -> usize {
    // SAFETY: a look-up by name.
    unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) }.expose_provenance()
}
