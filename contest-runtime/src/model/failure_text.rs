//! A report as the text of a panic.

use std::fmt::Write as _;

use super::interleaving::table;
use super::{Finding, FindingKind, Report, environment};
use contest_data::trace::Ending;

impl Report {
    /// Panics unless all is well.
    #[track_caller]
    pub(super) fn check(&self, must_exhaust: bool, allow_no_decisions: bool) {
        if let Some(finding) = self.findings.first() {
            let text = text(finding, self);
            panic!("{text}");
        }
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
            "contest: not every interleaving was run, as was asked for: {cut}, after {executions} executions"
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

/// True if threads wait for what some thread has to do, not for a lock that one of them holds.
fn needs_other_thread(finding: &Finding) -> bool {
    let Ending::Deadlock(blocked) = &finding.ending else {
        return false;
    };
    let mut blocked = blocked.iter();
    finding.kind == FindingKind::Deadlock
        && blocked.any(|thread| thread.waits_for.needs_other_thread())
}

/// For those who run the test with `--nocapture`.
#[expect(clippy::print_stderr, reason = "a run that was cut says so")]
fn say(text: &str) {
    eprintln!("{text}");
}

fn text(finding: &Finding, report: &Report) -> String {
    let mut out = String::new();
    let what = match finding.kind {
        FindingKind::Limit => "contest reached a limit".to_owned(),
        FindingKind::Unsupported => "contest cannot run this model".to_owned(),
        kind => format!("contest found a {kind}"),
    };
    let _ = writeln!(out, "{what}: {}", finding.message);
    for line in &finding.details {
        let _ = writeln!(out, "  {line}");
    }
    if !finding.interleaving.is_empty() {
        let _ = writeln!(
            out,
            "\nThe following interleaving leads there ({}found in execution {}{}):",
            if report.replay { "replayed, " } else { "" },
            finding.execution,
            match finding.preemptions {
                // By loom, which does not tell.
                _ if finding.schedule.is_empty() => String::new(),
                0 => ", no thread stopped that could go on".to_owned(),
                1 => ", one thread stopped that could go on".to_owned(),
                times => format!(", {times} times a thread stopped that could go on"),
            }
        );
        out.push_str(&table(&finding.interleaving, &finding.threads));
    }
    if report.given_up > 0 {
        let _ = writeln!(
            out,
            "{} threads could not be unwound after their execution was over; what they owned is leaked",
            report.given_up
        );
    }
    if needs_other_thread(finding) {
        out.push_str(
            "note: only threads started with `contest::thread` take part; one of the operating system that was to wake these is not seen\n",
        );
    }
    for limit in &report.limits {
        let _ = writeln!(out, "note: {limit}");
    }
    let token = &finding.schedule;
    if token.is_empty() {
        out.push_str("\nThe search is the same every time: run the test again to see it again.");
        return out;
    }
    let test = std::thread::current()
        .name()
        .filter(|name| *name != "main")
        .unwrap_or("<name of the test>")
        .to_owned();
    let _ = write!(
        out,
        "\nTo run this interleaving again:\n    {}={token} cargo test {test} -- --exact --nocapture\nor give the model's builder the schedule:\n    \
         contest::Builder::new().replay(\"{token}\")",
        environment::REPLAY
    );
    out
}
