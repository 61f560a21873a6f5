//! Dependencies as a drawing, for Graphviz. Edges are pairs that depend on each other: red for locks in opposite
//! orders, blue for memory, dashed where only unknown code does it.

use std::fmt::Write as _;

use contest_catalog::dependency_graph::{Dependency, DependencyGraph, Relation};

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
