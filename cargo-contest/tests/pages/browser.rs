//! A headless browser, if this machine has one. Nothing is installed for the tests.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use std::{env, fs, io::Write as _};

use serde_json::Value;

const NAMES: [&str; 5] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
];

static ONE: Mutex<()> = Mutex::new(());

/// Chromium, or one of its relatives.
pub(crate) struct Browser(PathBuf);

/// How long the first paint of a page took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FirstPaint {
    /// Time of the thread that builds and paints the page; other work of the machine is not in it.
    pub(crate) work: Duration,
    /// Time from the request.
    pub(crate) after: Duration,
}

impl Browser {
    /// The browser in the search path; says so if there is none.
    pub(crate) fn find() -> Option<Self> {
        let path = env::var_os("PATH").unwrap_or_default();
        let found = NAMES.iter().find_map(|name| {
            let mut files = env::split_paths(&path).map(|directory| directory.join(name));
            files.find(|file| file.is_file())
        });
        if found.is_none() {
            // Not through `println`, which a passing test does not show.
            let text = format!(
                "skipped, pages are not looked at: none of {} is in the search path\n",
                NAMES.join(", ")
            );
            let _ = std::io::stderr().write_all(text.as_bytes());
        }
        found.map(Self)
    }

    /// The page as it is after its scripts ran.
    #[track_caller]
    pub(crate) fn dom(&self, page: &Path) -> String {
        self.dom_at(page, "")
    }

    /// The same with this end of the address.
    #[track_caller]
    pub(crate) fn dom_at(&self, page: &Path, fragment: &str) -> String {
        let address = format!("file://{}{fragment}", page.display());
        let output = self.run(&["--virtual-time-budget=3000", "--dump-dom"], &address);
        String::from_utf8(output.stdout).unwrap()
    }

    /// From the request of the page to its first paint, by the browser's own trace.
    #[track_caller]
    pub(crate) fn first_paint(&self, page: &Path) -> FirstPaint {
        let scratch = tempfile::tempdir().unwrap();
        let trace = scratch.path().join("trace.json");
        let address = format!("file://{}", page.display());
        let into = format!("--trace-startup-file={}", trace.display());
        let picture = format!("--screenshot={}", scratch.path().join("page.png").display());
        self.run(
            &[
                "--trace-startup=loading,blink.user_timing,toplevel",
                "--trace-startup-format=json",
                "--trace-startup-duration=60",
                &into,
                &picture,
            ],
            &address,
        );
        let trace: Value = serde_json::from_str(&fs::read_to_string(trace).unwrap()).unwrap();
        let events = trace["traceEvents"].as_array().unwrap();
        let is_begin = |it: &&Value| it["args"]["data"]["documentLoaderURL"] == *address;
        let begin = events
            .iter()
            .filter(is_begin)
            .min_by_key(|it| it["ts"].as_u64());
        let begin = begin.expect("the page was requested");
        let at = |event: &Value| event["ts"].as_u64().unwrap_or(0);
        let same_thread = |it: &&Value| it["tid"] == begin["tid"] && at(it) >= at(begin);
        let later = || events.iter().filter(same_thread);
        let painted = later()
            .filter(|it| it["name"] == "firstPaint")
            .map(at)
            .min();
        if let Some(painted) = painted {
            let tasks = later().filter(|it| it["name"] == "ThreadControllerImpl::RunTask");
            let before = tasks.filter(|it| at(it) < painted);
            return FirstPaint {
                after: Duration::from_micros(painted - at(begin)),
                work: Duration::from_micros(before.filter_map(|it| it["tdur"].as_u64()).sum()),
            };
        }
        panic!("the trace has no first paint of {address}");
    }

    #[track_caller]
    fn run(&self, options: &[&str], address: &str) -> Output {
        // One at a time: a page must get its frames before its time is up.
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let profile = tempfile::tempdir().unwrap();
        let output = Command::new(&self.0)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--window-size=1280,900",
                "--run-all-compositor-stages-before-draw",
            ])
            .args(options)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg(address)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        output
    }
}
