//! Executions of several processes of one executable, one at a time where they meet outside: tests that would use one
//! path or one port are explored by processes side by side.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::Turn;

/// A process waits no longer: another one has stopped in its execution.
const PATIENCE: Duration = Duration::from_secs(4);
/// How often it asks.
const PAUSE: Duration = Duration::from_micros(200);

/// The lock of the executable, which all of its processes have.
#[derive(Debug)]
pub(super) struct Turns {
    executable: Option<File>,
    pub(super) turn: Turn,
    holds: bool,
}

impl Turns {
    /// Opens a descriptor that stays open.
    pub(super) fn new() -> Self {
        Self {
            executable: File::open("/proc/self/exe").ok(),
            turn: Turn::Any,
            holds: false,
        }
    }

    /// Waits for its turn, before an execution.
    #[inline]
    pub(super) fn begin(&mut self) {
        if self.turn != Turn::Any {
            self.wait();
        }
    }

    #[cold]
    fn wait(&mut self) {
        let Some(executable) = &self.executable else {
            return;
        };
        let how = match self.turn {
            Turn::Alone => libc::LOCK_EX,
            Turn::Any | Turn::Unknown => libc::LOCK_SH,
        };
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            // SAFETY: a descriptor of our own.
            if unsafe { libc::flock(executable.as_raw_fd(), how | libc::LOCK_NB) } == 0 {
                self.holds = true;
                return;
            }
            sleep(PAUSE);
        }
    }

    /// Lets others have theirs, after it.
    #[inline]
    pub(super) fn end(&mut self) {
        if std::mem::take(&mut self.holds)
            && let Some(executable) = &self.executable
        {
            // SAFETY: a descriptor of our own.
            unsafe { libc::flock(executable.as_raw_fd(), libc::LOCK_UN) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_alone_and_others_wait() {
        let (mut one, mut other) = (Turns::new(), Turns::new());
        one.turn = Turn::Alone;
        one.begin();
        assert!(one.holds);
        other.turn = Turn::Unknown;
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| {
                other.begin();
                other.holds
            });
            sleep(Duration::from_millis(20));
            one.end();
            assert!(waits.join().unwrap());
        });
        one.turn = Turn::Unknown;
        one.begin();
        assert!(
            one.holds,
            "both are of those that do not disturb each other"
        );
    }
}
