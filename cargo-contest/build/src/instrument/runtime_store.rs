//! Built runtimes, kept in a directory that several projects and several runs may share.
//!
//! Each entry is a directory `runtime-<fingerprint>` that appears whole, by a rename: its libraries, and `built.json`,
//! which names them with their sizes. It is made in `building-<fingerprint>`, where cargo continues what a killed run
//! has left, and `partial-<fingerprint>-…`. The file `runtime-<fingerprint>.lock` is locked by the process that
//! builds or removes the entry, and shared by the processes that use it.
//!
//! Entries that were not used for long are removed when another one is made, the oldest of many, and what killed builds
//! have left.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tracing::{debug, info};

use crate::workspace::scratch_dir::{WriteError, make_directory, write_if_changed};

/// An entry that was not used for so long is removed when another one is made.
const UNUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Most entries that are kept; one has about 75 MB.
const MOST_ENTRIES: usize = 8;

/// The use of an entry is noted once in this time.
const NOTED_EVERY: Duration = Duration::from_secs(60 * 60);

/// Tells programs that make backups that everything here can be made again: <https://bford.info/cachedir/>.
const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n# Runtimes that cargo-contest has built; they may be removed at any time.\n";

pub(super) const STAMP: &str = "built.json";
pub(super) const PREFIX: &str = "runtime-";

/// A directory of built runtimes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeStore {
    pub(super) directory: PathBuf,
}

/// Who else may have the lock.
#[derive(Clone, Copy)]
pub(super) enum LockMode {
    Shared,
    Exclusive,
}

/// One entry, for lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRuntime {
    /// Name of its directory.
    pub name: String,
    /// Bytes of its libraries.
    pub bytes: u64,
    /// When it was last used, to the hour.
    pub last_used: SystemTime,
}

