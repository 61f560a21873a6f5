//! What the kernel keeps for the process and code under test may change: the working directory, and what signals do.
//! Later executions would find another directory, and a handler of a test would take the death of the next one.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Signals are numbered from 1 to this.
const LAST_SIGNAL: c_int = 64;

/// True if the present execution has changed any of it. A static on purpose: it starts again in every execution.
static CHANGED: AtomicBool = AtomicBool::new(false);

/// Notes that code under test changes the directory or a handler.
pub fn note_changed() {
    CHANGED.store(true, Relaxed);
}

/// As it was at the snapshot.
pub(super) struct ProcessState {
    /// A descriptor of the working directory; -1 if there is none.
    directory: c_int,
    /// Signals whose handlers can be asked for, with what they do.
    actions: Vec<(c_int, libc::sigaction)>,
}

impl ProcessState {
    /// As it is now. The descriptor stays open.
    pub(super) fn snapshot() -> Self {
        let flags = libc::O_PATH | libc::O_DIRECTORY | libc::O_CLOEXEC;
        // SAFETY: opens a directory.
        let directory = unsafe { libc::open(c".".as_ptr(), flags) };
        let actions = (1..=LAST_SIGNAL).filter_map(|signal| {
            let mut action = MaybeUninit::<libc::sigaction>::uninit();
            // SAFETY: asks what the signal does; a signal that is not there is refused.
            let asked = unsafe { libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) };
            // SAFETY: written if the call succeeded.
            (asked == 0).then(|| (signal, unsafe { action.assume_init() }))
        });
        Self {
            directory,
            actions: actions.collect(),
        }
    }

    /// Puts it back, if it may have changed.
    #[inline]
    pub(super) fn restore(&self) {
        if CHANGED.load(Relaxed) {
            self.put_back();
        }
    }

    #[cold]
    fn put_back(&self) {
        // SAFETY: a descriptor of our own, and actions that these signals had; `SIGKILL` and `SIGSTOP` are refused.
        unsafe {
            libc::fchdir(self.directory);
            for (signal, action) in &self.actions {
                libc::sigaction(*signal, &raw const *action, std::ptr::null_mut());
            }
        }
    }
}
