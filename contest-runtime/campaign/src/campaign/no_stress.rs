//! Strategy `stress` where there is no driver process that could be copied: a user's own `cargo test`.

use super::check_test::Checker;
use super::pool::Paused;
use super::subject_run::SubjectRun;
use contest_data::totals::Progress;

/// Tests can be run on threads of the system.
pub(super) const IS_POSSIBLE: bool = false;

impl Checker<'_, '_, '_> {
    /// Runs nothing: a campaign with this strategy does not begin.
    pub(super) fn stress(
        &mut self,
        _: &mut SubjectRun,
        _: &mut Paused,
        _: &mut dyn FnMut() -> Progress,
    ) -> (bool, String) {
        (false, "not run on real threads".to_owned())
    }
}
