//! Files the tool writes: only ever under the target directory, and only if they changed, so that cargo sees unchanged
//! files as such.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// A file or directory that could not be written, or could not be read in order to be copied.
#[derive(Debug, thiserror::Error)]
#[error("cannot {} {}: {source}{help}", if *.reading { "read" } else { "write" }, .path.display())]
pub struct WriteError {
    /// The file or directory.
    pub path: PathBuf,
    /// The cause.
    pub source: io::Error,
    reading: bool,
    /// What can be done.
    help: &'static str,
}

impl WriteError {
    /// Pairs a path with what went wrong there.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self {
            path: path.into(),
            source,
            reading: false,
            help: "",
        }
    }

    /// What went wrong when it was read.
    #[must_use]
    pub fn reading(path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self {
            reading: true,
            ..Self::new(path, source)
        }
    }

    /// For what is in the target directory.
    #[must_use]
    pub fn of_target(self) -> Self {
        Self {
            help: "; choose a directory that can be written with --target-dir or CARGO_TARGET_DIR",
            ..self
        }
    }
}

/// Makes a directory and its parents.
///
/// # Errors
/// If it cannot be made.
pub fn make_directory(path: &Path) -> Result<(), WriteError> {
    fs::create_dir_all(path).map_err(|source| WriteError::new(path, source))
}

/// Writes a file unless it has these contents; returns whether it wrote. A reader never sees a partial file.
///
/// # Errors
/// If it, or its directory, cannot be written.
pub fn write_if_changed(path: &Path, contents: &str) -> Result<bool, WriteError> {
    if fs::read(path).is_ok_and(|old| old == contents.as_bytes()) {
        return Ok(false);
    }
    let directory = path.parent().unwrap_or(Path::new("."));
    make_directory(directory)?;
    let failed = |source| WriteError::new(path, source);
    let mut file = beside(directory).map_err(failed)?;
    io::Write::write_all(&mut file, contents.as_bytes()).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(true)
}

/// A temporary file in `directory` that is to become a file of the user: with the permissions of any new file, not
/// those of temporary ones, which only their owner can read.
///
/// # Errors
/// If it cannot be made.
pub fn beside(directory: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(directory)
}

/// Held while the tool prepares a build; another run of the tool on the same target directory waits.
#[derive(Debug)]
pub struct BuildLock(#[expect(dead_code, reason = "unlocks when closed")] File);

impl BuildLock {
    /// Waits for the lock of `directory`, which is made if it is not there.
    ///
    /// # Errors
    /// If the lock file cannot be written.
    pub fn take(directory: &Path) -> Result<Self, WriteError> {
        make_directory(directory)?;
        let path = directory.join(".lock");
        let failed = |source| WriteError::new(&path, source);
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(failed)?;
        match file.lock() {
            // Some network file systems have no locks; a race there is better than no run at all.
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(error) => return Err(failed(error)),
        }
        Ok(Self(file))
    }
}

/// A directory for one run of the tool, removed when dropped.
#[derive(Debug)]
pub struct RunDirectory {
    directory: tempfile::TempDir,
    #[expect(dead_code, reason = "unlocks when closed")]
    in_use: File,
}

/// Locked as long as the run lives that made the directory.
const IN_USE: &str = "in-use";

impl RunDirectory {
    /// Makes one in `parent`, and removes those of runs that were killed. The caller holds the [`BuildLock`].
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn new(parent: &Path) -> Result<Self, WriteError> {
        make_directory(parent)?;
        remove_abandoned(parent);
        let failed = |source| WriteError::new(parent, source);
        let directory = tempfile::Builder::new()
            .prefix("driver-")
            .tempdir_in(parent)
            .map_err(failed)?;
        let in_use = File::create(directory.path().join(IN_USE)).map_err(failed)?;
        // On a file system without locks, what killed runs leave stays.
        let _ = in_use.lock();
        Ok(Self { directory, in_use })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// What cannot be read or removed stays.
fn remove_abandoned(parent: &Path) {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    for path in entries.map(|it| it.path()) {
        let abandoned = File::open(path.join(IN_USE)).is_ok_and(|file| file.try_lock().is_ok());
        if abandoned {
            let _ = fs::remove_dir_all(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_the_same_contents_is_not_written_again() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("a/b.txt");
        assert!(write_if_changed(&path, "one").unwrap());
        assert!(!write_if_changed(&path, "one").unwrap());
        assert!(write_if_changed(&path, "two").unwrap());
        assert_eq!(fs::read_to_string(path).unwrap(), "two");
    }

    #[cfg(unix)]
    #[test]
    fn a_written_file_has_the_permissions_of_any_new_one() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = tempfile::tempdir().unwrap();
        let (ours, usual) = (scratch.path().join("ours"), scratch.path().join("usual"));
        write_if_changed(&ours, "text").unwrap();
        fs::write(&usual, "text").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&usual));
    }

    #[test]
    fn directories_of_killed_runs_are_removed_and_those_in_use_are_not() {
        let parent = tempfile::tempdir().unwrap();
        let killed = parent.path().join("driver-killed");
        fs::create_dir(&killed).unwrap();
        fs::write(killed.join(IN_USE), "").unwrap();
        let one = RunDirectory::new(parent.path()).unwrap();
        let other = RunDirectory::new(parent.path()).unwrap();
        assert!(!killed.exists());
        assert!(one.path().exists() && other.path().exists());
    }

    #[test]
    fn a_path_below_a_file_is_an_error_that_names_it() {
        let scratch = tempfile::tempdir().unwrap();
        fs::write(scratch.path().join("file"), "").unwrap();
        let error = write_if_changed(&scratch.path().join("file/x"), "").unwrap_err();
        assert!(error.to_string().contains("file"), "{error}");
    }

    #[test]
    fn an_error_says_what_was_tried_and_helps_where_that_helps() {
        let error = || io::Error::other("why");
        assert_eq!(
            WriteError::new("a", error()).to_string(),
            "cannot write a: why"
        );
        assert_eq!(
            WriteError::reading("a", error()).to_string(),
            "cannot read a: why"
        );
        let of_target = WriteError::new("a", error()).of_target().to_string();
        assert!(
            of_target.ends_with("with --target-dir or CARGO_TARGET_DIR"),
            "{of_target}"
        );
    }
}
