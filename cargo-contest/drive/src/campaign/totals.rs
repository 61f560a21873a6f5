//! Sums of what several driver processes did.

use contest_data::ladder::RungTotals;
use contest_data::totals::{SubjectTotals, Totals};

/// Adds what one driver process did to what was done before it. Tests of two processes differ, so counts add up; what
/// was covered may overlap, so of that the larger figure stands, which is a lower bound; an operation was never
/// concurrent if it was so in none of them, and returned only errors if it did so in all of them.
pub fn add(sum: &mut Vec<SubjectTotals>, process: &Totals) {
    for (place, more) in process.subjects.iter().enumerate() {
        // Processes of one campaign have the same types in the same order.
        let there = (sum.get(place)).is_some_and(|subject| subject.name == more.name);
        let known = if there {
            Some(place)
        } else {
            sum.iter().position(|subject| subject.name == more.name)
        };
        let Some(known) = known else {
            sum.push(more.clone());
            continue;
        };
        let subject = &mut sum[known];
        subject.operations = subject.operations.max(more.operations);
        let never = &mut subject.never_concurrent;
        match (subject.executions, more.executions) {
            (_, 0) => {}
            (0, _) => never.clone_from(&more.never_concurrent),
            _ => never.retain(|it| more.never_concurrent.contains(it)),
        }
        let errors = &mut subject.only_errors;
        match (subject.executions, more.executions) {
            (_, 0) => {}
            (0, _) => errors.clone_from(&more.only_errors),
            _ => errors.retain(|it| more.only_errors.iter().any(|other| other.1 == it.1)),
        }
        subject.pairs = (
            subject.pairs.0.max(more.pairs.0),
            subject.pairs.1.max(more.pairs.1),
        );
        subject.pairs_pruned = subject.pairs_pruned.max(more.pairs_pruned);
        subject.tests += more.tests;
        subject.exhausted += more.exhausted;
        subject.drew += more.drew;
        add_reasons(&mut subject.partly, &more.partly);
        add_reasons(&mut subject.cut, &more.cut);
        add_reasons(&mut subject.left_out, &more.left_out);
        add_reasons(&mut subject.skipped, &more.skipped);
        subject.executions += more.executions;
        subject.watched += more.watched;
        subject.unobserved += more.unobserved;
        subject.contended += more.contended;
        subject.steps += more.steps;
        subject.decisions += more.decisions;
        subject.findings += more.findings;
        add_reasons(&mut subject.requirements, &more.requirements);
        let (generation, others) = (&mut subject.generation, &more.generation);
        generation.calls += others.calls;
        generation.sequence_runs += others.sequence_runs;
        generation.sequences = generation.sequences.max(others.sequences);
        generation.traces_covered = generation.traces_covered.max(others.traces_covered);
        generation.first_search = generation.first_search.max(others.first_search);
        generation.traces_seen = generation.traces_seen.max(others.traces_seen);
        add_reasons(&mut generation.pruned, &others.pruned);
        add_reasons(&mut generation.states, &others.states);
        let (coverage, others) = (&mut subject.coverage, &more.coverage);
        subject.overlapped = subject.overlapped.max(more.overlapped);
        let executions = coverage.executions + others.executions;
        let all_executions = coverage.all_executions + others.all_executions;
        let capped = coverage.capped + others.capped;
        if others.covered > coverage.covered {
            *coverage = others.clone();
        }
        add_ladder(&mut subject.ladder, &more.ladder);
        if subject.not_cancelled.is_empty() {
            subject.not_cancelled.clone_from(&more.not_cancelled);
        }
        if subject.approximate.is_empty() {
            subject.approximate.clone_from(&more.approximate);
        }
        let (behaviour, others) = (&mut subject.behaviour, &more.behaviour);
        behaviour.alone.extend(others.alone.iter().cloned());
        behaviour.together.extend(others.together.iter().cloned());
        behaviour.dropped += others.dropped;
        let (sampled, others) = (&mut subject.sampled, &more.sampled);
        sampled.tests += others.tests;
        sampled.executions += others.executions;
        sampled.missed.extend(others.missed.iter().cloned());
        for place in &more.places {
            if !subject.places.contains(place) {
                subject.places.push(place.clone());
            }
        }
        coverage.executions = executions;
        coverage.all_executions = all_executions;
        coverage.capped = capped;
    }
}

