//! SARIF report: a rule per kind of finding with what it means, a result per finding at its first location, the others
//! as related locations, and its interleaving as a code flow with a thread flow for each thread.

use std::path::Path;

use contest_data::finding::{Finding, FindingKind, StepEffect};
use serde_json::json;
use serde_sarif::sarif::{
    ArtifactLocation, CodeFlow, Location, Message, MultiformatMessageString, PhysicalLocation,
    Region, ReportingDescriptor, Result as SarifResult, ResultLevel, Run, Sarif, ThreadFlow,
    ThreadFlowLocation, Tool, ToolComponent,
};

use crate::explain;
use crate::workspace::scratch_dir::{WriteError, write_if_changed};

/// Version of the format.
const VERSION: &str = "2.1.0";

/// Writes the report of a run.
///
/// # Errors
/// If the file cannot be written.
pub fn write(path: &Path, findings: &[(Finding, Option<String>)]) -> Result<(), WriteError> {
    let text = serde_json::to_string_pretty(&report(findings))
        .map_err(|error| WriteError::new(path, std::io::Error::other(error)))?;
    write_if_changed(path, &text).map(drop)
}

fn report(findings: &[(Finding, Option<String>)]) -> Sarif {
    let rules: Vec<ReportingDescriptor> = FindingKind::OF_CAMPAIGNS
        .iter()
        .map(|(kind, name)| rule(*kind, name))
        .collect();
    let driver = ToolComponent::builder()
        .name("cargo-contest")
        .version(env!("CARGO_PKG_VERSION"))
        .information_uri(env!("CARGO_PKG_REPOSITORY"))
        .rules(rules)
        .build();
    let run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .results(
            findings
                .iter()
                .map(|(finding, _)| result(finding))
                .collect::<Vec<_>>(),
        )
        .build();
    Sarif::builder()
        .version(serde_json::json!(VERSION))
        .runs(vec![run])
        .build()
}

fn rule(kind: FindingKind, name: &str) -> ReportingDescriptor {
    let Some(about) = explain::of(kind) else {
        return ReportingDescriptor::builder().id(name).build();
    };
    let text = |text: String| MultiformatMessageString::builder().text(text).build();
    ReportingDescriptor::builder()
        .id(name)
        .short_description(text(kind.words()))
        .full_description(text(about.meaning.to_owned()))
        .help(text(about.remedies.join("\n")))
        .build()
}

fn result(finding: &Finding) -> SarifResult {
    let mut locations = finding.locations.iter().filter_map(|text| location(text));
    let first: Vec<Location> = locations.next().into_iter().collect();
    let mut text = finding.message.clone();
    for line in &finding.details {
        text.push('\n');
        text.push_str(line);
    }
    text.push_str(&format!("\nschedule: {}", finding.schedule));
    SarifResult::builder()
        .rule_id(finding.kind.name())
        .level(ResultLevel::Error)
        .message(Message::builder().text(text).build())
        .locations(first)
        .related_locations(locations.collect::<Vec<_>>())
        .code_flows(code_flows(finding))
        .partial_fingerprints([("contest/v1".to_string(), finding.fingerprint.clone())])
        .build()
}

/// One flow of the threads' steps; the execution order tells how they interleave. Steps without a place, such as the
/// beginning of a call, are not in it.
fn code_flows(finding: &Finding) -> Vec<CodeFlow> {
    let mut threads: Vec<u16> = finding.interleaving.iter().map(|it| it.thread).collect();
    threads.sort_unstable();
    threads.dedup();
    let flows: Vec<ThreadFlow> = threads
        .into_iter()
        .filter_map(|thread| thread_flow(finding, thread))
        .collect();
    if flows.is_empty() {
        return Vec::new();
    }
    let message = Message::builder()
        .text("the smallest interleaving found")
        .build();
    vec![
        CodeFlow::builder()
            .message(message)
            .thread_flows(flows)
            .build(),
    ]
}

fn thread_flow(finding: &Finding, thread: u16) -> Option<ThreadFlow> {
    let steps = (1..)
        .zip(&finding.interleaving)
        .filter(|(_, step)| step.thread == thread);
    let locations: Vec<ThreadFlowLocation> = steps
        .filter_map(|(order, step)| {
            let mut place = location(&step.location)?;
            let text = match &step.result {
                Some(result) => format!("{}: {result}", step.event),
                None => step.event.clone(),
            };
            place.message = Some(Message::builder().text(text).build());
            let effect = step.facts.as_ref().map(|facts| facts.effect);
            let essential = matches!(effect, Some(StepEffect::Faults | StepEffect::Blocked));
            Some(
                ThreadFlowLocation::builder()
                    .location(place)
                    .execution_order(order)
                    .importance(json!(if essential { "essential" } else { "important" }))
                    .build(),
            )
        })
        .collect();
    let name = match finding.thread_names.get(usize::from(thread)) {
        Some(name) => name.clone(),
        None if thread == 0 => "main thread".to_owned(),
        None => format!("thread {thread}"),
    };
    (!locations.is_empty()).then(|| {
        ThreadFlow::builder()
            .id(name.clone())
            .message(Message::builder().text(name).build())
            .locations(locations)
            .build()
    })
}

/// `src/lib.rs:10:5`
fn location(text: &str) -> Option<Location> {
    let mut parts = text.rsplitn(3, ':');
    let column: i64 = parts.next()?.parse().ok()?;
    let line: i64 = parts.next()?.parse().ok()?;
    let file = parts.next()?;
    let place = PhysicalLocation::builder()
        .artifact_location(ArtifactLocation::builder().uri(file).build())
        .region(
            Region::builder()
                .start_line(line)
                .start_column(column)
                .build(),
        )
        .build();
    Some(
        Location::builder()
            .physical_location(place)
            .message(Message::builder().text(text).build())
            .build(),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::report::sample::deadlock;

    #[test]
    fn a_result_has_rule_message_and_locations() {
        let report = serde_json::to_value(report(&[(deadlock(), None)])).unwrap();
        assert_eq!(report["version"], "2.1.0");
        let result = &report["runs"][0]["results"][0];
        assert_eq!(result["ruleId"], "deadlock");
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "src/lib.rs");
        assert_eq!(place["region"]["startLine"], 11);
        assert_eq!(place["region"]["startColumn"], 28);
        assert_eq!(result["relatedLocations"].as_array().unwrap().len(), 1);
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
