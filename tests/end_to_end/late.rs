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

const LATE: &str = "waited for many timers of background threads, and then returned";

fn log(every: &str, fast: &str) -> Subject {
    let source = LOG.replace("EVERY", every).replace("FAST", fast);
    Subject::with("late", &[("Cargo.toml", MANIFEST), ("src/lib.rs", &source)])
}

#[test]
fn a_call_that_a_background_thread_lets_return_late_is_no_finding() {
    let arguments = ["--message-format", "json", "--no-emit", "--budget", "1s"];
    let summary = log("60", "false").contest(&arguments).status(0).summary();
    let skipped = summary["coverage"]["tests_skipped"].as_array().unwrap();
    assert!(skipped.iter().any(|it| it["why"] == LATE), "{summary}");
}

#[test]
fn a_timer_passes_although_another_one_ticks_much_faster() {
    let arguments = ["--message-format", "json", "--no-emit", "--budget", "1s"];
    let summary = log("2", "true").contest(&arguments).status(0).summary();
    let skipped = summary["coverage"]["tests_skipped"].as_array().unwrap();
    assert!(skipped.iter().all(|it| it["why"] != LATE), "{summary}");
}

#[test]
fn a_call_that_a_ticking_thread_never_lets_return_is_found() {
    let arguments = ["--message-format", "json", "--no-emit", "--fail-fast"];
    let run = log("u32::MAX", "true").contest(&arguments).status(1);
    assert_eq!(run.kinds(), ["deadlock"]);
}
