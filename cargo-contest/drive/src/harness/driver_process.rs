//! A running driver: one request and what other drivers found in, replies out.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use contest_data::protocol::black_box::{BlackBox, BlackBoxContents};
use contest_data::protocol::{BLACK_BOX_VARIABLE, Notice, Reply, Request};
use tempfile::TempDir;
use tracing::{Span, debug, info_span, trace};

use self::silence::Silence;
use super::driver_exit::{Death, DriverExit, log_exit, own_panic};
use contest_build::workspace::child_process::{BoundedTail, ProcessGroup, each_piece, keep_tail};
use contest_build::workspace::logged_command::log_start;

mod silence;

/// Interval at which a silent driver's black box is checked.
const LOOK: Duration = Duration::from_millis(250);
/// Time that a hung driver gets to write its stack to the black box.
const LAST_WORDS: Duration = Duration::from_secs(6);
/// Time between the end of the replies and the end of the process, before it counts as hung.
const FAREWELL: Duration = Duration::from_secs(5);
/// Bytes of the driver's standard error that are kept.
const STDERR_KEPT: usize = 64 * 1024;

/// When a driver counts as hung.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watchdog {
    /// Time without a reply and without a change of the black box, but not that in which it had no core; default 10 s.
    pub silence: Duration,
}

impl Default for Watchdog {
    fn default() -> Self {
        Self {
            silence: Duration::from_secs(10),
        }
    }
}

/// Where a driver runs.
#[derive(Clone, Copy, Debug)]
pub struct ProcessPlace<'a> {
    /// Where its black box is.
    pub scratch: &'a Path,
    /// Its working directory; an empty one of its own if there is none.
    pub directory: Option<&'a Path>,
    /// Environment variables beside those of the tool.
    pub variables: &'a [(String, std::ffi::OsString)],
}

impl<'a> ProcessPlace<'a> {
    /// In a directory of its own, where files that it writes do no harm, and meet none of another process.
    #[must_use]
    pub fn scratch(scratch: &'a Path) -> Self {
        Self {
            scratch,
            directory: None,
            variables: &[],
        }
    }
}

/// What happens next.
#[derive(Debug)]
pub enum DriverEvent {
    /// A reply of the driver.
    Reply(Box<Reply>),
    /// Nothing happened within the time given.
    Quiet,
    /// It has ended; no event follows.
    Ended(DriverExit),
}

/// A running driver. Ends with everything it started when dropped.
#[derive(Debug)]
pub struct DriverProcess {
    group: ProcessGroup,
    /// Its number.
    process: u32,
    /// Lines that it is to read.
    input: Option<Sender<String>>,
    lines: Receiver<String>,
    stderr: BoundedTail,
    stderr_reader: Option<JoinHandle<()>>,
    black_box: PathBuf,
    watchdog: Watchdog,
    /// Progress in the black box when last checked, and since when it and the replies have not changed.
    last_seen: (u64, u32),
    silence: Silence,
    /// The last reply has come.
    answered: bool,
    ended: Option<DriverExit>,
    /// Its span in the log.
    span: Span,
    /// Its working directory, if that is its own. Removed after the process has ended.
    _files: Option<TempDir>,
}

/// Where a driver runs, and with which variables: not those of the tool.
pub(super) fn set_environment(command: &mut Command, place: &ProcessPlace<'_>) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CONTEST_") || text.starts_with("RUST_") {
            command.env_remove(&name);
        }
    }
    command
        .current_dir(place.directory.unwrap_or(place.scratch))
        .envs(place.variables.iter().map(|(name, value)| (name, value)));
}

