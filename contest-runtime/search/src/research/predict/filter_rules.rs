//! The six rules that leave out patterns not worth a question (Zhao et al., section 4.2). Each can be switched off.
//! Only the second can lose a state of the program; the others leave out what cannot happen or changes nothing.

use super::step::{StepAccess, StepId};
use super::trace_model::TraceModel;
use crate::coverage::Role;

/// Which rules are applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilterRules {
    /// 1: only the 17 patterns.
    pub defined: bool,
    /// 2: not what was covered before, nor what the trace itself shows.
    pub uncovered: bool,
    /// 3: in each thread in the order of its program.
    pub program_order: bool,
    /// 4: only what changes a value read or the order of different writes.
    pub new_state: bool,
    /// 5: neither thread accesses the variables between its two accesses.
    pub uninterrupted: bool,
    /// 6: of patterns with reads of two variables, only those in which one gets another writer.
    pub new_writer: bool,
}

impl Default for FilterRules {
    fn default() -> Self {
        Self {
            defined: true,
            uncovered: true,
            program_order: true,
            new_state: true,
            uninterrupted: true,
            new_writer: true,
        }
    }
}

impl FilterRules {
    /// No rule.
    #[must_use]
    pub fn none() -> Self {
        Self {
            defined: false,
            uncovered: false,
            program_order: false,
            new_state: false,
            uninterrupted: false,
            new_writer: false,
        }
    }
}

/// A step in a role.
pub(super) type Act = (StepId, Role);

fn access(model: &TraceModel, step: StepId) -> Option<&StepAccess> {
    model.step(step).access.as_ref()
}

fn value(model: &TraceModel, (step, role): Act) -> Option<u64> {
    let access = access(model, step).filter(|access| access.valued)?;
    Some(match role {
        Role::Read => access.read,
        Role::Write => access.wrote,
    })
}

/// The two are known to have equal values. Contents of locks never are.
fn equal(model: &TraceModel, a: Act, b: Act) -> bool {
    value(model, a).is_some_and(|a_value| value(model, b) == Some(a_value))
}

/// Rule 4 for two accesses in this order: it changes what is read, or the order of different writes.
pub(super) fn pair_changes_state(model: &TraceModel, first: Act, second: Act) -> bool {
    let valued = value(model, first).is_some() && value(model, second).is_some();
    let reversed = second.0 < first.0;
    match (first.1, second.1) {
        (Role::Read, Role::Write) if valued => reversed && equal(model, first, second),
        (Role::Read, Role::Write) => reversed,
        (Role::Write, Role::Read) => !equal(model, first, second),
        _ => reversed && !equal(model, first, second),
    }
}

/// Rule 4 for three accesses of one variable.
pub(super) fn triple_changes_state(model: &TraceModel, acts: [Act; 3]) -> bool {
    let [first, second, third] = acts;
    match (second.1, third.1) {
        (_, Role::Read) => !equal(model, second, third),
        (Role::Read, Role::Write) => !equal(model, first, second),
        (Role::Write, Role::Write) => !equal(model, second, third),
    }
}

/// Rule 6: a read of the pair, in this order, gets another writer than in the trace.
pub(super) fn changes_writer(writers: &[Option<StepId>], first: Act, second: Act) -> bool {
    match (first.1, second.1) {
        (Role::Write, Role::Read) => writers[second.0 as usize] != Some(first.0),
        // With no read, the order of the writes is what counts.
        _ => second.0 < first.0,
    }
}

/// For each step the write it reads from in the trace, if it reads one in the model.
pub(super) fn writers(model: &TraceModel) -> Vec<Option<StepId>> {
    let mut writers = vec![None; model.steps.len()];
    for variable in &model.variables {
        let mut last = None;
        for &step in &variable.accesses {
            writers[step as usize] = last;
            if access(model, step).is_some_and(|access| access.writes) {
                last = Some(step);
            }
        }
    }
    writers
}
