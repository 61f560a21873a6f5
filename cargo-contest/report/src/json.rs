//! JSON lines of the contract: one object per line, each with `reason`. Fields may be added, not removed or renamed.

use std::collections::BTreeMap;

use contest_data::finding::{CancelledCall, Finding, InterleavingStep, Level};
use contest_data::own_tests::{OwnResult, OwnVerdict};
use contest_data::scenario::{ScenarioOutcome, ScenarioReport};
use contest_data::totals::{Alone, SubjectTotals};
use serde::Serialize;
use serde_json::{Value, json};

use super::access_patterns;
use super::causes::Causes;
use super::emitted_result::EmittedResult;
use super::growth;
use super::ladder;
use super::run_summary::RunSummary;
use super::test_totals::TestTotals;
use super::turning_points::places_of;
use crate::explain::Explanation;
use contest_catalog::skipped::Skipped;
use contest_catalog::state_summary::StateSummary;

/// A type, before it is explored.
#[must_use]
pub fn subject(package: &str, name: &str, operations: usize, left_out: &[Skipped]) -> String {
    json!({"reason": "subject", "package": package, "type": name, "operations": operations, "left_out": left_out})
        .to_string()
}

/// A type of the catalog with its operations, for `list`.
#[must_use]
pub fn listed_subject(
    package: &str,
    name: &str,
    operations: &[String],
    constructors: &[String],
    left_out: &[Skipped],
) -> String {
    json!({"reason": "subject", "package": package, "type": name, "operations": operations.len(),
           "left_out": left_out, "calls": operations, "constructors": constructors})
    .to_string()
}

/// Something left out that belongs to no subject: a type, a crate.
#[must_use]
pub fn left_out(package: &str, skipped: &Skipped) -> String {
    json!({"reason": "left-out", "package": package, "item": skipped.item, "why": skipped.why})
        .to_string()
}

/// Files that `init` changed, or would change.
#[must_use]
pub fn initialised(package: &str, files: &[std::path::PathBuf], done: bool) -> String {
    json!({"reason": "init", "package": package, "files": files, "changed": done}).to_string()
}

/// A bug; findings with the same `cause`, a number from 1, meet at the same places. `known` says that and since when it
/// is known.
#[must_use]
pub fn finding(
    package: &str,
    finding: &Finding,
    emitted: Option<&str>,
    cause: usize,
    known: Option<&str>,
) -> String {
    #[derive(Serialize)]
    struct Line<'a> {
        reason: &'static str,
        package: &'a str,
        kind: &'static str,
        level: &'static str,
        #[serde(rename = "type")]
        subject: &'a str,
        message: &'a str,
        prefix: &'a [String],
        threads: &'a [Vec<String>],
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        cancelled: &'a [CancelledCall],
        locations: &'a [String],
        interleaving: &'a [InterleavingStep],
        schedule: &'a str,
        executions: u64,
        elapsed_ms: u64,
        emitted: Option<&'a str>,
        details: &'a [String],
        fingerprint: &'a str,
        cause: usize,
        known: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        test: Option<&'a str>,
    }
    line(&Line {
        reason: "finding",
        package,
        kind: finding.kind.name(),
        level: finding.level.name(),
        subject: &finding.subject,
        message: &finding.message,
        prefix: &finding.prefix,
        threads: &finding.threads,
        cancelled: &finding.cancelled,
        locations: &places_of(finding),
        interleaving: &finding.interleaving,
        schedule: &finding.schedule,
        executions: finding.executions,
        elapsed_ms: finding.elapsed_ms,
        emitted,
        details: &finding.details,
        fingerprint: &finding.fingerprint,
        cause,
        known,
        test: finding.own_test.as_deref(),
    })
}

/// What a kind of finding means.
#[must_use]
pub fn explanation(about: &Explanation) -> String {
    json!({"reason": "explanation", "kind": about.kind.name(), "meaning": about.meaning, "certainty": about.certainty,
           "remedies": about.remedies, "example": about.example})
    .to_string()
}

/// A failure that needs no concurrency.
#[must_use]
pub fn alone(alone: &Alone) -> String {
    json!({"reason": "alone", "type": alone.subject, "calls": alone.calls, "what": alone.what, "detail": alone.detail})
        .to_string()
}

/// A slow step begins.
#[must_use]
pub fn step(text: &str) -> String {
    json!({"reason": "step", "text": text}).to_string()
}

/// Something the user should know.
#[must_use]
pub fn warning(text: &str) -> String {
    json!({"reason": "warning", "message": text}).to_string()
}

