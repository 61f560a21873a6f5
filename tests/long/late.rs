//! Calls that return late, after many timers of a background thread, and calls that never return.

use crate::support::Subject;

const MANIFEST: &str = "[package]\nname = \"late\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";

/// A line that cannot be added at once waits for a thread that looks for such lines at every `EVERY`th tick. Another
/// thread may tick a thousand times as often.
const LOG: &str = "
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

#[derive(Default)]
struct State {
    lines: Mutex<u32>,
    late: Mutex<u32>,
    added: Condvar,
}

pub struct Log(Arc<State>);

impl Log {
    pub fn new() -> Self {
        let state = Arc::new(State::default());
        let weak = Arc::downgrade(&state);
        std::thread::spawn(move || {
            for tick in 1_u32.. {
                std::thread::sleep(Duration::from_secs(1));
                let Some(state) = weak.upgrade() else { return };
                if tick % EVERY == 0 {
                    let late = std::mem::take(&mut *state.late.lock().unwrap());
                    *state.lines.lock().unwrap() += late;
                    state.added.notify_all();
                }
            }
        });
        let weak = Arc::downgrade(&state);
        std::thread::spawn(move || {
            while FAST && weak.strong_count() > 0 {
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        Self(state)
    }

    pub fn add(&self) {
        if let Ok(mut lines) = self.0.lines.try_lock() {
            *lines += 1;
            return;
        }
        let mut late = self.0.late.lock().unwrap();
        *late += 1;
        while *late > 0 {
            late = self.0.added.wait(late).unwrap();
        }
    }
}
";

/// A line that cannot be added at once is tried again once the thread wakes its future, at every 60th tick.
const AWAITED_LOG: &str = "
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::time::Duration;

#[derive(Default)]
struct State {
    lines: Mutex<u32>,
    late: Mutex<Vec<Waker>>,
}

pub struct Log(Arc<State>);

impl Log {
    pub fn new() -> Self {
        let state = Arc::new(State::default());
        let weak = Arc::downgrade(&state);
        std::thread::spawn(move || {
            for tick in 1_u32.. {
                std::thread::sleep(Duration::from_secs(1));
                let Some(state) = weak.upgrade() else { return };
                if tick % 60 == 0 {
                    let late = std::mem::take(&mut *state.late.lock().unwrap());
                    late.into_iter().for_each(Waker::wake);
                }
            }
        });
        Self(state)
    }

    pub async fn add(&self) {
        std::future::poll_fn(|context| match self.0.lines.try_lock() {
            Ok(mut lines) => {
                *lines += 1;
                Poll::Ready(())
            }
            Err(_) => {
                self.0.late.lock().unwrap().push(context.waker().clone());
                Poll::Pending
            }
        })
        .await
    }
}
";

const LATE: &str = "waited for many timers of background threads, and then returned";

fn log(every: &str, fast: &str) -> Subject {
    subject(&LOG.replace("EVERY", every).replace("FAST", fast))
}

fn subject(source: &str) -> Subject {
    Subject::with("late", &[("Cargo.toml", MANIFEST), ("src/lib.rs", source)])
}

/// Whether the summary has calls that returned late: an entry for them, or none.
fn late_tests(subject: &Subject) -> usize {
    let arguments = ["--message-format", "json", "--no-emit", "--budget", "1s"];
    let summary = subject.contest(&arguments).status(0).summary();
    let skipped = summary["coverage"]["tests_skipped"].as_array().unwrap();
    skipped.iter().filter(|it| it["why"] == LATE).count()
}

#[test]
fn a_call_that_a_background_thread_lets_return_late_is_no_finding() {
    assert_eq!(late_tests(&log("60", "false")), 1);
}

#[test]
fn a_future_that_is_ready_and_woken_late_is_no_finding() {
    assert_eq!(late_tests(&subject(AWAITED_LOG)), 1);
}

#[test]
fn a_timer_passes_although_another_one_ticks_much_faster() {
    assert_eq!(late_tests(&log("2", "true")), 0);
}

#[test]
fn a_call_that_a_ticking_thread_never_lets_return_is_found() {
    let arguments = ["--message-format", "json", "--no-emit", "--fail-fast"];
    let run = log("u32::MAX", "true").contest(&arguments).status(1);
    assert_eq!(run.kinds(), ["deadlock"]);
}