impl DriverProcess {
    /// Starts `executable`.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(crate) fn start(
        executable: &Path,
        place: &ProcessPlace<'_>,
        request: &Request,
        watchdog: Watchdog,
    ) -> io::Result<Self> {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        // The size of the environment moves the stack, so the path always has the same length.
        let black_box = place.scratch.join(format!("black-box-{number:06}"));
        BlackBox::create(&black_box)?;
        // Of one length, as the path of the black box.
        let prefix = format!("files-{number:06}");
        let mut files = tempfile::Builder::new();
        let files = files.prefix(&prefix).rand_bytes(0);
        let files = match place.directory {
            Some(_) => None,
            None => Some(files.tempdir_in(place.scratch)?),
        };
        let mut command = Command::new(executable);
        set_environment(&mut command, place);
        if let Some(files) = &files {
            command.current_dir(files);
        }
        command.env(BLACK_BOX_VARIABLE, &black_box);
        let span = info_span!("driver process", number);
        let in_span = span.clone();
        let _entered = in_span.enter();
        log_start(&command);
        let mut group = ProcessGroup::spawn(&mut command)?;
        let child = group.child();
        let process = child.id();
        debug!(pid = process, silence = ?watchdog.silence, "started");
        let stderr = BoundedTail::new(STDERR_KEPT);
        let stderr_reader = child.stderr.take().map(|it| keep_tail(it, stderr.clone()));
        let (sender, lines) = mpsc::channel();
        if let Some(stdout) = child.stdout.take() {
            each_piece(stdout, b"\n", move |line| {
                let _ = sender.send(line);
            });
        }
        let input = child.stdin.take().map(write_lines);
        if let Some(input) = &input {
            let request = contest_wire::write_request(request);
            trace!(request, "request");
            let _ = input.send(request);
        }
        Ok(Self {
            group,
            process,
            input,
            lines,
            stderr,
            stderr_reader,
            black_box,
            watchdog,
            last_seen: (0, 0),
            silence: Silence::begin(process),
            answered: false,
            ended: None,
            span,
            _files: files,
        })
    }

    /// Where its black box is as long as it runs.
    #[must_use]
    pub fn black_box(&self) -> &Path {
        &self.black_box
    }

    /// Sends it a notice of its campaign.
    pub fn send(&self, notice: &Notice) {
        let line = contest_wire::write_notice(notice);
        trace!(parent: &self.span, line, "notice");
        if let Some(input) = &self.input {
            let _ = input.send(line);
        }
    }

    /// Waits at most `wait` for the next event.
    ///
    /// # Errors
    /// If the exit status cannot be determined.
    pub fn next_event(&mut self, wait: Duration) -> io::Result<DriverEvent> {
        if let Some(exit) = &self.ended {
            return Ok(DriverEvent::Ended(exit.clone()));
        }
        let deadline = Instant::now() + wait;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(LOOK)) {
                Ok(line) if line.trim().is_empty() => {}
                Ok(line) => return self.take_line(&line),
                Err(RecvTimeoutError::Timeout) => {
                    if self.is_hung() {
                        return self.give_up();
                    }
                    if Instant::now() >= deadline {
                        return Ok(DriverEvent::Quiet);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return self.wait_for_end(),
            }
        }
    }

    /// Kills the process.
    ///
    /// # Errors
    /// If the exit status cannot be determined.
    pub fn stop(&mut self) -> io::Result<()> {
        self.group.kill()?;
        if self.ended.is_none() {
            self.end(DriverExit::Stopped);
        }
        Ok(())
    }

    fn take_line(&mut self, line: &str) -> io::Result<DriverEvent> {
        self.silence = Silence::begin(self.process);
        trace!(parent: &self.span, line, "reply");
        match contest_wire::read_reply(line) {
            Ok(reply) => {
                self.answered |= is_last(&reply);
                Ok(DriverEvent::Reply(Box::new(reply)))
            }
            Err(_) => {
                self.group.kill()?;
                let stderr = self.collect_stderr();
                let line = line.to_owned();
                Ok(self.end(DriverExit::Garbled { line, stderr }))
            }
        }
    }

    fn is_hung(&mut self) -> bool {
        let contents = self.read_black_box();
        let now_seen = contents.map_or((0, 0), |it| (it.heartbeat, it.decisions_made));
        if now_seen != self.last_seen {
            self.last_seen = now_seen;
            self.silence = Silence::begin(self.process);
        }
        let patience = if self.answered {
            FAREWELL
        } else {
            self.watchdog.silence
        };
        self.silence.is_longer_than(patience, self.process)
    }

    fn give_up(&mut self) -> io::Result<DriverEvent> {
        if self.answered {
            self.group.kill()?;
            return Ok(self.end(DriverExit::Done));
        }
        debug!(
            parent: &self.span,
            seen = ?self.last_seen,
            "no change of the black box for {:?}: requesting its stack",
            self.silence.elapsed()
        );
        self.group.alarm();
        let since = Instant::now();
        while self.group.try_wait()?.is_none() && since.elapsed() < LAST_WORDS {
            thread::sleep(Duration::from_millis(5));
        }
        self.group.kill()?;
        let stderr = self.collect_stderr();
        let black_box = self.read_black_box();
        Ok(self.end(DriverExit::Hung { black_box, stderr }))
    }

    /// The replies have ended: so has the process, or it will, or it has closed its output.
    fn wait_for_end(&mut self) -> io::Result<DriverEvent> {
        let since = Instant::now();
        let status = loop {
            if let Some(status) = self.group.try_wait()? {
                break status;
            }
            if since.elapsed() >= FAREWELL {
                return self.give_up();
            }
            thread::sleep(Duration::from_millis(1));
        };
        debug!(parent: &self.span, "driver ended: {status}");
        let stderr = self.collect_stderr();
        if self.answered {
            return Ok(self.end(DriverExit::Done));
        }
        let black_box = self.read_black_box();
        if let Some((panic, black_box)) = own_panic(black_box.as_deref()) {
            return Ok(self.end(DriverExit::Panicked {
                panic,
                black_box,
                stderr,
            }));
        }
        let death = Death::of(status, black_box.as_deref(), &stderr);
        Ok(self.end(DriverExit::Died {
            death,
            black_box,
            stderr,
        }))
    }

    /// The process has ended, and with it all holders of the pipe.
    fn collect_stderr(&mut self) -> String {
        if let Some(reader) = self.stderr_reader.take() {
            let _ = reader.join();
        }
        self.stderr.text()
    }

    fn read_black_box(&self) -> Option<Box<BlackBoxContents>> {
        BlackBox::read(&self.black_box).ok().map(Box::new)
    }

    fn end(&mut self, exit: DriverExit) -> DriverEvent {
        log_exit(&self.span, &exit);
        let _ = fs::remove_file(&self.black_box);
        self.ended = Some(exit.clone());
        DriverEvent::Ended(exit)
    }
}

/// Writes lines in a thread of its own, which ends with the sender: a driver may be slow to read. If it dies, its exit
/// status is reported, not the error of this pipe.
fn write_lines(mut stdin: ChildStdin) -> Sender<String> {
    let (sender, lines) = mpsc::channel::<String>();
    thread::spawn(move || {
        for line in lines {
            if writeln!(stdin, "{line}").is_err() {
                break;
            }
        }
    });
    sender
}

/// True for the reply that ends the answer to a request.
fn is_last(reply: &Reply) -> bool {
    match reply {
        Reply::Done(_)
        | Reply::OwnTestsDone { .. }
        | Reply::Scenario(_)
        | Reply::Replayed(_)
        | Reply::Probed { .. }
        | Reply::Refused(_) => true,
        Reply::Hello { .. }
        | Reply::Progress(_)
        | Reply::CampaignFinding { .. }
        | Reply::Finding(_)
        | Reply::Alone(_)
        | Reply::GeneratorPanicked { .. }
        | Reply::OwnTests(_)
        | Reply::OwnTest(_)
        | Reply::Token(_) => false,
    }
}

#[cfg(all(test, unix))]
mod tests;