/// No type has changed since the revision of `--since`, so none was tested.
#[must_use]
pub fn nothing_changed(unchanged: &[String]) -> String {
    json!({"reason": "nothing-changed", "types_unchanged": unchanged}).to_string()
}

/// An emitted test that was run again.
#[must_use]
pub fn test(package: &str, name: &str, result: &EmittedResult) -> String {
    let verdict = if result.fails() { "failed" } else { "ok" };
    json!({"reason": "test", "package": package, "name": name, "failed": result.fails(), "message": result.text(),
           "result": verdict, "level": result.level().map(Level::name), "complete": false, "executions": 1,
           "why": "an emitted test: run under its schedule", "emitted": true})
    .to_string()
}

/// A test of the crate that was explored.
#[must_use]
pub fn own_test(package: &str, executable: &str, result: &OwnResult) -> String {
    let failed = matches!(
        result.verdict,
        OwnVerdict::Failed | OwnVerdict::FailsSometimes
    );
    let message = if failed { result.why.as_str() } else { "" };
    json!({"reason": "test", "package": package, "name": result.name, "failed": failed, "message": message,
           "result": result.verdict.name(), "complete": result.complete, "executions": result.executions,
           "gaps": result.gaps, "rc11": result.weak, "allowed": result.allowed, "threads": result.threads,
           "draws": result.draws, "delays": result.delays,
           "random_executions": result.random_executions, "random_failures": result.random_failures,
           "sound": result.sound, "why": result.why, "executable": executable, "emitted": false})
    .to_string()
}

/// The end of `test`.
#[must_use]
pub fn test_summary(totals: &TestTotals) -> String {
    json!({"reason": "test-summary", "emitted": totals.emitted, "emitted_failed": totals.emitted_failed,
           "tests": totals.tests(), "ok": totals.ok, "failed": totals.failed, "fails_sometimes": totals.fails_sometimes,
           "ignored": totals.ignored, "not_run": totals.not_run, "not_built": totals.not_built, "complete": totals.complete,
           "single_threaded": totals.single_threaded, "drew": totals.drew, "rc11": totals.weak, "rc11_complete": totals.weak_complete,
           "pairs": totals.pairs, "pairs_failed": totals.pairs_failed, "pairs_left": totals.pairs_left,
           "executions": totals.executions, "findings": totals.findings,
           "elapsed_ms": u64::try_from(totals.elapsed.as_millis()).unwrap_or(u64::MAX),
           "interrupted": totals.interrupted})
    .to_string()
}

/// An outcome of a scenario.
#[must_use]
pub fn outcome(outcome: &ScenarioOutcome) -> String {
    json!({"reason": "outcome", "results": outcome.results, "executions": outcome.executions,
           "judgement": outcome.judgement, "bug": outcome.is_bug})
    .to_string()
}

/// The end of `try`.
#[must_use]
pub fn scenario_summary(report: &ScenarioReport, findings: usize) -> String {
    json!({"reason": "try-summary", "outcomes": report.outcomes.len(), "executions": report.executions,
           "complete": report.complete, "gaps": report.gaps, "draws": report.draws, "read_clock": report.read_clock, "memory_model": if report.only_sc { "sc" } else { "rc11" },
           "why": report.why, "findings": findings})
    .to_string()
}

/// A schedule that was run again: the finding if it showed, else how the execution ended.
#[must_use]
pub fn replayed(
    finding: Option<&Finding>,
    ending: &str,
    interleaving: &[InterleavingStep],
    diverged: Option<&str>,
) -> String {
    json!({"reason": "replayed", "kind": finding.map(|finding| finding.kind.name()),
           "message": finding.map(|finding| &finding.message), "ending": ending, "interleaving": interleaving,
           "diverged": diverged})
    .to_string()
}

/// A schedule that ended the process under test when it was run again.
#[must_use]
pub fn replay_died(what: &str) -> String {
    json!({"reason": "replayed", "kind": "abort", "message": what, "ending": what, "interleaving": [], "diverged": null})
        .to_string()
}

