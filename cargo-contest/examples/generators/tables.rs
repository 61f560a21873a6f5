//! The tables.

use std::fmt::Write as _;

use crate::run::{Outcome, What};

/// All of them as Markdown.
pub(crate) fn all(outcomes: &[Outcome], generators: &[String]) -> String {
    let mut text = String::new();
    let mut types: Vec<&str> = Vec::new();
    for outcome in outcomes {
        if !types.contains(&outcome.type_name) {
            types.push(outcome.type_name);
        }
    }
    text.push_str("\nTime to the first finding of the expected kind, with the same explorer (AutoConTest Table 1, DepCon+ Tables II and III)\n\n");
    text.push_str("| type | generator | found | first finding ms: median [min – max] | tests | suite, calls | executions | pairs run |\n");
    text.push_str("|---|---|---|---|---|---|---|---|\n");
    for name in &types {
        for generator in generators {
            let of = |outcome: &&Outcome| {
                outcome.type_name == *name
                    && outcome.what == What::FirstFinding
                    && outcome.generator == *generator
            };
            let runs: Vec<&Outcome> = outcomes.iter().filter(of).collect();
            row(&mut text, name, generator, &runs);
        }
    }
    text.push_str("\nPruning of the search for call sequences (AutoConTest Table 2), one whole budget each\n\n");
    text.push_str("| type | sequences run with / without prunings | traces covered with / without | sequences kept with / without |\n");
    text.push_str("|---|---|---|---|\n");
    for name in &types {
        let of = |what: What| {
            let found = |outcome: &&Outcome| outcome.type_name == *name && outcome.what == what;
            outcomes.iter().find(found)
        };
        if let (Some(with), Some(without)) = (of(What::Pruned), of(What::Unpruned)) {
            let _ = writeln!(
                text,
                "| {name} | {} / {} | {} / {} | {} / {} |",
                with.sequence_runs,
                without.sequence_runs,
                with.coverage,
                without.coverage,
                with.sequences,
                without.sequences
            );
        }
    }
    text
}

fn row(text: &mut String, name: &str, generator: &str, runs: &[&Outcome]) {
    let mut times: Vec<u64> = runs.iter().filter_map(|run| run.first_ms).collect();
    times.sort_unstable();
    let first = match (times.first(), times.last()) {
        (Some(min), Some(max)) => format!("{} [{min} – {max}]", times[times.len() / 2]),
        _ => "–".to_owned(),
    };
    let median = |count: fn(&Outcome) -> u64| {
        let mut counts: Vec<u64> = runs.iter().map(|run| count(run)).collect();
        counts.sort_unstable();
        counts.get(counts.len() / 2).copied().unwrap_or(0)
    };
    let _ = writeln!(
        text,
        "| {name} | {generator} | {} of {} | {first} | {} | {} | {} | {} of {} |",
        times.len(),
        runs.len(),
        median(|run| run.tests),
        median(|run| run.suite_calls),
        median(|run| run.executions),
        median(|run| run.pairs_run),
        median(|run| run.pairs),
    );
}
