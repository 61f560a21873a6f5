//! Files and directories by their paths: what tests share without a word. Who looks at one and who changes it is noted,
//! and both are visible operations in tests of the crate.

use std::ffi::{CStr, OsStr, c_char, c_int, c_long};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use contest_data::contact::{Shared, Uses};
use contest_engine::memory::{contacts, outside, set_user_code};
use contest_std::sync::atomic::{AtomicU32 as Visible, Ordering::SeqCst};

use super::c_locks;
use super::call::{controlled, raw_call};

/// Goes up with everything that changes files. A static on purpose: it starts again in every execution.
static CHANGES: Visible = Visible::new(0);
/// How often files were changed, visibly or not. A static on purpose, likewise.
static COUNT: AtomicU64 = AtomicU64::new(0);
/// What is done with files is visible, and what is created is removed after the execution. Set before the snapshot.
static ORDERED: AtomicBool = AtomicBool::new(false);

/// What the kernel shows as files and no test changes.
const OF_KERNEL: [&str; 3] = ["/proc", "/sys", "/dev"];

/// From here on what is done with files is a visible operation: in tests of the crate, where a thread may be late there
/// and others look.
pub(crate) fn order_files() {
    ORDERED.store(true, Relaxed);
}

/// True if files matter to the order of threads: in tests of the crate.
pub(super) fn are_ordered() -> bool {
    ORDERED.load(Relaxed) && controlled().is_some()
}

/// How often files were changed in the present execution.
pub(super) fn changes() -> u64 {
    COUNT.load(Relaxed)
}

/// Code under test is about to change a file: a visible operation, unless C code holds a lock.
pub(super) fn change_file() {
    COUNT.fetch_add(1, Relaxed);
    if are_ordered() && c_locks::are_free() {
        CHANGES.fetch_add(1, SeqCst);
    }
}

/// Code under test is about to look at one, likewise.
fn look_at_file() {
    if are_ordered() && c_locks::are_free() {
        CHANGES.load(SeqCst);
    }
}

/// A path as it is given to the kernel: beside a directory, by its descriptor.
#[derive(Clone, Copy)]
pub(super) struct Given<'p> {
    directory: c_int,
    path: &'p CStr,
}

impl<'p> Given<'p> {
    /// `None` if there is no path.
    ///
    /// # Safety
    /// A text that ends with 0 is there, or it is null.
    pub(super) unsafe fn beside(directory: c_int, path: *const c_char) -> Option<Self> {
        if path.is_null() {
            return None;
        }
        Some(Self {
            directory,
            // SAFETY: by this function's contract.
            path: unsafe { CStr::from_ptr(path) },
        })
    }

    /// As [`beside`](Self::beside) the working directory.
    ///
    /// # Safety
    /// As there.
    pub(super) unsafe fn new(path: *const c_char) -> Option<Self> {
        // SAFETY: by this function's contract.
        unsafe { Self::beside(libc::AT_FDCWD, path) }
    }