/// The end.
#[must_use]
pub fn summary(summary: &RunSummary) -> String {
    let mut line = json!({
        "reason": "summary",
        "package": summary.package,
        "types": summary.subjects.len(),
        "operations": summary.total(|subject| subject.operations),
        "tests": summary.total(|subject| subject.tests),
        "executions": summary.total(|subject| subject.executions),
        "watched_executions": summary.total(|subject| subject.watched),
        "executions_not_observed": summary.total(|subject| subject.unobserved),
        "tests_with_contended_memory": summary.total(|subject| subject.contended),
        "findings": summary.finding_count(),
        "findings_in_baseline": summary.in_baseline,
        "causes": causes(&summary.causes),
        "elapsed_ms": u64::try_from(summary.elapsed.as_millis()).unwrap_or(u64::MAX),
        "ladder": ladder::json(summary),
        "growth": growth::json(summary),
        "not_cancelled_operations": operations(summary, |subject| &subject.not_cancelled),
        "approximate_operations": operations(summary, |subject| &subject.approximate),
        "coverage": coverage(summary),
        "analysis": {
            "operations": summary.analysed.operations,
            "exact": summary.analysed.exact,
            "left_out": summary.analysed.left_out,
            "checked": summary.analysed.checked.as_ref().map(|checked| json!({
                "compared": checked.compared,
                "inexact": checked.inexact,
                "elsewhere": checked.elsewhere,
                "dropped": checked.dropped,
                "wrong": checked.wrong,
            })),
        },
        "sampled": sampled(summary),
        "operations_left_out": summary.operations_left_out,
        "types_left_out": summary.types_left_out,
        "types_unchanged": summary.unchanged,
        "types_not_reached": summary.not_reached,
        "members_not_tested": summary.members_not_tested,
        "instrumented": summary.instrumented,
        "uninstrumented": summary.uninstrumented,
        "state": summary.state.as_ref().map(self::state),
        "lost": summary.lost,
        "alone": summary.alone.len(),
        "restarts": summary.restarts,
        "nothing_tested": summary.vacuous().map(|vacuous| vacuous.why()),
        "interrupted": summary.interrupted,
    });
    line["warnings"] = json!(summary.warnings);
    line.to_string()
}

/// What was run, and what was not, with the reasons.
fn coverage(summary: &RunSummary) -> Value {
    let reasons = |list: Vec<(String, u64)>| -> Vec<serde_json::Value> {
        list.into_iter()
            .map(|(why, count)| json!({"why": why, "count": count}))
            .collect()
    };
    let left_out_tests = summary.reasons(|subject| &subject.left_out);
    let not_reported = summary.reasons(|subject| &subject.skipped);
    json!({
        "operations_used": summary.total(|subject| subject.operations_used()),
        "never_concurrent": never_concurrent(summary),
        "only_errors": only_errors(summary),
        "pairs_run": summary.total(|subject| subject.pairs.0),
        "pairs": summary.total(|subject| subject.pairs.1),
        "pairs_pruned": summary.total(|subject| subject.pairs_pruned),
        "tests_exhausted": summary.total(|subject| subject.exhausted),
        "tests_drew": summary.total(|subject| subject.drew),
        "tests_partly": ladder::partly(&summary.partly()),
        "tests_cut": reasons(summary.reasons(|subject| &subject.cut)),
        "tests_left_out": reasons(left_out_tests.clone()),
        "tests_skipped": reasons([left_out_tests, not_reported].concat()),
        "steps": summary.total(|subject| subject.steps),
        "decisions": summary.total(|subject| subject.decisions),
        "access_patterns": access_patterns::json(summary),
        "requirements": reasons(summary.reasons(|subject| &subject.requirements)),
        "suite_calls": summary.total(|subject| subject.generation.calls),
        "sequences": summary.total(|subject| subject.generation.sequences),
        "sequence_runs": summary.total(|subject| subject.generation.sequence_runs),
        "sequential_coverage": summary.total(|subject| subject.generation.traces_covered),
        "first_search": {
            "us": summary.total(|subject| subject.generation.first_search.0),
            "sequence_runs": summary.total(|subject| subject.generation.first_search.1),
            "sequential_coverage": summary.total(|subject| subject.generation.first_search.2),
        },
        "traces_seen": summary.total(|subject| subject.generation.traces_seen),
        "states": reasons(summary.reasons(|subject| &subject.generation.states)),
        "pruned": reasons(pruned(summary)),
    })
}

/// Each cause with its most definite finding, and how many of each kind show it.
fn causes(causes: &Causes) -> Vec<serde_json::Value> {
    let all = causes.most_definite_first();
    let each = all.into_iter().map(|cause| {
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for finding in &cause.findings {
            *kinds.entry(finding.kind.name()).or_default() += 1;
        }
        let first = cause.first();
        json!({"cause": cause.number, "findings": cause.findings.len(), "kinds": kinds,
               "kind": first.map(|it| it.kind.name()), "type": first.map(|it| &it.subject),
               "calls": first.map(|it| &it.calls), "locations": first.map(|it| &it.locations)})
    });
    each.collect()
}

/// What was pruned, with the reason: pairs of operations, and branches of the search for call sequences.
fn pruned(summary: &RunSummary) -> Vec<(String, u64)> {
    let mut pruned = summary.reasons(|subject| &subject.generation.pruned);
    let pairs = summary.total(|subject| subject.pairs_pruned);
    pruned.insert(0, ("pairs".to_owned(), pairs));
    pruned
}

