//! One runtime for several projects and runs: in a cache that is shared, locked, damaged, full, or not there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use contest_build::instrument::facade_build::FacadeError;
use contest_build::instrument::kept_runtime::StoreEvent;
use contest_build::instrument::runtime_store::RuntimeStore;
use contest_build::workspace::cargo_build::Toolchain;
use contest_catalog::subject_catalog::{SubjectCatalog, Taken};
use contest_drive::harness::{BuildEvent, BuildStage, Driver, HarnessOptions, prepare_with};

use crate::stand_in_runtime;
use crate::subject_crate::{SubjectCrate, catalog, operation, options, say, subject, tool};

/// Set: the process is started by a test, to be killed. It names the cache.
const CHILD: &str = "HARNESS_TEST_CACHE";

/// A project with a target directory of its own.
fn project(name: &str) -> (SubjectCrate, SubjectCatalog) {
    let mut user = SubjectCrate::new(
        name,
        "",
        "pub struct Unit;\nimpl Unit { pub fn new() -> Self { Self } pub fn touch(&self) {} }\n",
    );
    user.package.target_directory = user.directory.path().join("target");
    let path = format!("{}::Unit", name.replace('-', "_"));
    let touch = operation("touch", Taken::Reference, Vec::new());
    let unit = subject(&path, &[&format!("{path}::new()")], vec![touch]);
    (user, catalog(vec![unit]))
}

/// Prepares a driver, which must work; what happened comes along.
fn prepare(project: &(SubjectCrate, SubjectCatalog), cache: &Path) -> (Driver, Vec<BuildEvent>) {
    let (user, catalog) = project;
    let options = HarnessOptions {
        cache: Some(cache.to_owned()),
        ..options(&[])
    };
    let mut events = Vec::new();
    let sources = stand_in_runtime::sources();
    let driver = prepare_with(&sources, &user.package, catalog, &options, &mut |event| {
        events.push(event);
    })
    .unwrap();
    assert!(say(&driver).contains("touch"));
    (driver, events)
}

fn built_a_runtime(events: &[BuildEvent]) -> bool {
    events.contains(&BuildEvent::Started(BuildStage::Runtime))
}

