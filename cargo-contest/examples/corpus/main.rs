//! Published crates with a known bug that shows in memory, and their fixed versions: what `cargo contest --budget 60s`
//! says of each.
//!
//! Usage: `cargo run -p cargo-contest --example corpus -- [ENTRY…] [--budget 60s]`, after `cargo build -p
//! cargo-contest`. Sources come from the registry (`curl` and `tar` are needed), packages, build output and the reports
//! go to `target/corpus/`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

mod entries;
mod run;
mod unpack;

use std::path::PathBuf;
use std::process::ExitCode;

use entries::{ENTRIES, Entry};
use run::{Outcome, run};

fn main() -> ExitCode {
    let (mut budget, mut names) = ("60s".to_owned(), Vec::new());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--budget" => match words.next() {
                Some(value) => budget = value,
                None => return usage(),
            },
            word if ENTRIES.iter().any(|entry| entry.name == word) => names.push(word.to_owned()),
            _ => return usage(),
        }
    }
    let (tool, root) = places();
    println!("| entry | with the bug | found | fixed | findings about memory there |");
    println!("|---|---|---|---|---|");
    let (mut found, mut all) = (0, 0);
    for entry in ENTRIES
        .iter()
        .filter(|entry| names.is_empty() || names.iter().any(|name| entry.name == name))
    {
        let [buggy, fixed] = [entry.buggy, entry.fixed].map(|version| {
            eprintln!("{} {version} …", entry.package);
            unpack::unpack(&root, entry.package, version)
                .and_then(|folder| run(&tool, &root, &folder, entry.features, &budget))
        });
        all += 1;
        found += usize::from(matches!(&buggy, Ok(outcome) if outcome.first_of(entry).is_some()));
        println!("{}", row(entry, &buggy, &fixed));
    }
    println!("\n{found} of {all} found.");
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    let names: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
    eprintln!(
        "usage: corpus [ENTRY…] [--budget 60s]; entries: {}",
        names.join(", ")
    );
    ExitCode::from(2)
}

/// The tool, built beside this example, and the folder for all that is written.
fn places() -> (PathBuf, PathBuf) {
    let own = std::env::current_exe().expect("this process has an executable");
    let profile = own
        .parent()
        .and_then(std::path::Path::parent)
        .expect("examples are built in a folder of the profile's folder");
    let target = profile
        .parent()
        .expect("profiles are built in a target directory");
    (profile.join("cargo-contest"), target.join("corpus"))
}

fn row(entry: &Entry, buggy: &Result<Outcome, String>, fixed: &Result<Outcome, String>) -> String {
    let found = match buggy {
        Err(why) => why.clone(),
        Ok(outcome) => match outcome.first_of(entry) {
            Some(finding) => format!(
                "`{}` at {} after {:.1} s",
                finding.kind,
                finding.location,
                finding.elapsed.as_secs_f64()
            ),
            None => format!("no{}", outcome.otherwise()),
        },
    };
    let clean = match fixed {
        Err(why) => why.clone(),
        Ok(outcome) => outcome.about_memory(),
    };
    format!(
        "| {} | {} {} | {found} | {} | {clean} |",
        entry.name, entry.package, entry.buggy, entry.fixed
    )
}
