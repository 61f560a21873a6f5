//! SARIF 2.1.0 report (OASIS): a rule per kind of finding with what it means, a result per finding at its first
//! location, the others as related locations, and its interleaving as a code flow with a thread flow for each thread.
//! Written by hand: a library of the whole format takes long to build.

use std::path::Path;

use contest_data::finding::{Finding, FindingKind, StepEffect};
use serde_json::{Value, json};

use super::hyperlinks::encoded;
use super::turning_points::places_of;
use super::visible::visible;
use crate::explain;
use contest_build::workspace::scratch_dir::{WriteError, write_if_changed};

/// Version of the format.
const VERSION: &str = "2.1.0";
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Writes the report of a run.
///
/// # Errors
/// If the file cannot be written.
pub fn write(path: &Path, findings: &[(Finding, Option<String>)]) -> Result<(), WriteError> {
    let text = serde_json::to_string_pretty(&report(findings))
        .map_err(|error| WriteError::new(path, std::io::Error::other(error)))?;
    write_if_changed(path, &text).map(drop)
}

fn report(findings: &[(Finding, Option<String>)]) -> Value {
    let rules = FindingKind::OF_CAMPAIGNS.iter();
    let mut report = json!({
        "$schema": SCHEMA,
        "version": VERSION,
        "runs": [{
            "tool": {"driver": {
                "name": "cargo-contest",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.map(|(kind, name)| rule(*kind, name)).collect::<Vec<_>>(),
            }},
            "results": findings.iter().map(|(it, _)| result(it)).collect::<Vec<_>>(),
        }],
    });
    // The format wants an address or none.
    let address = env!("CARGO_PKG_REPOSITORY");
    if !address.is_empty() {
        report["runs"][0]["tool"]["driver"]["informationUri"] = address.into();
    }
    report
}

fn rule(kind: FindingKind, name: &str) -> Value {
    let Some(about) = explain::of(kind) else {
        return json!({"id": name});
    };
    json!({
        "id": name,
        "shortDescription": {"text": kind.words()},
        "fullDescription": {"text": about.meaning},
        "help": {"text": about.remedies.join("\n")},
    })
}

fn result(finding: &Finding) -> Value {
    let places = places_of(finding);
    let mut locations = places.iter().filter_map(|text| location(text));
    let first: Vec<Value> = locations.next().into_iter().collect();
    let mut text = finding.message.clone();
    for line in &finding.details {
        text.push('\n');
        text.push_str(line);
    }
    text.push_str(&format!("\nschedule: {}", finding.schedule));
    json!({
        "ruleId": finding.kind.name(),
        "level": finding.level.name(),
        "message": {"text": visible(&text)},
        "locations": first,
        "relatedLocations": locations.collect::<Vec<_>>(),
        "codeFlows": code_flows(finding),
        "partialFingerprints": {"contest/v1": finding.fingerprint},
    })
}

/// One flow of the threads' steps; the execution order says how they interleave. Steps without a place, such as the
/// beginning of a call, are not in it.
fn code_flows(finding: &Finding) -> Vec<Value> {
    let mut threads: Vec<u16> = finding.interleaving.iter().map(|it| it.thread).collect();
    threads.sort_unstable();
    threads.dedup();
    let flows: Vec<Value> = threads
        .into_iter()
        .filter_map(|thread| thread_flow(finding, thread))
        .collect();
    if flows.is_empty() {
        return Vec::new();
    }
    vec![json!({"message": {"text": "the smallest interleaving found"}, "threadFlows": flows})]
}

fn thread_flow(finding: &Finding, thread: u16) -> Option<Value> {
    let steps = (1..)
        .zip(&finding.interleaving)
        .filter(|(_, step)| step.thread == thread);
    let locations: Vec<Value> = steps
        .filter_map(|(order, step): (u32, _)| {
            let mut place = location(&step.location)?;
            let text = match &step.result {
                Some(result) => format!("{}: {result}", step.event),
                None => step.event.clone(),
            };
            place["message"] = json!({"text": visible(&text)});
            let effect = step.facts.as_ref().map(|facts| facts.effect);
            let essential = matches!(effect, Some(StepEffect::Faults | StepEffect::Blocked));
            Some(json!({
                "location": place,
                "executionOrder": order,
                "importance": if essential { "essential" } else { "important" },
            }))
        })
        .collect();
    let name = match finding.thread_names.get(usize::from(thread)) {
        Some(name) => name.clone(),
        None if thread == 0 => "main thread".to_owned(),
        None => format!("thread {thread}"),
    };
    (!locations.is_empty())
        .then(|| json!({"id": visible(&name), "message": {"text": visible(&name)}, "locations": locations}))
}

/// `src/lib.rs:10:5`
fn location(text: &str) -> Option<Value> {
    let mut parts = text.rsplitn(3, ':');
    let column: u32 = parts.next()?.parse().ok()?;
    let line: u32 = parts.next()?.parse().ok()?;
    let file = parts.next()?;
    Some(json!({
        "physicalLocation": {
            "artifactLocation": {"uri": encoded(file)},
            "region": {"startLine": line, "startColumn": column},
        },
        "message": {"text": visible(text)},
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::deadlock;

    #[test]
    fn text_that_acts_is_written_out_and_paths_are_addresses() {
        let mut finding = deadlock();
        finding.message = "\u{202e}\u{1b}[31m".to_owned();
        finding.locations = vec!["src/a b<\u{2066}>.rs:1:2".to_owned()];
        let text = report(&[(finding, None)]).to_string();
        assert!(!text.contains(['\u{202e}', '\u{2066}', '\u{1b}']));
        assert!(
            text.contains("\"uri\":\"src/a%20b%3C%E2%81%A6%3E.rs\""),
            "{text}"
        );
    }

    #[test]
    fn a_result_has_rule_message_and_locations() {
        let report = report(&[(deadlock(), None)]);
        assert_eq!(report["version"], "2.1.0");
        let result = &report["runs"][0]["results"][0];
        assert_eq!(result["ruleId"], "deadlock");
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "src/lib.rs");
        assert_eq!(place["region"]["startLine"], 11);
        assert_eq!(place["region"]["startColumn"], 28);
        assert_eq!(result["relatedLocations"].as_array().unwrap().len(), 3);
        let flows = &result["codeFlows"][0]["threadFlows"];
        assert_eq!(flows.as_array().unwrap().len(), 2);
        assert_eq!(flows[1]["id"], "thread 2");
        let steps = flows[1]["locations"].as_array().unwrap();
        let orders: Vec<&Value> = steps.iter().map(|step| &step["executionOrder"]).collect();
        assert_eq!(orders, [2, 3]);
        assert_eq!(steps[1]["importance"], "essential");
        let place = &steps[0]["location"]["physicalLocation"]["region"];
        assert_eq!(place["startLine"], 20);
        assert_eq!(
            report["runs"][0]["tool"]["driver"]["rules"][0]["shortDescription"]["text"],
            "deadlock"
        );
        assert!(
            result["message"]["text"]
                .as_str()
                .unwrap()
                .contains("c1:AbCd")
        );
    }
}