/// Directories of the cache.
fn directories(cache: &Path) -> Vec<String> {
    let entries = fs::read_dir(cache).unwrap().map(|it| it.unwrap());
    let mut names: Vec<_> = entries
        .filter(|it| it.path().is_dir())
        .map(|it| it.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The one entry.
fn entry(cache: &Path) -> PathBuf {
    let names = directories(cache);
    assert_eq!(names.len(), 1, "{names:?}");
    assert!(names[0].starts_with("runtime-"), "{names:?}");
    cache.join(&names[0])
}

#[test]
fn another_project_and_a_cleaned_one_use_the_runtime_that_is_there() {
    let scratch = tempfile::tempdir().unwrap();
    let cache = scratch.path().join("not/there/yet");
    let one = project("kept-one");
    assert!(built_a_runtime(&prepare(&one, &cache).1));
    // Only libraries are kept, not what cargo needed to build them.
    assert!(fs::read_dir(entry(&cache)).unwrap().count() <= 4);

    let other = project("kept-other");
    assert!(!built_a_runtime(&prepare(&other, &cache).1));
    fs::remove_dir_all(&one.0.package.target_directory).unwrap();
    assert!(!built_a_runtime(&prepare(&one, &cache).1));
}

#[test]
fn an_entry_may_be_moved_and_one_that_is_damaged_is_built_again() {
    let scratch = tempfile::tempdir().unwrap();
    let (first, cache) = (scratch.path().join("first"), scratch.path().join("cache"));
    let one = project("kept-moved");
    prepare(&one, &first);
    fs::rename(&first, &cache).unwrap();
    assert!(!built_a_runtime(&prepare(&one, &cache).1));

    for damage in ["cut", "removed", "no stamp"] {
        let entry = entry(&cache);
        let library = fs::read_dir(&entry)
            .unwrap()
            .map(|it| it.unwrap().path())
            .find(|it| it.extension().is_some_and(|it| it == "rlib"))
            .unwrap();
        match damage {
            "cut" => {
                let bytes = fs::read(&library).unwrap();
                fs::write(&library, &bytes[..bytes.len() / 2]).unwrap();
            }
            "removed" => fs::remove_file(&library).unwrap(),
            _ => fs::remove_file(entry.join("built.json")).unwrap(),
        }
        assert!(built_a_runtime(&prepare(&one, &cache).1), "{damage}");
    }
}

#[test]
fn of_two_runs_at_once_one_builds_and_the_other_waits() {
    let scratch = tempfile::tempdir().unwrap();
    let begin = Arc::new(Barrier::new(2));
    let runs = [(); 2].map(|()| {
        let (begin, cache) = (begin.clone(), scratch.path().to_owned());
        std::thread::spawn(move || {
            let toolchain = Toolchain::find(Path::new(".")).unwrap();
            let (mut built, mut waited) = (0, 0);
            begin.wait();
            let runtime = RuntimeStore::new(cache).obtain(
                &toolchain,
                &stand_in_runtime::sources(),
                tool(),
                &mut |event| match event {
                    StoreEvent::Building => built += 1,
                    StoreEvent::Waiting => waited += 1,
                    StoreEvent::Cargo(_) => {}
                },
            );
            (runtime.unwrap().facade, built, waited)
        })
    });
    let [one, other] = runs.map(|run| run.join().unwrap());
    assert_eq!(one.0, other.0);
    assert_eq!(one.1 + other.1, 1, "built by one of them");
    assert!(one.2 + other.2 >= 1, "the other one waits");
    assert!(one.0.driver_rlib.is_file());
    entry(scratch.path());
}

#[test]
fn what_a_killed_run_has_half_built_is_never_used() {
    let scratch = tempfile::tempdir().unwrap();
    let cache = scratch.path().join("cache");
    let one = project("kept-killed");
    // From the first file to the libraries' publication.
    for milliseconds in [20, 90, 200, 350, 600, 900] {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["kept_runtime::builds_until_it_is_killed", "--exact"])
            .env(CHILD, &cache)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        // Cargo and compilers too.
        let group = rustix::process::Pid::from_child(&child);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        child.wait().unwrap();
    }
    prepare(&one, &cache);
    // What was left is gone too.
    entry(&cache);
    assert!(!built_a_runtime(&prepare(&one, &cache).1));
}

#[test]
fn what_a_run_left_that_was_killed_before_its_entry_appeared_is_removed() {
    let cache = tempfile::tempdir().unwrap();
    let one = project("kept-partial");
    prepare(&one, cache.path());
    let entry_path = entry(cache.path());
    let name = entry_path.file_name().unwrap().to_str().unwrap();
    let left = name.replace("runtime-", "partial-") + "-killed";
    fs::rename(&entry_path, cache.path().join(left)).unwrap();
    assert!(built_a_runtime(&prepare(&one, cache.path()).1));
    entry(cache.path());
}

/// Part of `what_a_killed_run_has_half_built_is_never_used`: it builds the runtime as often as it can.
#[test]
fn builds_until_it_is_killed() {
    let Some(cache) = std::env::var_os(CHILD) else {
        return;
    };
    let toolchain = Toolchain::find(Path::new(".")).unwrap();
    let store = RuntimeStore::new(cache);
    loop {
        let sources = stand_in_runtime::sources();
        let runtime = store
            .obtain(&toolchain, &sources, tool(), &mut |_| ())
            .unwrap();
        fs::remove_file(runtime.facade.facade_rlib).unwrap();
    }
}

#[test]
fn without_a_usable_cache_the_runtime_is_built_below_the_target_directory_with_one_note() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("file");
    fs::write(&file, "").unwrap();
    let cache = file.join("cache");
    let one = project("kept-nowhere");
    let (_, events) = prepare(&one, &cache);
    let notes: Vec<_> = events
        .iter()
        .filter(|it| matches!(it, BuildEvent::CacheUnusable { .. }))
        .collect();
    let [BuildEvent::CacheUnusable { directory, why }] = notes[..] else {
        panic!("{events:?}");
    };
    assert_eq!(directory, &cache);
    assert!(why.contains("Not a directory"), "{why}");
    assert!(built_a_runtime(&events));
    // Once: below the target directory it is kept too.
    assert!(!built_a_runtime(&prepare(&one, &cache).1));
}

#[test]
fn a_runtime_that_does_not_compile_is_no_matter_of_the_cache() {
    let scratch = tempfile::tempdir().unwrap();
    let toolchain = Toolchain::find(Path::new(".")).unwrap();
    let mut sources = stand_in_runtime::sources();
    sources
        .files
        .retain(|(path, _)| path != "contest-runtime/facade/src/lib.rs");
    let facade = "contest-runtime/facade/src/lib.rs".to_owned();
    sources
        .files
        .push((facade, "pub fn wrong() -> u8 { true }".to_owned()));
    let store = RuntimeStore::new(scratch.path());
    let error = store
        .obtain(&toolchain, &sources, tool(), &mut |_| ())
        .unwrap_err();
    assert!(
        matches!(error, FacadeError::DoesNotBuild { .. }),
        "{error:?}"
    );
    assert!(error.to_string().contains("mismatched types"), "{error}");
}