fn add_ladder(sum: &mut Vec<RungTotals>, more: &[RungTotals]) {
    for rung in more {
        match sum.iter_mut().find(|known| known.rung == rung.rung) {
            Some(known) => known.add(rung),
            None => sum.push(rung.clone()),
        }
    }
    sum.sort_by_key(|totals| totals.rung.size());
}

fn add_reasons<R: Clone + PartialEq>(sum: &mut Vec<(R, u64)>, more: &[(R, u64)]) {
    for (reason, count) in more {
        match sum.iter_mut().find(|(known, _)| known == reason) {
            Some((_, known)) => *known += count,
            None => sum.push((reason.clone(), *count)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(tests: u64, decisions: u64) -> SubjectTotals {
        SubjectTotals {
            name: "a::B".to_string(),
            pairs: (2, 3),
            tests,
            decisions,
            cut: vec![("budget".to_string(), 1)],
            ..SubjectTotals::default()
        }
    }

    #[test]
    fn counts_of_processes_add_up_and_coverage_is_a_lower_bound() {
        let mut sum = vec![subject(2, 10)];
        let more = Totals {
            subjects: vec![subject(3, 20)],
            elapsed_ms: 1,
        };
        add(&mut sum, &more);
        assert_eq!(sum[0].tests, 5);
        assert_eq!(sum[0].decisions, 30);
        assert_eq!(sum[0].pairs, (2, 3));
        assert_eq!(sum[0].cut, [("budget".to_string(), 2)]);
    }

    #[test]
    fn an_operation_was_never_concurrent_if_it_was_in_no_process() {
        let operations = ["get", "set", "get"].map(str::to_owned);
        let of = |executions: u64, numbers: &[u64]| SubjectTotals {
            operations: 3,
            executions,
            never_concurrent: (numbers.iter())
                .map(|&it| (operations[it as usize].clone(), it))
                .collect(),
            ..SubjectTotals::default()
        };
        let mut sum = vec![of(0, &[0, 1, 2])];
        assert_eq!(sum[0].operations_used(), 0);
        for (process, used) in [
            (of(0, &[0, 1, 2]), 0),
            (of(5, &[0, 1]), 1),
            (of(0, &[0, 1, 2]), 1),
            (of(7, &[1, 2]), 2),
        ] {
            let totals = Totals {
                subjects: vec![process],
                elapsed_ms: 1,
            };
            add(&mut sum, &totals);
            assert_eq!(sum[0].operations_used(), used);
        }
        assert_eq!(sum[0].never_concurrent, [("set".to_owned(), 1)]);
    }

    #[test]
    fn an_operation_returned_only_errors_if_it_did_so_in_each_process() {
        let of = |executions: u64, errors: &[(&str, u64)]| SubjectTotals {
            executions,
            only_errors: (errors.iter())
                .map(|&(name, number)| (name.to_owned(), number, format!("Err({executions})")))
                .collect(),
            ..SubjectTotals::default()
        };
        let mut sum = vec![of(0, &[])];
        for process in [
            of(3, &[("get", 0), ("set", 1)]),
            of(0, &[]),
            of(4, &[("set", 1)]),
        ] {
            let totals = Totals {
                subjects: vec![process],
                elapsed_ms: 1,
            };
            add(&mut sum, &totals);
        }
        let set = ("set".to_owned(), 1, "Err(3)".to_owned());
        assert_eq!(sum[0].only_errors, [set]);
    }
}
