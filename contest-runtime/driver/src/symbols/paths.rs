//! Files and directories by their paths: what tests share without a word. Who looks at one and who changes it is noted,
//! and both are visible operations in tests of the crate.

use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_long};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use contest_data::contact::{Shared, Uses};
use contest_engine::memory::contacts::Identity;
use contest_engine::memory::{contacts, outside, set_user_code};
use contest_std::sync::atomic::{AtomicU32 as Visible, Ordering::SeqCst};

use super::c_locks;
use super::call::{controlled, raw_call};
use super::stamps;

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
    if let Some(active) = controlled() {
        stamps::before_change(active);
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

    /// True if something is there.
    pub(super) fn is_taken(self) -> bool {
        controlled().is_some() && identity(self.directory, self.path).is_ok()
    }

    /// It is about to be removed.
    pub(super) fn goes(self) {
        self.comes_or_goes();
        if controlled().is_some()
            && let Ok(identity) = identity(self.directory, self.path)
        {
            let side = set_user_code(false);
            if let Some(path) = self.real() {
                contacts::note_removed(&path, identity);
            }
            set_user_code(side);
        }
    }

    /// Where something is about to be made, if nothing is there yet. Asked for directly before: what is made there then
    /// is removed after the execution.
    pub(super) fn free_place(self) -> Option<PathBuf> {
        if controlled().is_none() || identity(self.directory, self.path) != Err(libc::ENOENT) {
            return None;
        }
        let side = set_user_code(false);
        let path = self.real();
        set_user_code(side);
        path
    }

    /// Where it is without links on the way, if it was created in this execution. Code of ours allocates it.
    pub(super) fn place_of_created(self) -> Option<PathBuf> {
        let found = identity(self.directory, self.path);
        if controlled().is_none() || !found.is_ok_and(contacts::is_created) {
            return None;
        }
        let side = set_user_code(false);
        let path = self.real();
        set_user_code(side);
        path
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

    /// From the root on, as the kernel finds it: no link and no `..` is on the way. The last part is not followed. Code
    /// of ours allocates it.
    fn real(self) -> Option<PathBuf> {
        let path = Path::new(OsStr::from_bytes(self.path.to_bytes()));
        let name = path.file_name()?;
        let parent = match path.parent()?.as_os_str().as_bytes() {
            b"" => c".".to_owned(),
            parent => CString::new(parent).ok()?,
        };
        Some(real_directory(self.directory, &parent)?.join(name))
    }

    /// From the root on, without `.` and `..`, as text: only to say what tests share. Code of ours allocates it.
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

/// Device and inode of what is there, which may be a link; or the number of the error. Nobody notices that we ask.
fn identity(directory: c_int, path: &CStr) -> Result<Identity, c_int> {
    let mut status = std::mem::MaybeUninit::<libc::stat>::uninit();
    let arguments = [
        directory.into(),
        path.as_ptr().expose_provenance() as c_long,
        status.as_mut_ptr().expose_provenance() as c_long,
        libc::AT_SYMLINK_NOFOLLOW.into(),
    ];
    // SAFETY: a text, and a place of our own of the size that the kernel writes.
    match unsafe { raw_call(libc::SYS_newfstatat, arguments) } {
        0 => {
            // SAFETY: the kernel has written it.
            let status = unsafe { status.assume_init() };
            Ok((status.st_dev, status.st_ino))
        }
        error => Err(-error as c_int),
    }
}

/// Where a directory is, from the root on. Nobody notices that we ask. Code of ours allocates it.
fn real_directory(beside: c_int, path: &CStr) -> Option<PathBuf> {
    let arguments = [
        beside.into(),
        path.as_ptr().expose_provenance() as c_long,
        (libc::O_PATH | libc::O_DIRECTORY | libc::O_CLOEXEC).into(),
    ];
    // SAFETY: a text.
    let opened = unsafe { raw_call(libc::SYS_openat, arguments) };
    if opened < 0 {
        return None;
    }
    let link = CString::new(format!("/proc/self/fd/{opened}")).ok()?;
    let mut place = [0_u8; libc::PATH_MAX as usize];
    let arguments = [
        libc::AT_FDCWD.into(),
        link.as_ptr().expose_provenance() as c_long,
        place.as_mut_ptr().expose_provenance() as c_long,
        place.len() as c_long,
    ];
    // SAFETY: a text, and a place of our own of that length.
    let length = unsafe { raw_call(libc::SYS_readlinkat, arguments) };
    // SAFETY: opened here, and not used again.
    unsafe { raw_call(libc::SYS_close, [opened]) };
    let found = place.get(..usize::try_from(length).ok()?)?;
    Some(PathBuf::from(OsStr::from_bytes(found)))
}

/// What was made, or not, at a place that was free.
pub(super) fn made(place: Option<PathBuf>, succeeded: bool) {
    let side = set_user_code(false);
    if let Some(path) = place.filter(|_| succeeded)
        && let Ok(text) = CString::new(path.as_os_str().as_bytes())
        && let Ok(identity) = identity(libc::AT_FDCWD, &text)
    {
        contacts::note_created(&path, identity);
    }
    set_user_code(side);
}

/// What was moved, or not, from where something was that was created in this execution, to a place that was free.
pub(super) fn moved(from: Option<PathBuf>, to: Option<PathBuf>, succeeded: bool) {
    let side = set_user_code(false);
    if let (true, Some(from), Some(to)) = (succeeded, from, to) {
        contacts::note_moved(&from, &to);
    }
    set_user_code(side);
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
