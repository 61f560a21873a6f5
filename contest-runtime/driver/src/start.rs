//! From the first line of the driver's main to the snapshot that every execution starts from.

use std::fmt;
use std::io;

use super::{crash, process, symbols, warm_up};
use contest_data::protocol::BLACK_BOX_VARIABLE;
use contest_engine::execution::{active, panics};
use contest_engine::memory::SnapshotError;
use contest_engine::memory::{ProcessIsolation, arena};
use contest_engine::{black_box, fault_point};

/// A driver process that is ready to run executions.
#[derive(Debug)]
pub struct Started {
    /// Isolates executions from each other.
    pub isolation: ProcessIsolation,
    /// What is not available in this process and what that means, as text for the user.
    pub notes: Vec<String>,
}

/// Why a driver process cannot work.
#[derive(Debug)]
pub enum StartError {
    /// The kernel refused something.
    Io {
        /// What was tried.
        what: &'static str,
        /// The kernel's answer.
        source: io::Error,
    },
    /// No address range for the arena.
    NoArena,
    /// Static data cannot be put back.
    Snapshot(SnapshotError),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { what, source } => write!(f, "cannot {what}: {source}"),
            Self::NoArena => f.write_str(
                "cannot reserve address space for the code under test; raise the limit of virtual memory (`ulimit -v`)",
            ),
            Self::Snapshot(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StartError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::NoArena => None,
            Self::Snapshot(error) => Some(error),
        }
    }
}

/// Takes the process over: black box, crash handlers, arena, limits, and last the snapshot. `prepare` is called just
/// before the snapshot, for what is set once and stays.
///
/// # Errors
/// If the process cannot be made ready.
pub fn start(prepare: impl FnOnce()) -> Result<Started, StartError> {
    let io = |what| move |source| StartError::Io { what, source };
    let mut notes = Vec::new();
    symbols::find_functions();
    // A backtrace for every panic of code under test would cost milliseconds and map the executable again in every
    // execution.
    for name in ["RUST_BACKTRACE", "RUST_LIB_BACKTRACE"] {
        // SAFETY: the process has one thread.
        unsafe { std::env::remove_var(name) };
    }
    let memory = process::map_black_box(std::env::var_os(BLACK_BOX_VARIABLE).as_deref())
        .map_err(io("map the black box"))?;
    // SAFETY: a mapping of that size that stays.
    unsafe { black_box::attach(memory) };
    // Processes that code under test starts are no drivers, if they are this executable again.
    for name in [BLACK_BOX_VARIABLE, process::RESTARTED_VARIABLE] {
        // SAFETY: the process has one thread.
        unsafe { std::env::remove_var(name) };
    }
    fault_point::arm();
    crash::install().map_err(io("install signal handlers"))?;
    let region = arena::install().ok_or(StartError::NoArena)?;
    if !region.is_at_fixed_address() {
        notes.push("the arena is not at its usual address, which was taken".into());
    }
    process::limit_resources(region);
    arena::set_limit_hook(|bytes| {
        if let Some(active) = active() {
            active.out_of_memory(bytes);
        }
    });
    // The engine's hook first: the last one installed is the first to be called.
    panics::install_hook();
    warm_up::install_panic_hook();
    warm_up::warm_up();
    symbols::claim_streams();
    prepare();
    // The panic of the warm-up belongs to no test.
    black_box::execution_begin();
    black_box::execution_end();
    // SAFETY: the warm-up has dropped what it made; the campaign keeps only copies of what an execution made.
    let isolation = unsafe { ProcessIsolation::start() }.map_err(StartError::Snapshot)?;
    Ok(Started { isolation, notes })
}
