//! How long a process has been silent, without the time in which it had no core to run on.

use std::path::Path;
use std::time::{Duration, Instant};

/// However long it had to wait: after so many times the patience with it, it is hung.
const MOST: u32 = 10;

/// Since a process last showed progress.
#[derive(Clone, Copy, Debug)]
pub(super) struct Silence {
    since: Instant,
    /// What its threads had waited for a core until then.
    waited: Duration,
}

impl Silence {
    /// From now on.
    pub(super) fn begin(process: u32) -> Self {
        Self {
            since: Instant::now(),
            waited: waited(process),
        }
    }

    /// True if the process could have shown progress for so long, and has not.
    pub(super) fn is_longer_than(&self, patience: Duration, process: u32) -> bool {
        let elapsed = self.since.elapsed();
        elapsed >= patience && {
            let waited = waited(process).saturating_sub(self.waited);
            is_hung(elapsed, waited, patience)
        }
    }

    /// With the time in which it could not run.
    pub(super) fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }
}

fn is_hung(elapsed: Duration, waited: Duration, patience: Duration) -> bool {
    elapsed.saturating_sub(waited) >= patience || elapsed >= patience * MOST
}

/// What the threads of a process have waited for a core; nothing where the system does not say.
fn waited(process: u32) -> Duration {
    let tasks = Path::new("/proc").join(process.to_string()).join("task");
    let tasks = std::fs::read_dir(tasks).into_iter().flatten().flatten();
    let texts =
        tasks.filter_map(|task| std::fs::read_to_string(task.path().join("schedstat")).ok());
    texts.filter_map(|text| in_line(&text)).sum()
}

/// Of "time on a core, time waited for one, number of slices", in nanoseconds.
fn in_line(text: &str) -> Option<Duration> {
    let waited = text.split_whitespace().nth(1)?;
    waited.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_without_a_core_does_not_count() {
        let seconds = Duration::from_secs;
        assert!(is_hung(seconds(6), seconds(0), seconds(6)));
        assert!(!is_hung(seconds(8), seconds(5), seconds(6)));
        assert!(is_hung(seconds(12), seconds(5), seconds(6)));
        // Two threads may wait at once, and for ever.
        assert!(is_hung(seconds(60), seconds(120), seconds(6)));
    }

    #[test]
    fn what_the_system_says_is_read() {
        assert_eq!(in_line("17 2000000000 3\n"), Some(Duration::from_secs(2)));
        assert_eq!(in_line(""), None);
        assert_eq!(waited(u32::MAX), Duration::ZERO);
    }

    /// On one core with others, a thread that computes waits for it.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_that_computes_beside_many_waits_for_a_core() {
        let before = waited(std::process::id());
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let end = Instant::now() + Duration::from_millis(200);
        std::thread::scope(|scope| {
            for _ in 0..4 * cores {
                scope.spawn(|| while Instant::now() < end {});
            }
            std::thread::sleep(Duration::from_millis(150));
            let while_they_run = waited(std::process::id());
            assert!(while_they_run > before + Duration::from_millis(20));
        });
    }
}
