//! Dependencies as a drawing: DOT for Graphviz, or SVG with the methods of a type on a circle. Edges are pairs that depend on each
//! other: red for locks in opposite orders, blue for memory, dashed where only unknown code does it.

use std::f64::consts::TAU;
use std::fmt::Write as _;

use crate::analyse::dependency_graph::{Dependency, DependencyGraph, Relation};

/// How an edge is drawn: colour, dashed.
fn style(pair: &Dependency) -> Option<(&'static str, bool)> {
    let memory = pair.parallel && pair.conflict != Relation::No;
    if pair.double_lock == Relation::Yes {
        Some(("#c0392b", false))
    } else if memory && pair.conflict == Relation::Yes {
        Some(("#2471a3", false))
    } else if memory || pair.double_lock == Relation::Unknown {
        Some(("#909497", true))
    } else {
        None
    }
}

/// A graph in the language of Graphviz.
#[must_use]
pub fn dot(graphs: &[DependencyGraph]) -> String {
    let mut out = String::from(
        "graph dependencies {\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n",
    );
    for (n, graph) in graphs.iter().enumerate() {
        let _ = writeln!(
            out,
            "  subgraph cluster_{n} {{\n    label=\"{}\";",
            quoted(&graph.subject)
        );
        for (m, method) in graph.methods.iter().enumerate() {
            let color = if method.is_exact() {
                "black"
            } else {
                "#b9770e"
            };
            let _ = writeln!(
                out,
                "    m{n}_{m} [label=\"{}\", color=\"{color}\"];",
                quoted(&method.operation)
            );
        }
        for pair in &graph.pairs {
            if let Some((color, dashed)) = style(pair) {
                let line = if dashed { "dashed" } else { "solid" };
                let _ = writeln!(
                    out,
                    "    m{n}_{} -- m{n}_{} [color=\"{color}\", style={line}];",
                    pair.first, pair.second
                );
            }
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// A drawing, one circle of methods for each type.
#[must_use]
pub fn svg(graphs: &[DependencyGraph]) -> String {
    let mut body = String::new();
    let (mut top, mut widest) = (0.0_f64, 400.0_f64);
    for graph in graphs {
        let count = graph.methods.len().max(1) as f64;
        let radius = (count * 26.0 / TAU).max(70.0);
        let margin = 40.0
            + graph
                .methods
                .iter()
                .map(|it| it.operation.len())
                .max()
                .unwrap_or(0) as f64
                * 7.5;
        let side = 2.0 * (radius + margin);
        circle(
            &mut body,
            graph,
            margin + radius,
            top + 40.0 + margin + radius,
            radius,
            top + 26.0,
        );
        top += side + 50.0;
        widest = widest.max(side);
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{widest:.0}\" height=\"{:.0}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{body}\
         <text x=\"16\" y=\"{:.0}\" fill=\"#555\">red: locks in opposite orders; blue: common memory; dashed: by unknown code; ochre: not exact</text>\n</svg>\n",
        top + 40.0,
        top + 20.0,
    )
}

fn circle(out: &mut String, graph: &DependencyGraph, x: f64, y: f64, radius: f64, title: f64) {
    let _ = writeln!(
        out,
        "<text x=\"16\" y=\"{title:.0}\" font-weight=\"bold\">{}</text>",
        escaped(&graph.subject)
    );
    let count = graph.methods.len().max(1) as f64;
    let at = |n: usize, radius: f64| {
        let angle = TAU * n as f64 / count;
        (x + radius * angle.sin(), y - radius * angle.cos())
    };
    for pair in &graph.pairs {
        let Some((color, dashed)) = style(pair) else {
            continue;
        };
        let dash = if dashed {
            " stroke-dasharray=\"4 4\""
        } else {
            ""
        };
        let (a, b) = (usize::from(pair.first), usize::from(pair.second));
        let (ax, ay) = at(a, radius);
        if a == b {
            let (cx, cy) = at(a, radius - 9.0);
            let _ = writeln!(
                out,
                "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"9\" fill=\"none\" stroke=\"{color}\"{dash}/>"
            );
        } else {
            let (bx, by) = at(b, radius);
            let _ = writeln!(
                out,
                "<path d=\"M {ax:.1} {ay:.1} Q {x:.1} {y:.1} {bx:.1} {by:.1}\" fill=\"none\" stroke=\"{color}\" stroke-opacity=\"0.7\"{dash}/>"
            );
        }
    }
    for (n, method) in graph.methods.iter().enumerate() {
        let (px, py) = at(n, radius);
        let (tx, ty) = at(n, radius + 10.0);
        let anchor = if tx > x + 1.0 {
            "start"
        } else if tx < x - 1.0 {
            "end"
        } else {
            "middle"
        };
        let color = if method.is_exact() {
            "black"
        } else {
            "#b9770e"
        };
        let _ = writeln!(
            out,
            "<circle cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"4\" fill=\"{color}\"/>\
             <text x=\"{tx:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" fill=\"{color}\">{}</text>",
            ty + 4.0,
            escaped(&method.operation)
        );
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
