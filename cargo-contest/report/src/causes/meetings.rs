//! Where the smallest interleaving of a finding meets: the places by which findings of one cause are recognised.

use std::collections::BTreeSet;

use contest_data::finding::{Finding, FindingKind, InterleavingStep, StepEffect, interruptions};

/// How accesses of a fault end that are those of a value on a wrong thread.
const NOT_SEND: &str = "not `Send`";

/// Places that a finding's threads meet at.
pub(super) type Meeting = BTreeSet<String>;

/// The pair of accesses of a memory fault, the places at which threads wait for ever, where a thread was late and what
/// failed then, or else the two places in a call between which another thread came: its check and its act.
pub(super) fn exact(finding: &Finding) -> BTreeSet<Meeting> {
    let steps = &finding.interleaving;
    let found = match finding.kind {
        FindingKind::Deadlock | FindingKind::Livelock => one(places(steps, StepEffect::Blocked)),
        FindingKind::WrongThread => {
            // The first fault of the execution may be another one.
            let own = steps.iter().filter(|step| step.event.ends_with(NOT_SEND));
            one(places(own, StepEffect::Faults))
        }
        // Threads may be late anywhere in a library: each test that does not wait for them is one to mend.
        FindingKind::Timing => {
            let places = finding.locations.iter().chain([&finding.subject]);
            one(places.cloned().collect())
        }
        kind if kind.needs_memory() => one(places(steps, StepEffect::Faults)),
        _ => interruptions(steps)
            .into_iter()
            .map(|(before, after)| pair(&steps[before], &steps[after]))
            .collect(),
    };
    if found.is_empty() {
        // Nothing is known of it beyond its places.
        one(finding.locations.iter().cloned().collect())
    } else {
        found
    }
}

/// Further meetings, by which findings that differ belong together: a write, or a free, that several other accesses
/// race with; and two accesses of plain memory in an interruption, which are those of a data race if nothing orders
/// them.
pub(super) fn wider(finding: &Finding) -> BTreeSet<Meeting> {
    let steps = &finding.interleaving;
    if matches!(
        finding.kind,
        FindingKind::DataRace | FindingKind::UseAfterFree
    ) {
        let faults = steps
            .iter()
            .filter(|step| effect_of(step) == Some(StepEffect::Faults));
        return faults.filter_map(changing).collect();
    }
    if finding.kind == FindingKind::WrongThread {
        // What is wrong is an `unsafe impl` of the type, wherever the value is dropped.
        return one(Meeting::from([format!("bounds of {}", finding.subject)]));
    }
    if finding.kind.needs_memory() || finding.kind == FindingKind::Timing {
        return BTreeSet::new();
    }
    interruptions(steps)
        .into_iter()
        .flat_map(|(before, after)| {
            let between = &steps[before + 1..after];
            let ends = [&steps[before], &steps[after]];
            let others = between
                .iter()
                .filter(move |other| other.thread != ends[0].thread);
            others.flat_map(move |other| {
                let conflicting = ends.into_iter().filter(|end| conflict(end, other));
                conflicting.map(|end| pair(end, other)).collect::<Vec<_>>()
            })
        })
        .collect()
}

/// An access of a fault that changes what the others access, with what it changes: two fields that one function writes
/// are two. Type arguments are left out of names.
fn changing(step: &InterleavingStep) -> Option<Meeting> {
    let event = &step.event;
    let changes = ["write of ", "atomic write of ", "free of "];
    let changes = changes.iter().any(|words| event.starts_with(words));
    let text = format!("{} at {}", without_arguments(event), step.location);
    (changes && !step.location.is_empty()).then(|| Meeting::from([text]))
}

/// `Shared<u32>[0].slab` as `Shared[0].slab`.
fn without_arguments(name: &str) -> String {
    let mut depth = 0_usize;
    let mut out = String::new();
    for character in name.chars() {
        match character {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 => out.push(character),
            _ => {}
        }
    }
    out
}

/// True for two plain accesses of the same memory, of which one writes.
fn conflict(left: &InterleavingStep, right: &InterleavingStep) -> bool {
    let object = |step: &InterleavingStep| {
        let facts = step.facts.as_ref()?;
        let named = facts.object.starts_with("memory#") && !step.location.is_empty();
        named.then(|| facts.object.clone())
    };
    let writes = |step| effect_of(step) == Some(StepEffect::Writes);
    object(left).is_some_and(|object_of_left| Some(object_of_left) == object(right))
        && (writes(left) || writes(right))
}

fn pair(left: &InterleavingStep, right: &InterleavingStep) -> Meeting {
    Meeting::from([place(left), place(right)])
}

/// The line of the package that led into a dependency says more than one of a lock in that, which all come to.
fn place(step: &InterleavingStep) -> String {
    step.caller.as_ref().unwrap_or(&step.location).clone()
}

/// A single meeting, if it is at any place.
fn one(meeting: Meeting) -> BTreeSet<Meeting> {
    BTreeSet::from([meeting])
        .into_iter()
        .filter(|it| !it.is_empty())
        .collect()
}

fn places<'a>(
    steps: impl IntoIterator<Item = &'a InterleavingStep>,
    effect: StepEffect,
) -> Meeting {
    steps
        .into_iter()
        .filter(|step| effect_of(step) == Some(effect) && !step.location.is_empty())
        .map(place)
        .collect()
}

fn effect_of(step: &InterleavingStep) -> Option<StepEffect> {
    step.facts.as_ref().map(|facts| facts.effect)
}
