//! The tables.

use std::fmt::Write as _;

use crate::relations::Relations;
use crate::run::{Outcome, What};

/// Sequences after which a search of these runs is ended.
const LIMIT: u64 = 30_000;

/// All of them as Markdown.
pub(crate) fn all(outcomes: &[Outcome], relations: &[Relations], generators: &[String]) -> String {
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
    pruning(&mut text, &types, outcomes);
    dependencies(&mut text, relations);
    text
}

fn pruning(text: &mut String, types: &[&str], outcomes: &[Outcome]) {
    text.push_str("\nPruning of the search for call sequences (AutoConTest Table 2): first search, and all searches of one budget, with / without prunings\n\n");
    text.push_str("| type | first search: ms | sequences run | traces covered | all searches: sequences run | traces covered | sequences kept |\n");
    text.push_str("|---|---|---|---|---|---|---|\n");
    for name in types {
        let of = |what: What| {
            let found = |outcome: &&Outcome| outcome.type_name == *name && outcome.what == what;
            outcomes.iter().find(found)
        };
        if let (Some(with), Some(without)) = (of(What::Pruned), of(What::Unpruned)) {
            let ms = |outcome: &Outcome| outcome.first_search.0 as f64 / 1e3;
            let cut = |outcome: &Outcome| {
                let cut = outcome.first_search.1 >= LIMIT;
                format!(
                    "{}{}",
                    outcome.first_search.1,
                    if cut { " (cut)" } else { "" }
                )
            };
            let _ = writeln!(
                text,
                "| {name} | {:.0} / {:.0} | {} / {} | {} / {} | {} / {} | {} / {} | {} / {} |",
                ms(with),
                ms(without),
                cut(with),
                cut(without),
                with.first_search.2,
                without.first_search.2,
                with.sequence_runs,
                without.sequence_runs,
                with.coverage,
                without.coverage,
                with.sequences,
                without.sequences
            );
        }
    }
}

fn dependencies(text: &mut String, relations: &[Relations]) {
    text.push_str("\nWhat the static analysis leaves of the pairs M (DepCon+ Table IV): pairs that are parallel and conflict (Mpc), that may take two locks in opposite orders (Md)\n\n");
    text.push_str("| type | methods | exact | M | Mpc ∪ Md | reduction | Mpc | reduction | Md | reduction | left out | ms |\n");
    text.push_str("|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for of in relations {
        let columns = [of.either, of.parallel_conflict, of.double_lock].map(|size| {
            let reduction = 100 * (of.pairs - size) / of.pairs.max(1);
            format!("{size} | {reduction} %")
        });
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            of.type_name,
            of.methods,
            of.exact,
            of.pairs,
            columns.join(" | "),
            of.left_out,
            of.ms,
        );
    }
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
