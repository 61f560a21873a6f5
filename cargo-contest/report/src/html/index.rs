//! The page of a run: its findings, what was explored, and what was not.

use super::contents::Contents;
use super::markup::Markup;
use super::page::page;
use crate::causes::Causes;
use crate::figures::{count, counted, seconds};
use crate::growth;
use crate::run_summary::RunSummary;
use contest_catalog::reasons::Reason;
use contest_catalog::skipped::Skipped;

mod causes;
mod curves;
mod ladder;
mod types;

/// The page of the run.
pub(super) fn write(contents: &Contents<'_>) -> String {
    let summary = contents.summary;
    let mut out = Markup::new();
    out.element("h1", &[], &summary.package);
    verdict(&mut out, summary, &contents.summary.causes);
    causes::causes(&mut out, contents);
    explored(&mut out, summary);
    curves::growth(&mut out, summary);
    ladder::ladder(&mut out, summary);
    types::types(&mut out, summary);
    let left_out = contents.left_out.iter().map(reason).collect::<Vec<_>>();
    list(&mut out, "Types and methods left out, by reason", &left_out);
    let cut = reasons(summary.reasons(|subject| &subject.cut));
    list(&mut out, "Tests cut short", &cut);
    let left_out = reasons(summary.reasons(|subject| &subject.left_out));
    list(&mut out, "Tests left out", &left_out);
    let skipped = reasons(summary.reasons(|subject| &subject.skipped));
    list(&mut out, "Results not reported", &skipped);
    list(
        &mut out,
        "Not instrumented",
        &pairs(&summary.uninstrumented),
    );
    list(&mut out, "Not analysed", &pairs(&summary.analysed.left_out));
    list(
        &mut out,
        "Members not tested",
        &pairs(&summary.members_not_tested),
    );
    list(&mut out, "Lost with a process", &pairs(&summary.lost));
    let alone = summary.alone.iter().map(|alone| {
        let calls: Vec<&str> = alone
            .calls
            .iter()
            .map(|it| it.trim_end_matches(';'))
            .collect();
        (
            format!("{}; {}", calls.join("; "), alone.what),
            alone.detail.clone(),
        )
    });
    let alone: Vec<(String, String)> = alone.collect();
    list(
        &mut out,
        "Failures without any concurrency, which are no findings",
        &alone,
    );
    let notes = contents.notes;
    let notes: Vec<(String, String)> = notes.iter().map(|it| (String::new(), it.clone())).collect();
    list(&mut out, "Notes", &notes);
    page(
        &format!("{} · cargo contest", summary.package),
        None,
        "",
        out,
    )
}

fn verdict(out: &mut Markup, summary: &RunSummary, causes: &Causes) {
    let findings = summary.finding_count() as u64;
    let causes = causes.count() as u64;
    let class = if summary.finding_count() > summary.warnings {
        "verdict bad"
    } else {
        "verdict"
    };
    out.open("p", &[("class", class)]);
    match (findings, summary.vacuous()) {
        (0, Some(vacuous)) => {
            out.element("b", &[], "Nothing was tested")
                .text(": ")
                .text(vacuous.why());
        }
        (0, None) => {
            out.element("b", &[], "Nothing found")
                .text(" in the tests below; what was not run was not checked");
        }
        _ => {
            let kinds: Vec<String> = summary
                .findings
                .iter()
                .map(|(kind, n)| format!("{n} {kind}"))
                .collect();
            out.element("b", &[], &counted(findings, "finding"));
            if causes < findings {
                out.text(" of ")
                    .element("b", &[], &counted(causes, "cause"));
            }
            out.text(": ").text(&kinds.join(", "));
            if summary.warnings > 0 {
                let warnings = counted(summary.warnings as u64, "warning");
                out.text(&format!("; {warnings} among them"));
            }
        }
    }
    if summary.interrupted {
        out.text("; interrupted");
    }
    out.close();
}

fn explored(out: &mut Markup, summary: &RunSummary) {
    out.open("section", &[])
        .element("h2", &[("id", "explored")], "What was explored");
    out.open("dl", &[("class", "figures")]);
    let operations = summary.total(|subject| subject.operations);
    for (name, value) in [
        ("types", counted(summary.subjects.len() as u64, "type")),
        ("operations", counted(operations, "operation")),
        (
            "tests",
            format!(
                "{}, {} of them in every interleaving",
                count(summary.total(|subject| subject.tests)),
                count(summary.total(|subject| subject.exhausted))
            ),
        ),
        (
            "executions",
            format!(
                "{} in {}, {} steps",
                count(summary.total(|subject| subject.executions)),
                seconds(summary.elapsed),
                count(summary.total(|subject| subject.steps))
            ),
        ),
        (
            "pairs of operations",
            format!(
                "{} of {} ran concurrently",
                count(summary.total(|subject| subject.pairs.0)),
                count(summary.total(|subject| subject.pairs.1))
            ),
        ),
        (
            "left out",
            match (summary.types_left_out, summary.operations_left_out) {
                (0, 0) => "nothing".to_owned(),
                (types, operations) => format!(
                    "{} and {}; `cargo contest list` says why",
                    counted(types as u64, "type"),
                    counted(operations as u64, "operation")
                ),
            },
        ),
    ] {
        out.element("dt", &[], name).element("dd", &[], &value);
    }
    for (_, growth) in &summary.growth {
        if let Some(left) = growth.left() {
            out.element("dt", &[], "not yet run")
                .element("dd", &[], &growth::left(&left));
        }
    }
    out.close().close();
}

/// What and why; nothing for an empty list.
fn list(out: &mut Markup, title: &str, items: &[(String, String)]) {
    if items.is_empty() {
        return;
    }
    out.open("section", &[]).open("details", &[]);
    out.open("summary", &[])
        .element("h2", &[], &format!("{title} ({})", items.len()))
        .close();
    out.open("ul", &[]);
    for (item, why) in items {
        out.open("li", &[]);
        if !item.is_empty() {
            out.element("code", &[], item).text(": ");
        }
        out.text(why).close();
    }
    out.close().close().close();
}

/// How often, why, and an example.
fn reason(reason: &Reason) -> (String, String) {
    let example = reason.items.first().map_or("", String::as_str);
    let count = count(reason.items.len() as u64);
    (
        String::new(),
        format!("{count}: {} ({example})", reason.why),
    )
}

fn pairs(skipped: &[Skipped]) -> Vec<(String, String)> {
    skipped
        .iter()
        .map(|it| (it.item.clone(), it.why.clone()))
        .collect()
}

fn reasons(reasons: Vec<(String, u64)>) -> Vec<(String, String)> {
    reasons
        .into_iter()
        .map(|(why, n)| (String::new(), format!("{} {why}", count(n))))
        .collect()
}
