//! How a driver ended.

use std::process::ExitStatus;

use contest_data::protocol::black_box::{BlackBoxContents, DeathKind};
use tracing::{Span, debug, warn};

/// How a driver ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DriverExit {
    /// It has answered its request to the end.
    Done,
    /// It ended before, by itself.
    Died {
        /// How.
        death: Death,
        /// What it was doing; `None` if it died before it wrote that.
        black_box: Option<Box<BlackBoxContents>>,
        /// End of its standard error.
        stderr: String,
    },
    /// It panicked in code of its own: a bug of the tool.
    Panicked {
        /// Message and location.
        panic: String,
        /// What it was doing.
        black_box: Box<BlackBoxContents>,
        /// End of its standard error.
        stderr: String,
    },
    /// It was silent for too long and was killed.
    Hung {
        /// What it was doing; its stack is in the details of the death there.
        black_box: Option<Box<BlackBoxContents>>,
        /// End of its standard error.
        stderr: String,
    },
    /// It wrote a line that is not a reply, and was killed: a bug of the tool.
    Garbled {
        /// The line.
        line: String,
        /// End of its standard error.
        stderr: String,
    },
    /// The caller stopped it.
    Stopped,
}

/// How a process died by itself, by its exit status and output. The black box has more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Death {
    /// It returned from `main` or called `process::exit`.
    Exited(i32),
    /// Its stack overflowed.
    StackOverflow,
    /// Memory ran out; the text is the allocator's.
    OutOfMemory(String),
    /// A signal: number and name.
    Signal(i32, String),
}

impl std::fmt::Display for Death {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exit with status {code}"),
            Self::StackOverflow => f.write_str("stack overflow"),
            Self::OutOfMemory(text) => write!(f, "out of memory: {text}"),
            Self::Signal(_, name) => f.write_str(name),
        }
    }
}

impl Death {
    pub(super) fn of(
        status: ExitStatus,
        black_box: Option<&BlackBoxContents>,
        stderr: &str,
    ) -> Self {
        let said = black_box.and_then(|it| it.death.as_ref());
        let kind = said.map(|it| it.kind);
        if kind == Some(DeathKind::StackOverflow) || stderr.contains("has overflowed its stack") {
            return Self::StackOverflow;
        }
        let out_of_memory = |line: &&str| line.starts_with("memory allocation of ");
        let line = stderr.lines().find(out_of_memory);
        if kind == Some(DeathKind::MemoryLimit) || line.is_some() {
            return Self::OutOfMemory(line.unwrap_or("the limit of one execution").to_owned());
        }
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return Self::Signal(signal, signal_name(signal));
        }
        Self::Exited(status.code().unwrap_or(-1))
    }
}

/// Name and usual meaning of a signal.
#[cfg(unix)]
fn signal_name(number: i32) -> String {
    use rustix::process::Signal;
    let names = [
        (Signal::ABORT, "SIGABRT (abort)"),
        (Signal::SEGV, "SIGSEGV (invalid memory access)"),
        (Signal::BUS, "SIGBUS (invalid memory access)"),
        (Signal::ILL, "SIGILL (illegal instruction)"),
        (Signal::TRAP, "SIGTRAP (trap)"),
        (Signal::FPE, "SIGFPE (arithmetic)"),
        (
            Signal::KILL,
            "SIGKILL (killed from outside, perhaps out of memory)",
        ),
        (Signal::TERM, "SIGTERM (terminated from outside)"),
        (Signal::INT, "SIGINT (interrupted)"),
        (Signal::PIPE, "SIGPIPE (closed pipe)"),
        (Signal::SYS, "SIGSYS (bad system call)"),
    ];
    let known = names.iter().find(|(signal, _)| signal.as_raw() == number);
    known.map_or_else(
        || format!("signal {number}"),
        |(_, name)| (*name).to_owned(),
    )
}

/// The panic that the driver says was one of its own.
pub(super) fn own_panic(
    black_box: Option<&BlackBoxContents>,
) -> Option<(String, Box<BlackBoxContents>)> {
    let contents = black_box?;
    let death = contents.death.as_ref()?;
    let is_own = death.kind == DeathKind::OwnPanic;
    is_own.then(|| (death.details.clone(), Box::new(contents.clone())))
}

/// Writes it to the log.
pub(super) fn log_exit(span: &Span, exit: &DriverExit) {
    match exit {
        DriverExit::Done => debug!(parent: span, "done"),
        DriverExit::Stopped => debug!(parent: span, "stopped"),
        DriverExit::Died { death, stderr, .. } => {
            warn!(parent: span, stderr, "died: {death}");
        }
        DriverExit::Panicked { panic, stderr, .. } => {
            warn!(parent: span, stderr, "panicked in code of its own: {panic}");
        }
        DriverExit::Hung { stderr, .. } => warn!(parent: span, stderr, "hung"),
        DriverExit::Garbled { line, stderr } => {
            warn!(parent: span, line, stderr, "wrote a line that is not a reply");
        }
    }
}
