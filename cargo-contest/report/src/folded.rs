//! Steps in dependencies as one row, under the line of the package that called them.

use std::collections::BTreeSet;

use contest_data::delay::{CLOCK_STANDS_STILL, IS_HELD_UP};
use contest_data::finding::{InterleavingStep, StepEffect};

/// Result of a call that never returns.
const HUNG: &str = "<hung>";
/// Where what stands in for the system's library is, which has no callers to report.
const RUNTIME: &str = "contest-runtime/driver/src/";
/// Ends the text of a row that stands for several.
const STEPS: &str = " steps";

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
            out.push(at_caller(first));
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
            event: format!("{}: {length}{STEPS}{on}", names.join(", ")),
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

/// The step, at the line of the package that called it.
fn at_caller(step: &InterleavingStep) -> InterleavingStep {
    let location = match &step.caller {
        Some(caller) if dependency(step).is_some() => caller.clone(),
        _ => step.location.clone(),
    };
    InterleavingStep {
        location,
        ..step.clone()
    }
}

/// The row of a delay: what the failure needs, wherever the thread was.
pub(super) fn is_delay(step: &InterleavingStep) -> bool {
    step.event.starts_with(IS_HELD_UP) || step.event == CLOCK_STANDS_STILL
}

/// The dependency that a step is in, if the step may be folded: `tokio` of `tokio-1.44.2/src/sync/mutex.rs:1:1`.
pub(super) fn dependency(step: &InterleavingStep) -> Option<&str> {
    let keeps = step.facts.as_ref().is_some_and(|facts| {
        facts.effect == StepEffect::Blocked || facts.object.starts_with("waker#")
    });
    // Of the tests of a package, steps have no facts.
    let ends = step.facts.is_none() && (step.result.as_deref() == Some(HUNG) || is_panic(step));
    if keeps || ends || is_delay(step) {
        return None;
    }
    if step.location.starts_with(RUNTIME) {
        return Some("the system");
    }
    let (directory, _) = step.location.split_once('/')?;
    let versioned = directory
        .match_indices('-')
        .find(|(at, _)| directory[at + 1..].starts_with(|it: char| it.is_ascii_digit()));
    Some(&directory[..versioned?.0])
}

/// The rows of a table of at most so many lines, as `draw` draws it: steps in dependencies are one row, also those of
/// several threads that no line of the package called; of many steps of one thread in a row the first and last are
/// shown, and of the rest the end.
pub fn shortened(
    steps: &[InterleavingStep],
    most: usize,
    draw: &dyn Fn(&[InterleavingStep]) -> String,
) -> String {
    let fits = |table: &String| table.lines().count() <= most;
    let mut folded = beside_each_other(folded(steps));
    for row in &mut folded {
        if row.location.starts_with(RUNTIME) {
            row.location.clear();
        }
    }
    let mut table = draw(&folded);
    let mut kept = [12, 6, 3, 2, 1].into_iter();
    let mut rows = folded;
    while !fits(&table)
        && let Some(kept) = kept.next()
    {
        rows = without_middles(&rows, kept);
        table = draw(&rows);
    }
    // What comes last is what fails.
    let mut end = most.min(rows.len());
    while !fits(&table) && end > 1 {
        let left_out = rows.len() - end;
        let mut last = vec![omitted(&rows[0], left_out)];
        last.extend_from_slice(&rows[left_out..]);
        table = draw(&last);
        end -= 1;
    }
    table
}

/// Rows of several threads one after another that are in dependencies, and were called by no line of the package, are
/// one row.
fn beside_each_other(rows: Vec<InterleavingStep>) -> Vec<InterleavingStep> {
    let is_outside = |row: &InterleavingStep| {
        let whose = row.call.is_none() && row.result.is_none() && row.caller.is_none();
        whose && (row.location.is_empty() && row.event.contains(STEPS) || dependency(row).is_some())
    };
    let mut out: Vec<InterleavingStep> = Vec::with_capacity(rows.len());
    let mut at = 0;
    while let Some(first) = rows.get(at) {
        let group = rows[at..].iter().take_while(|row| is_outside(row)).count();
        if group < 2 {
            out.push(first.clone());
            at += 1;
            continue;
        }
        let group = &rows[at..at + group];
        let mut names: BTreeSet<&str> = BTreeSet::new();
        let (mut steps, mut threads) = (0, BTreeSet::new());
        for row in group {
            threads.insert(row.thread);
            match (dependency(row), row.event.split_once(": ")) {
                (Some(name), _) => {
                    names.insert(name);
                    steps += 1;
                }
                (None, Some((all, rest))) => {
                    names.extend(all.split(", "));
                    let number = rest.split(' ').next();
                    steps += number.and_then(|it| it.parse().ok()).unwrap_or(1);
                }
                (None, None) => {}
            }
        }
        let names: Vec<&str> = names.into_iter().collect();
        let of = match threads.len() {
            1 => String::new(),
            threads => format!(" of {threads} threads"),
        };
        out.push(InterleavingStep {
            thread: first.thread,
            event: format!("{}: {steps}{STEPS}{of}", names.join(", ")),
            ..InterleavingStep::default()
        });
        at += group.len();
    }
    out
}

