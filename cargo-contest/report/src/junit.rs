//! JUnit report: a suite per package, a case per type that was explored, and a failed case per finding.

use std::path::Path;

use anstream::adapter::strip_str;
use contest_data::finding::{Finding, Level};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::human;
use super::run_summary::RunSummary;
use super::source_files::SourceFiles;
use super::visible::finding_as_seen;
use contest_build::workspace::scratch_dir::{WriteError, write_if_changed};

/// Width of tables inside the report.
const WIDTH: usize = 120;

/// Writes the report of a run.
///
/// # Errors
/// If the file cannot be written.
pub fn write(
    path: &Path,
    summary: &RunSummary,
    findings: &[(Finding, Option<String>)],
    replay: &str,
    sources: &SourceFiles,
) -> Result<(), WriteError> {
    let text = report(summary, findings, replay, sources)
        .to_string()
        .map_err(|error| WriteError::new(path, std::io::Error::other(error)))?;
    write_if_changed(path, &text).map(drop)
}

fn report(
    summary: &RunSummary,
    findings: &[(Finding, Option<String>)],
    replay: &str,
    sources: &SourceFiles,
) -> Report {
    let mut suite = TestSuite::new(&summary.package);
    suite.set_time(summary.elapsed);
    for subject in &summary.subjects {
        let mut status = TestCaseStatus::success();
        if subject.tests == 0 {
            status = TestCaseStatus::skipped();
            status.set_message("no concurrent test could be run");
        }
        let mut case = TestCase::new(format!("{}: explored", subject.name), status);
        case.set_classname(&subject.name);
        case.set_system_out(format!(
            "{} tests, {} of them in every interleaving, {} executions",
            subject.tests, subject.exhausted, subject.executions
        ));
        suite.add_test_case(case);
    }
    for (n, (finding, emitted)) in (1..).zip(findings) {
        let finding = &*finding_as_seen(finding);
        let text = human::finding(finding, emitted.as_deref(), replay, WIDTH, sources);
        let text = strip_str(&text).to_string();
        let name = format!("{}: {} {n}", finding.subject, finding.kind);
        let mut case = match finding.level {
            Level::Error => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_type(finding.kind.name());
                status.set_message(&finding.message);
                status.set_description(text);
                TestCase::new(name, status)
            }
            Level::Warning => {
                let mut case = TestCase::new(name, TestCaseStatus::success());
                case.set_system_out(text);
                case
            }
        };
        case.set_classname(&finding.subject);
        suite.add_test_case(case);
    }
    let mut report = Report::new("cargo contest");
    report.add_test_suite(suite);
    report
}

#[cfg(test)]
mod tests {
    use contest_data::totals::SubjectTotals;

    use super::*;
    use crate::sample::deadlock;

    #[test]
    fn types_pass_and_findings_fail() {
        let summary = RunSummary {
            package: "bank 0.1.0".to_string(),
            subjects: vec![SubjectTotals {
                name: "bank::Accounts".to_string(),
                tests: 3,
                ..SubjectTotals::default()
            }],
            ..RunSummary::default()
        };
        let report = report(
            &summary,
            &[(deadlock(), None)],
            "cargo contest replay",
            &SourceFiles::default(),
        );
        assert_eq!((report.tests, report.failures), (2, 1));
        let text = report.to_string().unwrap();
        assert!(text.contains("a.transfer(1) &lt;hung&gt;"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
