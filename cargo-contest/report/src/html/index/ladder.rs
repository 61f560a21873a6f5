//! The ladder of shapes: how many tests of each shape were explored, as bars.

use crate::figures::{count, counted};
use crate::html::markup::Markup;
use crate::ladder::{Line, lines, state, stated};
use crate::run_summary::RunSummary;

/// Length of a bar, in its own units.
const WIDTH: u64 = 200;
/// Shapes that are seen at once.
const SHOWN: usize = 12;
/// Shapes with a row of their own.
const MOST: usize = 60;

/// A row for each shape, the smallest first, then what may be stated of the types.
pub(super) fn ladder(out: &mut Markup, summary: &RunSummary) {
    let lines = lines(summary);
    if lines.is_empty() {
        return;
    }
    out.open("section", &[("class", "scroll")]).element(
        "h2",
        &[("id", "ladder")],
        "Shapes of tests, the smallest first",
    );
    let (first, further) = lines[..lines.len().min(MOST)].split_at(lines.len().min(SHOWN));
    rows(out, first);
    if !further.is_empty() {
        let larger = counted(further.len() as u64, "larger shape");
        out.open("details", &[]).element("summary", &[], &larger);
        rows(out, further);
        out.close();
    }
    let more = lines.len().saturating_sub(MOST);
    if more > 0 {
        out.element("p", &[], &format!("{more} larger shapes are not shown."));
    }
    let stated = stated(summary);
    if !stated.is_empty() {
        out.element("h3", &[], "What may be stated").open("ul", &[]);
        for statement in &stated {
            out.element("li", &[], statement);
        }
        out.close();
    }
    out.close();
}

fn rows(out: &mut Markup, lines: &[Line]) {
    out.open("table", &[("class", "ladder")]);
    out.columns(&["shape", "tests", "run", "in words"]);
    out.open("tbody", &[]);
    for line in lines {
        let tests = count(line.sum.tests);
        let about = if line.sum.exact { "" } else { "at most " };
        out.open("tr", &[])
            .element("td", &[], &line.sum.rung.to_string())
            .element("td", &[("class", "figure")], &format!("{about}{tests}"));
        out.open("td", &[]);
        bar(out, line);
        out.close()
            .element("td", &[("class", "sub")], &state(line))
            .close();
    }
    out.close().close();
}

/// Explored in every interleaving, cut, left out, not run.
fn bar(out: &mut Markup, line: &Line) {
    let sum = |list: &[(String, u64)]| list.iter().map(|(_, n)| n).sum::<u64>();
    let whole = u128::from(line.sum.tests.max(line.sum.begun).max(1));
    let parts = [
        ("all", line.sum.complete.saturating_add(line.sum.redundant)),
        ("cut", sum(&line.sum.cut)),
        ("left", sum(&line.sum.left_out)),
    ];
    let area = format!("0 0 {WIDTH} 10");
    let label = state(line);
    out.open(
        "svg",
        &[
            ("class", "bar"),
            ("viewBox", &area),
            ("preserveAspectRatio", "none"),
            ("role", "img"),
            ("aria-label", &label),
        ],
    );
    let mut at = 0;
    for (class, tests) in parts {
        // What was begun is seen, however small a part it is.
        let wide = u128::from(tests) * u128::from(WIDTH) / whole;
        let wide = u64::try_from(wide)
            .unwrap_or(WIDTH)
            .max(u64::from(tests > 0));
        let wide = wide.min(WIDTH - at);
        if wide > 0 {
            let (x, width) = (at.to_string(), wide.to_string());
            out.open(
                "rect",
                &[
                    ("class", class),
                    ("x", &x),
                    ("width", &width),
                    ("height", "10"),
                ],
            )
            .close();
        }
        at += wide;
    }
    out.close();
}
