//! The ladder of shapes: how much of each rung was explored, and what may be stated of it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use contest_data::circumstances::{DRAWS, under};
use contest_data::gap::{Gap, Gaps};
use contest_data::ladder::{Rung, RungTotals, statement};
use serde_json::{Value, json};

use super::figures::{count, counted};
use super::run_summary::RunSummary;

/// Rungs that have a line of their own without `--verbose`.
const SHOWN: usize = 6;

/// Gaps that have a line without `--verbose`.
const GAPS: usize = 3;

/// Said where processes side by side did not make the same tests.
const REPEATED: &str = "some tests ran twice and others may be missing: `-j 1` runs each once";

/// One shape, all types together.
pub(super) struct Line {
    pub(super) sum: RungTotals,
    types: u64,
    complete: u64,
    repeated: u64,
}

/// A table with a line for each of the first rungs, then one for all others; nothing if there is no ladder.
pub(super) fn table(summary: &RunSummary) -> String {
    let lines = lines(summary);
    let mut out = String::new();
    let (shown, rest) = lines.split_at(SHOWN.min(lines.len()));
    let width = shown
        .iter()
        .map(|line| line.sum.rung.to_string().len())
        .max();
    for (number, line) in shown.iter().enumerate() {
        let label = if number == 0 { "ladder" } else { "" };
        let shape = line.sum.rung.to_string();
        let width = width.unwrap_or(0);
        let _ = writeln!(out, "  {label:<11} {shape:<width$}  {}", state(line));
    }
    if !rest.is_empty() {
        let sum =
            |count: &dyn Fn(&RungTotals) -> u64| rest.iter().map(|line| count(&line.sum)).sum();
        let _ = writeln!(
            out,
            "  {:<11} {}: {} run, {} in every interleaving",
            "",
            counted(rest.len() as u64, "larger shape"),
            counted(sum(&RungTotals::run), "test"),
            count(sum(&|rung| rung.complete)),
        );
    }
    out
}

/// What may be stated of a shape, and why no more may be.
pub(super) fn stated_and_gaps(summary: &RunSummary) -> String {
    let mut out = String::new();
    for (number, (gap, tests)) in gaps(summary).into_iter().take(GAPS).enumerate() {
        let label = if number == 0 { "gaps" } else { "" };
        let _ = writeln!(out, "  {label:<11} {}: {gap}", counted(tests, "test"));
    }
    if lines(summary).iter().any(|line| line.repeated > 0) {
        let _ = writeln!(out, "  repeated    {REPEATED}");
    }
    let stated = stated(summary);
    if let Some((first, others)) = stated.split_first() {
        let more = match others.len() as u64 {
            0 => String::new(),
            types => format!("; -v has the same for {}", counted(types, "more type")),
        };
        let _ = writeln!(out, "  stated      {first}{more}");
    }
    for subject in summary
        .subjects
        .iter()
        .filter(|it| !it.approximate.is_empty())
    {
        let _ = writeln!(
            out,
            "  approximate {} of {}, says the documentation: compared only where nothing can change it",
            subject.approximate.join(", "),
            subject.name
        );
    }
    for subject in summary
        .subjects
        .iter()
        .filter(|it| !it.not_cancelled.is_empty())
    {
        let _ = writeln!(
            out,
            "  not dropped futures of {} of {}, which is not cancel safe, says the documentation",
            subject.not_cancelled.join(", "),
            subject.name
        );
    }
    out
}

/// What is missing although nothing is left that would be explored, and in how many tests, of all types together; the
/// most frequent first.
fn gaps(summary: &RunSummary) -> Vec<(Gap, u64)> {
    let mut gaps: BTreeMap<Gap, u64> = BTreeMap::new();
    for (all, tests) in summary.partly() {
        for gap in &all {
            *gaps.entry(gap.clone()).or_default() += tests;
        }
    }
    let mut gaps: Vec<(Gap, u64)> = gaps.into_iter().collect();
    gaps.sort_by_key(|(_, tests)| std::cmp::Reverse(*tests));
    gaps
}

/// Every rung of every type, with reasons, and every statement.
pub(super) fn details(summary: &RunSummary) -> String {
    let mut out = String::new();
    for subject in summary.subjects.iter().filter(|it| !it.ladder.is_empty()) {
        let _ = writeln!(out, "{}", subject.name);
        for totals in &subject.ladder {
            let line = Line::of(totals);
            let _ = writeln!(out, "  {}: {}", totals.rung, state(&line));
            for (gaps, times) in &totals.partly {
                let _ = writeln!(out, "    with gaps {}: {gaps}", count(*times));
            }
            for (what, reasons) in [("cut", &totals.cut), ("left out", &totals.left_out)] {
                for (reason, times) in reasons {
                    let _ = writeln!(out, "    {what} {}: {reason}", count(*times));
                }
            }
        }
        for text in statements(summary, &subject.name).into_iter().flatten() {
            let _ = writeln!(out, "  stated: {text}");
        }
    }
    out
}

