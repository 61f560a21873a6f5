//! Coverage of interleavings in the reports: access patterns, the atomic-set patterns among them, and pairs of
//! operations.

use std::fmt::Write;

use contest_data::coverage_counts::CoverageCounts;
use contest_data::names::pta;
use contest_data::totals::SubjectTotals;
use serde_json::json;

use super::figures::count;
use super::run_summary::RunSummary;

/// Lines of the summary for a terminal; empty if nothing was measured.
#[must_use]
pub(super) fn human(summary: &RunSummary) -> String {
    let sum = |of: fn(&CoverageCounts) -> u64| summary.total(|subject| of(&subject.coverage));
    let mut out = requirements(summary);
    let patterns = sum(|coverage| coverage.covered);
    if patterns == 0 {
        return out;
    }
    let _ = writeln!(
        out,
        "              {} access patterns of at most {}, {} of them breaking the atomicity of calls; {} of these are of the 11 kinds of Vaziri et al.",
        count(patterns),
        count(sum(|coverage| coverage.bound)),
        count(sum(|coverage| coverage.atomic_set)),
        count(sum(|coverage| coverage.atomic_set_popl)),
    );
    let apart = sum(|coverage| coverage.apart);
    if apart > 0 {
        let _ = writeln!(
            out,
            "              not counted among these: {} of fields that are in no atomic set together",
            count(apart),
        );
    }
    let shares = strategies(summary).into_iter();
    let shares: Vec<String> = shares
        .map(|(name, seen)| format!("{name} {} %", 100 * seen / patterns))
        .collect();
    let _ = writeln!(
        out,
        "              {} of {} executions looked at for them; calls of {} of {} pairs of operations overlapped there{}",
        count(sum(|coverage| coverage.executions)),
        count(sum(|coverage| coverage.all_executions)),
        count(summary.total(|subject| subject.overlapped)),
        count(summary.total(|subject| subject.pairs.1)),
        if shares.is_empty() {
            String::new()
        } else {
            format!("; of all patterns seen: {}", shares.join(", "))
        }
    );
    out
}

/// The fields that several threads accessed, for each type; empty if none is known.
#[must_use]
pub(super) fn fields(summary: &RunSummary) -> String {
    let mut out = String::new();
    let met = |subject: &&SubjectTotals| !subject.coverage.fields.is_empty();
    for subject in summary.subjects.iter().filter(met) {
        let _ = writeln!(
            out,
            "{}: fields that several threads accessed",
            subject.name
        );
        for met in &subject.coverage.fields {
            let _ = writeln!(
                out,
                "    {}, in {} access patterns: {}{}",
                met.field,
                count(met.patterns),
                met.places.join(", "),
                match met.more_places {
                    0 => String::new(),
                    more => format!(" and {} more", count(more)),
                }
            );
        }
        if subject.coverage.more_fields > 0 {
            let _ = writeln!(out, "    and {} more", count(subject.coverage.more_fields));
        }
    }
    out
}

/// What `pta` predicted; empty for other strategies.
fn requirements(summary: &RunSummary) -> String {
    let counts = summary.reasons(|subject| &subject.requirements);
    let of = |name: &str| counts.iter().find(|(of, _)| of == name).map(|(_, it)| *it);
    let excluded = of(pta::EXCLUDED).unwrap_or(0);
    let Some(all) = of(pta::REQUIRED) else {
        return String::new();
    };
    format!(
        "              {} orders required by pta, {} of them feasible according to locks, {} covered\n",
        count(all),
        count(all.saturating_sub(excluded)),
        count(of(pta::COVERED).unwrap_or(0)),
    )
}

/// For each strategy, how many of the patterns it has covered, all types together.
fn strategies(summary: &RunSummary) -> Vec<(String, u64)> {
    let mut sums: Vec<(String, u64)> = Vec::new();
    let subjects = summary.subjects.iter();
    for (name, count) in subjects.flat_map(|subject| &subject.coverage.by_strategy) {
        match sums.iter_mut().find(|(known, _)| known == name) {
            Some((_, sum)) => *sum += count,
            None => sums.push((name.clone(), *count)),
        }
    }
    sums
}

