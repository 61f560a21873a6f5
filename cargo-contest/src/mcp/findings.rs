//! Lines of the JSON contract as the few facts that a reader needs.

use std::path::Path;

use serde_json::{Value, json};

use super::child::Ran;
use super::known::{Memory, Scope};
use contest_report::source_files::SourceFiles;

/// The findings of a run, remembered; the first of each cause comes first.
pub(super) fn findings(ran: &Ran, scope: &Scope, memory: &mut Memory) -> Vec<Value> {
    let mut seen = Vec::new();
    let (mut firsts, mut others) = (Vec::new(), Vec::new());
    for finding in ran.with_reason("finding") {
        let name = memory.finding(finding, scope);
        let is_first = !seen.contains(&&finding["cause"]);
        seen.push(&finding["cause"]);
        let all = if is_first { &mut firsts } else { &mut others };
        all.push(item(&name, finding));
    }
    firsts.append(&mut others);
    firsts
}

/// A finding in short.
fn item(name: &str, finding: &Value) -> Value {
    let mut item = what(finding);
    item["finding"] = name.into();
    item["cause"] = finding["cause"].clone();
    item["at"] = finding["locations"].clone();
    item["why"] = finding["details"].clone();
    item["token"] = token(finding);
    item
}

/// The token, unless it is so long that the name is the better one.
pub(super) fn token(finding: &Value) -> Value {
    const MOST: usize = 600;
    let token = finding["schedule"].as_str().unwrap_or_default();
    match token.len() {
        0..=MOST => token.into(),
        long => format!("{long} characters; the name of the finding stands for it").into(),
    }
}

/// What a run showed beside findings with tokens: processes that died, outcomes that are wrong, tests that always fail.
pub(super) fn without_token(ran: &Ran) -> Vec<Value> {
    // As a scenario ends that takes its process with it.
    let died = ran
        .with_reason("replayed")
        .filter(|it| !it["kind"].is_null());
    let died = died.map(|it| json!({"process_died": it["message"]}));
    let outcomes = ran.with_reason("outcome").filter(|it| it["bug"] == true);
    let outcomes =
        outcomes.map(|it| json!({"outcome": it["results"], "judgement": it["judgement"]}));
    let tests = ran.with_reason("test");
    let tests =
        tests.map(|it| json!({"test": it["name"], "result": it["result"], "why": it["why"]}));
    died.chain(outcomes).chain(tests).collect()
}

/// Calls that fail without another thread. That may be meant, and is no finding.
pub(super) fn alone(ran: &Ran) -> Vec<Value> {
    let alone = ran.with_reason("alone");
    alone
        .map(|it| json!({"type": it["type"], "calls": it["calls"], "detail": it["detail"]}))
        .collect()
}

/// What was found in which calls.
pub(super) fn what(finding: &Value) -> Value {
    let mut what = json!({
        "kind": finding["kind"],
        "level": finding["level"],
        "message": finding["message"],
    });
    match &finding["test"] {
        Value::Null => {
            what["type"] = finding["type"].clone();
            what["before"] = finding["prefix"].clone();
            what["threads"] = finding["threads"].clone();
        }
        test => what["test"] = test.clone(),
    }
    what
}

/// The steps of an interleaving, each with its line of the source.
pub(super) fn steps(interleaving: &Value, directory: &Path) -> Vec<Value> {
    let sources = SourceFiles::new(&[directory], None);
    let steps = interleaving.as_array().into_iter().flatten();
    let steps = steps.map(|step| {
        let mut out = json!({"thread": step["thread"], "does": step["event"]});
        let caller = step["caller"].as_str();
        let place = caller.or(step["location"].as_str()).unwrap_or_default();
        if !place.is_empty() {
            out["at"] = place.into();
        }
        if let Some((_, line)) = sources.line(place) {
            out["line"] = line.into();
        }
        if !step["result"].is_null() {
            out["result"] = step["result"].clone();
        }
        let facts = &step["facts"];
        let holds = facts["holds"].as_array();
        if holds.is_some_and(|it| !it.is_empty()) {
            out["holds"] = facts["holds"].clone();
        }
        out
    });
    steps.collect()
}

