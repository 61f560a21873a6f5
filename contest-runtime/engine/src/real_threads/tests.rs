//! What a copy sends arrives, and a copy that hangs or crashes ends alone.

use std::io::Write;
use std::time::Duration;

use super::process::run_in_copy;
use super::wire::{read, write};
use super::*;

const LIMIT: Duration = Duration::from_millis(100);

fn seen() -> RealRun {
    let outcomes = [
        Outcome::Returned(Some("Some(1)".to_owned())),
        Outcome::Returned(None),
        Outcome::Panicked("no".to_owned(), "src/lib.rs:1:2".to_owned()),
        Outcome::Pending,
    ];
    let calls = (0_u16..).zip(outcomes).map(|(call, outcome)| RealCall {
        lane: call.checked_sub(1).map(|lane| lane as u8),
        call,
        began: u32::from(call),
        ended: u32::MAX - u32::from(call),
        outcome,
    });
    RealRun {
        calls: calls.collect(),
        ending: RealEnding::Finished,
    }
}

#[test]
fn what_is_sent_arrives_and_nothing_less() {
    let mut run = seen();
    assert_eq!(read(&write(&run)), Some(run.clone()));
    run.ending = RealEnding::Hung;
    let bytes = write(&run);
    assert_eq!(read(&bytes), Some(run));
    assert_eq!(read(&bytes[..bytes.len() - 1]), None);
}

#[test]
fn a_copy_that_hangs_or_ends_by_itself_ends_alone() {
    let sent = run_in_copy(LIMIT, |out| out.write_all(&write(&seen())));
    assert_eq!(sent.unwrap(), seen());
    let ending = |f: fn()| {
        let run = run_in_copy(LIMIT, move |_| {
            f();
            Ok(())
        });
        run.unwrap().ending
    };
    let hangs = ending(|| std::thread::sleep(Duration::from_secs(600)));
    assert_eq!(hangs, RealEnding::Hung);
    assert_eq!(ending(|| std::process::abort()), RealEnding::Signal(6));
    assert_eq!(ending(|| std::process::exit(7)), RealEnding::Exited(7));
}
