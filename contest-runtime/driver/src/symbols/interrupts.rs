//! Signals that one thread sends to another one, which may be waiting for a descriptor. The handler runs at once, on
//! the thread that sends; that the wait ends with `EINTR` is made here, because no virtual thread waits in the kernel.

use std::ffi::c_int;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use contest_engine::execution::Active;
use libc::pthread_t;

use super::call::controlled;
use super::look_up;
use super::process_state::{found, sigaction};
use super::waiting::change;

type PthreadKill = unsafe extern "C" fn(pthread_t, c_int) -> c_int;

/// The C library's function, found before the snapshot.
static PTHREAD_KILL: AtomicUsize = AtomicUsize::new(0);
/// Threads, bit by bit, that wait for descriptors.
static WAITING: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];
/// Those of them that a signal has interrupted.
static INTERRUPTED: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];

/// Finds the C library's function that is called in the end.
pub(super) fn find_function() {
    PTHREAD_KILL.store(look_up(c"pthread_kill"), Relaxed);
}

/// # Safety
/// As for `pthread_kill(3)`.
pub unsafe fn pthread_kill(thread: pthread_t, signal: c_int) -> c_int {
    // SAFETY: the C library's function of that name, which every C library has.
    let send: PthreadKill = unsafe { std::mem::transmute(found(&PTHREAD_KILL, c"pthread_kill")) };
    // SAFETY: the same function with the same arguments, for which the caller keeps its contract.
    let send = || unsafe { send(thread, signal) };
    match controlled() {
        // All virtual threads have the identity of the thread that runs them.
        // SAFETY: always allowed.
        Some(active) if thread == unsafe { libc::pthread_self() } && interrupts(signal) => {
            change(active, || {
                let result = send();
                interrupt();
                result
            })
        }
        _ => send(),
    }
}

/// True if the signal has a handler after which system calls are not begun again.
fn interrupts(signal: c_int) -> bool {
    // SAFETY: a value of which all zeros are one.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: asks what the signal does.
    let asked = unsafe { sigaction(signal, std::ptr::null(), (&raw mut action).cast()) };
    asked == 0
        && !matches!(action.sa_sigaction, libc::SIG_DFL | libc::SIG_IGN)
        && action.sa_flags & libc::SA_RESTART == 0
}

/// Where several threads wait, it is not known which one is meant, and none is interrupted: code may rely on it that
/// others are not.
fn interrupt() {
    let waiting = WAITING.each_ref().map(|it| it.load(Relaxed));
    if waiting.iter().map(|it| it.count_ones()).sum::<u32>() == 1 {
        for (word, bits) in INTERRUPTED.iter().zip(waiting) {
            word.fetch_or(bits, Relaxed);
        }
    }
}

/// A thread that waits for descriptors, as long as this value lives.
pub(super) struct Interruptible {
    word: usize,
    bit: u64,
}

impl Interruptible {
    /// The running thread.
    pub(super) fn begin(active: Active) -> Self {
        let thread = active.current().index();
        let (word, bit) = (thread / 64 % WAITING.len(), 1 << (thread % 64));
        WAITING[word].fetch_or(bit, Relaxed);
        INTERRUPTED[word].fetch_and(!bit, Relaxed);
        Self { word, bit }
    }

    /// True if a signal has interrupted it.
    pub(super) fn is_interrupted(&self) -> bool {
        INTERRUPTED[self.word].load(Relaxed) & self.bit != 0
    }
}

impl Drop for Interruptible {
    fn drop(&mut self) {
        WAITING[self.word].fetch_and(!self.bit, Relaxed);
    }
}