impl RuntimeStore {
    /// The store in `directory`, which need not be there.
    #[must_use]
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
        }
    }

    /// Where it is.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Directory of an entry.
    pub(super) fn entry(&self, fingerprint: &str) -> PathBuf {
        self.directory.join(format!("{PREFIX}{fingerprint}"))
    }

    /// Its time says when the entry was last used. It is only for pruning, so errors do not matter.
    pub(super) fn note_use(&self, fingerprint: &str) {
        let stamp = self.entry(fingerprint).join(STAMP);
        let now = SystemTime::now();
        if age(last_used(&stamp), now) > NOTED_EVERY
            && let Ok(file) = File::options().write(true).open(&stamp)
        {
            let _ = file.set_modified(now);
        }
    }

    /// Waits for the lock of an entry.
    pub(super) fn lock(
        &self,
        fingerprint: &str,
        mode: LockMode,
        on_wait: &mut dyn FnMut(),
    ) -> Result<File, WriteError> {
        let path = self.directory.join(format!("{PREFIX}{fingerprint}.lock"));
        let failed = |source| WriteError::new(&path, source);
        let file = match (mode, File::open(&path)) {
            // To share it, reading is enough.
            (LockMode::Shared, Ok(file)) => file,
            _ => {
                make_directory(&self.directory)?;
                write_if_changed(&self.directory.join("CACHEDIR.TAG"), TAG)?;
                let mut options = File::options();
                options.create(true).truncate(false).write(true);
                options.open(&path).map_err(failed)?
            }
        };
        let attempt = match mode {
            LockMode::Shared => file.try_lock_shared(),
            LockMode::Exclusive => file.try_lock(),
        };
        let locked = match attempt {
            Err(TryLockError::WouldBlock) => {
                info!("waiting for another run");
                on_wait();
                match mode {
                    LockMode::Shared => file.lock_shared(),
                    LockMode::Exclusive => file.lock(),
                }
            }
            Ok(()) => Ok(()),
            Err(TryLockError::Error(error)) => Err(error),
        };
        match locked {
            // Without locks, as on some network file systems, cargo's own lock keeps two builds apart.
            Err(error) if error.kind() != io::ErrorKind::Unsupported => Err(failed(error)),
            _ => Ok(file),
        }
    }

    /// The entries, the one used last in front.
    #[must_use]
    pub fn list(&self) -> Vec<StoredRuntime> {
        let mut entries: Vec<_> = directories(&self.directory, PREFIX)
            .into_iter()
            .map(|name| {
                let entry = self.directory.join(&name);
                let files = fs::read_dir(&entry).into_iter().flatten().flatten();
                StoredRuntime {
                    bytes: files.filter_map(|it| Some(it.metadata().ok()?.len())).sum(),
                    last_used: last_used(&entry.join(STAMP)),
                    name,
                }
            })
            .collect();
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.last_used));
        entries
    }

    /// Removes all entries but those in use, and what killed runs left. Returns what was removed.
    #[must_use]
    pub fn clean(&self) -> Vec<StoredRuntime> {
        self.remove_abandoned(Duration::ZERO);
        let mut entries = self.list();
        entries.retain(|it| self.remove(&it.name));
        entries
    }

    /// Removes what is old, but not the entry that was just made.
    pub(super) fn prune(&self, made: &str) {
        self.remove_abandoned(UNUSED);
        let now = SystemTime::now();
        let made = format!("{PREFIX}{made}");
        let others = self.list().into_iter().filter(|it| it.name != made);
        for (number, entry) in others.enumerate() {
            if number + 1 >= MOST_ENTRIES || age(entry.last_used, now) > UNUSED {
                self.remove(&entry.name);
            }
        }
    }

    /// Removes an entry, unless it is in use. Its lock file stays: another run may be about to lock it.
    fn remove(&self, name: &str) -> bool {
        let Some(_lock) = self.lock_now(name) else {
            return false;
        };
        debug!(entry = name, "removed");
        // The stamp first: an entry without it is not used.
        let entry = self.directory.join(name);
        let _ = fs::remove_file(entry.join(STAMP));
        fs::remove_dir_all(entry).is_ok()
    }

    /// Removes what builds left that were killed, if it has not changed for this time.
    fn remove_abandoned(&self, unchanged: Duration) {
        let now = SystemTime::now();
        for prefix in ["building-", "partial-"] {
            for name in directories(&self.directory, prefix) {
                let path = self.directory.join(&name);
                let fingerprint = name.split('-').nth(1).unwrap_or_default();
                let entry = format!("{PREFIX}{fingerprint}");
                if age(last_used(&path), now) >= unchanged && self.lock_now(&entry).is_some() {
                    let _ = fs::remove_dir_all(path);
                }
            }
        }
    }

    /// Removes what killed runs left of an entry that this run has locked and builds.
    pub(super) fn remove_partial(&self, fingerprint: &str) {
        for name in directories(&self.directory, &format!("partial-{fingerprint}-")) {
            let _ = fs::remove_dir_all(self.directory.join(name));
        }
    }

    /// The exclusive lock of an entry, if no other run has it.
    fn lock_now(&self, entry: &str) -> Option<File> {
        let path = self.directory.join(format!("{entry}.lock"));
        let mut options = File::options();
        options.create(true).truncate(false).write(true);
        let file = options.open(path).ok()?;
        file.try_lock().is_ok().then_some(file)
    }
}

/// Zero if it is in the future.
pub(super) fn age(time: SystemTime, now: SystemTime) -> Duration {
    now.duration_since(time).unwrap_or_default()
}

pub(super) fn last_used(stamp: &Path) -> SystemTime {
    let modified = fs::metadata(stamp).and_then(|file| file.modified());
    modified.unwrap_or(SystemTime::UNIX_EPOCH)
}

/// Names of the directories in `parent` that begin like this.
fn directories(parent: &Path, prefix: &str) -> Vec<String> {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let named = entries
        .filter(|it| it.path().is_dir())
        .filter_map(|it| it.file_name().into_string().ok());
    named.filter(|name| name.starts_with(prefix)).collect()
}

#[cfg(test)]
mod tests;