/// Tests of which nothing is left that would be explored: what is missing all the same.
pub(super) fn partly(list: &[(Gaps, u64)]) -> Vec<Value> {
    let each = list.iter();
    each.map(|(gaps, count)| json!({"why": gaps.to_string(), "gaps": gaps, "count": count}))
        .collect()
}

/// For each type its rungs.
pub(super) fn json(summary: &RunSummary) -> Value {
    let reasons = |list: &[(String, u64)]| -> Vec<Value> {
        let each = list.iter();
        each.map(|(why, count)| json!({"why": why, "count": count}))
            .collect()
    };
    let types = summary.subjects.iter().filter(|it| !it.ladder.is_empty());
    let of_type = |subject: &contest_data::totals::SubjectTotals| {
        let stated = statements(summary, &subject.name);
        let rungs = subject
            .ladder
            .iter()
            .zip(stated)
            .map(|(totals, statement)| {
                let RungTotals { rung, .. } = totals;
                json!({
                    "shape": rung.to_string(),
                    "threads": rung.lanes,
                    "prefix": rung.prefix,
                    "values": rung.breadth.values(),
                    "all_constructors": rung.breadth.all_constructors(),
                    "two_objects": rung.two_objects,
                    "disturbed_futures": rung.disturbed,
                    "tests": totals.tests,
                    "tests_exact": totals.exact,
                    "enumerated": totals.enumerated,
                    "tests_begun": totals.begun,
                    "tests_repeated": totals.has_repeated(),
                    "complete": totals.complete,
                    "complete_only_sc": totals.only_sc,
                    "complete_drew": totals.drew,
                    "complete_read_clock": totals.read_clock,
                    "partly": partly(&totals.partly),
                    "cut": reasons(&totals.cut),
                    "left_out": reasons(&totals.left_out),
                    "redundant": totals.redundant,
                    "statement": statement,
                })
            });
        json!({"type": subject.name, "rungs": rungs.collect::<Vec<_>>()})
    };
    types.map(of_type).collect::<Vec<_>>().into()
}

/// For each rung of a type what may be stated of it.
fn statements(summary: &RunSummary, name: &str) -> Vec<Option<String>> {
    let Some(subject) = summary.subjects.iter().find(|it| it.name == name) else {
        return Vec::new();
    };
    let numbers = 0..subject.ladder.len();
    numbers
        .map(|number| statement(&subject.ladder, number, name, subject.operations))
        .collect()
}

/// For each type the largest shape of which something may be stated, as a sentence.
pub(super) fn stated(summary: &RunSummary) -> Vec<String> {
    let each = summary.subjects.iter();
    each.filter_map(|subject| largest(&statements(summary, &subject.name)))
        .collect()
}

fn largest(statements: &[Option<String>]) -> Option<String> {
    statements.iter().rev().flatten().next().cloned()
}

impl Line {
    fn of(totals: &RungTotals) -> Self {
        Self {
            types: 1,
            complete: u64::from(totals.is_complete()),
            repeated: u64::from(totals.has_repeated()),
            sum: totals.clone(),
        }
    }
}

/// The rungs of all types, the smallest first.
pub(super) fn lines(summary: &RunSummary) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let rungs = summary.subjects.iter().flat_map(|it| &it.ladder);
    // Of a shape that no test has, nothing is said.
    for totals in rungs.filter(|it| it.tests > 0 || it.begun > 0) {
        let same = |rung: &Rung| *rung == totals.rung;
        match lines.iter_mut().find(|line| same(&line.sum.rung)) {
            None => lines.push(Line::of(totals)),
            Some(line) => {
                let (tests, redundant) = (line.sum.tests, line.sum.redundant);
                let exact = line.sum.exact && totals.exact;
                line.sum.add(totals);
                // Those of other types are other tests.
                line.sum.tests = tests.saturating_add(totals.tests);
                line.sum.redundant = redundant + totals.redundant;
                line.sum.exact = exact;
                line.types += 1;
                line.complete += u64::from(totals.is_complete());
                line.repeated += u64::from(totals.has_repeated());
            }
        }
    }
    lines.sort_by_key(|line| line.sum.rung.size());
    lines
}

