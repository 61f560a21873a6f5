//! A headless browser, if this machine has one. Nothing is installed for the tests.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::{env, io::Write as _};

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
            ])
            .args([
                "--virtual-time-budget=3000",
                "--window-size=1280,900",
                "--dump-dom",
            ])
            .arg("--run-all-compositor-stages-before-draw")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg(format!("file://{}{fragment}", page.display()))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        String::from_utf8(output.stdout).unwrap()
    }
}
