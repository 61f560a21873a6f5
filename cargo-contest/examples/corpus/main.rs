//! Published crates with a known bug, and their fixed versions: what `cargo contest` says of each.
//!
//! Usage: `cargo run -p cargo-contest --example corpus -- [ENTRY|GROUP…] [--budget 60s] [--bug-only]`, after
//! `cargo build -p cargo-contest`. Groups are memory, bounds, async, threads, ordering, users, pools, caches,
//! actors and databases. Packages, build output and reports go to `target/corpus/`.
//!
//! A bug counts as found if the version with the bug shows it and the fixed one does not: the same kinds of findings,
//! at the same places or of the same calls (`tests/corpus/corpus.toml`). Beside that, the findings are counted that the
//! fixed version does not show with the same kind and calls: what they have to do with the bug is for people to read.
//! With `--bug-only` the fixed versions are not run: that is a first look, and no entry counts as found.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

mod entries;
mod package;
#[path = "../shared/places.rs"]
mod places;
mod run;

use std::process::ExitCode;

use entries::{Entry, entries};
use places::places;
use run::{Outcome, run};

fn main() -> ExitCode {
    let entries = entries();
    let (mut budget, mut names, mut bug_only) = ("60s".to_owned(), Vec::new(), false);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--budget" => match words.next() {
                Some(value) => budget = value,
                None => return usage(&entries),
            },
            "--bug-only" => bug_only = true,
            word if entries.iter().any(|it| it.id == word || it.group == word) => {
                names.push(word.to_owned());
            }
            _ => return usage(&entries),
        }
    }
    let (tool, root) = places("corpus");
    println!("| group | entry | with the bug | found | only there | else | fixed | shown there |");
    println!("|---|---|---|---|---|---|---|---|");
    let (mut found, mut different, mut all) = (0, 0, 0);
    let named = |entry: &Entry| names.iter().any(|it| *it == entry.id || *it == entry.group);
    for entry in entries.iter().filter(|it| names.is_empty() || named(it)) {
        let versions = [("bug", &entry.buggy), ("fix", &entry.fixed)];
        let [buggy, fixed] = versions.map(|(suffix, version)| {
            if bug_only && suffix == "fix" {
                return Err("not run".to_owned());
            }
            eprintln!("{} {version} …", entry.package);
            let folder = package::write(&root, entry, suffix, version);
            let folder = folder.map_err(|error| error.to_string())?;
            run(&tool, &root, &folder, entry, &budget)
        });
        all += 1;
        found += usize::from(is_found(entry, &buggy, &fixed));
        different += usize::from(only_there(&buggy, &fixed).is_some_and(|it| it > 0));
        println!("{}", row(entry, &buggy, &fixed));
    }
    println!(
        "\n{found} of {all} found; {different} show something that the fixed version does not."
    );
    ExitCode::SUCCESS
}

fn usage(entries: &[Entry]) -> ExitCode {
    let names: Vec<&str> = entries.iter().map(|it| it.id.as_str()).collect();
    let mut groups: Vec<&str> = entries.iter().map(|it| it.group.as_str()).collect();
    groups.sort_unstable();
    groups.dedup();
    let (names, groups) = (names.join(", "), groups.join(", "));
    eprintln!(
        "usage: corpus [ENTRY|GROUP…] [--budget 60s] [--bug-only]; groups: {groups}; entries: {names}"
    );
    ExitCode::from(2)
}

type Run = Result<Outcome, String>;

/// Shown with the bug, and not without.
fn is_found(entry: &Entry, buggy: &Run, fixed: &Run) -> bool {
    let (Ok(buggy), Ok(fixed)) = (buggy, fixed) else {
        return false;
    };
    buggy.first_of(entry).is_some() && fixed.ran() && fixed.first_of(entry).is_none()
}

/// Findings that the fixed version does not show, if both were tested.
fn only_there(buggy: &Run, fixed: &Run) -> Option<usize> {
    let (Ok(buggy), Ok(fixed)) = (buggy, fixed) else {
        return None;
    };
    (buggy.ran() && fixed.ran()).then(|| buggy.not_in(fixed))
}

fn row(entry: &Entry, buggy: &Run, fixed: &Run) -> String {
    let [shown, shown_fixed] = [buggy, fixed].map(|it| it.as_ref().ok()?.first_of(entry));
    let what = match shown {
        Some(finding) => {
            let after = finding
                .elapsed
                .map(|it| format!(" after {:.1} s", it.as_secs_f64()));
            let after = after.unwrap_or_default();
            format!("`{}` at {}{after}", finding.kind, finding.location)
        }
        None => String::new(),
    };
    let found = match (is_found(entry, buggy, fixed), shown) {
        (true, _) => format!("found: {what}"),
        (false, Some(_)) if shown_fixed.is_some() => {
            format!("the fixed version shows it too: {what}")
        }
        (false, Some(_)) => format!("fixed version not tested: {what}"),
        (false, None) => "no".to_owned(),
    };
    let [with, without] = [buggy, fixed].map(|it| match it {
        Ok(outcome) => outcome.otherwise(entry),
        Err(why) => why.clone(),
    });
    let only = only_there(buggy, fixed).map_or("?".to_owned(), |it| it.to_string());
    format!(
        "| {} | {} | {} {} | {found} | {only} | {with} | {} | {without} |",
        entry.group, entry.id, entry.package, entry.buggy, entry.fixed
    )
}