/// How much of a shape was explored, in words.
pub(super) fn state(line: &Line) -> String {
    let Line {
        sum,
        types,
        complete,
        repeated,
    } = line;
    let redundant = match sum.redundant {
        0 => String::new(),
        some => format!(", {} proved redundant", count(some)),
    };
    if complete == types {
        let draws = if sum.drew > 0 { DRAWS } else { 0 };
        let under = under(draws.into(), sum.read_clock > 0);
        return match sum.tests {
            1 => format!("the only test in every interleaving{under}"),
            _ => format!(
                "all {} in every interleaving{under}{redundant}",
                counted(sum.tests, "test")
            ),
        };
    }
    let many = |some: u64, what: &str| match some {
        0 => String::new(),
        some => format!(", {} {what}", count(some)),
    };
    let all = |list: &[(String, u64)]| list.iter().map(|(_, count)| count).sum();
    let partly = sum.partly.iter().map(|(_, count)| count).sum();
    let of_types = match (complete, types) {
        (_, 1) | (0, _) => String::new(),
        _ => format!("; complete for {complete} of {types} types"),
    };
    format!(
        "{} of {}{} run, {} in every interleaving{}{}{}{redundant}{of_types}{}",
        count(sum.run()),
        if sum.exact { "" } else { "at most " },
        counted(sum.tests, "test"),
        count(sum.complete),
        many(partly, "with gaps"),
        many(all(&sum.cut), "cut"),
        many(all(&sum.left_out), "left out"),
        match repeated {
            0 => String::new(),
            _ => format!("; {REPEATED}"),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use contest_data::totals::SubjectTotals;

    fn totals(lanes: &[u8], tests: u64, complete: u64) -> RungTotals {
        RungTotals {
            rung: Rung {
                lanes: lanes.to_vec(),
                ..Rung::default()
            },
            tests,
            exact: true,
            enumerated: complete == tests,
            begun: complete,
            complete,
            ..RungTotals::default()
        }
    }

    fn of(types: Vec<Vec<RungTotals>>) -> RunSummary {
        let named = types.into_iter().zip(["a::B", "a::C"]);
        RunSummary {
            subjects: named
                .map(|(ladder, name)| SubjectTotals {
                    name: name.to_owned(),
                    operations: 2,
                    ladder,
                    ..SubjectTotals::default()
                })
                .collect(),
            ..RunSummary::default()
        }
    }

    #[test]
    fn the_ladder_is_a_table_with_the_largest_statement_below() {
        let mut cut = totals(&[1, 2], 8, 5);
        cut.cut = vec![("budget".to_owned(), 2)];
        cut.begun = 7;
        let summary = of(vec![vec![totals(&[1, 1], 3, 3), cut]]);
        assert_eq!(
            table(&summary),
            "  ladder      2 threads, 1 call each  all 3 tests in every interleaving\n\
             \x20             2 threads, 1 + 2 calls  7 of 8 tests run, 5 in every interleaving, 2 cut\n"
        );
        assert_eq!(
            stated_and_gaps(&summary),
            "  stated      every test of 2 threads, 1 call each over the 2 operations of a::B, the first value of each argument \
             and the first constructor, in every interleaving\n"
        );
    }

    #[test]
    fn types_are_added_up_and_unlike_ones_are_not_called_complete() {
        let summary = of(vec![
            vec![totals(&[1, 1], 3, 3)],
            vec![totals(&[1, 1], 6, 6)],
        ]);
        let text = table(&summary) + &stated_and_gaps(&summary);
        assert!(
            text.contains("all 9 tests in every interleaving\n"),
            "{text}"
        );
        assert!(
            text.contains("; -v has the same for 1 more type\n"),
            "{text}"
        );
        let text = table(&of(vec![
            vec![totals(&[1, 1], 3, 3)],
            vec![totals(&[1, 1], 6, 4)],
        ]));
        assert!(
            text.contains("7 of 9 tests run, 7 in every interleaving; complete for 1 of 2 types\n"),
            "{text}"
        );
    }

    #[test]
    fn many_rungs_are_one_line_more() {
        let ladder = (1..=9).map(|calls| totals(&[1, calls], 4, 4)).collect();
        let text = table(&of(vec![ladder]));
        assert_eq!(text.lines().count(), SHOWN + 1, "{text}");
        assert!(
            text.contains("3 larger shapes: 12 tests run, 12 in every interleaving\n"),
            "{text}"
        );
    }

    #[test]
    fn what_was_not_judged_is_explored_but_nothing_is_stated_of_it() {
        let mut partly = totals(&[1, 1], 3, 2);
        partly.partly = vec![(Gap::SerialOrders.into(), 1)];
        partly.begun = 3;
        partly.enumerated = true;
        let summary = of(vec![vec![partly]]);
        let text = table(&summary);
        assert!(
            text.ends_with("3 of 3 tests run, 2 in every interleaving, 1 with gaps\n"),
            "{text}"
        );
        assert!(details(&summary).contains("    with gaps 1: too many orders of its calls"));
        assert_eq!(json(&summary)[0]["rungs"][0]["statement"], Value::Null);
    }

    #[test]
    fn tests_that_ran_twice_in_place_of_others_are_said_to() {
        let mut repeated = totals(&[1, 1], 3, 3);
        repeated.checksum_begun.add(1);
        let summary = of(vec![vec![repeated]]);
        assert_eq!(
            table(&summary),
            "  ladder      2 threads, 1 call each  3 of 3 tests run, 3 in every interleaving; some tests \
             ran twice and others may be missing: `-j 1` runs each once\n"
        );
        assert_eq!(
            stated_and_gaps(&summary),
            "  repeated    some tests ran twice and others may be missing: `-j 1` runs each once\n"
        );
        assert_eq!(json(&summary)[0]["rungs"][0]["tests_repeated"], true);
    }

    #[test]
    fn without_a_ladder_there_is_nothing_to_show() {
        assert_eq!(table(&of(vec![vec![]])), "");
        assert_eq!(stated_and_gaps(&of(vec![vec![]])), "");
        assert_eq!(json(&of(vec![vec![]])), json!([]));
    }
}
