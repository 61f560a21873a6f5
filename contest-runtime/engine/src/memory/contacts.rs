//! What code under test uses outside the memory of the process, noted where that is wanted; and what it creates in the
//! file system, which is removed after the execution: the next one begins where this one began.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::set_user_code;
use contest_data::contact::{Shared, Uses};

/// Most different things of one execution.
const MOST: usize = 4_096;

/// Statics on purpose, as in the other modules: they start again in every execution, [`taken`] and [`remove_created`]
/// leave them empty before that.
static NOTED: Mutex<BTreeMap<Shared, Uses>> = Mutex::new(BTreeMap::new());
static CREATED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// What was there before the execution, which has removed it: what comes in its place stays.
static REMOVED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// Set at the begin of each execution.
static WANTED: AtomicBool = AtomicBool::new(false);

/// One thread of the system runs, so nobody ever waits here.
fn locked<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From here on, to the end of the execution, uses are noted, or not.
pub(super) fn want(on: bool) {
    WANTED.store(on, Relaxed);
}

/// True if uses are noted in the present execution.
#[inline]
#[must_use]
pub fn are_wanted() -> bool {
    WANTED.load(Relaxed)
}

/// Notes how code under test uses something, if that is wanted.
pub fn note(shared: impl FnOnce() -> Shared, uses: Uses) {
    if !are_wanted() {
        return;
    }
    let side = set_user_code(false);
    let mut noted = locked(&NOTED);
    if noted.len() < MOST {
        noted.entry(shared()).or_default().join(uses);
    }
    drop(noted);
    set_user_code(side);
}

/// What was noted in the execution that ends.
pub(super) fn taken() -> Vec<(Shared, Uses)> {
    std::mem::take(&mut *locked(&NOTED)).into_iter().collect()
}

/// Code under test has created a file or a directory of this absolute path, where there was nothing.
pub fn note_created(path: &Path) {
    let side = set_user_code(false);
    let mut created = locked(&CREATED);
    let is_known = created.iter().any(|it| it == path);
    if created.len() < MOST && !is_known && !locked(&REMOVED).iter().any(|it| it == path) {
        created.push(path.to_owned());
    }
    drop(created);
    set_user_code(side);
}

/// Code under test is about to remove what is there.
pub fn note_removed(path: &Path) {
    let side = set_user_code(false);
    if !locked(&CREATED).iter().any(|it| it == path) {
        locked(&REMOVED).push(path.to_owned());
    }
    set_user_code(side);
}

/// Removes what the execution that ends has created, the last first.
#[inline]
pub(super) fn remove_created() {
    drop(std::mem::take(&mut *locked(&REMOVED)));
    let created = std::mem::take(&mut *locked(&CREATED));
    created.iter().rev().for_each(|path| {
        // Most tests have removed it.
        let _ = remove(path);
    });
}

fn remove(path: &Path) -> io::Result<()> {
    // Links are not followed: what they lead to may be older.
    match fs::symlink_metadata(path)?.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_created_is_removed_and_nothing_else() {
        let outer = std::env::temp_dir().join(format!("contest-created-{}", std::process::id()));
        fs::create_dir_all(&outer).unwrap();
        fs::write(outer.join("kept"), "").unwrap();
        let (made, link) = (outer.join("made"), outer.join("link"));
        fs::create_dir(&made).unwrap();
        fs::write(made.join("file"), "").unwrap();
        std::os::unix::fs::symlink(&outer, &link).unwrap();
        for path in [&made, &link, &outer.join("gone")] {
            note_created(path);
        }
        // What is made anew in the place of something older stays.
        note_removed(&outer.join("kept"));
        note_created(&outer.join("kept"));
        remove_created();
        let left: Vec<_> = fs::read_dir(&outer).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
        fs::remove_dir_all(&outer).unwrap();
    }
}
