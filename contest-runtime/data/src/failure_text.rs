//! A finding as the text of a panic: for tests of annotated types and for models. What the tool prints shares its
//! sentences.

use std::fmt::Write as _;

use crate::finding::Finding;
use crate::trace_table::{calls_table, table_of};

/// Environment variable with the token of a schedule to replay, for tests under `cargo test`.
pub const REPLAY_VARIABLE: &str = "CONTEST_REPLAY";

/// Stands above the table of an interleaving.
pub const INTERLEAVING: &str = "The interleaving that shows it";

/// Width of tables in a panic, which cannot ask the terminal.
const WIDTH: usize = 140;

/// Everything below the first line and above the notes; `how` the interleaving was found is added to its heading.
#[must_use]
pub fn body(finding: &Finding, how: &str) -> String {
    let mut out = String::new();
    for line in &finding.details {
        let _ = writeln!(out, "  {line}");
    }
    if !finding.prefix.is_empty() {
        out.push('\n');
        for call in &finding.prefix {
            let _ = writeln!(out, "    {call}");
        }
    }
    if !finding.threads.is_empty() {
        let _ = write!(out, "\n{}", calls_table(finding, WIDTH));
    }
    if !finding.interleaving.is_empty() {
        let table = table_of(finding, WIDTH);
        let _ = write!(out, "\n{INTERLEAVING}{how}:\n{table}");
    }
    out
}

/// How to see it again, from inside the test that failed.
#[must_use]
pub fn again(finding: &Finding) -> String {
    if finding.schedule.is_empty() {
        return "The search is the same every time: run the test again to see it again.".to_owned();
    }
    let thread = std::thread::current();
    let test = thread.name().filter(|name| *name != "main");
    format!(
        "To run this interleaving again:\n    {REPLAY_VARIABLE}={} cargo test {} -- --exact --nocapture",
        finding.schedule,
        test.unwrap_or("<name of the test>"),
    )
}
