//! When the first finding comes, for every type of the faulty subjects.
//!
//! Usage: `cargo run -p cargo-contest --example first_finding -- [--budget 5s] [--seeds 3] [--generator NAME]
//! [--tool PATH] [NAME…]`, after `cargo build -p cargo-contest`. Build output goes to `target/first_finding/`. Each
//! type is run alone until its first finding, with each seed. The search was tuned on the first half of the subjects by
//! name; the others are only measured. What ends the process under test is found by its death, which has no count of
//! executions. Tests and executions of the whole campaign say how long the search is where times cannot be trusted.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

#[path = "shared/places.rs"]
mod places;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use places::places;
use serde_json::Value;

/// Times in milliseconds, executions of the tests that showed the findings, and tests and executions of the campaigns
/// until then, with one seed each.
#[derive(Default)]
struct Found {
    milliseconds: Vec<u64>,
    executions: Vec<u64>,
    tests: Vec<u64>,
    executions_of_all: Vec<u64>,
    seeds: u64,
}

/// What is run, and how.
struct Plan {
    tool: PathBuf,
    subjects: PathBuf,
    target: PathBuf,
    budget: String,
    generator: String,
    seeds: u64,
}

fn main() -> ExitCode {
    let (tool, target) = places("first_finding");
    let mut plan = Plan {
        tool,
        subjects: Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/subjects/faulty"),
        target,
        budget: "5s".to_owned(),
        generator: "auto".to_owned(),
        seeds: 3,
    };
    let mut names = BTreeSet::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().unwrap_or_default();
        match word.as_str() {
            "--budget" => plan.budget = value(),
            "--generator" => plan.generator = value(),
            "--tool" => plan.tool = PathBuf::from(value()),
            "--seeds" => match value().parse() {
                Ok(seeds) => plan.seeds = seeds,
                Err(_) => return usage(),
            },
            word if word.starts_with('-') => return usage(),
            _ => {
                names.insert(word);
            }
        }
    }
    let all = match packages(&plan.subjects) {
        Ok(all) => all,
        Err(error) => {
            eprintln!("{}: {error}", plan.subjects.display());
            return ExitCode::FAILURE;
        }
    };
    println!(
        "| subject and type | half | found | median ms | worst ms | median executions in its test | median tests | \
         worst tests | median executions |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (number, package) in all.iter().enumerate() {
        if !names.is_empty() && !names.contains(package) {
            continue;
        }
        let half = if number < all.len() / 2 {
            "tuned on"
        } else {
            "measured"
        };
        for name in types(&plan, package) {
            let found = first_findings(&plan, package, &name);
            println!("{}", row(package, &name, half, found));
        }
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!(
        "usage: first_finding [--budget 5s] [--seeds 3] [--generator NAME] [--tool PATH] [NAME…]"
    );
    ExitCode::from(2)
}

/// Names of the packages, sorted.
fn packages(directory: &Path) -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if entry.path().join("Cargo.toml").is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// The lines that a command of the tool writes.
fn tool(plan: &Plan, package: &str, arguments: &[&str]) -> Vec<Value> {
    let output = Command::new(&plan.tool)
        .arg("contest")
        .args(arguments)
        .current_dir(plan.subjects.join(package))
        .env("CARGO_TARGET_DIR", &plan.target)
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            eprintln!("{}: {error}", plan.tool.display());
            return Vec::new();
        }
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines();
    lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// Types of the package that can be run by name.
fn types(plan: &Plan, package: &str) -> Vec<String> {
    let lines = tool(plan, package, &["list", "--message-format", "json"]);
    let subjects = lines.iter().filter(|line| line["reason"] == "subject");
    let names: BTreeSet<String> = subjects
        .filter_map(|line| line["type"].as_str())
        .map(argument)
        .collect();
    names.into_iter().collect()
}

/// What names a type on the command line: its path, of the ends of a channel that of the first one; beside something of
/// its caller, `Event<CallersFlag>`.
fn argument(name: &str) -> String {
    let parts = name.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
    if let Some((of_crate, of_caller)) = parts.and_then(|it| it.rsplit_once(", "))
        && of_caller.starts_with("Callers")
    {
        return format!("{of_crate}<{of_caller}>");
    }
    let ends = name.strip_prefix('(').and_then(|ends| ends.split_once('<'));
    let first = ends.map_or(name, |(_, first)| first);
    first.split(['<', '>']).next().unwrap_or(first).to_owned()
}

fn first_findings(plan: &Plan, package: &str, name: &str) -> Found {
    let mut found = Found {
        seeds: plan.seeds,
        ..Found::default()
    };
    for seed in 1..=plan.seeds {
        let seed = seed.to_string();
        let arguments = [
            "run",
            "--no-emit",
            "--message-format",
            "json",
            name,
            "--fail-fast",
            "--budget",
            &plan.budget,
            "--generator",
            &plan.generator,
            "--seed",
            &seed,
        ];
        let lines = tool(plan, package, &arguments);
        let Some(finding) = lines.iter().find(|line| line["reason"] == "finding") else {
            continue;
        };
        let number = |key: &str| finding[key].as_u64().unwrap_or(0);
        found.milliseconds.push(number("elapsed_ms"));
        found.executions.push(number("executions"));
        let summary = lines.iter().find(|line| line["reason"] == "summary");
        let total = |key: &str| {
            summary
                .and_then(|summary| summary[key].as_u64())
                .unwrap_or(0)
        };
        found.tests.push(total("tests"));
        found.executions_of_all.push(total("executions"));
    }
    found
}

fn row(package: &str, name: &str, half: &str, mut found: Found) -> String {
    let median = |of: &mut Vec<u64>| {
        of.sort_unstable();
        (of.get(of.len() / 2)).map_or_else(|| "—".to_owned(), u64::to_string)
    };
    let worst = |of: &[u64]| (of.iter().max()).map_or_else(|| "—".to_owned(), u64::to_string);
    format!(
        "| {package} `{name}` | {half} | {} of {} | {} | {} | {} | {} | {} | {} |",
        found.milliseconds.len(),
        found.seeds,
        median(&mut found.milliseconds),
        worst(&found.milliseconds),
        median(&mut found.executions),
        median(&mut found.tests),
        worst(&found.tests),
        median(&mut found.executions_of_all),
    )
}
