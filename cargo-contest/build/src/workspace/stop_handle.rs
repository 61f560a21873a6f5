//! Ends a command from another thread.

use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

/// Ends the commands that run with it, with all their descendants, and any that is to begin. Clones end the same.
#[derive(Clone, Debug, Default)]
pub struct StopHandle(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    stopped: bool,
    /// The command that runs, the head of a process group. It has not been waited for.
    running: Option<u32>,
}

impl StopHandle {
    /// Ends what runs, and lets nothing begin any more.
    pub fn stop(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.stopped = true;
        if let Some(id) = state.running {
            kill_group(id);
        }
    }

    /// True if nothing may begin any more.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .stopped
    }

    /// Makes the command one that [`begun`](Self::begun) can be told of.
    pub(super) fn prepare(&self, command: &mut Command) {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        #[cfg(not(unix))]
        let _ = command;
    }

    /// The command has this process id.
    pub(super) fn begun(&self, id: u32) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.running = Some(id);
        if state.stopped {
            kill_group(id);
        }
    }

    /// It is about to be waited for, after which its id may be another process's.
    pub(super) fn ends(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.running = None;
    }
}

fn kill_group(id: u32) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(id)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    {
        // It may just have ended, which is not an error.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = id;
}