fn line(value: &impl Serialize) -> String {
    // Only maps with non-text keys and failing `Serialize` impls can fail, and there are none.
    serde_json::to_string(value).unwrap_or_default()
}

/// What `--state` kept.
fn state(state: &StateSummary) -> Value {
    json!({
        "run": state.run,
        "elapsed_ms": u64::try_from(state.elapsed.as_millis()).unwrap_or(u64::MAX),
        "after_kill": state.after_kill,
        "tests_before": state.tests_before,
        "tests_gone_on": state.gone_on,
        "types_new": state.new_types,
        "types_changed": state.changed,
        "types_unchanged": state.unchanged,
        "findings_open": state.open,
        "findings_mended": state.mended,
        "findings_unclear": state.unclear,
        "findings_not_replayed": state.not_replayed,
        "problems": state.problems,
    })
}

/// Operations of all types, by name.
fn operations(summary: &RunSummary, of: impl Fn(&SubjectTotals) -> &Vec<String>) -> Vec<Value> {
    let mut all = Vec::new();
    for subject in &summary.subjects {
        let operation = |name| json!({"type": subject.name, "operation": name});
        all.extend(of(subject).iter().map(operation));
    }
    all
}

fn never_concurrent(summary: &RunSummary) -> Vec<Value> {
    let subjects = summary.subjects.iter();
    let all = subjects.flat_map(|subject| {
        let operation =
            |(name, _): &(String, u64)| json!({"type": subject.name, "operation": name});
        subject.never_concurrent.iter().map(operation)
    });
    all.collect()
}

fn only_errors(summary: &RunSummary) -> Vec<Value> {
    let subjects = summary.subjects.iter();
    let all = subjects.flat_map(|subject| {
        let operation = |(name, _, error): &(String, u64, String)| json!({"type": subject.name, "operation": name, "error": error});
        subject.only_errors.iter().map(operation)
    });
    all.collect()
}

/// Complete tests that were sampled.
fn sampled(summary: &RunSummary) -> Value {
    let missed = summary.subjects.iter().flat_map(|it| &it.sampled.missed);
    json!({
        "tests": summary.total(|subject| subject.sampled.tests),
        "executions": summary.total(|subject| subject.sampled.executions),
        "missed": missed.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::deadlock;
    use serde_json::Value;

    fn fields(line: &str) -> Value {
        assert!(!line.contains('\n'), "{line}");
        serde_json::from_str(line).unwrap()
    }

    #[test]
    fn a_finding_has_every_field_of_the_contract() {
        let line = fields(&finding("bank 0.1.0", &deadlock(), None, 1, None));
        assert_eq!(line["reason"], "finding");
        assert_eq!(line["package"], "bank 0.1.0");
        assert_eq!(line["kind"], "deadlock");
        assert_eq!(line["type"], "bank::Accounts");
        assert_eq!(line["prefix"][0], "let a = Accounts::new();");
        assert_eq!(line["threads"][1][0], "a.audit()");
        assert_eq!(line["locations"][0], "src/lib.rs:11:28");
        assert_eq!(line["interleaving"][0]["thread"], 1);
        assert_eq!(line["interleaving"][0]["event"], "lock Mutex#1");
        assert_eq!(line["interleaving"][0]["location"], "src/lib.rs:10:26");
        assert_eq!(line["schedule"], "c1:AbCd");
        assert_eq!(line["executions"], 3);
        assert_eq!(line["elapsed_ms"], 12);
        assert_eq!(line["emitted"], Value::Null);
        assert!(line["message"].is_string());
    }

    #[test]
    fn a_subject_and_a_summary_have_every_field_of_the_contract() {
        let line = fields(&subject(
            "a 0.1.0",
            "a::B",
            2,
            &[Skipped::new("a::B::new", "private")],
        ));
        assert_eq!(line["reason"], "subject");
        assert_eq!(line["type"], "a::B");
        assert_eq!(line["operations"], 2);
        assert_eq!(line["left_out"][0]["item"], "a::B::new");
        assert_eq!(line["left_out"][0]["why"], "private");
        let line = fields(&summary(&RunSummary::default()));
        assert_eq!(line["reason"], "summary");
        for field in [
            "types",
            "operations",
            "tests",
            "executions",
            "findings",
            "elapsed_ms",
        ] {
            assert!(line[field].is_u64(), "{field}");
        }
        assert!(line["coverage"].is_object());
    }
}

#[cfg(test)]
mod tests_of_schema;
