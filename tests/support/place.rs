//! Where a running test has its copies of subjects, and what is built of them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, TryLockError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// A place that no other running test has, of this process or of another one. The tests after it find there what it has
/// left: so a subject is built once for each test that runs at the same time, not once for each test.
pub(super) struct Place {
    number: usize,
    /// Directories of subjects that the test has now.
    in_use: RefCell<BTreeSet<PathBuf>>,
    /// Locked as long as the test runs.
    _lock: File,
}

thread_local! {
    static PLACE: Place = Place::take().unwrap();
}

impl Place {
    fn take() -> io::Result<Self> {
        for number in 0.. {
            let lock = format!("built-{number}.lock");
            let lock = File::create(Path::new(env!("CARGO_TARGET_TMPDIR")).join(lock))?;
            match lock.try_lock() {
                Ok(()) => {
                    let place = Self {
                        number,
                        in_use: RefCell::default(),
                        _lock: lock,
                    };
                    // Tests that were emitted for packages of other tests would be run by those of the same names.
                    let _ = fs::remove_dir_all(place.built().join("contest/emitted"));
                    return Ok(place);
                }
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        unreachable!("numbers do not end")
    }

    /// For what cargo builds.
    pub(super) fn target_directory() -> PathBuf {
        PLACE.with(Self::built)
    }

    fn built(&self) -> PathBuf {
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("built-{}", self.number))
    }

    /// The same directory for every test of this place that has a subject of this name. It is outside of the workspace,
    /// where cargo would miss it among the members.
    pub(super) fn lend(name: &str) -> PathBuf {
        let mut of_workspace = DefaultHasher::new();
        env!("CARGO_TARGET_TMPDIR").hash(&mut of_workspace);
        let copies = env::temp_dir().join(format!("contest-tests-{:016x}", of_workspace.finish()));
        PLACE.with(|place| {
            let copies = copies.join(place.number.to_string());
            // A test may have a subject twice.
            let directories = (0..).map(|nth| copies.join(nth.to_string()).join(name));
            let mut in_use = place.in_use.borrow_mut();
            let mut free = directories.filter(|it| !in_use.contains(it));
            let directory = free.next().unwrap();
            in_use.insert(directory.clone());
            directory
        })
    }

    pub(super) fn give_back(directory: &Path) {
        // When its thread ends, the place is gone before a test that has panicked drops its subjects.
        let _ = PLACE.try_with(|place| place.in_use.borrow_mut().remove(directory));
    }
}

/// Gives a directory these files and no others. What is there already is left as it is, for cargo builds what is
/// younger than the last build; what differs is younger, whatever was there before.
pub(super) fn put(directory: &Path, files: &BTreeMap<PathBuf, Vec<u8>>) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    remove_others(directory, directory, files)?;
    for (name, text) in files {
        let path = directory.join(name);
        if fs::read(&path).ok().as_ref() != Some(text) {
            fs::create_dir_all(path.parent().unwrap_or(directory))?;
            fs::write(path, text)?;
        }
    }
    Ok(())
}

fn remove_others(
    root: &Path,
    directory: &Path,
    files: &BTreeMap<PathBuf, Vec<u8>>,
) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path.strip_prefix(root).unwrap_or(&path);
        let is_kept = files.contains_key(name);
        let has_kept = !is_kept && files.keys().any(|file| file.starts_with(name));
        match fs::symlink_metadata(&path)?.is_dir() {
            true if has_kept => remove_others(root, &path, files)?,
            true => fs::remove_dir_all(&path)?,
            false if is_kept => {}
            false => fs::remove_file(&path)?,
        }
    }
    Ok(())
}
