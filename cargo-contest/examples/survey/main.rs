//! What a run with default settings finds in well-known crates, in their newest versions:
//! `cargo run -p cargo-contest --example survey -- [--budget 60s] [NAME…]`, after `cargo build -p cargo-contest`.
//!
//! With `--fresh COUNT --seed SEED`, of a random sample of the crates in `candidates.txt`, of those whose findings
//! were not judged before: a reader judges each finding, and enters the day in that file.
//!
//! Prints a row for each crate as soon as it is there. Packages, build output and the whole reports, as JSON lines and
//! as text, are in `target/survey/`; a crate takes its budget and the time of a build.

#![allow(clippy::print_stdout, reason = "it is what this program is for")]

mod fresh;
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
    let (mut fresh, mut seed) = (None, 0);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--budget" => budget = words.next().ok_or("--budget without a time")?,
            "--fresh" => fresh = Some(words.next().ok_or("--fresh without a count")?.parse()?),
            "--seed" => seed = words.next().ok_or("--seed without a number")?.parse()?,
            _ => names.push(word),
        }
    }
    let own = std::env::current_exe()?;
    let mut folders = own.ancestors().skip(2);
    let built = folders.next().ok_or("no folder above the examples")?;
    let tool = built.join("cargo-contest");
    let root = folders.next().ok_or("no target folder")?.join("survey");
    println!("{}", row::HEADING);
    let mut findings = 0;
    let subjects = match fresh {
        Some(count) => fresh::drawn(count, seed),
        None => subjects::named(&names),
    };
    for subject in subjects {
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
