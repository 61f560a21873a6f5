//! Shell scripts stand in for drivers.

use super::*;
use contest_data::protocol::black_box::{LAYOUT, Phase};
use std::os::unix::fs::PermissionsExt;

fn start(script: &str, silence: Duration) -> (tempfile::TempDir, DriverProcess) {
    let scratch = tempfile::tempdir().unwrap();
    write(scratch.path(), script);
    let process = start_in(scratch.path(), silence);
    (scratch, process)
}

fn write(scratch: &Path, script: &str) {
    let path = scratch.join("driver");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Starts the script that was written there.
fn start_in(scratch: &Path, silence: Duration) -> DriverProcess {
    let request = Request::Replay {
        token: "token".into(),
    };
    let watchdog = Watchdog { silence };
    loop {
        let place = ProcessPlace::scratch(scratch);
        match DriverProcess::start(&scratch.join("driver"), &place, &request, watchdog) {
            // A process that another test forks at this moment holds the script open until it executes its own.
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => thread::yield_now(),
            other => return other.unwrap(),
        }
    }
}

/// Runs to the end: the replies, as they are shown, and the exit.
fn run(script: &str, silence: Duration) -> (Vec<String>, DriverExit) {
    let (_scratch, mut process) = start(script, silence);
    let mut replies = Vec::new();
    loop {
        match process.next_event(Duration::from_secs(60)).unwrap() {
            DriverEvent::Reply(reply) => replies.push(format!("{reply:?}")),
            DriverEvent::Quiet => panic!("quiet for a minute"),
            DriverEvent::Ended(exit) => return (replies, exit),
        }
    }
}

/// Shell: writes the head of a black box (mark, layout, phase 3) with this heartbeat.
fn beat(heartbeat: &str) -> String {
    format!(
        r#"printf 'contest\000\{LAYOUT:03o}\000\000\000\003\000\000\000\{heartbeat}' | dd of="$CONTEST_BLACK_BOX" conv=notrunc 2>/dev/null"#
    )
}

const PATIENT: Duration = Duration::from_secs(60);

#[test]
fn a_driver_meets_no_files_of_another_one() {
    let scratch = tempfile::tempdir().unwrap();
    let listing = r#"echo "Refused \"$(ls | tr '\n' ' ')\"""#;
    let script = format!("read request; {listing}; touch a; read more");
    write(scratch.path(), &script);
    let files = || {
        let mut process = start_in(scratch.path(), PATIENT);
        match process.next_event(PATIENT).unwrap() {
            DriverEvent::Reply(reply) => (process, format!("{reply:?}")),
            other => panic!("{other:?}"),
        }
    };
    let (first, second) = (files(), files());
    assert_eq!(first.1, r#"Refused("")"#);
    assert_eq!(second.1, r#"Refused("")"#);
    drop((first, second));
    let left = fs::read_dir(scratch.path()).unwrap().count();
    assert!(left <= 3, "{left} entries: the script and two black boxes");
}

#[test]
fn a_driver_that_answers_is_done_and_has_read_the_request() {
    let script = r#"read request; echo "Refused \"$(echo $request | tr -d '\"')\"""#;
    let (replies, exit) = run(script, PATIENT);
    assert_eq!(replies, [r#"Refused("Replay token")"#]);
    assert_eq!(exit, DriverExit::Done);
}

#[test]
fn a_driver_that_dies_leaves_its_black_box_and_its_last_words() {
    let script = format!("{}; echo words >&2; kill -SEGV $$", beat("007"));
    let (_, exit) = run(&script, PATIENT);
    let DriverExit::Died {
        death,
        black_box,
        stderr,
    } = exit
    else {
        panic!("{exit:?}");
    };
    assert_eq!(death.to_string(), "SIGSEGV (invalid memory access)");
    let black_box = black_box.unwrap();
    assert_eq!(
        (black_box.heartbeat, black_box.phase),
        (7, Phase::Exploring)
    );
    assert_eq!(stderr, "words\n");
}

#[test]
fn an_exit_without_an_answer_is_a_death_even_with_status_zero() {
    let (_, exit) = run("exit 0", PATIENT);
    assert!(
        matches!(
            &exit,
            DriverExit::Died {
                death: Death::Exited(0),
                ..
            }
        ),
        "{exit:?}"
    );
}

#[test]
fn stack_overflow_and_out_of_memory_are_distinguished_from_other_aborts() {
    for (words, expected) in [
        (
            "thread 'main' has overflowed its stack",
            Death::StackOverflow,
        ),
        (
            "memory allocation of 64 bytes failed",
            Death::OutOfMemory("memory allocation of 64 bytes failed".into()),
        ),
        ("other", Death::Signal(6, "SIGABRT (abort)".into())),
    ] {
        let (_, exit) = run(&format!("echo \"{words}\" >&2; kill -ABRT $$"), PATIENT);
        assert!(
            matches!(&exit, DriverExit::Died { death, .. } if *death == expected),
            "{exit:?}"
        );
    }
}

#[test]
fn a_silent_driver_is_hung_and_ended() {
    let script = "trap 'echo last words >&2; exit 1' ALRM; sleep 600 & wait";
    let (_, exit) = run(script, Duration::from_millis(300));
    let DriverExit::Hung { black_box, stderr } = exit else {
        panic!("{exit:?}");
    };
    assert_eq!((black_box, stderr.as_str()), (None, "last words\n"));
}

#[test]
fn a_silent_driver_whose_black_box_moves_is_not_hung() {
    let script = format!(
        r#"for i in 1 2 3 4 5 6 7; do {}; sleep 0.5; done; echo 'Refused "x"'"#,
        beat("00'$i'")
    );
    let (_, exit) = run(&script, Duration::from_millis(3000));
    assert_eq!(exit, DriverExit::Done);
}

#[test]
fn megabytes_on_standard_error_do_not_stop_it_and_are_cut() {
    let script = "head -c 3000000 /dev/zero >&2; exit 3";
    let (_, exit) = run(script, PATIENT);
    let DriverExit::Died { stderr, .. } = exit else {
        panic!("{exit:?}");
    };
    assert!(stderr.len() < 3 * STDERR_KEPT, "{}", stderr.len());
    assert!(stderr.contains("bytes left out"));
}

#[test]
fn a_line_that_is_no_reply_ends_it() {
    let (_, exit) = run("echo hello; sleep 600", PATIENT);
    assert!(
        matches!(&exit, DriverExit::Garbled { line, .. } if line == "hello"),
        "{exit:?}"
    );
}

#[test]
fn a_stopped_driver_says_so_from_then_on() {
    let (_scratch, mut process) = start("sleep 600", PATIENT);
    let quiet = process.next_event(Duration::from_millis(10)).unwrap();
    assert!(matches!(quiet, DriverEvent::Quiet), "{quiet:?}");
    process.stop().unwrap();
    for _ in 0..2 {
        let end = process.next_event(PATIENT).unwrap();
        assert!(
            matches!(end, DriverEvent::Ended(DriverExit::Stopped)),
            "{end:?}"
        );
    }
}
