//! What an exploration explores, and how.

use super::prepared_test::PreparedTest;
use crate::judge::Suspicion;
use contest_data::finding::Allowed;
use contest_search::explore::Explorer;

/// What is explored and how: the same whenever an exploration goes on.
#[derive(Clone, Copy)]
pub(super) struct Explored<'p> {
    pub prepared: &'p PreparedTest,
    /// Begins the exploration anew.
    pub make: &'p dyn Fn() -> Explorer,
    /// Races that are allowed; `None` if all are. What an execution with another one does is undefined: where accesses
    /// of contended memory are ordered at will, it is not judged by its results.
    pub allowed: Option<&'p [Allowed]>,
}

impl Explored<'_> {
    pub(super) fn allows(&self, suspicion: &Suspicion) -> bool {
        self.allowed.is_none_or(|allowed| {
            let mut allowed = allowed.iter();
            allowed.any(|allowed| allowed.covers(suspicion.kind, &suspicion.locations))
        })
    }
}
