//! Method summaries and dependencies: readable text, JSON lines.

use std::fmt::{Display, Write as _};

use anstyle::{AnsiColor, Style};
use serde_json::json;

use contest_catalog::dependency_graph::{Dependency, DependencyGraph, Relation};
use contest_catalog::method_summary::MethodSummary;
use contest_catalog::skipped::Skipped;

const NAME: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const YES: Style = AnsiColor::Red.on_default();
const UNKNOWN: Style = AnsiColor::Yellow.on_default();
const NO: Style = AnsiColor::Green.on_default();

/// Most entries of a summary, and most pairs of a type, that are shown without `--verbose`.
const SHOWN: usize = 12;
const PAIRS_SHOWN: usize = 40;

/// Totals of an analysis.
#[derive(Clone, Debug, Default)]
pub struct AnalysisTotals {
    /// `dashmap 6.1.0`.
    pub package: String,
    /// Types that were related.
    pub types: usize,
    /// Operations of them.
    pub operations: usize,
    /// Operations with an exact summary.
    pub exact: usize,
    /// Unordered pairs of operations that threads can call at the same time.
    pub pairs: usize,
    /// Pairs that depend on each other by what is known.
    pub dependent: usize,
    /// Pairs left when those are taken out that certainly cannot fail.
    pub kept: usize,
    /// Files and lines that were read.
    pub sources: (usize, usize),
    /// Time of the analysis alone, in milliseconds.
    pub elapsed_ms: u64,
    /// What could not be read.
    pub left_out: Vec<Skipped>,
}

/// Summaries and relations of one type.
#[must_use]
pub fn graph(graph: &DependencyGraph, declared: &str, verbose: bool) -> String {
    let mut out = String::new();
    let (exact, shared) = graph.exact();
    let _ = writeln!(
        out,
        "{NAME}{}{NAME:#}  {declared}  {shared} shared operations, {exact} with exact summaries",
        graph.subject
    );
    for method in &graph.methods {
        self::method(&mut out, method, verbose);
    }
    pairs(&mut out, graph, verbose);
    for cycle in &graph.cycles {
        let names: Vec<&str> = cycle.methods.iter().map(|it| name(graph, *it)).collect();
        let _ = writeln!(
            out,
            "    {YES}cycle{YES:#} of three locks: {} hold {} and each takes the next",
            names.join(", "),
            cycle.locks.join(", ")
        );
    }
    let total = graph.pairs.len();
    let kept = graph.kept();
    let _ = writeln!(
        out,
        "    pairs: {total}; {} dependent, {} kept because a summary is not exact, {} that cannot fail ({} % less)\n",
        graph.dependent(),
        kept - graph.dependent().min(kept),
        total - kept,
        percent(total - kept, total),
    );
    out
}

fn method(out: &mut String, method: &MethodSummary, verbose: bool) {
    let taken = if method.shared {
        ""
    } else {
        "  (needs the object for itself)"
    };
    let _ = writeln!(
        out,
        "    {NAME}{}{NAME:#}  {FAINT}{}{FAINT:#}{taken}",
        method.operation, method.declared
    );
    let most = if verbose { usize::MAX } else { SHOWN };
    list(out, "accesses", method.accesses.iter(), most);
    list(out, "under", method.locks.iter(), most);
    list(out, "takes", method.lock_pairs.iter(), most);
    for inexact in method
        .inexact
        .iter()
        .take(if verbose { usize::MAX } else { 2 })
    {
        let _ = writeln!(
            out,
            "        {UNKNOWN}inexact{UNKNOWN:#}   {} ({})",
            inexact.why, inexact.at
        );
    }
    if !verbose && method.inexact.len() > 2 {
        let _ = writeln!(
            out,
            "                  and {} more reasons",
            method.inexact.len() - 2
        );
    }
}

fn list<T: Display>(
    out: &mut String,
    what: &str,
    items: impl ExactSizeIterator<Item = T>,
    most: usize,
) {
    let count = items.len();
    if count == 0 {
        return;
    }
    let mut texts: Vec<String> = items.take(most).map(|it| it.to_string()).collect();
    if count > most {
        texts.push(format!("and {} more", count - most));
    }
    let _ = writeln!(out, "        {what:<9} {}", texts.join("  "));
}

