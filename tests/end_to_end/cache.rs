//! The cache of built runtimes: on another file system, read-only, full, listed and cleaned.
//!
//! File systems are mounted in a namespace of the run's own. Where the system does not allow that, the tests say so.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Run, Subject, cache_directory, run, target_directory, tool};

const ARGUMENTS: [&str; 4] = ["contest", "--budget", "300ms", "--no-emit"];

const NOTE: &str = "no runtime can be kept in";

/// A crate with a deadlock, when there is a runtime in the cache, and the same below the target directory: a run that
/// cannot use the cache need not build one.
fn subject() -> Subject {
    let copy = Subject::copy("faulty/abba");
    let mut command = tool();
    command.args(ARGUMENTS).current_dir(&copy.directory);
    run(command).status(1);
    for name in runtimes(&cache_directory()) {
        let (from, to) = (cache_directory(), target_directory().join("contest"));
        copy_runtime(&from.join(&name), &to.join(&name));
    }
    copy
}

fn runtimes(store: &Path) -> Vec<String> {
    let entries = fs::read_dir(store).unwrap().map(|it| it.unwrap());
    let names = entries.map(|it| it.file_name().into_string().unwrap());
    names
        .filter(|it| it.starts_with("runtime-") && !it.ends_with(".lock"))
        .collect()
}

fn copy_runtime(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap().path();
        let copy = to.join(file.file_name().unwrap());
        if file.is_dir() {
            copy_runtime(&file, &copy);
        } else if !copy.exists() {
            fs::copy(file, copy).unwrap();
        }
    }
}

/// Runs the tool with the cache at `place` after `mount`, a command of a shell, which knows it as `$PLACE`; `None` if
/// nothing can be mounted here.
fn with_mounted(subject: &Subject, mount: &str, place: &Path) -> Option<Run> {
    let namespace = || {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount"]);
        command
    };
    let probe = namespace().arg("true").output();
    if !probe.is_ok_and(|output| output.status.success()) {
        println!("not tested: this system does not allow to mount in a namespace");
        return None;
    }
    let tool = tool();
    let mut command = namespace();
    command.env_clear();
    for (name, value) in tool.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    command
        .args(["sh", "-c", &format!("{mount} && exec \"$@\""), "sh"])
        .arg(tool.get_program())
        .args(ARGUMENTS)
        .env("PLACE", place)
        .env("CONTEST_CACHE_DIR", place)
        .current_dir(&subject.directory);
    Some(run(command))
}

fn place() -> (tempfile::TempDir, PathBuf) {
    let scratch = tempfile::tempdir().unwrap();
    let place = scratch.path().join("cache");
    fs::create_dir(&place).unwrap();
    (scratch, place)
}

/// The run found the bug and said once that the cache cannot be used, and why.
#[track_caller]
fn assert_noted(run: Run, why: &str) {
    let run = run.status(1);
    let text = run.text();
    assert_eq!(text.matches(NOTE).count(), 1, "{text}");
    assert!(text.contains(why), "{text}");
}

#[test]
fn a_full_cache_is_noted_once_and_the_run_goes_on() {
    let subject = subject();
    let (_scratch, place) = place();
    // Full before cargo starts, and full while it builds.
    for size in ["64k", "6m"] {
        let mount = format!("mount -t tmpfs -o size={size} none \"$PLACE\"");
        if let Some(run) = with_mounted(&subject, &mount, &place) {
            assert_noted(run, "No space left on device");
        }
    }
}

#[test]
fn an_empty_cache_that_is_read_only_is_noted_once_and_the_run_goes_on() {
    let subject = subject();
    let (_scratch, place) = place();
    let mount = "mount -t tmpfs -o ro none \"$PLACE\"";
    if let Some(run) = with_mounted(&subject, mount, &place) {
        assert_noted(run, "Read-only file system");
    }
}

#[test]
fn a_runtime_on_another_file_system_is_used_also_if_that_is_read_only() {
    let subject = subject();
    let (_scratch, place) = place();
    let from = cache_directory();
    for then in ["true", "mount -o remount,ro \"$PLACE\""] {
        let mount = format!(
            "mount -t tmpfs none \"$PLACE\" && cp -r '{}'/runtime-* \"$PLACE\" && rm \"$PLACE\"/*.lock && {then}",
            from.display()
        );
        if let Some(run) = with_mounted(&subject, &mount, &place) {
            let run = run.status(1);
            assert!(!run.text().contains(NOTE), "{}", run.text());
        }
    }
}

#[test]
fn the_cache_is_listed_and_cleaned() {
    let _subject = subject();
    let (_scratch, place) = place();
    let cache = |arguments: &[&str]| {
        let mut command = tool();
        command
            .args(["contest", "cache", "--cache-dir"])
            .arg(&place);
        run(command_with(command, arguments)).status(0).stdout
    };
    assert!(cache(&[]).contains("0 runtimes"));
    for name in runtimes(&cache_directory()) {
        copy_runtime(&cache_directory().join(&name), &place.join(&name));
    }
    let listed = cache(&[]);
    let first = listed.lines().next();
    assert_eq!(first, place.to_str(), "{listed}");
    assert!(
        listed.contains("runtime-") && listed.contains(" MB, last used"),
        "{listed}"
    );
    assert!(cache(&["--clean"]).contains("removed"));
    assert!(runtimes(&place).is_empty());
    assert!(cache(&[]).contains("0 runtimes"));
}

fn command_with(mut command: Command, arguments: &[&str]) -> Command {
    command.args(arguments);
    command
}

/// Outside of any package, as in the layer of an image.
#[test]
fn the_runtime_can_be_built_ahead() {
    let elsewhere = tempfile::tempdir().unwrap();
    let mut command = tool();
    command
        .args(["contest", "setup"])
        .current_dir(elsewhere.path());
    let run = run(command).status(0);
    let said = format!("is in {}", cache_directory().display());
    assert!(run.stdout.contains(&said), "{}", run.stdout);
    assert!(!runtimes(&cache_directory()).is_empty());
    // Nothing is left for the first run.
    let subject = Subject::copy("faulty/abba");
    let run = subject.contest(&ARGUMENTS[1..]);
    assert!(
        !run.stderr.contains("building the runtime"),
        "{}",
        run.stderr
    );

    let mut command = tool();
    command
        .args(["contest", "setup", "--no-cache"])
        .current_dir(elsewhere.path());
    let run = crate::support::run(command).status(2);
    assert!(
        run.stderr.contains("nothing can be built ahead"),
        "{}",
        run.stderr
    );
}