/// What a run explored: of generated tests, of the tests of the package, or of a scenario.
pub(super) fn explored(ran: &Ran) -> Value {
    if let Some(summary) = ran.one("summary") {
        return json!({
            "types": summary["types"],
            "operations": summary["operations"],
            "tests": summary["tests"],
            "tests_in_every_interleaving": summary["coverage"]["tests_exhausted"],
            "executions": summary["executions"],
            "milliseconds": summary["elapsed_ms"],
        });
    }
    if let Some(summary) = ran.one("test-summary") {
        return json!({
            "tests": summary["tests"],
            "tests_in_every_interleaving": summary["complete"],
            "ok": summary["ok"],
            "failed_always": summary["failed"],
            "failed_sometimes": summary["fails_sometimes"],
            "not_run": summary["not_run"],
            "executions": summary["executions"],
            "milliseconds": summary["elapsed_ms"],
        });
    }
    if let Some(summary) = ran.one("try-summary") {
        return json!({
            "every_interleaving": summary["complete"],
            "executions": summary["executions"],
            "memory_model": summary["memory_model"],
        });
    }
    Value::Null
}

/// What it did not, in words.
pub(super) fn not_explored(ran: &Ran) -> Vec<String> {
    let mut all = Vec::new();
    if ran.left_out > 0 {
        all.push(format!(
            "{} further results are not in this answer: run `cargo contest` in a terminal for all of them",
            ran.left_out
        ));
    }
    if let Some(summary) = ran.one("summary") {
        let number = |value: &Value| value.as_u64().unwrap_or(0);
        let coverage = &summary["coverage"];
        let pairs = number(&coverage["pairs"]).saturating_sub(number(&coverage["pairs_run"]));
        for (count, what) in [
            (pairs, "pairs of operations were not run beside each other"),
            (
                number(&summary["types_left_out"]),
                "types are left out: `list` says why",
            ),
            (
                number(&summary["operations_left_out"]),
                "operations are left out: `list` says why",
            ),
        ] {
            if count > 0 {
                all.push(format!("{count} {what}"));
            }
        }
        let reasons = |list: &Value, what: &str| -> Vec<String> {
            let list = list.as_array().into_iter().flatten();
            let list = list.filter(|it| number(&it["count"]) > 0);
            let text = |it: &Value| {
                let why = it["why"].as_str().unwrap_or_default();
                format!("{} tests {what}: {why}", number(&it["count"]))
            };
            list.map(text).collect()
        };
        all.extend(reasons(&coverage["tests_cut"], "were cut"));
        all.extend(reasons(&coverage["tests_left_out"], "were left out"));
        for (list, what) in [
            (&summary["types_not_reached"], "had no test in this time"),
            (&summary["uninstrumented"], "is not instrumented"),
            (&summary["lost"], "was lost with the process"),
        ] {
            for name in list.as_array().into_iter().flatten() {
                let name = name.as_str().or(name["item"].as_str()).unwrap_or_default();
                all.push(format!("{name} {what}"));
            }
        }
    }
    if let Some(summary) = ran.one("try-summary")
        && let Some(why) = summary["why"].as_str().filter(|it| !it.is_empty())
    {
        all.push(why.to_owned());
    }
    for line in ran.with_reason("left-out") {
        let (item, why) = (line["item"].as_str(), line["why"].as_str());
        all.push(format!(
            "{}: {}",
            item.unwrap_or_default(),
            why.unwrap_or_default()
        ));
    }
    all
}

#[cfg(test)]
mod tests {
    use contest_data::own_tests::{OwnResult, OwnVerdict};
    use contest_data::scenario::ScenarioReport;
    use contest_data::totals::SubjectTotals;

    use super::*;
    use crate::mcp::child::End;
    use crate::sample::deadlock;
    use contest_catalog::skipped::Skipped;
    use contest_report::json as contract;
    use contest_report::run_summary::RunSummary;
    use contest_report::test_totals::TestTotals;

