//! Prints the tables of the papers with our columns: generators and strategies side by side on the faulty subject
//! crates, with the same budget and seeds (AutoConTest, Tables 1 and 2; DepCon+, Tables II to IV), what the papers
//! report for these classes, and PCR's tables and curves (Tables 4 to 6, Figure 6).
//!
//! Usage: `cargo run -p cargo-contest --example papers -- [--budget 5s] [--seeds 3] [--part NAME]…
//! [--generator NAME]… [--strategy NAME]… [NAME…]`, after `cargo build -p cargo-contest`. Parts: `first`, `rq2`,
//! `pruning`, `pairs`, `patterns`; all if none is named. NAME is part of a type's or a package's name. Scratch packages
//! and build output go to `target/papers/`. Figures that were taken are in the README beside this file.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

mod patterns;
mod published;
mod relations;
mod rq2;
mod run;
mod subjects;
mod tables;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use run::{Outcome, RunRequest, What};

/// What to print.
struct Request {
    seeds: u32,
    budget: String,
    parts: Vec<String>,
    generators: Vec<String>,
    strategies: Vec<String>,
    names: Vec<String>,
}

const PARTS: [&str; 5] = ["first", "rq2", "pruning", "pairs", "patterns"];

impl Request {
    /// From the command line; `None` if it is not understood.
    fn read(mut words: impl Iterator<Item = String>) -> Option<Self> {
        let mut request = Self {
            seeds: 3,
            budget: "5s".to_owned(),
            parts: Vec::new(),
            generators: Vec::new(),
            strategies: Vec::new(),
            names: Vec::new(),
        };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--seeds" => request.seeds = words.next()?.parse().ok()?,
                "--budget" => request.budget = words.next()?,
                "--part" => request.parts.push(words.next()?),
                "--generator" => request.generators.push(words.next()?),
                "--strategy" => request.strategies.push(words.next()?),
                word if word.starts_with('-') => return None,
                _ => request.names.push(word),
            }
        }
        let known = |part: &String| PARTS.contains(&part.as_str());
        if !request.parts.iter().all(known) {
            return None;
        }
        if request.generators.is_empty() {
            let all = contest_data::names::GENERATORS.iter();
            request.generators = all.map(|(name, _)| (*name).to_owned()).collect();
        }
        if request.strategies.is_empty() {
            request.strategies.push("auto".to_owned());
        }
        Some(request)
    }

    fn wants(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|named| named == part)
    }
}

fn main() -> ExitCode {
    let Some(request) = Request::read(std::env::args().skip(1)) else {
        eprintln!(
            "usage: papers [--budget 5s] [--seeds 3] [--part {}]… [--generator NAME]… [--strategy NAME]… [NAME…]",
            PARTS.join("|")
        );
        return ExitCode::from(2);
    };
    let root = root();
    let subjects = subjects::all(&root, &request.names);
    if subjects.is_empty() {
        eprintln!("no subject of this name");
        return ExitCode::from(2);
    }
    if request.wants("first") {
        print!("{}", tables::FIRST);
        for subject in &subjects {
            for (generator, strategy) in pairs(&request) {
                let of_seed = |seed| {
                    let wanted =
                        RunRequest::first_finding(generator, strategy, seed, &request.budget);
                    run::run(&root, subject, &wanted)
                };
                let runs: Vec<Outcome> = (1..=request.seeds).map(of_seed).collect();
                print!("{}", tables::first(subject, generator, strategy, &runs));
            }
        }
        print!("{}", published::table(&subjects));
    }
    if request.wants("rq2") {
        rq2::print(&root, &subjects, request.seeds, &request.budget);
    }
    if request.wants("pruning") {
        print!("{}", tables::PRUNING);
        for subject in &subjects {
            let of = |what| run::run(&root, subject, &RunRequest::searches(what, &request.budget));
            let (with, without) = (of(What::Pruned), of(What::Unpruned));
            print!("{}", tables::pruning(subject, &with, &without));
        }
    }
    if request.wants("pairs") {
        print!("{}", tables::PAIRS);
        for subject in &subjects {
            print!("{}", tables::pairs(&relations::relations(&root, subject)));
        }
    }
    if request.wants("patterns") && !patterns::print(&root) {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn pairs(request: &Request) -> impl Iterator<Item = (&str, &str)> {
    request.generators.iter().flat_map(|generator| {
        let strategies = request.strategies.iter();
        strategies.map(move |strategy| (generator.as_str(), strategy.as_str()))
    })
}

/// The project's directory: the tool is built in its target directory.
fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_path_buf()
}
