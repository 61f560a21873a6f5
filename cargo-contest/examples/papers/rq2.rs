//! AutoConTest's Table 1 and its second research question: AutoConTest beside ConTeGe*, both with AutoConTest's
//! explorer.

use std::fmt::Write as _;
use std::path::Path;

use crate::published;
use crate::run::{Outcome, RunRequest, run};
use crate::subjects::Subject;

/// Head of the table.
const HEAD: &str = "
AutoConTest and ConTeGe* (AutoConTest, Table 1 and RQ2), both with explorer `pta` in one process: time, tests and \
executions until the first fault are medians; the suite and |cov(t)| are of one run of the whole budget

| type | id | tool | found | first fault ms: median [min – max] | tests | executions | suite: tests | calls | \\|cov(t)\\| | \
paper: first fault, tests | sooner than ConTeGe* |
|---|---|---|---|---|---|---|---|---|---|---|---|
";

/// The tools: name in the paper, generator.
const TOOLS: [(&str, &str); 2] = [("AutoConTest", "autocontest"), ("ConTeGe*", "random")];

/// What the runs of one tool showed.
struct Column {
    runs: Vec<Outcome>,
    whole: Outcome,
}

impl Column {
    /// Milliseconds until the first fault in the run that half of the others come before; `None` if that one found
    /// nothing.
    fn median(&self) -> Option<u64> {
        let mut times: Vec<Option<u64>> = self.runs.iter().map(|run| run.first_ms).collect();
        times.sort_by_key(|time| time.unwrap_or(u64::MAX));
        times.get(times.len() / 2).copied().flatten()
    }

    fn median_of(&self, count: fn(&Outcome) -> u64) -> u64 {
        let mut counts: Vec<u64> = self.runs.iter().map(count).collect();
        counts.sort_unstable();
        counts.get(counts.len() / 2).copied().unwrap_or(0)
    }
}

/// Prints the rows of AutoConTest's subjects as they are measured.
pub(crate) fn print(root: &Path, subjects: &[Subject], seeds: u32, budget: &str) {
    print!("{HEAD}");
    let of_autocontest = subjects.iter().filter_map(|subject| {
        let id = subject.ids.split(' ').find(|id| id.starts_with('A'))?;
        Some((subject, id))
    });
    for (subject, id) in of_autocontest {
        let columns: Vec<Column> = TOOLS
            .iter()
            .map(|(_, generator)| measured(root, subject, generator, seeds, budget))
            .collect();
        print!("{}", rows(subject, id, &columns));
    }
}

fn measured(root: &Path, subject: &Subject, generator: &str, seeds: u32, budget: &str) -> Column {
    let request = |seed| RunRequest::first_finding(generator, "pta", seed, budget).in_one_process();
    Column {
        runs: (1..=seeds)
            .map(|seed| run(root, subject, &request(seed)))
            .collect(),
        whole: run(root, subject, &request(1).whole()),
    }
}

fn rows(subject: &Subject, id: &str, columns: &[Column]) -> String {
    let medians: Vec<Option<u64>> = columns.iter().map(Column::median).collect();
    let sooner = match (medians[0], medians[1]) {
        (Some(own), Some(other)) if own < other => "yes",
        (Some(_), None) => "yes",
        _ => "no",
    };
    let mut text = String::new();
    for (number, (tool, _)) in TOOLS.iter().enumerate() {
        let column = &columns[number];
        let mut times: Vec<u64> = column.runs.iter().filter_map(|run| run.first_ms).collect();
        times.sort_unstable();
        let first = match (medians[number], times.first(), times.last()) {
            (Some(median), Some(min), Some(max)) => format!("{median} [{min} – {max}]"),
            (None, Some(min), Some(max)) => format!("– [{min} – {max}]"),
            _ => "–".to_owned(),
        };
        let reported = published::of(id, tool);
        let _ = writeln!(
            text,
            "| {} | {id} | {tool} | {} of {} | {first} | {} | {} | {} | {} | {} | {reported} | {} |",
            subject.type_name,
            times.len(),
            column.runs.len(),
            column.median_of(|run| run.tests),
            column.median_of(|run| run.executions),
            column.whole.tests,
            column.whole.suite_calls,
            column.whole.orders_covered,
            if number == 0 { sooner } else { "" },
        );
    }
    text
}
