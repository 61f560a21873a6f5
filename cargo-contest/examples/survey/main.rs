//! Runs `cargo contest` over published crates and prints a table: `survey crates` for well-known crates at their newest
//! versions, `survey bugs` for crates with a known bug and their fixed versions.
//!
//! Usage: `cargo run -p cargo-contest --example survey -- crates|bugs [--budget 60s] [NAME…]`, after `cargo build -p
//! cargo-contest`. Scratch packages, build output and the full reports go to `target/survey/`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

mod report;
mod subjects;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use report::{Row, print_table};
use subjects::Subject;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let list = match words.next().as_deref() {
        Some("crates") => subjects::crates(),
        Some("bugs") => subjects::bugs(),
        _ => {
            eprintln!("usage: survey crates|bugs [--budget 60s] [NAME…]");
            return ExitCode::from(2);
        }
    };
    let mut budget = "60s".to_owned();
    let mut names = Vec::new();
    while let Some(word) = words.next() {
        if word == "--budget" {
            budget = words.next().unwrap_or(budget);
        } else {
            names.push(word);
        }
    }
    let tool = tool();
    let mut rows = Vec::new();
    for subject in list
        .iter()
        .filter(|subject| names.is_empty() || names.iter().any(|name| subject.label.contains(name)))
    {
        eprintln!("{} …", subject.label);
        let row = run(&tool, subject, &budget);
        eprintln!("{}", row.line());
        rows.push(row);
    }
    print_table(&rows);
    ExitCode::SUCCESS
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
