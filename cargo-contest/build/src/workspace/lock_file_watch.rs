//! Who has written a lock file that was not there before: the commands of this tool, or another one.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// The lock file that was not there before.
static WATCHED: Mutex<Option<Watched>> = Mutex::new(None);

#[derive(Debug)]
struct Watched {
    path: PathBuf,
    /// As the last command of this tool has left it.
    left: Option<Stamp>,
    /// Commands of this tool that run.
    running: u32,
    /// It changed while none of them ran.
    is_theirs: bool,
}

/// What changes whenever a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        Some(Self {
            length: metadata.len(),
            modified: metadata.modified().ok(),
        })
    }
}

impl Watched {
    fn new(path: PathBuf) -> Self {
        Self {
            path,
            left: None,
            running: 0,
            is_theirs: false,
        }
    }

    fn begin(&mut self) {
        self.is_theirs |= self.running == 0 && Stamp::of(&self.path) != self.left;
        self.running += 1;
    }

    fn end(&mut self) {
        self.running = self.running.saturating_sub(1);
        self.left = Stamp::of(&self.path);
    }

    /// Removes it, unless another one has written it.
    fn remove(&self) {
        if !self.is_theirs && self.left.is_some() && Stamp::of(&self.path) == self.left {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A command of this tool that may write the lock file, for as long as this lives.
#[derive(Debug)]
pub struct OwnCommand(());

impl OwnCommand {
    /// It is about to start.
    #[must_use]
    pub fn begin() -> Self {
        watched().as_mut().into_iter().for_each(Watched::begin);
        Self(())
    }
}

impl Drop for OwnCommand {
    fn drop(&mut self) {
        watched().as_mut().into_iter().for_each(Watched::end);
    }
}

fn watched() -> MutexGuard<'static, Option<Watched>> {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From here on, this lock file, which is not there, is watched; or none.
pub(super) fn watch(lock_file: Option<PathBuf>) {
    *watched() = lock_file.map(Watched::new);
}

/// Removes the watched one if commands of this tool alone have written it.
pub(super) fn remove_own() {
    if let Some(watched) = watched().take() {
        watched.remove();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lock file after `write`s of the tool (true) and of others (false).
    fn is_removed(writes: &[(bool, &str)]) -> bool {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("Cargo.lock");
        let mut watched = Watched::new(path.clone());
        for (own, text) in writes {
            if *own {
                watched.begin();
            }
            fs::write(&path, text).unwrap();
            if *own {
                watched.end();
            }
        }
        watched.remove();
        !path.exists()
    }

    #[test]
    fn only_a_lock_file_that_the_tool_has_written_is_removed() {
        assert!(is_removed(&[(true, "a")]));
        assert!(is_removed(&[(true, "a"), (true, "ab")]));
        assert!(!is_removed(&[(false, "a")]), "another one made it");
        assert!(
            !is_removed(&[(false, "a"), (true, "ab")]),
            "and the tool changed it"
        );
        assert!(
            !is_removed(&[(true, "a"), (false, "ab")]),
            "another one changed it"
        );
        assert!(!is_removed(&[(true, "a"), (false, "ab"), (true, "abc")]));
    }
}
