//! A report as the text of a panic.

use std::fmt::Write as _;

use super::{Finding, FindingKind, Report};
use contest_data::failure_text;

impl Report {
    /// Panics with the text of the first finding, as [`Builder::check`](super::Builder::check) does.
    ///
    /// # Panics
    /// If there is one.
    #[track_caller]
    pub fn assert_clean(&self) {
        if let Some(finding) = self.findings.first() {
            let text = text(finding, self);
            panic!("{text}");
        }
    }

    /// Panics unless all is well.
    #[track_caller]
    pub(super) fn check(&self, must_exhaust: bool, allow_no_decisions: bool) {
        self.assert_clean();
        for limit in &self.limits {
            say(&format!("contest: {limit}"));
        }
        if self.replay {
            say("contest: the replayed schedule did not fail");
            return;
        }
        let executions = self.executions;
        let cut = self.cut.as_deref().unwrap_or("cut");
        assert!(
            !must_exhaust || self.exhausted,
            "contest: not every interleaving was run, as the model requires: {cut}, after {executions} executions"
        );
        assert!(
            allow_no_decisions || self.decisions > 0,
            "contest: the model made no scheduling decision in {executions} executions: at no point could more than one thread go on, so \
             nothing was tested; start threads with `contest::thread` and use the types of `contest::sync`, or say \
             `Builder::allow_no_decisions`"
        );
        if !self.exhausted {
            say(&format!(
                "contest: no failure in {executions} executions; not every interleaving was run ({cut})"
            ));
        }
    }
}

/// For those who run the test with `--nocapture`.
#[expect(clippy::print_stderr, reason = "a run that was cut says so")]
fn say(text: &str) {
    eprintln!("{text}");
}

fn text(finding: &Finding, report: &Report) -> String {
    let mut out = match finding.kind {
        FindingKind::Limit => "contest reached a limit".to_owned(),
        FindingKind::Unsupported => "contest cannot run this model".to_owned(),
        kind => format!("contest found a {}", kind.words()),
    };
    let how = format!(
        " ({}found in execution {}{})",
        if report.replay { "replayed, " } else { "" },
        finding.executions,
        match finding.preemptions {
            // By loom, which does not count them.
            _ if finding.schedule.is_empty() => String::new(),
            0 => ", no thread stopped that could go on".to_owned(),
            1 => ", one thread stopped that could go on".to_owned(),
            times => format!(", {times} times a thread stopped that could go on"),
        }
    );
    let _ = writeln!(out, ": {}", finding.message);
    out.push_str(&failure_text::body(finding, &how));
    if report.given_up > 0 {
        let _ = writeln!(
            out,
            "{} threads could not be unwound after their execution was over; what they owned is leaked",
            report.given_up
        );
    }
    if report.needs_other_thread {
        out.push_str(
            "note: only threads started with `contest::thread` take part; one of the operating system that was to wake these is not seen\n",
        );
    }
    for limit in &report.limits {
        let _ = writeln!(out, "note: {limit}");
    }
    let _ = write!(out, "\n{}", failure_text::again(finding));
    let token = &finding.schedule;
    if !token.is_empty() {
        let _ = write!(
            out,
            "\nor give the model's builder the schedule:\n    contest::Builder::new().replay(\"{token}\")"
        );
    }
    out
}
