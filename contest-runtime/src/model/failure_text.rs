//! A report as the text of a panic.

use std::fmt::Write as _;

use super::{Finding, Report};

impl Report {
    /// Panics unless all is well.
    #[track_caller]
    pub(super) fn check(&self, must_exhaust: bool, allow_no_decisions: bool) {
        if let Some(finding) = self.findings.first() {
            panic!("{}", text(finding, self));
        }
        assert!(
            !must_exhaust || self.exhausted,
            "contest: not every interleaving was run, as was asked for: {} after {} executions",
            self.cut.as_deref().unwrap_or("cut"),
            self.executions
        );
        assert!(
            allow_no_decisions || self.decisions > 0,
            "contest: the model had nothing to decide: at every point only one thread could run"
        );
    }
}

fn text(finding: &Finding, report: &Report) -> String {
    let mut out = format!("{}: {}\n", finding.kind, finding.message);
    for line in &finding.details {
        let _ = writeln!(out, "  {line}");
    }
    let _ = writeln!(
        out,
        "in execution {} of {}",
        finding.execution, report.executions
    );
    for step in &finding.interleaving {
        let _ = writeln!(
            out,
            "  {:<12} {:<24} {}",
            finding.threads[usize::from(step.thread)],
            step.event,
            step.location
        );
    }
    let _ = write!(
        out,
        "replay: contest::Builder::new().replay(\"{}\").check(..)",
        finding.schedule
    );
    out
}
