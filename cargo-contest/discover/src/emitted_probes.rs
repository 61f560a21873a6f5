//! Replacements of the engine's probes in tests that do not link the engine.

use super::stand_in::{UNSENT, UNSHARED};

/// The replacement of the probe with this name.
pub(crate) fn emitted(name: &str) -> Option<&'static str> {
    match name {
        UNSHARED => Some(EMITTED_UNSHARED),
        UNSENT => Some(EMITTED_UNSENT),
        _ => None,
    }
}

/// [`UNSHARED`] there.
const EMITTED_UNSHARED: &str = "\
/// `Send` and not `Sync`. Once the type under test requires `T: Sync`, as it should, this test no longer compiles and
/// can be removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Unshared(std::cell::Cell<u32>);

impl Unshared {
    fn new() -> Self {
        Self::default()
    }
}

impl std::hash::Hash for Unshared {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.get().hash(state);
    }
}
";

/// [`UNSENT`] there.
const EMITTED_UNSENT: &str = "\
/// `Sync` and not `Send`. Once the type under test requires `T: Send`, as it should, this test no longer compiles and
/// can be removed.
struct Unsent(std::thread::ThreadId, std::marker::PhantomData<std::sync::MutexGuard<'static, ()>>);

impl Unsent {
    fn new() -> Self {
        Self(std::thread::current().id(), std::marker::PhantomData)
    }
}

impl Drop for Unsent {
    fn drop(&mut self) {
        let here = std::thread::current().id() == self.0;
        assert!(here || std::thread::panicking(), \"dropped on another thread than it was made on\");
    }
}

impl Default for Unsent {
    fn default() -> Self {
        Self::new()
    }
}

impl Clone for Unsent {
    fn clone(&self) -> Self {
        Self::new()
    }
}

impl PartialEq for Unsent {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Unsent {}

impl PartialOrd for Unsent {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Unsent {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

impl std::hash::Hash for Unsent {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

impl std::fmt::Debug for Unsent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(\"Unsent\")
    }
}
";
