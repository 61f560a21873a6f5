//! What a run with default settings finds in sixty well-known crates, in their newest versions:
//! `cargo run -p cargo-contest --example survey -- [--budget 60s] [NAME…]`, after `cargo build -p cargo-contest`.
//!
//! Prints a row for each crate as soon as it is there. Packages, build output and the whole reports, as JSON lines and
//! as text, are in `target/survey/`; a crate takes its budget and the time of a build.

#![allow(clippy::print_stdout, reason = "it is what this program is for")]

#[path = "../reach/list.rs"]
mod list;
mod row;
mod subjects;

use std::error::Error;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use row::Row;
use subjects::Subject;

fn main() -> Result<(), Box<dyn Error>> {
    let mut budget = "60s".to_owned();
    let mut names = Vec::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        if word == "--budget" {
            budget = words.next().ok_or("--budget without a time")?;
        } else {
            names.push(word);
        }
    }
    let own = std::env::current_exe()?;
    let mut folders = own.ancestors().skip(2);
    let built = folders.next().ok_or("no folder above the examples")?;
    let tool = built.join("cargo-contest");
    let root = folders.next().ok_or("no target folder")?.join("survey");
    println!("{}", row::HEADING);
    let mut findings = 0;
    for subject in subjects::named(&names) {
        let row = run(&tool, &subject, &budget, &root)?;
        findings += row.findings();
        println!("{row}");
    }
    println!("{findings} findings");
    Ok(())
}

fn run(tool: &Path, subject: &Subject, budget: &str, root: &Path) -> Result<Row, Box<dyn Error>> {
    let package = root.join(subject.name);
    subject.write_package(&package)?;
    let lines = package.join("report.jsonl");
    let started = Instant::now();
    let status = Command::new(tool)
        .args(["contest", "run", "--message-format", "json"])
        .args(["--package", subject.name, "--budget", budget])
        .current_dir(&package)
        .env("CARGO_TARGET_DIR", root.join("target"))
        .stdout(File::create(&lines)?)
        .stderr(File::create(package.join("report.txt"))?)
        .status()?;
    let printed = fs::read_to_string(&lines)?;
    Ok(Row::new(
        subject.name,
        status.code(),
        &printed,
        started.elapsed(),
    ))
}
