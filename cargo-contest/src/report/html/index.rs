//! The page of a run: its findings, what was explored, and what was not.

use contest_data::totals::SubjectTotals;

use super::finding_page::Reported;
use super::markup::Markup;
use super::page::page;
use crate::report::figures::{count, counted, seconds};
use crate::report::run_summary::RunSummary;
use crate::skipped::Skipped;

/// Size of the drawing of a curve, in its own units.
const CURVE: (u64, u64) = (160, 36);

/// The page. Each finding comes with the name of its page.
pub(super) fn write(
    summary: &RunSummary,
    findings: &[(Reported<'_>, String)],
    notes: &[String],
) -> String {
    let mut out = Markup::new();
    out.element("h1", &[], &summary.package);
    verdict(&mut out, summary);
    if !findings.is_empty() {
        table_of_findings(&mut out, findings);
    }
    explored(&mut out, summary);
    types(&mut out, summary);
    let cut = reasons(summary.reasons(|subject| &subject.cut));
    list(&mut out, "Tests cut short", &cut);
    let skipped = reasons(summary.reasons(|subject| &subject.skipped));
    list(&mut out, "Tests and results left out", &skipped);
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
    let notes: Vec<(String, String)> = notes.iter().map(|it| (String::new(), it.clone())).collect();
    list(&mut out, "Notes", &notes);
    page(
        &format!("{} · cargo contest", summary.package),
        None,
        "",
        out,
    )
}

fn verdict(out: &mut Markup, summary: &RunSummary) {
    let findings = summary.finding_count() as u64;
    let class = if findings > 0 {
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
            out.element("b", &[], &counted(findings, "finding"))
                .text(": ")
                .text(&kinds.join(", "));
        }
    }
    if summary.interrupted {
        out.text("; interrupted by Ctrl-C");
    }
    out.close();
}

fn table_of_findings(out: &mut Markup, findings: &[(Reported<'_>, String)]) {
    out.open("section", &[("class", "scroll")])
        .element("h2", &[("id", "findings")], "Findings");
    out.open("table", &[("class", "findings")]);
    head(out, &["kind", "what", "type", "where", "test"]);
    out.open("tbody", &[]);
    for (reported, page) in findings {
        let finding = reported.finding;
        out.open("tr", &[("id", page.trim_end_matches(".html"))]);
        out.open("td", &[])
            .element("span", &[("class", "kind")], finding.kind.name())
            .close();
        out.open("td", &[])
            .element("a", &[("href", page)], &finding.message)
            .close();
        out.open("td", &[])
            .element("code", &[], &finding.subject)
            .close();
        let first = finding.locations.first().map_or("", String::as_str);
        out.open("td", &[]).element("code", &[], first).close();
        let calls: Vec<String> = finding
            .threads
            .iter()
            .map(|calls| calls.join("; "))
            .collect();
        out.open("td", &[])
            .element("code", &[], &calls.join(" | "))
            .close();
        out.close();
    }
    out.close().close().close();
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
                "{}, {} of them in every interleaving (within the strategy's bounds)",
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
            format!(
                "{} and {}; `cargo contest list` says why",
                counted(summary.types_left_out as u64, "type"),
                counted(summary.operations_left_out as u64, "operation")
            ),
        ),
    ] {
        out.element("dt", &[], name).element("dd", &[], &value);
    }
    out.close().close();
}

fn types(out: &mut Markup, summary: &RunSummary) {
    if summary.subjects.is_empty() {
        return;
    }
    out.open("section", &[("class", "scroll")])
        .element("h2", &[("id", "types")], "Types");
    out.open("table", &[]);
    head(
        out,
        &[
            "type",
            "operations",
            "pairs run",
            "tests",
            "in every interleaving",
            "executions",
            "access patterns",
            "their growth",
        ],
    );
    out.open("tbody", &[]);
    for subject in &summary.subjects {
        out.open("tr", &[]);
        out.open("td", &[])
            .element("code", &[], &subject.name)
            .close();
        for figure in [
            format!("{} of {}", subject.operations_used, subject.operations),
            format!("{} of {}", subject.pairs.0, subject.pairs.1),
            count(subject.tests),
            count(subject.exhausted),
            count(subject.executions),
            count(subject.coverage.covered),
        ] {
            out.element("td", &[("class", "figure")], &figure);
        }
        out.open("td", &[]);
        curve(out, subject);
        out.close().close();
    }
    out.close().close().close();
}

/// Access patterns over executions, as steps.
fn curve(out: &mut Markup, subject: &SubjectTotals) {
    let points = &subject.coverage.curve;
    let (Some(last), true) = (points.last(), points.len() > 1) else {
        return;
    };
    let (width, height) = CURVE;
    let x = |executions: u64| executions * width / last.executions.max(1);
    let y = |covered: u64| height - covered * height / last.covered.max(1);
    let mut path = format!("M0 {height}");
    for point in points {
        path.push_str(&format!("H{}V{}", x(point.executions), y(point.covered)));
    }
    let label = format!(
        "{} access patterns after {} executions, the last new one after {} ms",
        last.covered, last.executions, last.milliseconds
    );
    let area = format!("0 -2 {width} {}", height + 4);
    out.open(
        "svg",
        &[
            ("class", "curve"),
            ("viewBox", &area),
            ("role", "img"),
            ("aria-label", &label),
        ],
    );
    out.element("title", &[], &label);
    out.open("path", &[("d", &path)]).close().close();
}

fn head(out: &mut Markup, columns: &[&str]) {
    out.open("thead", &[]).open("tr", &[]);
    for column in columns {
        out.element("th", &[("scope", "col")], column);
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
