//! Runs the generators side by side on the faulty subject crates, with the same explorer, budget and seeds, and prints
//! the tables that AutoConTest (Tables 1 and 2) and DepCon+ (Tables II to IV) have, with our columns.
//!
//! Usage: `cargo run -p cargo-contest --example generators -- [--seeds 10] [--budget 3s] [--generator NAME]… [NAME…]`,
//! after `cargo build -p cargo-contest`; NAME is part of a type's or a package's name. Scratch packages and build
//! output go to `target/generators/`. Figures that were taken are in the README beside this file.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

mod relations;
mod run;
mod subjects;
mod tables;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use run::{Outcome, RunRequest};

fn main() -> ExitCode {
    let mut seeds = 10;
    let mut budget = "3s".to_owned();
    let mut generators: Vec<String> = Vec::new();
    let mut names = Vec::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().unwrap_or_default();
        match word.as_str() {
            "--seeds" => match value().parse() {
                Ok(number) => seeds = number,
                Err(_) => return usage(),
            },
            "--budget" => budget = value(),
            "--generator" => generators.push(value()),
            word if word.starts_with('-') => return usage(),
            _ => names.push(word),
        }
    }
    if generators.is_empty() {
        let all = contest_data::names::GENERATORS.iter();
        generators = all.map(|(name, _)| (*name).to_owned()).collect();
    }
    let root = root();
    let mut outcomes: Vec<Outcome> = Vec::new();
    let mut relations = Vec::new();
    for subject in subjects::all(&root, &names) {
        for generator in &generators {
            for seed in 1..=seeds {
                let request = RunRequest::first_finding(generator, seed, &budget);
                outcomes.push(run::run(&root, &subject, &request));
            }
            eprintln!("{} {generator}", subject.type_name);
        }
        for request in [RunRequest::pruned(&budget), RunRequest::unpruned(&budget)] {
            outcomes.push(run::run(&root, &subject, &request));
        }
        relations.push(relations::relations(&root, &subject));
    }
    if outcomes.is_empty() {
        eprintln!("no subject of this name");
        return ExitCode::from(2);
    }
    print!("{}", tables::all(&outcomes, &relations, &generators));
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: generators [--seeds 10] [--budget 3s] [--generator NAME]… [NAME…]");
    ExitCode::from(2)
}

/// The project's directory: the tool is built in its target directory.
fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_path_buf()
}
