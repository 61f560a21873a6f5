//! `--log`: what a wrong call of cargo, or a driver that hangs, is diagnosed by.

use crate::support::Subject;

#[test]
fn the_log_names_each_cargo_command_with_its_arguments_and_its_end() {
    let copy = Subject::copy("correct/set_and_inc");
    let run = copy.contest(&["list", "--log", "debug"]).status(0);
    for part in [
        "cargo metadata --format-version 1",
        "cargo doc --no-deps --lib --manifest-path",
        "ended: exit status: 0",
        "discover{package=",
    ] {
        assert!(
            run.stderr.contains(part),
            "{part} is not in\n{}",
            run.stderr
        );
    }
    assert!(!run.stdout.contains("DEBUG"), "{}", run.stdout);
}

#[test]
fn the_log_of_a_run_has_every_stage_and_the_end_of_the_driver() {
    let copy = Subject::copy("faulty/abba");
    let run = copy
        .contest(&["--budget", "300ms", "--no-emit", "--log-file", "log.txt"])
        .status(1);
    assert!(!run.stderr.contains("DEBUG"), "{}", run.stderr);
    let log = copy.read("log.txt");
    for part in [
        "facade build",
        "driver build",
        "analyse",
        "driver process{number=",
        "driver ended: exit status: 0",
        " build ",
    ] {
        assert!(log.contains(part), "{part} is not in\n{log}");
    }
}

#[test]
fn a_level_that_there_is_not_is_refused() {
    let copy = Subject::copy("correct/set_and_inc");
    let run = copy.contest(&["list", "--log", "loud"]).status(2);
    assert!(run.stderr.contains("`loud`"), "{}", run.stderr);
}
