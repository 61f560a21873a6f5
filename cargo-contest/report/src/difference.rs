//! What differs between the findings of two campaigns.

use std::fmt::Write as _;

use contest_data::finding::Finding;
use serde_json::json;

use super::causes;
use super::figures::{count, counted};
use super::results::Results;
use super::styles::{ERROR, NOTE};
use super::turning_points::places_of;
use super::visible::finding_as_seen;

/// What the newer campaign found and the older did not, and the other way round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// Only the newer one has them.
    pub new: Vec<Finding>,
    /// Only the older one has them.
    pub gone: Vec<Finding>,
    /// Both have them, as the newer one shows them.
    pub same: Vec<Finding>,
    /// Counts: name, older, newer.
    pub counts: Vec<(&'static str, u64, u64)>,
}

impl Difference {
    /// Compares two campaigns.
    #[must_use]
    pub fn of(old: &Results, new: &Results) -> Self {
        let (same, only_new) =
            (new.findings.iter().cloned()).partition(|finding| is_among(finding, &old.findings));
        let gone = old
            .findings
            .iter()
            .filter(|finding| !is_among(finding, &new.findings));
        let counts = old.counts.iter().filter_map(|(name, before)| {
            let (_, now) = new.counts.iter().find(|(other, _)| other == name)?;
            Some((*name, *before, *now))
        });
        Self {
            new: only_new,
            gone: gone.cloned().collect(),
            same,
            counts: counts.collect(),
        }
    }

    /// As readable text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (what, findings) in [("new", &self.new), ("gone", &self.gone)] {
            for finding in findings {
                let finding = &*finding_as_seen(finding);
                let first = finding.message.lines().next().unwrap_or_default();
                let style = if what == "new" { ERROR } else { NOTE };
                let _ = writeln!(out, "{style}{what}[{}]{style:#}: {first}", finding.kind);
                let _ = writeln!(
                    out,
                    "  {} at {}",
                    finding.subject,
                    finding.locations.join(", ")
                );
            }
        }
        let _ = writeln!(
            out,
            "{} new, {} gone, {} in both",
            counted(self.new.len() as u64, "finding"),
            self.gone.len(),
            self.same.len()
        );
        for (name, before, now) in &self.counts {
            let _ = writeln!(
                out,
                "  {name}: {} before, {} now",
                count(*before),
                count(*now)
            );
        }
        out
    }

    /// The line of the contract.
    #[must_use]
    pub fn json(&self) -> String {
        let findings = |all: &[Finding]| -> Vec<serde_json::Value> {
            let all = all.iter().map(|it| {
                json!({"kind": it.kind.name(), "type": it.subject, "message": it.message, "locations": it.locations,
                       "schedule": it.schedule, "fingerprint": it.fingerprint})
            });
            all.collect()
        };
        let counts = self
            .counts
            .iter()
            .map(|(name, before, now)| json!({"what": name, "before": before, "now": now}));
        json!({"reason": "difference", "new": findings(&self.new), "gone": findings(&self.gone),
               "same": findings(&self.same), "counts": counts.collect::<Vec<_>>()})
        .to_string()
    }
}

/// True if one of these is the same bug.
#[must_use]
pub fn is_among(finding: &Finding, others: &[Finding]) -> bool {
    others.iter().any(|other| is_same(finding, other))
}

/// Findings are the same if they have the same fingerprint, meet at the same places, or, since edits move code to other
/// lines, are of one kind in one type, by the same calls, in the same files.
fn is_same(left: &Finding, right: &Finding) -> bool {
    let files = |finding: &Finding| -> Vec<String> {
        // As they are in JSON.
        let places = places_of(finding);
        let files = places
            .iter()
            .map(|location| location.split(':').next().unwrap_or_default().to_owned());
        files.collect()
    };
    let same_print = !left.fingerprint.is_empty() && left.fingerprint == right.fingerprint;
    let same_type =
        (left.kind, &left.subject, &left.own_test) == (right.kind, &right.subject, &right.own_test);
    let same_calls = left.threads == right.threads && left.prefix == right.prefix;
    same_print
        || same_type && (causes::meet(left, right) || same_calls && files(left) == files(right))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::deadlock;
    use contest_data::finding::FindingKind;

    fn results(findings: Vec<Finding>, tests: u64) -> Results {
        Results {
            findings,
            counts: vec![("tests", tests)],
        }
    }

    #[test]
    fn a_finding_that_moved_to_other_lines_is_the_same_one() {
        let mut moved = deadlock();
        for location in &mut moved.locations {
            *location = location.replace(":1", ":7");
        }
        for step in &mut moved.interleaving {
            step.location = step.location.replace(":1", ":7");
        }
        moved.fingerprint = "other".to_owned();
        assert_ne!(moved, deadlock());
        let difference = Difference::of(&results(vec![deadlock()], 5), &results(vec![moved], 9));
        assert!(difference.new.is_empty() && difference.gone.is_empty());
        assert_eq!(difference.counts, [("tests", 5, 9)]);
    }

    #[test]
    fn another_kind_or_other_calls_elsewhere_are_new() {
        let panic = Finding {
            kind: FindingKind::Panic,
            ..deadlock()
        };
        let mut elsewhere = deadlock();
        elsewhere.threads.truncate(1);
        elsewhere.fingerprint = "other".to_owned();
        elsewhere.interleaving.clear();
        elsewhere.locations = vec!["src/other.rs:1:1".to_owned()];
        let panic = Finding {
            fingerprint: "panic".to_owned(),
            ..panic
        };
        let new = results(vec![panic, elsewhere], 1);
        let difference = Difference::of(&results(vec![deadlock()], 1), &new);
        assert_eq!((difference.new.len(), difference.gone.len()), (2, 1));
        assert!(
            difference
                .text()
                .contains("2 findings new, 1 gone, 0 in both")
        );
    }
}
