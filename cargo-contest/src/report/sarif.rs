//! SARIF report: a rule per kind of finding, a result per finding at its first location, the others as related
//! locations.

use std::path::Path;

use contest_data::finding::{Finding, FindingKind};
use serde_sarif::sarif::{
    ArtifactLocation, Location, Message, PhysicalLocation, Region, ReportingDescriptor,
    Result as SarifResult, ResultLevel, Run, Sarif, Tool, ToolComponent,
};

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
        .map(|(_, name)| ReportingDescriptor::builder().id(*name).build())
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
        .partial_fingerprints([("contest/v1".to_string(), finding.fingerprint.clone())])
        .build()
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
        assert!(
            result["message"]["text"]
                .as_str()
                .unwrap()
                .contains("c1:AbCd")
        );
    }
}
