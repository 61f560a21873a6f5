//! File descriptors that code under test leaves open. Isolation forgets executions without unwinding them and puts
//! statics back, so they are closed here.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Descriptors below this number are looked at one by one.
const FEW: i32 = 1024;

/// True if one was opened in the present execution. A static on purpose: it starts again in every execution.
static OPENED: AtomicBool = AtomicBool::new(false);

/// Notes that code under test opens a descriptor.
pub fn note_opened() {
    OPENED.store(true, Relaxed);
}

/// True if code under test has opened one in the present execution.
pub(super) fn any_opened() -> bool {
    OPENED.load(Relaxed)
}

/// The descriptors that the process itself has.
#[derive(Debug)]
pub(super) struct Descriptors {
    /// Bit by bit, of the first [`FEW`].
    kept: Vec<bool>,
}

impl Descriptors {
    /// Those that are open now.
    pub(super) fn snapshot() -> Self {
        // SAFETY: asks for a flag of a descriptor, and fails if there is none of that number.
        let is_open = |descriptor| unsafe { libc::fcntl(descriptor, libc::F_GETFD) } != -1;
        Self {
            kept: (0..FEW).map(is_open).collect(),
        }
    }

    /// Closes all others, if there may be any.
    #[inline]
    pub(super) fn close_others(&self) {
        if OPENED.load(Relaxed) {
            self.close();
        }
    }

    #[cold]
    fn close(&self) {
        for (descriptor, kept) in (0..).zip(&self.kept) {
            if !kept {
                // SAFETY: opened by code under test, none of which is left.
                unsafe { libc::close(descriptor) };
            }
        }
        #[cfg(target_os = "linux")]
        // SAFETY: as above. An old kernel refuses, and keeps them open.
        unsafe {
            libc::syscall(libc::SYS_close_range, FEW, libc::c_uint::MAX, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    #[test]
    fn what_was_open_before_stays_open() {
        // Other tests of this process open files, so nothing is closed here: only what would be.
        let file = std::fs::File::open("/dev/null").unwrap();
        let descriptors = Descriptors::snapshot();
        assert!(descriptors.kept[file.as_raw_fd() as usize]);
        assert!(descriptors.kept[2]);
        assert!(!descriptors.kept[FEW as usize - 1]);
    }
}