    pub(super) fn path(self) -> &'p CStr {
        self.path
    }

    /// Code under test looks at what is there: a visible operation.
    pub(super) fn looked_at(self) {
        if self.is_of_kernel() {
            return;
        }
        if controlled().is_some() {
            outside::note_look();
        }
        look_at_file();
        self.note(Uses::READS);
    }

    /// Code under test is about to change what is there: a visible operation.
    pub(super) fn changed(self) {
        change_file();
        self.note(Uses::CHANGES);
    }

    /// As [`changed`](Self::changed): it comes there or goes, as its directory shows.
    pub(super) fn comes_or_goes(self) {
        self.changed();
        if contacts::are_wanted() && controlled().is_some() {
            let side = set_user_code(false);
            if let Some(parent) = self.absolute().as_deref().and_then(Path::parent) {
                contacts::note(|| Shared::Entries(text(parent)), Uses::ADDS);
            }
            set_user_code(side);
        }
    }

    /// Code under test lists the directory.
    pub(super) fn listed(self) {
        self.looked_at();
        if contacts::are_wanted() && controlled().is_some() {
            let side = set_user_code(false);
            if let Some(path) = self.absolute() {
                contacts::note(|| Shared::Entries(text(&path)), Uses::READS);
            }
            set_user_code(side);
        }
    }

    /// True if nothing is there, in tests of the crate: what is made there then is removed after the execution.
    pub(super) fn is_free(self) -> bool {
        are_ordered() && self.status() == -c_long::from(libc::ENOENT)
    }

    /// True if something is there, in tests of the crate.
    pub(super) fn is_taken(self) -> bool {
        are_ordered() && self.status() == 0
    }

    /// What `newfstatat` returns.
    fn status(self) -> c_long {
        let mut status = std::mem::MaybeUninit::<libc::stat>::uninit();
        let arguments = [
            self.directory.into(),
            self.path.as_ptr().expose_provenance() as c_long,
            status.as_mut_ptr().expose_provenance() as c_long,
            libc::AT_SYMLINK_NOFOLLOW.into(),
        ];
        // SAFETY: a text, and a place of our own of the size that the kernel writes.
        unsafe { raw_call(libc::SYS_newfstatat, arguments) }
    }

    /// It is about to be removed, in tests of the crate.
    pub(super) fn goes(self) {
        self.comes_or_goes();
        if self.is_taken() {
            let side = set_user_code(false);
            if let Some(path) = self.absolute() {
                contacts::note_removed(&path);
            }
            set_user_code(side);
        }
    }

    /// It has come to be where nothing was.
    pub(super) fn created(self) {
        let side = set_user_code(false);
        if let Some(path) = self.absolute() {
            contacts::note_created(&path);
        }
        set_user_code(side);
    }

    fn is_relative(self) -> bool {
        self.directory == libc::AT_FDCWD && !self.path.to_bytes().starts_with(b"/")
    }

    fn is_of_kernel(self) -> bool {
        let bytes = self.path.to_bytes();
        OF_KERNEL.iter().any(|it| {
            bytes
                .strip_prefix(it.as_bytes())
                .is_some_and(|rest| rest.first().is_none_or(|it| *it == b'/'))
        })
    }

    /// Notes the use, and that of all directories that lead there.
    fn note(self, uses: Uses) {
        if !contacts::are_wanted() || controlled().is_none() {
            return;
        }
        let side = set_user_code(false);
        if self.is_relative() {
            contacts::note(|| Shared::WorkingDirectory, Uses::READS);
        }
        if let Some(path) = self.absolute() {
            contacts::note(|| Shared::Path(text(&path)), uses);
            for above in path.ancestors().skip(1) {
                contacts::note(|| Shared::Path(text(above)), Uses::READS);
            }
        }
        set_user_code(side);
    }

    /// From the root on, without `.` and `..`. Code of ours allocates it.
    fn absolute(self) -> Option<PathBuf> {
        let path = Path::new(OsStr::from_bytes(self.path.to_bytes()));
        let mut whole = match self.directory {
            _ if path.is_absolute() => PathBuf::new(),
            libc::AT_FDCWD => std::fs::read_link("/proc/self/cwd").ok()?,
            directory => std::fs::read_link(format!("/proc/self/fd/{directory}")).ok()?,
        };
        for part in path.components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir => {
                    whole.pop();
                }
                part => whole.push(part),
            }
        }
        Some(whole)
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Code under test asks for the working directory.
pub(super) fn working_directory_read() {
    look_at_file();
    if controlled().is_some() {
        contacts::note(|| Shared::WorkingDirectory, Uses::READS);
    }
}

/// Code under test is about to change the working directory.
pub(super) fn working_directory_changed() {
    change_file();
    if controlled().is_some() {
        contacts::note(|| Shared::WorkingDirectory, Uses::CHANGES);
    }
}