/// Of more rows of one thread in a row than `kept` twice and one, the first and the last, and between them what cannot
/// be left out: where a call begins or ends, a delay, a panic.
fn without_middles(rows: &[InterleavingStep], kept: usize) -> Vec<InterleavingStep> {
    let mut out = Vec::with_capacity(rows.len());
    let same = |a: &InterleavingStep, b: &InterleavingStep| a.thread == b.thread;
    for run in rows.chunk_by(same) {
        let middle = kept..run.len().saturating_sub(kept);
        if middle.len() < 2 {
            out.extend_from_slice(run);
            continue;
        }
        let is_plain = |row: &InterleavingStep| {
            let within_call = row.result.is_none() && row.call == run[0].call;
            within_call && !is_delay(row) && !is_panic(row)
        };
        out.extend_from_slice(&run[..kept]);
        for rows in run[middle.clone()].chunk_by(|a, b| is_plain(a) && is_plain(b)) {
            match rows {
                [one] => out.push(one.clone()),
                [first, ..] => out.push(omitted(first, rows.len())),
                [] => {}
            }
        }
        out.extend_from_slice(&run[middle.end..]);
    }
    out
}

/// The row of a panic.
pub(super) fn is_panic(row: &InterleavingStep) -> bool {
    row.event.starts_with("panics: ")
}

fn omitted(first: &InterleavingStep, number: usize) -> InterleavingStep {
    InterleavingStep {
        thread: first.thread,
        call: first.call,
        event: format!("… {number} rows, which -v shows"),
        ..InterleavingStep::default()
    }
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
        assert_eq!(
            shown,
            [
                (1, whole, "src/lib.rs:3:9"),
                (1, "tokio: 2 steps", "src/lib.rs:4:9"),
                (2, whole, "src/lib.rs:4:9"),
                (1, "tokio: 2 steps", "src/lib.rs:4:9"),
                (1, whole, "src/lib.rs:4:9"),
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

    /// A step of a test of the package, of which no facts are known.
    fn plain(thread: u16, location: &str) -> InterleavingStep {
        InterleavingStep {
            call: None,
            facts: None,
            ..step(thread, location, None)
        }
    }

    fn lines(steps: &[InterleavingStep]) -> String {
        let line = |it: &InterleavingStep| format!("{} {} {}\n", it.thread, it.event, it.location);
        steps.iter().map(line).collect()
    }

    #[test]
    fn what_a_runtime_does_on_all_threads_between_lines_of_the_package_is_one_row() {
        let tokio = |thread| plain(thread, "tokio-1.44.2/src/runtime/park.rs:1:1");
        let system = |thread| {
            plain(
                thread,
                "contest-runtime/driver/src/symbols/waiting.rs:88:38",
            )
        };
        let own = plain(1, "src/lib.rs:3:9");
        let hung = InterleavingStep {
            result: Some(HUNG.to_owned()),
            ..system(2)
        };
        let rows = [
            own.clone(),
            tokio(1),
            tokio(1),
            tokio(2),
            system(1),
            own,
            hung,
        ];
        assert_eq!(
            shortened(&rows, 30, &lines),
            "1 Mutex#1.lock() src/lib.rs:3:9\n\
             1 the system, tokio: 4 steps of 2 threads \n\
             1 Mutex#1.lock() src/lib.rs:3:9\n\
             2 Mutex#1.lock() \n"
        );
    }

    #[test]
    fn a_table_has_as_many_lines_as_it_may_and_ends_with_the_last_row() {
        let many: Vec<_> = (0..200)
            .map(|line| plain(1 + line / 70, &format!("src/lib.rs:{line}:1")))
            .collect();
        let table = shortened(&many, 20, &lines);
        assert!(table.lines().count() <= 20, "{table}");
        assert!(
            table.starts_with("1 Mutex#1.lock() src/lib.rs:0:1\n"),
            "{table}"
        );
        assert!(
            table.ends_with("3 Mutex#1.lock() src/lib.rs:199:1\n"),
            "{table}"
        );
        assert!(table.contains("rows, which -v shows"), "{table}");
        // A delay in the middle is what it is about.
        let mut late = many.clone();
        late[100].event = "is held up for 20 ms".to_owned();
        let table = shortened(&late, 20, &lines);
        assert!(table.lines().count() <= 20, "{table}");
        assert!(
            table.contains("2 is held up for 20 ms src/lib.rs:100:1"),
            "{table}"
        );
        let switches: Vec<_> = (0..200)
            .map(|line| plain(1 + line % 2, &format!("src/lib.rs:{line}:1")))
            .collect();
        let table = shortened(&switches, 20, &lines);
        assert!(table.lines().count() <= 20, "{table}");
        assert!(table.ends_with("src/lib.rs:199:1\n"), "{table}");
    }
}
