//! Runs `cargo contest` over well-known crates at their newest versions and prints a table.
//!
//! Usage: `cargo run -p cargo-contest --example survey -- [--budget 60s] [NAME…]`, after `cargo build -p
//! cargo-contest`. Scratch packages, build output and the full reports go to `target/survey/`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

mod report;
mod subjects;

use std::path::{Path, PathBuf};
use std::process::Command;

use report::{Row, print_table};
use subjects::Subject;

fn main() {
    let mut budget = "60s".to_owned();
    let mut names = Vec::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        if word == "--budget" {
            budget = words.next().unwrap_or(budget);
        } else {
            names.push(word);
        }
    }
    let tool = tool();
    let mut rows = Vec::new();
    for subject in subjects::crates()
        .iter()
        .filter(|subject| names.is_empty() || names.contains(&subject.package))
    {
        eprintln!("{} …", subject.label);
        let row = run(&tool, subject, &budget);
        eprintln!("{}", row.line());
        rows.push(row);
    }
    print_table(&rows);
}

/// The tool, built beside this example.
fn tool() -> PathBuf {
    let own = std::env::current_exe().expect("this process has an executable");
    let directory = own
        .parent()
        .and_then(Path::parent)
        .expect("examples are built in a folder of the profile's folder");
    directory.join("cargo-contest")
}

fn run(tool: &Path, subject: &Subject, budget: &str) -> Row {
    let root = tool
        .parent()
        .and_then(Path::parent)
        .expect("the tool is in a target directory")
        .join("survey");
    let package = root.join(&subject.label);
    subject.write_package(&package);
    let started = std::time::Instant::now();
    let output = Command::new(tool)
        .args([
            "contest",
            "run",
            "-p",
            &subject.package,
            "--message-format",
            "json",
            "--budget",
            budget,
        ])
        .current_dir(&package)
        .env("CARGO_TARGET_DIR", root.join("target"))
        .output()
        .unwrap_or_else(|error| {
            panic!(
                "{}: {error}; run `cargo build -p cargo-contest` first",
                tool.display()
            )
        });
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    std::fs::write(package.join("report.jsonl"), &stdout)
        .expect("the scratch package can be written");
    std::fs::write(package.join("report.txt"), &stderr)
        .expect("the scratch package can be written");
    Row::new(subject, output.status.code(), &stdout, started.elapsed())
}
