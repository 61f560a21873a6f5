//! A scenario as a process of its own.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use contest_data::protocol::BLACK_BOX_VARIABLE;
use contest_data::protocol::black_box::{BlackBox, BlackBoxContents, Death};

pub(crate) const SCENARIO_VARIABLE: &str = "WALL_SCENARIO";

/// A scenario to start.
pub(crate) struct Child {
    command: Command,
    input: String,
    black_box: PathBuf,
}

/// What became of it.
#[derive(Debug)]
pub(crate) struct Ended {
    pub lines: Vec<String>,
    pub stderr: String,
    pub status: Option<i32>,
    pub signal: Option<i32>,
    pub black_box: BlackBoxContents,
}

impl Child {
    pub(crate) fn of(scenario: &str) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let black_box = std::env::temp_dir().join(format!(
            "contest-wall-{}-{}",
            std::process::id(),
            NUMBER.fetch_add(1, Ordering::Relaxed)
        ));
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            // Backtraces shorten paths below the working directory, and a driver is never started in the sources of the
            // engine.
            .current_dir(std::env::temp_dir())
            .env(SCENARIO_VARIABLE, scenario)
            .env(BLACK_BOX_VARIABLE, &black_box)
            .env_remove("CONTEST_SHOW_OUTPUT")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Self {
            command,
            input: String::new(),
            black_box,
        }
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn input(mut self, text: &str) -> Self {
        text.clone_into(&mut self.input);
        self
    }

    pub(crate) fn run(self) -> Ended {
        self.run_and(|_, _| ())
    }

    /// Runs it; it must end by itself, content.
    pub(crate) fn run_ok(self) {
        let ended = self.run();
        assert_eq!(ended.lines, ["ok"], "{ended:?}");
        assert_eq!(ended.status, Some(0), "{ended:?}");
    }

    /// Sends a signal as soon as an execution is under way.
    pub(crate) fn run_until_in_execution_then(self, signal: i32) -> Ended {
        self.run_and(|pid, black_box| {
            let begin = Instant::now();
            while !BlackBox::read(black_box).is_ok_and(|contents| contents.in_execution) {
                assert!(
                    begin.elapsed() < Duration::from_secs(60),
                    "no execution began"
                );
                std::thread::sleep(Duration::from_millis(5));
            }
            // SAFETY: a signal to the child, which has not been waited for.
            assert_eq!(unsafe { libc::kill(pid, signal) }, 0);
        })
    }

    fn run_and(mut self, meanwhile: impl FnOnce(i32, &std::path::Path)) -> Ended {
        let mut child = self.command.spawn().unwrap();
        // A child that does not read is as good as one that does.
        let _ = child.stdin.take().unwrap().write_all(self.input.as_bytes());
        meanwhile(child.id() as i32, &self.black_box);
        let output = child.wait_with_output().unwrap();
        let black_box = BlackBox::read(&self.black_box);
        std::fs::remove_file(&self.black_box).unwrap();
        Ended {
            lines: String::from_utf8(output.stdout)
                .unwrap()
                .lines()
                .map(str::to_owned)
                .collect(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            status: output.status.code(),
            signal: output.status.signal(),
            black_box: black_box.unwrap(),
        }
    }
}

impl Ended {
    pub(crate) fn death(&self) -> &Death {
        self.black_box
            .death
            .as_ref()
            .unwrap_or_else(|| panic!("no death recorded: {self:?}"))
    }
}