    fn ran(lines: &[String]) -> Ran {
        let lines = lines.iter().map(|it| serde_json::from_str(it).unwrap());
        Ran {
            lines: lines.collect(),
            left_out: 0,
            said: String::new(),
            end: End::Status(Some(1)),
        }
    }

    #[test]
    fn what_a_run_prints_is_read_with_what_it_did_not_explore() {
        let summary = RunSummary {
            subjects: vec![SubjectTotals {
                operations: 2,
                tests: 5,
                exhausted: 3,
                executions: 9,
                pairs: (1, 3),
                cut: vec![("end of the budget".to_owned(), 2)],
                ..SubjectTotals::default()
            }],
            types_left_out: 1,
            not_reached: vec!["a::B".to_owned()],
            uninstrumented: vec![Skipped::new("c 1.0.0", "why")],
            ..RunSummary::default()
        };
        let other = contract::finding("a 0.1.0", &deadlock(), None, 1, None);
        let other = other.replace("c1:AbCd", "c1:Other");
        let run = ran(&[
            contract::finding("a 0.1.0", &deadlock(), None, 1, None),
            other.clone(),
            other
                .replace("c1:Other", "c1:Third")
                .replace("\"cause\":1", "\"cause\":2"),
            contract::summary(&summary),
        ]);
        let mut memory = Memory::default();
        let found = findings(&run, &Scope::default(), &mut memory);
        let names: Vec<&Value> = found.iter().map(|it| &it["finding"]).collect();
        assert_eq!(
            names,
            ["f1", "f3", "f2"],
            "a finding of each cause comes first"
        );
        assert_eq!(found[0]["kind"], "deadlock");
        assert_eq!(found[0]["threads"][1][0], "a.audit()");
        assert_eq!(found[0]["at"][0], "src/lib.rs:11:28");
        assert_eq!(found[0]["token"], "c1:AbCd");
        assert_eq!(found[0]["why"].as_array().unwrap().len(), 2);
        let explored = explored(&run);
        for (field, value) in [
            ("types", 1),
            ("operations", 2),
            ("tests", 5),
            ("tests_in_every_interleaving", 3),
            ("executions", 9),
        ] {
            assert_eq!(explored[field], value, "{field}");
        }
        let not = not_explored(&run).join("\n");
        for part in [
            "2 pairs of operations",
            "1 types are left out",
            "2 tests were cut: end of the budget",
            "a::B had no test",
            "c 1.0.0 is not instrumented",
        ] {
            assert!(not.contains(part), "{part}: {not}");
        }
    }

    #[test]
    fn tests_that_do_not_pass_and_processes_that_died_are_not_overlooked() {
        let failed = OwnResult::without_execution("a::b", OwnVerdict::Failed, "panics");
        let totals = TestTotals {
            failed: 1,
            complete: 4,
            ..TestTotals::default()
        };
        let run = ran(&[
            contract::own_test("a 0.1.0", "lib", &failed),
            contract::replay_died("SIGSEGV"),
            contract::left_out("a 0.1.0", &Skipped::new("bench x", "does not build")),
            contract::test_summary(&totals),
        ]);
        let also = without_token(&run);
        assert_eq!(also[0]["process_died"], "SIGSEGV", "{also:?}");
        assert_eq!(also[1]["test"], "a::b");
        assert_eq!(explored(&run)["failed_always"], 1);
        assert_eq!(explored(&run)["tests_in_every_interleaving"], 4);
        assert_eq!(not_explored(&run), ["bench x: does not build"]);
        let longer = Ran { left_out: 7, ..run };
        assert!(not_explored(&longer)[0].starts_with("7 further results"));
        let tried = ran(&[contract::scenario_summary(&ScenarioReport::default(), 0)]);
        assert_eq!(explored(&tried)["every_interleaving"], false);
        assert_eq!(explored(&ran(&[])), Value::Null);
    }

    #[test]
    fn a_token_that_is_long_has_its_name_in_its_place() {
        let long = json!({"schedule": "x".repeat(601)});
        assert!(token(&long).as_str().unwrap().starts_with("601 characters"));
        assert_eq!(token(&json!({"schedule": "x"})), "x");
    }
}
