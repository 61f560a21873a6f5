//! What code under test uses outside the memory of the process, noted where that is wanted; and what it creates in the
//! file system, which is removed after the execution: the next one begins where this one began.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::set_user_code;
use contest_data::contact::{Shared, Uses};
use contest_data::sorted;

/// Most different things of one execution.
const MOST: usize = 4_096;

/// Statics on purpose, as in the other modules: they start again in every execution, [`taken`] and [`remove_created`]
/// leave them empty before that.
static NOTED: Mutex<BTreeMap<Shared, Uses>> = Mutex::new(BTreeMap::new());
static CREATED: Mutex<Vec<Created>> = Mutex::new(Vec::new());
/// What was there before the execution, which has removed it: what comes in its place stays.
static REMOVED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// Set at the begin of each execution.
static WANTED: AtomicBool = AtomicBool::new(false);

/// A file, a link or a directory of this execution. Only what is still the same is ever removed: another name of an
/// older file, or what was moved to its place, is not.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Created {
    /// Without links on the way.
    path: PathBuf,
    identity: Identity,
}

/// Device and inode.
pub type Identity = (u64, u64);

/// That of what is there; links are not followed.
fn identity(path: &Path) -> io::Result<Identity> {
    let found = fs::symlink_metadata(path)?;
    Ok((found.dev(), found.ino()))
}

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

/// Code under test has created what is there now, where there was nothing. The path leads there without links.
pub fn note_created(path: &Path, identity: Identity) {
    let side = set_user_code(false);
    let mut created = locked(&CREATED);
    if created.len() < MOST && !locked(&REMOVED).contains(path) {
        created.push(Created {
            path: path.to_owned(),
            identity,
        });
    }
    drop(created);
    set_user_code(side);
}

/// True if this was created in this execution.
#[must_use]
pub fn is_created(identity: Identity) -> bool {
    locked(&CREATED).iter().any(|it| it.identity == identity)
}

/// Code under test is about to remove what is there.
pub fn note_removed(path: &Path, identity: Identity) {
    if is_created(identity) {
        return;
    }
    let side = set_user_code(false);
    let mut removed = locked(&REMOVED);
    if removed.len() < MOST {
        removed.insert(path.to_owned());
    } else {
        // What is not known to replace something older may not be removed.
        locked(&CREATED).clear();
    }
    drop(removed);
    set_user_code(side);
}

/// Code under test has moved what it had created, with what is in it, to where nothing was.
pub fn note_moved(from: &Path, to: &Path) {
    let side = set_user_code(false);
    for created in locked(&CREATED).iter_mut() {
        if let Ok(rest) = created.path.strip_prefix(from) {
            // Without a slash at the end, which an empty rest would leave.
            created.path = match rest.as_os_str().is_empty() {
                true => to.to_owned(),
                false => to.join(rest),
            };
        }
    }
    set_user_code(side);
}

/// Removes what the execution that ends has created, the last first. A directory in which something else is stays.
#[inline]
pub(super) fn remove_created() {
    drop(std::mem::take(&mut *locked(&REMOVED)));
    let mut created = std::mem::take(&mut *locked(&CREATED));
    // What is in a directory goes before it, also where it was moved there.
    sorted::sort_by_key(&mut created, |it| it.path.components().count());
    created.iter().rev().for_each(|it| {
        // Most tests have removed it.
        let _ = remove(it);
    });
}

fn remove(created: &Created) -> io::Result<()> {
    let path = &created.path;
    if identity(path)? != created.identity {
        return Ok(());
    }
    // Links are not followed: what they lead to may be older.
    match fs::symlink_metadata(path)?.is_dir() {
        true => fs::remove_dir(path),
        false => fs::remove_file(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory of its own, without links on the way.
    fn scratch(name: &str) -> PathBuf {
        let outer = std::env::temp_dir().join(format!("contest-{name}-{}", std::process::id()));
        fs::create_dir_all(&outer).unwrap();
        outer.canonicalize().unwrap()
    }

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap().map(|it| it.unwrap());
        let mut names: Vec<_> = entries
            .map(|it| it.file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn created(path: &Path) {
        note_created(path, identity(path).unwrap());
    }

    /// The state is the process's, so this is one test.
    #[test]
    fn what_was_created_is_removed_and_nothing_else() {
        let outer = scratch("created");
        fs::write(outer.join("kept"), "").unwrap();
        fs::write(outer.join("old"), "").unwrap();
        let (made, link) = (outer.join("made"), outer.join("link"));
        fs::create_dir(&made).unwrap();
        created(&made);
        fs::write(made.join("file"), "").unwrap();
        created(&made.join("file"));
        std::os::unix::fs::symlink(&outer, &link).unwrap();
        created(&link);
        note_created(&outer.join("gone"), (0, 0));
        // What is made anew in the place of something older stays.
        note_removed(&outer.join("kept"), identity(&outer.join("kept")).unwrap());
        fs::remove_file(outer.join("kept")).unwrap();
        fs::write(outer.join("kept"), "anew").unwrap();
        created(&outer.join("kept"));
        remove_created();
        assert_eq!(names(&outer), ["kept", "old"]);

        // What was created and then moved goes, with what is in it; where it was, something else may be.
        let (first, second) = (outer.join("first"), outer.join("second"));
        fs::create_dir(&first).unwrap();
        created(&first);
        fs::write(first.join("inside"), "").unwrap();
        created(&first.join("inside"));
        fs::rename(&first, &second).unwrap();
        note_moved(&first, &second);
        fs::rename(outer.join("old"), &first).unwrap();
        remove_created();
        assert_eq!(names(&outer), ["first", "kept"]);

        // What is older and was moved into a directory stays, and so does the directory.
        fs::create_dir(&made).unwrap();
        created(&made);
        fs::rename(&first, made.join("moved in")).unwrap();
        assert!(is_created(identity(&made).unwrap()));
        assert!(!is_created(identity(&made.join("moved in")).unwrap()));
        remove_created();
        assert_eq!(names(&made), ["moved in"]);

        // Another file in the place of one that was created is not that one.
        let place = outer.join("place");
        fs::write(&place, "").unwrap();
        created(&place);
        fs::rename(made.join("moved in"), &place).unwrap();
        remove_created();
        assert_eq!(names(&outer), ["kept", "made", "place"]);
        fs::remove_dir_all(&outer).unwrap();
    }
}
