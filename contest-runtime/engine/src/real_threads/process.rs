//! The copy of the process, and what it sends before it ends.

use std::ffi::c_int;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::wire;
use super::{DEATH_SIGNALS, RealEnding, RealRun};
use crate::black_box;

/// The copy itself notices that a test hangs; should it not, it is killed so much later.
const LATER: Duration = Duration::from_secs(1);
/// Status of a copy in which code of the engine panicked.
const BUG: c_int = 103;

/// Makes a copy of this process, which runs `f`, sends what that has written and ends.
pub(super) fn run_in_copy(
    limit: Duration,
    f: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<RealRun> {
    let (mut from_copy, out) = pipe()?;
    // SAFETY: this thread is the only one of the process; the copy runs `f` and ends without coming back.
    let copy = unsafe { libc::fork() };
    match copy {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            drop(from_copy);
            be_a_copy();
            let mut out = File::from(out);
            let done = catch_unwind(AssertUnwindSafe(|| f(&mut out)));
            let status = if matches!(done, Ok(Ok(()))) { 0 } else { BUG };
            // SAFETY: ends the copy; threads that hang end with it, and nothing of the driver's is run.
            unsafe { libc::_exit(status) }
        }
        _ => {
            drop(out);
            let sent = read_until(&mut from_copy, Instant::now() + limit + LATER);
            if sent.is_err() {
                // SAFETY: a process of our own that is not waited for yet.
                unsafe { libc::kill(copy, libc::SIGKILL) };
            }
            let status = wait_for(copy)?;
            Ok(match sent {
                Ok(bytes) => wire::read(&bytes).unwrap_or_else(|| of_status(status)),
                Err(_) => ended(RealEnding::Hung),
            })
        }
    }
}

/// Nothing that the copy does is taken for something that the driver did.
fn be_a_copy() {
    black_box::detach();
    // SAFETY: plain system calls of a process with one thread.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        for signal in DEATH_SIGNALS {
            libc::signal(signal, libc::SIG_DFL);
        }
    }
}

fn ended(ending: RealEnding) -> RealRun {
    RealRun {
        calls: Vec::new(),
        ending,
    }
}

/// A copy that ended without having sent everything.
fn of_status(status: c_int) -> RealRun {
    ended(if libc::WIFSIGNALED(status) {
        RealEnding::Signal(libc::WTERMSIG(status))
    } else {
        RealEnding::Exited(libc::WEXITSTATUS(status))
    })
}

fn pipe() -> io::Result<(File, OwnedFd)> {
    let mut pair = [0; 2];
    // SAFETY: room for two descriptors, which nothing else owns afterwards.
    unsafe {
        if libc::pipe2(pair.as_mut_ptr(), libc::O_CLOEXEC) == -1 {
            return Err(io::Error::last_os_error());
        }
        Ok((
            File::from(OwnedFd::from_raw_fd(pair[0])),
            OwnedFd::from_raw_fd(pair[1]),
        ))
    }
}

/// All that is sent before the other end is closed.
fn read_until(pipe: &mut File, deadline: Instant) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    loop {
        let rest = deadline.saturating_duration_since(Instant::now());
        let mut wanted = libc::pollfd {
            fd: pipe.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        // SAFETY: one structure, which is ours.
        let ready = unsafe { libc::poll(&raw mut wanted, 1, rest.as_millis() as c_int) };
        match ready {
            0 => return Err(io::ErrorKind::TimedOut.into()),
            -1 => {
                let error = io::Error::last_os_error();
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(error);
                }
            }
            _ => match pipe.read(&mut part)? {
                0 => return Ok(bytes),
                length => bytes.extend_from_slice(&part[..length]),
            },
        }
    }
}

fn wait_for(copy: libc::pid_t) -> io::Result<c_int> {
    let mut status = 0;
    loop {
        // SAFETY: a process of our own, and a place for its status.
        if unsafe { libc::waitpid(copy, &raw mut status, 0) } == copy {
            return Ok(status);
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}
