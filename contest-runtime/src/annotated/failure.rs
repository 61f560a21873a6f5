//! A report as the text of a panic.

use std::fmt::Write as _;

use super::regressions::Kept;
use super::run::Report;
use contest_data::failure_text;
use contest_data::finding::Finding;
use contest_data::totals::FailureAlone;

/// Panics unless all is well.
#[track_caller]
pub(super) fn check(report: &Report, kept: &Kept) {
    if let Some(finding) = report.findings.first() {
        let text = text(finding, report, kept);
        panic!("{text}");
    }
    if let Some(broken) = report
        .alone
        .iter()
        .find(|alone| alone.what == FailureAlone::BreaksInvariant)
    {
        panic!(
            "contest found a bug in `{}` without any concurrency: {}\n\n    {}\n\n{}",
            broken.subject,
            broken.detail,
            broken.calls.join("\n    "),
            summary(report)
        );
    }
    if let Some(ending) = &report.replayed {
        say(&format!("contest: the bug did not show again: {ending}"));
        return;
    }
    let summary = summary(report);
    assert!(
        report.totals.tests > 0,
        "contest: nothing was tested. {summary}"
    );
    say(&format!("contest: no bug found. {summary}"));
}

/// For those who run the test with `--nocapture`.
#[expect(clippy::print_stderr, reason = "what was not tested is said")]
fn say(text: &str) {
    eprintln!("{text}");
}

/// What was done and what was not.
fn summary(report: &Report) -> String {
    let totals = &report.totals;
    let mut out = format!(
        "{}: {} tests of {} of {} operations, {} of {} pairs, {} executions; all interleavings of {} tests",
        totals.name,
        totals.tests,
        totals.operations_used(),
        totals.operations,
        totals.pairs.0,
        totals.pairs.1,
        totals.executions,
        totals.exhausted,
    );
    for (what, counts) in [
        ("cut", &totals.cut),
        ("left out", &totals.left_out),
        ("not reported", &totals.skipped),
    ] {
        for (reason, count) in counts {
            let _ = write!(out, "\n  {what}, {count} times: {reason}");
        }
    }
    for (method, why) in &report.left_out {
        let _ = write!(out, "\n  no operation: `{method}`, {why}");
    }
    for alone in &report.alone {
        let _ = write!(
            out,
            "\n  {} without any concurrency: {} ({})",
            alone.what,
            alone.calls.join("; "),
            alone.detail
        );
    }
    for note in &report.notes {
        let _ = write!(out, "\n  {note}");
    }
    out
}

fn text(finding: &Finding, report: &Report, kept: &Kept) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "contest found a bug in `{}` ({}): {}",
        finding.subject, finding.kind, finding.message
    );
    out.push_str(&failure_text::body(finding, ""));
    for note in &report.notes {
        let _ = writeln!(out, "\nnote: {note}");
    }
    out.push('\n');
    match kept {
        Kept::In(path) => {
            let _ = writeln!(
                out,
                "It is kept in {} and runs first from now on; keep that file under version control.",
                path.display()
            );
        }
        Kept::Already(path) => {
            let _ = writeln!(out, "It was found before: {}.", path.display());
        }
        Kept::Failed(path, error) => {
            let _ = writeln!(
                out,
                "It could not be kept for the next run: {}: {error}.",
                path.display()
            );
        }
        Kept::Not => {}
    }
    out.push_str(&failure_text::again(finding));
    out
}
