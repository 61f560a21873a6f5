//! A test of the crate as `cargo test` runs it: once, without control.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use super::interrupt::Interrupt;
use crate::harness::{OwnTests, TestExecutable};
use contest_build::workspace::child_process::{BoundedTail, ProcessGroup, keep_tail};

/// Most time of a test.
const MOST: Duration = Duration::from_secs(60);
/// Interval at which the interrupt is checked.
const LOOK: Duration = Duration::from_millis(20);
/// What is kept of the output: its end is what libtest says.
const KEPT: usize = 4096;

/// What came of it.
pub(super) enum AsItIs {
    Passes,
    Fails,
    /// Why it is not known.
    Unknown(String),
}

/// Runs one test without control, for at most a minute. One that ends the process with status 0 does not pass: libtest
/// never says that it did.
///
/// # Errors
/// If the process cannot be started or watched.
pub(super) fn run_as_it_is(
    tests: &OwnTests,
    executable: &TestExecutable,
    name: &str,
    interrupt: &Interrupt,
) -> io::Result<AsItIs> {
    let mut command = tests.plain(executable);
    command.args(["--exact", "--include-ignored", name]);
    let mut process = ProcessGroup::spawn(&mut command)?;
    let said = BoundedTail::new(KEPT);
    let child = process.child();
    drop(child.stdin.take());
    let output = child.stdout.take().map(|it| keep_tail(it, said.clone()));
    let errors = child
        .stderr
        .take()
        .map(|it| keep_tail(it, BoundedTail::new(KEPT)));
    let until = Instant::now() + MOST;
    let unknown = |why| Ok(AsItIs::Unknown(format!("as it is, it was run for {why}")));
    let status = loop {
        match process.try_wait()? {
            Some(status) => break status,
            None if interrupt.is_set() => return unknown("a moment: the run was interrupted"),
            None if Instant::now() > until => return unknown("a minute, without an end"),
            None => thread::sleep(LOOK),
        }
    };
    for reader in [output, errors].into_iter().flatten() {
        // A reader that panicked has read less.
        let _ = reader.join();
    }
    let passes = status.success() && said.text().contains("test result: ok. 1 passed;");
    Ok(if passes {
        AsItIs::Passes
    } else {
        AsItIs::Fails
    })
}
