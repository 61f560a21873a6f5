//! The directory of a state: opened under a lock, read, written.

use std::fs::{self, File, TryLockError};
use std::hash::Hasher;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use contest_data::totals::SubjectTotals;
use fnv::FnvHasher;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::StateError;
use super::kept::{FORMAT, Kept};
use super::killed_run;
use super::known::KnownFinding;
use contest_build::workspace::scratch_dir::beside;

const PROGRESS: &str = "state.json";
const FINDINGS: &str = "findings";
const LOCK: &str = "lock";

/// A state that no other run uses.
#[derive(Debug)]
pub struct State {
    pub(super) directory: PathBuf,
    pub(super) kept: Kept,
    pub(super) findings: Vec<KnownFinding>,
    /// Files of findings that cannot be read, with the reason.
    pub(super) problems: Vec<String>,
    /// The run before was killed.
    pub(super) after_kill: bool,
    #[cfg_attr(not(test), expect(dead_code, reason = "unlocks when dropped"))]
    lock: Lock,
}

/// Closing the file is not enough: a process that is just being started has it open until it runs its own program.
#[derive(Debug)]
struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Where there are no locks, there is nothing to unlock.
        let _ = self.0.unlock();
    }
}

impl State {
    /// Opens the state of a package, and makes it if there is none.
    ///
    /// # Errors
    /// If the directory cannot be written, another run uses it, or what is in it is of another package or format.
    pub fn open(directory: &Path, package: &str) -> Result<Self, StateError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| StateError::Io { path, source }
        };
        fs::create_dir_all(directory.join(FINDINGS)).map_err(failed(directory))?;
        let lock = lock(directory)?;
        let path = directory.join(PROGRESS);
        let mut kept = match fs::read(&path) {
            Ok(bytes) => parse::<Kept>(&path, &bytes)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Kept::new(package),
            Err(error) => return Err(failed(&path)(error)),
        };
        if kept.package != package {
            return Err(StateError::OtherPackage {
                path,
                found: kept.package,
                here: package.to_owned(),
            });
        }
        let after_kill = killed_run::recover(&mut kept);
        let (findings, problems) = read_findings(directory)?;
        let state = Self {
            directory: directory.to_owned(),
            kept,
            findings,
            problems,
            after_kill,
            lock,
        };
        // A directory that can be read only is reported before anything slow.
        write(&path, &state.kept).map_err(failed(&path))?;
        Ok(state)
    }

    /// Findings and counts of a state, without locking or changing it.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn results_of(
        directory: &Path,
    ) -> Result<(Vec<KnownFinding>, Vec<SubjectTotals>), StateError> {
        let path = directory.join(PROGRESS);
        let bytes = fs::read(&path).map_err(|source| StateError::Unreadable {
            path: path.clone(),
            source,
        })?;
        let kept = parse::<Kept>(&path, &bytes)?;
        let totals = kept.subjects.into_iter().map(|subject| subject.totals);
        Ok((read_findings(directory)?.0, totals.collect()))
    }

    /// The states of packages below this directory, which is itself none.
    #[must_use]
    pub fn members_of(directory: &Path) -> Vec<PathBuf> {
        let is_state = |path: &PathBuf| path.join(PROGRESS).is_file();
        if is_state(&directory.to_owned()) {
            return Vec::new();
        }
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let mut members: Vec<_> = entries.map(|it| it.path()).filter(is_state).collect();
        members.sort();
        members
    }

    /// Findings of earlier runs, the first one first.
    #[must_use]
    pub fn findings(&self) -> &[KnownFinding] {
        &self.findings
    }

    /// True if an earlier run had tests of the type of this name.
    #[must_use]
    pub fn has_reached(&self, name: &str) -> bool {
        let mut subjects = self.kept.subjects.iter();
        subjects.any(|it| it.name == name && it.totals.tests > 0)
    }
}

/// The file of a finding.
pub(super) fn finding_path(directory: &Path, fingerprint: &str) -> PathBuf {
    let mut hasher = FnvHasher::default();
    hasher.write(fingerprint.as_bytes());
    let name = format!("{:016x}.json", hasher.finish());
    directory.join(FINDINGS).join(name)
}

pub(super) fn write_progress(directory: &Path, kept: &Kept) -> io::Result<()> {
    write(&directory.join(PROGRESS), kept).map(drop)
}

/// Writes all of the file or nothing.
fn write(path: &Path, value: &impl Serialize) -> io::Result<File> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let mut file = beside(directory)?;
    file.write_all(&serde_json::to_vec(value)?)?;
    Ok(file.persist(path)?)
}

/// Writes a finding to the disk, where it is also if the machine stops.
pub(super) fn write_finding(path: &Path, known: &KnownFinding) -> io::Result<()> {
    write(path, known)?.sync_all()
}

/// Runs on file systems without locks are not kept apart.
fn lock(directory: &Path) -> Result<Lock, StateError> {
    let path = directory.join(LOCK);
    let failed = |source| StateError::Io {
        path: path.clone(),
        source,
    };
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(Lock(file)),
        Err(TryLockError::WouldBlock) => Err(StateError::InUse(directory.to_owned())),
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
            Ok(Lock(file))
        }
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// Files that a killed run left half written are temporary ones, whose names do not end so.
fn read_findings(directory: &Path) -> Result<(Vec<KnownFinding>, Vec<String>), StateError> {
    let directory = directory.join(FINDINGS);
    let entries = fs::read_dir(&directory).map_err(|source| StateError::Io {
        path: directory.clone(),
        source,
    })?;
    let (mut findings, mut problems) = (Vec::new(), Vec::new());
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.extension().is_none_or(|it| it != "json") {
            continue;
        }
        let read = fs::read(&path).map_err(|source| StateError::Io {
            path: path.clone(),
            source,
        });
        match read.and_then(|bytes| parse::<KnownFinding>(&path, &bytes)) {
            Ok(finding) => findings.push(finding),
            Err(error) => problems.push(error.to_string()),
        }
    }
    findings.sort_by(|left, right| {
        let key = |it: &KnownFinding| (it.first_run, it.finding.elapsed_ms);
        let by_time = key(left).cmp(&key(right));
        by_time.then_with(|| left.finding.fingerprint.cmp(&right.finding.fingerprint))
    });
    problems.sort();
    Ok((findings, problems))
}

fn parse<T: DeserializeOwned>(path: &Path, bytes: &[u8]) -> Result<T, StateError> {
    let damaged = |why: String| StateError::Damaged {
        path: path.to_owned(),
        why,
    };
    let value: Value = serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()))?;
    let format = value.get("format").and_then(Value::as_u64);
    match format {
        Some(FORMAT) => {}
        Some(found) => {
            return Err(StateError::OtherFormat {
                path: path.to_owned(),
                found,
                known: FORMAT,
            });
        }
        None => return Err(damaged("it has no format".to_owned())),
    }
    serde_json::from_value(value).map_err(|error| damaged(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_is_being_started_does_not_keep_a_state_in_use() {
        let scratch = tempfile::tempdir().unwrap();
        let state = State::open(scratch.path(), "bank").unwrap();
        assert!(matches!(
            State::open(scratch.path(), "bank"),
            Err(StateError::InUse(_))
        ));
        let inherited = state.lock.0.try_clone().unwrap();
        drop(state);
        State::open(scratch.path(), "bank").unwrap();
        drop(inherited);
    }
}
