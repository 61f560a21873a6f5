//! How a run grew: a drawing for each count, over its time.

use crate::figures::{count, milliseconds};
use crate::growth::{Curve, curves};
use crate::html::markup::Markup;
use crate::run_summary::RunSummary;
use contest_catalog::growth::Growth;

/// Size of a drawing, in its own units.
const SIZE: (u64, u64) = (320, 90);

/// Access patterns and pairs of operations over time, for each package.
pub(super) fn growth(out: &mut Markup, summary: &RunSummary) {
    let grown = summary.growth.iter();
    let grown: Vec<_> = grown.filter(|(_, it)| it.points().len() > 2).collect();
    if grown.is_empty() {
        return;
    }
    out.open("section", &[])
        .element("h2", &[("id", "growth")], "How coverage grew");
    for (package, growth) in &grown {
        if grown.len() > 1 {
            out.element("h3", &[], package);
        }
        of_package(out, growth);
    }
    out.close();
}

fn of_package(out: &mut Markup, growth: &Growth) {
    out.open("div", &[("class", "growth")]);
    for Curve { name, points } in curves(growth) {
        let (end, last) = points.last().copied().unwrap_or_default();
        out.open("figure", &[]);
        drawing(out, name, &points);
        // The last time at which there was something new says more than the end.
        let new = points.iter().find(|it| it.1 == last).map_or(0, |it| it.0);
        let text = format!(
            "{} {name} in {}, the last new one after {}",
            count(last),
            milliseconds(end),
            milliseconds(new)
        );
        out.element("figcaption", &[], &text).close();
    }
    out.close();
}

/// Steps from left to right, over a line for nothing and one for the last value.
fn drawing(out: &mut Markup, name: &str, points: &[(u64, u64)]) {
    let (width, height) = SIZE;
    let (end, last) = points.last().copied().unwrap_or_default();
    let end = end.max(1);
    let x = |ms: u64| ms.saturating_mul(width) / end;
    let y = |value: u64| height - value.saturating_mul(height) / last.max(1);
    let mut path = format!("M0 {height}");
    for (ms, value) in points {
        path.push_str(&format!("H{}V{}", x(*ms), y(*value)));
    }
    let area = format!("0 -2 {width} {}", height + 4);
    out.open(
        "svg",
        &[
            ("class", "curve"),
            ("viewBox", &area),
            ("preserveAspectRatio", "none"),
            ("role", "img"),
            ("aria-label", &format!("{name} over time")),
        ],
    );
    let axes = format!("M0 {height}H{width}M0 0H{width}");
    out.open("path", &[("class", "axis"), ("d", &axes)]).close();
    let filled = format!("{path}V{height}Z");
    out.open("path", &[("class", "area"), ("d", &filled)])
        .close();
    out.open("path", &[("d", &path)]).close().close();
}
