//! gdb with the scripts: at the terminal, or with a socket over which it answers in lines of JSON.

use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::debugged::Debugged;
use contest_build::workspace::child_process::{BoundedTail, ProcessGroup, keep_tail};
use contest_drive::campaign::Interrupt;

/// What gdb loads, and what that imports.
const SCRIPTS: [(&str, &str); 9] = [
    ("contest.py", include_str!("gdb_scripts/contest.py")),
    ("commands.py", include_str!("gdb_scripts/commands.py")),
    ("frames.py", include_str!("gdb_scripts/frames.py")),
    ("guard.py", include_str!("gdb_scripts/guard.py")),
    ("running.py", include_str!("gdb_scripts/running.py")),
    ("server.py", include_str!("gdb_scripts/server.py")),
    ("setup.py", include_str!("gdb_scripts/setup.py")),
    ("values.py", include_str!("gdb_scripts/values.py")),
    (
        "virtual_threads.py",
        include_str!("gdb_scripts/virtual_threads.py"),
    ),
];
/// What the script reads.
const SETUP_VARIABLE: &str = "CONTEST_DEBUG_SETUP";
/// Parts of paths of code that is not the user's: std, the runtime, the generated driver.
const OURS: [&str; 4] = [
    "/rustc/",
    "/lib/rustlib/src/",
    "/contest-runtime/",
    "contest-driver.rs",
];
/// Time in which gdb has to answer for the first time.
const TO_START: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(20);
const STDERR_KEPT: usize = 16 << 10;

/// gdb as a child that answers requests.
#[derive(Debug)]
pub(super) struct Gdb {
    /// Ends with this, and with it what it debugs.
    _process: ProcessGroup,
    stream: UnixStream,
    said: BoundedTail,
    _directory: TempDir,
}

impl Gdb {
    /// Starts it.
    ///
    /// # Errors
    /// If it is not there, is not what is needed, or an interrupt comes.
    pub(super) fn start(
        program: &Path,
        debugged: &Debugged,
        interrupt: &Interrupt,
    ) -> Result<Self, String> {
        let io = |error: io::Error| format!("cannot start {}: {error}", program.display());
        let directory = tempfile::tempdir().map_err(io)?;
        let socket = directory.path().join("gdb");
        let listener = UnixListener::bind(&socket).map_err(io)?;
        listener.set_nonblocking(true).map_err(io)?;
        let mut command =
            command(program, debugged, directory.path(), Some(&socket)).map_err(io)?;
        command.arg("-batch");
        let mut process =
            ProcessGroup::spawn(&mut command).map_err(|error| not_there(program, &error))?;
        let said = BoundedTail::new(STDERR_KEPT);
        let child = process.child();
        if let Some(stderr) = child.stderr.take() {
            keep_tail(stderr, said.clone());
        }
        if let Some(stdout) = child.stdout.take() {
            keep_tail(stdout, said.clone());
        }
        let begun = Instant::now();
        let stream = loop {
            match listener.accept() {
                Ok((stream, _)) => break stream,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(io(error)),
            }
            let ended = process.try_wait().map_err(io)?.is_some();
            if ended || interrupt.is_set() || begun.elapsed() > TO_START {
                let _ = process.kill();
                thread::sleep(LOOK);
                return Err(format!(
                    "{} does not answer; it has to be gdb, built with Python (tried with 13.1)\n{}",
                    program.display(),
                    said.text().trim_end()
                ));
            }
            thread::sleep(LOOK);
        };
        stream.set_nonblocking(false).map_err(io)?;
        Ok(Self {
            _process: process,
            stream,
            said,
            _directory: directory,
        })
    }

    /// Has what it answers sent on line by line, and then that it has ended.
    pub(super) fn send_answers(&self, answers: Sender<Option<String>>) -> io::Result<()> {
        let lines = BufReader::new(self.stream.try_clone()?).lines();
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if answers.send(Some(line)).is_err() {
                    return;
                }
            }
            let _ = answers.send(None);
        });
        Ok(())
    }

    /// Has it answer a request.
    pub(super) fn ask(&mut self, request: &Value) -> io::Result<()> {
        self.stream.write_all(format!("{request}\n").as_bytes())
    }

    /// The last of what it printed.
    pub(super) fn said(&self) -> String {
        self.said.text()
    }
}

/// gdb at the terminal, until the user ends it.
///
/// # Errors
/// If it cannot be started.
pub fn at_the_terminal(program: &Path, debugged: &Debugged) -> Result<(), String> {
    let io = |error: io::Error| format!("cannot start {}: {error}", program.display());
    let directory = tempfile::tempdir().map_err(io)?;
    let mut command = command(program, debugged, directory.path(), None).map_err(io)?;
    let status = command.status();
    status.map_err(|error| not_there(program, &error))?;
    Ok(())
}

fn not_there(program: &Path, error: &io::Error) -> String {
    format!(
        "cannot start {}: {error}; install gdb (Debian, Ubuntu: `apt install gdb`), or name one with --gdb",
        program.display()
    )
}

fn command(
    program: &Path,
    debugged: &Debugged,
    directory: &Path,
    socket: Option<&PathBuf>,
) -> io::Result<Command> {
    for (name, text) in SCRIPTS {
        std::fs::write(directory.join(name), text)?;
    }
    let driver = &debugged.driver;
    let mut setup = json!({
        "request": driver.request,
        "replies": driver.replies,
        "ours": OURS,
        "base": std::env::current_dir().unwrap_or_default(),
    });
    if let Some(socket) = socket {
        setup["socket"] = json!(socket);
    }
    // A path is one from here, not from where the driver runs.
    let program = match program.components().count() {
        1 => program.to_owned(),
        _ => std::path::absolute(program)?,
    };
    let mut command = Command::new(program);
    driver.set_environment(&mut command);
    command.env(SETUP_VARIABLE, setup.to_string());
    if socket.is_some() {
        command.arg("-nx");
    }
    command.arg("-quiet");
    if let Some(sysroot) = &debugged.sysroot {
        // As the compiler's own `rust-gdb` does.
        let printers = sysroot.join("lib/rustlib/etc");
        let mut paths = vec![printers.clone()];
        paths.extend(
            std::env::var_os("PYTHONPATH")
                .iter()
                .flat_map(std::env::split_paths),
        );
        if let Ok(paths) = std::env::join_paths(paths) {
            command.env("PYTHONPATH", paths);
        }
        command
            .arg("-iex")
            .arg(format!("add-auto-load-safe-path {}", printers.display()))
            .arg("-directory")
            .arg(&printers);
    }
    command
        .arg("-x")
        .arg(directory.join(SCRIPTS[0].0))
        .arg(&driver.executable);
    Ok(command)
}
