//! The rows of the tables, as Markdown.

use crate::relations::Relations;
use crate::run::Outcome;
use crate::subjects::Subject;

/// Sequences after which a search of these runs is ended.
const LIMIT: u64 = 30_000;

/// Head of the first table.
pub(crate) const FIRST: &str = "
Time to the first finding of the expected kind (AutoConTest Table 1, DepCon+ Tables II and III); numbers are medians

| type | ids | generator | strategy | found | first finding ms: median [min – max] | tests | suite, calls | sequences | \
traces covered | executions | access patterns | pairs run |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
";

/// Head of the table of prunings.
pub(crate) const PRUNING: &str = "
Pruning of the search for call sequences (AutoConTest Table 2): first search, and all searches of one budget, with / \
without prunings

| type | first search: ms | sequences run | traces covered | all searches: sequences run | traces covered | sequences kept |
|---|---|---|---|---|---|---|
";

/// Head of the table of pairs.
pub(crate) const PAIRS: &str = "
What the static analysis leaves of the pairs M (DepCon+ Table IV): pairs that are parallel and conflict (Mpc), that may \
take two locks in opposite orders (Md)

| type | methods | exact | M | Mpc ∪ Md | reduction | Mpc | reduction | Md | reduction | left out | ms |
|---|---|---|---|---|---|---|---|---|---|---|---|
";

/// The runs of all seeds.
pub(crate) fn first(
    subject: &Subject,
    generator: &str,
    strategy: &str,
    runs: &[Outcome],
) -> String {
    let mut times: Vec<u64> = runs.iter().filter_map(|run| run.first_ms).collect();
    times.sort_unstable();
    let first = match (times.first(), times.last()) {
        (Some(min), Some(max)) => format!("{} [{min} – {max}]", times[times.len() / 2]),
        _ => "–".to_owned(),
    };
    let median = |count: fn(&Outcome) -> u64| {
        let mut counts: Vec<u64> = runs.iter().map(count).collect();
        counts.sort_unstable();
        counts.get(counts.len() / 2).copied().unwrap_or(0)
    };
    format!(
        "| {} | {} | {generator} | {strategy} | {} of {} | {first} | {} | {} | {} | {} | {} | {} | {} of {} |\n",
        subject.type_name,
        subject.ids,
        times.len(),
        runs.len(),
        median(|run| run.tests),
        median(|run| run.suite_calls),
        median(|run| run.sequences),
        median(|run| run.coverage),
        median(|run| run.executions),
        median(|run| run.patterns),
        median(|run| run.pairs_run),
        median(|run| run.pairs),
    )
}

/// A run with prunings and one without.
pub(crate) fn pruning(subject: &Subject, with: &Outcome, without: &Outcome) -> String {
    let ms = |outcome: &Outcome| outcome.first_search.0 as f64 / 1e3;
    let runs = |outcome: &Outcome| {
        let cut = outcome.first_search.1 >= LIMIT;
        let cut = if cut { " (cut)" } else { "" };
        format!("{}{cut}", outcome.first_search.1)
    };
    format!(
        "| {} | {:.0} / {:.0} | {} / {} | {} / {} | {} / {} | {} / {} | {} / {} |\n",
        subject.type_name,
        ms(with),
        ms(without),
        runs(with),
        runs(without),
        with.first_search.2,
        without.first_search.2,
        with.sequence_runs,
        without.sequence_runs,
        with.coverage,
        without.coverage,
        with.sequences,
        without.sequences
    )
}

/// What static analysis says of a type.
pub(crate) fn pairs(of: &Relations) -> String {
    let columns = [of.either, of.parallel_conflict, of.double_lock].map(|size| {
        let reduction = 100 * (of.pairs - size) / of.pairs.max(1);
        format!("{size} | {reduction} %")
    });
    format!(
        "| {} | {} | {} | {} | {} | {} | {} |\n",
        of.type_name,
        of.methods,
        of.exact,
        of.pairs,
        columns.join(" | "),
        of.left_out,
        of.ms,
    )
}
