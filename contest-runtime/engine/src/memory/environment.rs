//! The environment variables of the process, which libc keeps outside the executable.

use std::ffi::c_char;
use std::ptr;

unsafe extern "C" {
    static mut environ: *mut *mut c_char;
}

/// The variables as they were.
#[derive(Debug)]
pub(super) struct Environment {
    list: *mut *mut c_char,
    /// Its entries, the final null included.
    entries: Vec<*mut c_char>,
}

impl Environment {
    /// Moves the list to memory of our own, because libc may free a list that it made.
    pub(super) fn snapshot() -> Self {
        let mut entries = Vec::new();
        // SAFETY: one thread; the list ends with a null.
        unsafe {
            while !environ.is_null() {
                let entry = *environ.add(entries.len());
                if entry.is_null() {
                    break;
                }
                entries.push(entry);
            }
            entries.push(ptr::null_mut());
            let list = entries.clone().leak().as_mut_ptr();
            environ = list;
            Self { list, entries }
        }
    }

    /// Puts them back. Texts of variables are never changed in place or freed by libc, so the pointers are enough.
    #[inline]
    pub(super) fn restore(&self) {
        // SAFETY: one thread; the list is leaked and as long as `entries`.
        unsafe {
            let now = std::slice::from_raw_parts(self.list, self.entries.len());
            if ptr::eq(environ, self.list) && now == self.entries {
                return;
            }
            environ = self.list;
            self.list
                .copy_from_nonoverlapping(self.entries.as_ptr(), self.entries.len());
        }
    }
}
