//! Whether an execution showed the order of a requirement, by its record alone: what [`Force`](super::force::Force)
//! made of the threads on the way does not count.

use super::requirements::{Requirement, Step};
use super::unit::{UnitAccess, lanes};
use crate::coverage::Role;
use contest_data::atomic_sets::AtomicSets;
use contest_data::trace::ExecutionRecord;

/// True if the accesses of the requirement happened in its order, and are those that were predicted: at the same places
/// in the source, in the same roles, on as many locations.
pub(super) fn shows(record: &ExecutionRecord, requirement: &Requirement) -> bool {
    let lanes = lanes(record, &AtomicSets::default());
    let found = |step: &Step| -> Option<UnitAccess> {
        let lane = lanes.iter().find(|lane| lane.thread == step.thread)?;
        let unit = lane.units.get(usize::from(step.call))?;
        let access = unit.accesses.get(step.place as usize)?;
        let has_role = match step.role {
            Role::Read => access.reads,
            Role::Write => access.writes,
        };
        (has_role && access.site == step.site).then(|| access.clone())
    };
    let steps = &requirement.steps;
    let Some(accesses) = steps.iter().map(found).collect::<Option<Vec<_>>>() else {
        return false;
    };
    let in_order = accesses.windows(2).all(|two| two[0].event < two[1].event);
    let alike = |(one, two): (usize, usize)| {
        let predicted = steps[one].variable == steps[two].variable;
        predicted == (accesses[one].variable == accesses[two].variable)
    };
    let mut pairs = (0..steps.len()).flat_map(|one| (0..one).map(move |two| (one, two)));
    in_order && pairs.all(alike)
}
