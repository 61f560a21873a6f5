//! What static analysis says of the pairs of a type: `cargo contest analyze`.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::run::{scratch_package, target_directory};
use crate::subjects::Subject;

/// The columns of DepCon+'s Table IV. What is not known counts as related.
#[derive(Clone, Debug)]
pub(crate) struct Relations {
    pub(crate) type_name: &'static str,
    /// Operations that threads can call at the same time.
    pub(crate) methods: usize,
    /// Of these, with exact summaries.
    pub(crate) exact: usize,
    /// All unordered pairs of them.
    pub(crate) pairs: usize,
    /// Pairs that conflict and are parallel, or may deadlock.
    pub(crate) either: usize,
    /// Pairs that conflict and are parallel.
    pub(crate) parallel_conflict: usize,
    /// Pairs that may take two locks in opposite orders.
    pub(crate) double_lock: usize,
    /// Pairs that are left out: as the first, but only where both summaries are exact.
    pub(crate) left_out: usize,
    /// Milliseconds of the analysis of the whole package.
    pub(crate) ms: u64,
}

/// Analyses a copy of the subject.
pub(crate) fn relations(root: &Path, subject: &Subject) -> Relations {
    let package = scratch_package(root, subject);
    let target = target_directory(root);
    let output = Command::new(target.join("debug/cargo-contest"))
        .args(["contest", "analyze", subject.type_name])
        .args(["--message-format", "json"])
        .current_dir(&package)
        .env("CARGO_TARGET_DIR", target.join("papers/target"))
        .output()
        .expect("the tool is built");
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<Value> = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let pairs: Vec<&Value> = lines
        .iter()
        .filter(|line| line["reason"] == "dependency")
        .collect();
    let methods: Vec<&Value> = lines
        .iter()
        .filter(|line| line["reason"] == "method-summary" && line["shared"] == true)
        .collect();
    let exact = methods.iter().filter(|method| method["exact"] == true);
    let summary = lines.iter().find(|line| line["reason"] == "summary");
    let parallel_conflict = |pair: &Value| pair["parallel"] == true && pair["conflict"] != "no";
    let double_lock = |pair: &Value| pair["double_lock"] != "no";
    let count = |of: &dyn Fn(&Value) -> bool| pairs.iter().filter(|pair| of(pair)).count();
    Relations {
        type_name: subject.type_name,
        methods: methods.len(),
        exact: exact.count(),
        pairs: pairs.len(),
        either: count(&|pair| parallel_conflict(pair) || double_lock(pair)),
        parallel_conflict: count(&parallel_conflict),
        double_lock: count(&double_lock),
        left_out: count(&|pair| pair["pruned"] == true),
        ms: summary.map_or(0, |summary| summary["elapsed_ms"].as_u64().unwrap_or(0)),
    }
}
