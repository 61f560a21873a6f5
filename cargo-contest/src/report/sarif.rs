//! SARIF 2.1.0 report (OASIS): a rule per kind of finding, a result per finding at its first location, the others as
//! related locations. Written by hand: a library of the whole format takes long to build.

use std::path::Path;

use contest_data::finding::{Finding, FindingKind};
use serde_json::{Value, json};

use crate::workspace::scratch_dir::{WriteError, write_if_changed};

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
    let rules = FindingKind::OF_CAMPAIGNS
        .iter()
        .map(|(_, name)| json!({"id": name}));
    json!({
        "$schema": SCHEMA,
        "version": VERSION,
        "runs": [{
            "tool": {"driver": {
                "name": "cargo-contest",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules.collect::<Vec<_>>(),
            }},
            "results": findings.iter().map(|(finding, _)| result(finding)).collect::<Vec<_>>(),
        }],
    })
}

fn result(finding: &Finding) -> Value {
    let mut locations = finding.locations.iter().filter_map(|text| location(text));
    let first: Vec<Value> = locations.next().into_iter().collect();
    let mut text = finding.message.clone();
    for line in &finding.details {
        text.push('\n');
        text.push_str(line);
    }
    text.push_str(&format!("\nschedule: {}", finding.schedule));
    json!({
        "ruleId": finding.kind.name(),
        "level": "error",
        "message": {"text": text},
        "locations": first,
        "relatedLocations": locations.collect::<Vec<_>>(),
        "partialFingerprints": {"contest/v1": finding.fingerprint},
    })
}

/// `src/lib.rs:10:5`
fn location(text: &str) -> Option<Value> {
    let mut parts = text.rsplitn(3, ':');
    let column: u32 = parts.next()?.parse().ok()?;
    let line: u32 = parts.next()?.parse().ok()?;
    let file = parts.next()?;
    Some(json!({
        "physicalLocation": {
            "artifactLocation": {"uri": file},
            "region": {"startLine": line, "startColumn": column},
        },
        "message": {"text": text},
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::deadlock;

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
        assert_eq!(result["relatedLocations"].as_array().unwrap().len(), 1);
        assert!(
            result["message"]["text"]
                .as_str()
                .unwrap()
                .contains("c1:AbCd")
        );
    }
}
