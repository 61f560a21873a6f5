//! Where a finding is that has no place of its own: results are wrong, and no line is the one that made them so.

use std::collections::BTreeMap;

use super::{Finding, InterleavingStep, StepEffect};

impl Finding {
    /// Its locations, the places between which its calls were interrupted, and those of calls that were cancelled, each
    /// with the line of the package that called it. If there are none of these, those of all its steps.
    #[must_use]
    pub fn places(&self) -> Vec<String> {
        let steps = &self.interleaving;
        let ends = interruptions(steps).into_iter();
        let ends = ends.flat_map(|(before, after)| [&steps[before], &steps[after]]);
        let cancelled = steps.iter().filter(|step| self.is_of_cancelled(step));
        let mut places = self.locations.clone();
        places.extend(ends.chain(cancelled).flat_map(places_of));
        if places.is_empty() {
            places.extend(steps.iter().flat_map(places_of));
        }
        places.sort();
        places.dedup();
        places
    }

    fn is_of_cancelled(&self, step: &InterleavingStep) -> bool {
        let mut cancelled = self.cancelled.iter();
        cancelled.any(|it| step.thread == it.lane + 1 && step.call == Some(it.call))
    }
}

/// Where the step is, and who called it.
fn places_of(step: &InterleavingStep) -> impl Iterator<Item = String> {
    let place = Some(step.location.clone()).filter(|it| !it.is_empty());
    place.into_iter().chain(step.caller.clone())
}

/// The two steps between which a call was interrupted by another thread, for each time one was. Waiting is no
/// interruption.
#[must_use]
pub fn interruptions(steps: &[InterleavingStep]) -> Vec<(usize, usize)> {
    let mut last: BTreeMap<u16, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        if step.location.is_empty() {
            continue;
        }
        if let Some(before) = last.insert(step.thread, at) {
            let between = &steps[before + 1..at];
            let effect = steps[before].facts.as_ref().map(|facts| facts.effect);
            let stopped = between.iter().any(|other| other.thread != step.thread);
            let call = steps[before].call;
            let waited = effect == Some(StepEffect::Waits);
            if stopped && !waited && call.is_some() && call == step.call {
                found.push((before, at));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{CancelledCall, FindingKind};

    fn step(thread: u16, call: u16, location: &str) -> InterleavingStep {
        InterleavingStep {
            thread,
            call: Some(call),
            location: location.to_owned(),
            ..InterleavingStep::default()
        }
    }

    fn finding(interleaving: Vec<InterleavingStep>) -> Finding {
        Finding {
            interleaving,
            ..Finding::new(FindingKind::NonLinearizable, "")
        }
    }

    #[test]
    fn it_is_where_a_call_was_interrupted_and_not_where_others_came_between() {
        let between = step(2, 0, "b.rs:9:1");
        let steps = vec![step(1, 0, "a.rs:1:1"), between, step(1, 0, "a.rs:2:1")];
        assert_eq!(finding(steps).places(), ["a.rs:1:1", "a.rs:2:1"]);
    }

    #[test]
    fn it_is_where_a_cancelled_call_was_and_where_that_was_called() {
        let called = InterleavingStep {
            caller: Some("src/lib.rs:3:1".to_owned()),
            ..step(2, 0, "lock.rs:1:1")
        };
        let cancelled = Finding {
            cancelled: vec![CancelledCall {
                lane: 1,
                call: 0,
                polls: 1,
            }],
            ..finding(vec![called, step(1, 0, "a.rs:1:1")])
        };
        assert_eq!(cancelled.places(), ["lock.rs:1:1", "src/lib.rs:3:1"]);
    }

    #[test]
    fn it_is_where_its_steps_are_if_no_call_was_interrupted() {
        let steps = vec![step(1, 0, "a.rs:1:1"), step(2, 0, "b.rs:9:1")];
        assert_eq!(finding(steps).places(), ["a.rs:1:1", "b.rs:9:1"]);
    }
}
