//! Steps in dependencies as one row, under the line of the package that called them.

use contest_data::finding::{InterleavingStep, StepEffect};

/// The rows of an interleaving, where what one call of the package did in dependencies is one row: `tokio: 6 steps on
/// Registry.last`, with the fields of the package in which it did that.
/// Rows that say what a thread waits for, or wakes, are kept.
#[must_use]
pub fn folded(steps: &[InterleavingStep]) -> Vec<InterleavingStep> {
    let mut out: Vec<InterleavingStep> = Vec::with_capacity(steps.len());
    let mut at = 0;
    while let Some(first) = steps.get(at) {
        let alike = steps[at..].iter().take_while(|step| {
            let of_first = (step.thread, step.call) == (first.thread, first.call);
            of_first && step.caller == first.caller && dependency(step).is_some()
        });
        let mut length = alike.count();
        // A result ends its call, and a row.
        if let Some(result) = steps[at..at + length]
            .iter()
            .position(|it| it.result.is_some())
        {
            length = result + 1;
        }
        if length < 2 {
            out.push(first.clone());
            at += 1;
            continue;
        }
        let group = &steps[at..at + length];
        let mut names: Vec<&str> = group.iter().filter_map(dependency).collect();
        names.dedup();
        names.sort_unstable();
        names.dedup();
        let mut fields: Vec<&str> = Vec::new();
        for facts in group.iter().filter_map(|step| step.facts.as_ref()) {
            if !facts.field.is_empty() && !fields.contains(&&*facts.field) {
                fields.push(&facts.field);
            }
        }
        let on = match fields.as_slice() {
            [] => String::new(),
            fields => format!(" on {}", fields.join(", ")),
        };
        out.push(InterleavingStep {
            event: format!("{}: {length} steps{on}", names.join(", ")),
            location: first.caller.clone().unwrap_or_default(),
            caller: None,
            facts: None,
            result: group[length - 1].result.clone(),
            ..first.clone()
        });
        at += length;
    }
    out
}

/// The dependency that a step is in, if the step may be folded: `tokio` of `tokio-1.44.2/src/sync/mutex.rs:1:1`.
fn dependency(step: &InterleavingStep) -> Option<&str> {
    let facts = step.facts.as_ref()?;
    if facts.effect == StepEffect::Blocked || facts.object.starts_with("waker#") {
        return None;
    }
    let (directory, _) = step.location.split_once('/')?;
    let versioned = directory
        .match_indices('-')
        .find(|(at, _)| directory[at + 1..].starts_with(|it: char| it.is_ascii_digit()));
    Some(&directory[..versioned?.0])
}

#[cfg(test)]
mod tests {
    use contest_data::finding::StepFacts;

    use super::*;

    fn step(thread: u16, location: &str, caller: Option<&str>) -> InterleavingStep {
        InterleavingStep {
            thread,
            call: Some(0),
            event: "Mutex#1.lock()".to_owned(),
            location: location.to_owned(),
            caller: caller.map(str::to_owned),
            facts: Some(StepFacts::default()),
            ..InterleavingStep::default()
        }
    }

    #[test]
    fn steps_of_one_call_into_a_dependency_are_one_row() {
        let own = step(1, "src/lib.rs:3:9", None);
        let inner = |thread| {
            step(
                thread,
                "tokio-1.44.2/src/sync/mutex.rs:1:1",
                Some("src/lib.rs:4:9"),
            )
        };
        let last = InterleavingStep {
            result: Some("returned ()".to_owned()),
            ..inner(1)
        };
        let steps = [
            own.clone(),
            inner(1),
            inner(1),
            inner(2),
            inner(1),
            last,
            inner(1),
        ];
        let rows = folded(&steps);
        let shown: Vec<(u16, &str, &str)> = rows
            .iter()
            .map(|it| (it.thread, it.event.as_str(), it.location.as_str()))
            .collect();
        let whole = "Mutex#1.lock()";
        let inside = "tokio-1.44.2/src/sync/mutex.rs:1:1";
        assert_eq!(
            shown,
            [
                (1, whole, "src/lib.rs:3:9"),
                (1, "tokio: 2 steps", "src/lib.rs:4:9"),
                (2, whole, inside),
                (1, "tokio: 2 steps", "src/lib.rs:4:9"),
                (1, whole, inside),
            ]
        );
        assert_eq!(rows[3].result.as_deref(), Some("returned ()"));
    }

    #[test]
    fn a_row_names_the_fields_of_the_package_in_which_its_steps_were() {
        let on = |field: &str| {
            let mut inner = step(
                1,
                "tokio-1.44.2/src/sync/mutex.rs:1:1",
                Some("src/lib.rs:4:9"),
            );
            field.clone_into(&mut inner.facts.as_mut().unwrap().field);
            inner
        };
        let rows = folded(&[on("Registry.last"), on(""), on("Registry.last")]);
        assert_eq!(rows[0].event, "tokio: 3 steps on Registry.last");
        let rows = folded(&[on("Registry.first"), on("Registry.last")]);
        assert_eq!(
            rows[0].event,
            "tokio: 2 steps on Registry.first, Registry.last"
        );
    }

    #[test]
    fn what_wakes_or_blocks_a_thread_keeps_its_row() {
        let inside = "tokio-1.44.2/src/sync/mutex.rs:1:1";
        let mut wakes = step(1, inside, None);
        wakes.facts.as_mut().unwrap().object = "waker#2".to_owned();
        let mut blocked = step(1, inside, None);
        blocked.facts.as_mut().unwrap().effect = StepEffect::Blocked;
        let steps = [step(1, inside, None), wakes, blocked, step(1, inside, None)];
        assert_eq!(folded(&steps), steps);
    }
}
