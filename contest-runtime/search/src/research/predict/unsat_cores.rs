//! What was infeasible once is not queried again, in this trace or in another (Zhao et al., Algorithm 4).
//!
//! A core is kept under names that mean the same in every execution: the constraints on a variable are named by all its
//! accesses with their values and what follows them, a rule by its steps, a step by its thread, number, place and all
//! that its thread did and read before. The paper's implementation names instructions, which conflates the rounds of a
//! loop.
//!
//! A core rules out a query if its constraints are among those of the trace, its requested orders are implied by the
//! query's, and its target is the query's or comes before it in the same thread: a later target only includes more.

use super::name::Name;
use super::staircase::{CorePart, Goal};
use super::step::StepId;
use super::trace_model::TraceModel;
use crate::coverage::{FastMap, FastSet};

#[derive(Clone, Debug)]
struct Core {
    groups: Vec<Name>,
    orders: Vec<(Name, Name)>,
}

/// Cores by the name of their target.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnsatCores {
    by_target: FastMap<Name, Vec<Core>>,
    count: usize,
}

/// Most cores kept.
const MOST_CORES: usize = 10_000;

impl UnsatCores {
    /// Keeps the core of an impossible order; `groups` are the names of the trace's groups.
    pub(crate) fn keep(
        &mut self,
        model: &TraceModel,
        goal: &Goal,
        parts: &[CorePart],
        groups: &[Name],
    ) {
        if self.count >= MOST_CORES || !matches!(goal, Goal::Order(..)) {
            return;
        }
        let name = |step: StepId| model.step(step).name;
        let mut core = Core {
            groups: Vec::new(),
            orders: Vec::new(),
        };
        for part in parts {
            match *part {
                CorePart::Group(group) => core.groups.push(groups[group as usize]),
                CorePart::Order(a, b) => core.orders.push((name(a), name(b))),
                CorePart::Target => {}
            }
        }
        self.count += 1;
        self.by_target
            .entry(name(goal.target()))
            .or_default()
            .push(core);
    }

    /// True if a kept core rules this goal out.
    #[must_use]
    pub(crate) fn forbid(&self, model: &TraceModel, goal: &Goal, groups: &FastSet<Name>) -> bool {
        let Goal::Order(steps, _) = goal else {
            return false;
        };
        if self.count == 0 {
            return false;
        }
        let target = model.step(goal.target());
        let place = |name: Name| steps.iter().position(|&step| model.step(step).name == name);
        let applies = |core: &Core| {
            core.groups.iter().all(|group| groups.contains(group))
                && core
                    .orders
                    .iter()
                    .all(|&(a, b)| match (place(a), place(b)) {
                        (Some(a), Some(b)) => a < b,
                        _ => false,
                    })
        };
        model.threads[usize::from(target.thread)][..=target.place as usize]
            .iter()
            .filter_map(|&step| self.by_target.get(&model.step(step).name))
            .any(|cores| cores.iter().any(applies))
    }
}
