use super::*;

/// An entry with one file, last used so many days ago.
fn make_entry(store: &RuntimeStore, fingerprint: &str, days: u64) {
    let entry = store.entry(fingerprint);
    fs::create_dir_all(&entry).unwrap();
    fs::write(entry.join("libx.rlib"), "12345").unwrap();
    let stamp = File::create(entry.join(STAMP)).unwrap();
    stamp.set_modified(days_ago(days)).unwrap();
}

fn days_ago(days: u64) -> SystemTime {
    SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60)
}

fn names(store: &RuntimeStore) -> Vec<String> {
    store.list().into_iter().map(|it| it.name).collect()
}

fn store() -> (tempfile::TempDir, RuntimeStore) {
    let scratch = tempfile::tempdir().unwrap();
    let store = RuntimeStore::new(scratch.path().join("cache"));
    (scratch, store)
}

#[test]
fn what_was_not_used_for_a_month_is_removed_when_another_entry_is_made() {
    let (_scratch, store) = store();
    make_entry(&store, "old", 40);
    make_entry(&store, "recent", 10);
    make_entry(&store, "made", 50);
    store.prune("made");
    assert_eq!(names(&store), ["runtime-recent", "runtime-made"]);
}

#[test]
fn of_many_entries_the_ones_used_last_are_kept() {
    let (_scratch, store) = store();
    for number in 0..MOST_ENTRIES as u64 + 3 {
        make_entry(&store, &number.to_string(), number);
    }
    store.prune("5");
    let kept = names(&store);
    assert_eq!(kept.len(), MOST_ENTRIES);
    assert!(kept.contains(&"runtime-5".to_owned()));
    assert!(!kept.contains(&format!("runtime-{}", MOST_ENTRIES + 2)));
}

#[test]
fn an_entry_in_use_is_not_removed() {
    let (_scratch, store) = store();
    make_entry(&store, "used", 99);
    make_entry(&store, "idle", 99);
    let in_use = store.lock("used", LockMode::Shared, &mut || ()).unwrap();
    assert_eq!(store.clean().len(), 1);
    assert_eq!(names(&store), ["runtime-used"]);
    drop(in_use);
    assert_eq!(store.clean().len(), 1);
    assert!(names(&store).is_empty());
}

#[test]
fn what_a_killed_build_left_is_removed_and_a_running_build_is_left_alone() {
    let (_scratch, store) = store();
    for name in ["building-killed", "partial-killed-x", "building-running"] {
        fs::create_dir_all(store.directory.join(name)).unwrap();
    }
    let running = store.lock("running", LockMode::Exclusive, &mut || ());
    store.remove_abandoned(UNUSED);
    assert!(store.directory.join("building-killed").exists());
    store.remove_abandoned(Duration::ZERO);
    assert!(!store.directory.join("building-killed").exists());
    assert!(!store.directory.join("partial-killed-x").exists());
    assert!(store.directory.join("building-running").exists());
    drop(running);
}

#[test]
fn the_second_who_locks_waits_and_says_so() {
    let (_scratch, store) = store();
    let first = store.lock("x", LockMode::Exclusive, &mut || ()).unwrap();
    let (sender, waiting) = std::sync::mpsc::channel();
    let other = store.clone();
    let second = std::thread::spawn(move || {
        let mut on_wait = || sender.send(()).unwrap();
        other.lock("x", LockMode::Shared, &mut on_wait).is_ok()
    });
    waiting.recv().unwrap();
    assert!(!second.is_finished());
    drop(first);
    assert!(second.join().unwrap());
}

#[test]
fn use_is_noted_and_the_newest_is_listed_first_with_its_size() {
    let (_scratch, store) = store();
    make_entry(&store, "a", 3);
    make_entry(&store, "b", 2);
    assert_eq!(names(&store), ["runtime-b", "runtime-a"]);
    store.note_use("a");
    assert_eq!(names(&store), ["runtime-a", "runtime-b"]);
    assert_eq!(store.list()[0].bytes, 5);
}

#[test]
fn a_store_that_is_not_there_is_empty() {
    let (_scratch, store) = store();
    assert!(store.list().is_empty() && store.clean().is_empty());
    assert!(!store.directory().exists());
}
