//! The types of a run: what was explored of each, and how their access patterns grew.

use contest_data::totals::SubjectTotals;

use crate::figures::count;
use crate::html::markup::Markup;
use crate::run_summary::RunSummary;

/// Size of the drawing of a curve, in its own units.
const CURVE: (u64, u64) = (160, 36);

pub(super) fn types(out: &mut Markup, summary: &RunSummary) {
    if summary.subjects.is_empty() {
        return;
    }
    out.open("section", &[("class", "scroll")])
        .element("h2", &[("id", "types")], "Types");
    out.open("table", &[]);
    out.columns(&[
        "type",
        "operations",
        "pairs run",
        "tests",
        "in every interleaving",
        "executions",
        "access patterns",
        "their growth",
    ]);
    out.open("tbody", &[]);
    for subject in &summary.subjects {
        out.open("tr", &[]);
        out.open("td", &[])
            .element("code", &[], &subject.name)
            .close();
        for figure in [
            format!("{} of {}", subject.operations_used(), subject.operations),
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
