//! What the tests below `tests` have in common.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// So many milliseconds.
pub fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Seconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap().as_secs()
}

/// A path that all tests of this process have in common.
pub fn common(name: &str) -> PathBuf {
    let name = format!("reported-tests-{}-{name}", std::process::id());
    std::env::temp_dir().join(name)
}