/// What the executions covered of the 17 access patterns, of the atomic-set patterns among them, and of pairs of
/// operations: for all types together and for each.
#[must_use]
pub(super) fn json(summary: &RunSummary) -> serde_json::Value {
    let sum = |of: &dyn Fn(&CoverageCounts) -> u64| summary.total(|subject| of(&subject.coverage));
    let types = summary.subjects.iter().map(|subject| {
        let coverage = &subject.coverage;
        let curve = coverage.curve.iter();
        json!({
            "type": subject.name,
            "covered": coverage.covered,
            "upper_bound": coverage.bound,
            "upper_bound_as_printed": coverage.printed_bound,
            "by_pattern": coverage.by_pattern,
            "by_strategy": by_strategy(&coverage.by_strategy),
            "atomic_set_14": coverage.atomic_set,
            "atomic_set_11": coverage.atomic_set_popl,
            "by_atomic_set": coverage.by_atomic_set,
            "in_no_atomic_set_together": coverage.apart,
            "overlapping_pairs": subject.overlapped,
            "pairs": subject.pairs.1,
            "fields": coverage.fields
                .iter()
                .map(|met| json!({
                    "field": met.field,
                    "places": met.places,
                    "more_places": met.more_places,
                    "patterns": met.patterns,
                }))
                .collect::<Vec<_>>(),
            "more_fields": coverage.more_fields,
            "curve": curve
                .map(|point| json!({"executions": point.executions, "ms": point.milliseconds, "covered": point.covered}))
                .collect::<Vec<_>>(),
        })
    });
    json!({
        "executions": sum(&|coverage| coverage.executions),
        "executions_not_looked_at": sum(&|coverage| coverage.all_executions - coverage.executions),
        "covered": sum(&|coverage| coverage.covered),
        "upper_bound": sum(&|coverage| coverage.bound),
        "by_pattern": (0..17)
            .map(|index| sum(&|coverage| coverage.by_pattern[index]))
            .collect::<Vec<u64>>(),
        "by_strategy": by_strategy(&strategies(summary)),
        "atomic_set_14": sum(&|coverage| coverage.atomic_set),
        "atomic_set_11": sum(&|coverage| coverage.atomic_set_popl),
        "by_atomic_set": (0..14)
            .map(|index| sum(&|coverage| coverage.by_atomic_set[index]))
            .collect::<Vec<u64>>(),
        "in_no_atomic_set_together": sum(&|coverage| coverage.apart),
        "overlapping_pairs": summary.total(|subject| subject.overlapped),
        "sites": sum(&|coverage| coverage.sites),
        "variables": sum(&|coverage| coverage.variables),
        "capped": sum(&|coverage| coverage.capped),
        "types": types.collect::<Vec<_>>(),
    })
}

fn by_strategy(counts: &[(String, u64)]) -> Vec<serde_json::Value> {
    let counts = counts.iter();
    counts
        .map(|(strategy, covered)| json!({"strategy": strategy, "covered": covered}))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use contest_data::coverage_counts::{CurvePoint, FieldMet};

    fn covered(dpor: u64, pcr: u64, covered: u64) -> SubjectTotals {
        SubjectTotals {
            name: "a::B".to_owned(),
            pairs: (3, 6),
            overlapped: 2,
            coverage: CoverageCounts {
                executions: 10,
                all_executions: 40,
                covered,
                bound: 100,
                atomic_set: 4,
                atomic_set_popl: 3,
                by_strategy: vec![("dpor".to_owned(), dpor), ("pcr".to_owned(), pcr)],
                curve: vec![CurvePoint {
                    executions: 40,
                    milliseconds: 5,
                    covered,
                }],
                ..CoverageCounts::default()
            },
            ..SubjectTotals::default()
        }
    }

    #[test]
    fn fields_are_listed_with_their_lines_and_omissions_are_counted() {
        let mut subject = covered(20, 5, 20);
        let summary = |subject: &SubjectTotals| RunSummary {
            subjects: vec![subject.clone()],
            ..RunSummary::default()
        };
        assert_eq!(fields(&summary(&subject)), "");
        subject.coverage.fields = vec![FieldMet {
            field: "Inner.head".to_owned(),
            places: vec!["write at src/lib.rs:42:9".to_owned()],
            more_places: 2,
            patterns: 1_200,
        }];
        subject.coverage.more_fields = 3;
        assert_eq!(
            fields(&summary(&subject)),
            "a::B: fields that several threads accessed\n    Inner.head, in 1,200 access patterns: write at src/lib.rs:42:9 and 2 more\n    and 3 more\n"
        );
        let value = json(&summary(&subject));
        assert_eq!(value["types"][0]["fields"][0]["field"], "Inner.head");
        assert_eq!(value["types"][0]["more_fields"], 3);
    }

    #[test]
    fn sums_shares_and_pairs_are_shown_and_nothing_if_nothing_was_measured() {
        let mut summary = RunSummary::default();
        assert_eq!(human(&summary), "");
        summary.subjects = vec![covered(20, 5, 20), covered(10, 20, 20)];
        let text = human(&summary);
        assert!(
            text.contains("40 access patterns of at most 200, 8 of them"),
            "{text}"
        );
        assert!(
            text.contains("8 of them breaking the atomicity of calls; 6 of these are"),
            "{text}"
        );
        assert!(text.contains("20 of 80 executions"), "{text}");
        assert!(
            text.contains("4 of 12 pairs of operations overlapped"),
            "{text}"
        );
        assert!(text.contains("dpor 75 %, pcr 62 %"), "{text}");
        let value = json(&summary);
        assert_eq!(value["executions_not_looked_at"], 60);
        assert_eq!(value["overlapping_pairs"], 4);
        assert_eq!(
            value["by_strategy"][1],
            json!({"strategy": "pcr", "covered": 25})
        );
        assert_eq!(value["types"][0]["curve"][0]["ms"], 5);
        assert_eq!(value["types"][1]["atomic_set_14"], 4);
    }
}