fn pairs(out: &mut String, graph: &DependencyGraph, verbose: bool) {
    let mut pairs: Vec<&Dependency> = graph
        .pairs
        .iter()
        .filter(|it| !it.can_be_pruned())
        .collect();
    pairs.sort_by_key(|it| std::cmp::Reverse(it.rank()));
    let most = if verbose { usize::MAX } else { PAIRS_SHOWN };
    if pairs.is_empty() {
        return;
    }
    let width = pairs
        .iter()
        .take(most)
        .map(|it| name(graph, it.first).len() + name(graph, it.second).len() + 3)
        .max()
        .unwrap_or(0)
        .clamp(4, 60);
    let _ = writeln!(
        out,
        "    {:width$} | conflict | parallel | double lock | rank",
        "pair"
    );
    let _ = writeln!(
        out,
        "    {:-<width$} | -------- | -------- | ----------- | ----",
        ""
    );
    for pair in pairs.iter().take(most) {
        let names = format!("{} | {}", name(graph, pair.first), name(graph, pair.second))
            .replace(" | ", " ∥ ");
        let parallel = if pair.parallel {
            Relation::Yes
        } else {
            Relation::No
        };
        let _ = writeln!(
            out,
            "    {names:width$} | {} | {} | {} | {:>4}",
            relation(pair.conflict, 8),
            relation(parallel, 8),
            relation(pair.double_lock, 11),
            pair.rank()
        );
    }
    if pairs.len() > most {
        let _ = writeln!(
            out,
            "    and {} more pairs; --verbose shows them",
            pairs.len() - most
        );
    }
}

fn relation(relation: Relation, width: usize) -> String {
    let (style, text) = match relation {
        Relation::Yes => (YES, "yes"),
        Relation::Unknown => (UNKNOWN, "unknown"),
        Relation::No => (NO, "no"),
    };
    format!("{style}{text:width$}{style:#}")
}

fn name(graph: &DependencyGraph, method: u16) -> &str {
    graph
        .methods
        .get(usize::from(method))
        .map_or("", |it| it.operation.as_str())
}

/// The end.
#[must_use]
pub fn totals(totals: &AnalysisTotals, verbose: bool) -> String {
    let mut out = String::new();
    let most = if verbose { usize::MAX } else { SHOWN };
    for it in totals.left_out.iter().take(most) {
        let _ = writeln!(out, "left out {}: {}", it.item, it.why);
    }
    if totals.left_out.len() > most {
        let _ = writeln!(
            out,
            "left out {} more; --verbose names them",
            totals.left_out.len() - most
        );
    }
    let _ = writeln!(
        out,
        "{NAME}{}{NAME:#}: {} types, {} operations, {} summaries exact ({} %)",
        totals.package,
        totals.types,
        totals.operations,
        totals.exact,
        percent(totals.exact, totals.operations),
    );
    let _ = writeln!(
        out,
        "pairs: {} before, {} after taking out those that cannot fail; {} depend on each other by what is known",
        totals.pairs, totals.kept, totals.dependent
    );
    let _ = writeln!(
        out,
        "read {} files, {} lines in {} ms",
        totals.sources.0, totals.sources.1, totals.elapsed_ms
    );
    out
}

fn percent(part: usize, whole: usize) -> usize {
    (part * 100).checked_div(whole).unwrap_or(0)
}

/// JSON lines of one type: a `method-summary` for each operation, a `dependency` for each pair, a `lock-cycle` for each
/// cycle.
#[must_use]
pub fn graph_lines(graph: &DependencyGraph) -> Vec<String> {
    let texts = |items: &mut dyn Iterator<Item = String>| -> Vec<String> { items.collect() };
    let mut lines = Vec::new();
    for method in &graph.methods {
        lines.push(
            json!({
                "reason": "method-summary",
                "type": graph.subject,
                "operation": method.operation,
                "declared": method.declared,
                "shared": method.shared,
                "exact": method.is_exact(),
                "accesses": texts(&mut method.accesses.iter().map(ToString::to_string)),
                "locks": texts(&mut method.locks.iter().map(ToString::to_string)),
                "lock_pairs": texts(&mut method.lock_pairs.iter().map(ToString::to_string)),
                "inexact": method.inexact,
                "summary": method,
            })
            .to_string(),
        );
    }
    for pair in &graph.pairs {
        lines.push(
            json!({
                "reason": "dependency",
                "type": graph.subject,
                "first": name(graph, pair.first),
                "second": name(graph, pair.second),
                "conflict": pair.conflict,
                "parallel": pair.parallel,
                "double_lock": pair.double_lock,
                "exact": pair.exact,
                "dependent": pair.is_dependent(),
                "pruned": pair.can_be_pruned(),
                "rank": pair.rank(),
            })
            .to_string(),
        );
    }
    for cycle in &graph.cycles {
        let names: Vec<&str> = cycle.methods.iter().map(|it| name(graph, *it)).collect();
        lines.push(json!({"reason": "lock-cycle", "type": graph.subject, "methods": names, "locks": cycle.locks}).to_string());
    }
    lines
}

/// The last JSON line.
#[must_use]
pub fn totals_line(totals: &AnalysisTotals) -> String {
    json!({
        "reason": "summary",
        "package": totals.package,
        "types": totals.types,
        "operations": totals.operations,
        "exact": totals.exact,
        "pairs": totals.pairs,
        "pairs_dependent": totals.dependent,
        "pairs_kept": totals.kept,
        "files": totals.sources.0,
        "lines": totals.sources.1,
        "elapsed_ms": totals.elapsed_ms,
        "left_out": totals.left_out,
    })
    .to_string()
}
