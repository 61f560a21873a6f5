//! What a run cost and how it went, in numbers: a part of the summary that says nothing of what was not tested.

use std::fmt::Write as _;

use crate::access_patterns;
use crate::figures::{count, counted};
use crate::ladder;
use crate::run_summary::RunSummary;

/// Steps, watched memory, shapes, static analysis, access patterns.
pub(super) fn statistics(summary: &RunSummary) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "  steps       {}, {} decisions between threads",
        count(summary.total(|subject| subject.steps)),
        count(summary.total(|subject| subject.decisions)),
    );
    let watched = summary.total(|subject| subject.watched);
    if watched > 0 {
        let contended = match summary.total(|subject| subject.contended) {
            0 => String::new(),
            tests => format!(
                "; in {} accesses of contended memory were scheduling points",
                counted(tests, "test")
            ),
        };
        let _ = writeln!(
            out,
            "  memory      every access watched in {} of {} executions{contended}",
            count(watched),
            count(summary.total(|subject| subject.executions)),
        );
    }
    let _ = writeln!(
        out,
        "  covered     {} of {} operations and {} of {} pairs of operations ran concurrently",
        count(summary.total(|subject| subject.operations_used())),
        count(summary.total(|subject| subject.operations)),
        count(summary.total(|subject| subject.pairs.0)),
        count(summary.total(|subject| subject.pairs.1)),
    );
    out.push_str(&ladder::table(summary));
    if summary.analysed.operations > 0 {
        let _ = writeln!(out, "  analysed    {}", analysis(summary));
    }
    out.push_str(&access_patterns::human(summary));
    if summary.restarts > 0 {
        let _ = writeln!(
            out,
            "  restarted   {} after the process under test died",
            counted(u64::from(summary.restarts), "time")
        );
    }
    out
}

/// What static analysis found and the tests it saved.
fn analysis(summary: &RunSummary) -> String {
    let analysed = &summary.analysed;
    let pruned = summary.total(|subject| subject.pairs_pruned);
    format!(
        "{} of {} exactly{}; {} without tests of their own: the two cannot disturb each other",
        count(analysed.exact as u64),
        counted(analysed.operations as u64, "operation"),
        match analysed.left_out.len() {
            0 => String::new(),
            parts => format!(" ({} not read)", counted(parts as u64, "source part")),
        },
        counted(pruned, "pair"),
    )
}
