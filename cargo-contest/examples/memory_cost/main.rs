//! What watching every memory access costs: executions per second with the layer, without it, under Miri, and
//! uncontrolled under ThreadSanitizer, on three published crates.
//!
//! Usage: `cargo run -p cargo-contest --example memory_cost -- [--budget 3s] [--rounds 3] [NAME…]`, after `cargo build
//! -p cargo-contest`. Packages and build output go to `target/memory_cost/`. What is not installed is said, with how to
//! install it. A run of the tool is the unit of the first two columns: its executions by its seconds of exploration,
//! all that it does between them included; with and without the layer take turns, and the median counts.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

mod measure;
#[path = "../shared/places.rs"]
mod places;
mod subjects;

use std::process::{Command, ExitCode};
use std::time::Duration;

use measure::{Explored, Places, Rate};
use places::places;
use subjects::{SUBJECTS, Subject};

fn main() -> ExitCode {
    let (mut budget, mut rounds, mut names) = ("3s".to_owned(), 3_usize, Vec::new());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--budget" => budget = words.next().unwrap_or(budget),
            "--rounds" => match words.next().and_then(|value| value.parse().ok()) {
                Some(number) => rounds = number,
                None => return usage(),
            },
            word if word.starts_with('-') => return usage(),
            _ => names.push(word),
        }
    }
    let (tool, root) = places("memory_cost");
    let places = Places { tool, root };
    println!("| crate and type | on | off | off / on | Miri | on / Miri | ThreadSanitizer |");
    println!("|---|---|---|---|---|---|---|");
    let mut said = Vec::new();
    for subject in SUBJECTS
        .iter()
        .filter(|subject| names.is_empty() || names.iter().any(|name| subject.package == name))
    {
        subject.write_package(&places.package(subject));
        let row = row(&places, subject, &budget, rounds.max(1), &mut said);
        println!("{row}");
    }
    for line in said {
        println!("\n{line}");
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: memory_cost [--budget 3s] [--rounds 3] [NAME…]");
    ExitCode::from(2)
}

/// Arguments that switch the layer off: none for a tool that has it off by default.
fn without_layer(places: &Places) -> &'static [&'static str] {
    let help = Command::new(&places.tool)
        .args(["contest", "run", "--help"])
        .output();
    let knows =
        help.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("--no-memory"));
    if knows { &["--no-memory"] } else { &[] }
}

fn row(
    places: &Places,
    subject: &Subject,
    budget: &str,
    rounds: usize,
    said: &mut Vec<String>,
) -> String {
    let off_arguments = without_layer(places);
    let (mut on, mut off) = (Vec::new(), Vec::new());
    let mut note = |what: &str, why: String| {
        let line = format!("{what}: {why}");
        if !said.contains(&line) {
            said.push(line);
        }
    };
    for _ in 0..rounds {
        for (arguments, all) in [(&["--memory"][..], &mut on), (off_arguments, &mut off)] {
            match measure::explored(places, subject, arguments, budget) {
                Ok(explored) => all.push(explored),
                Err(why) => note(subject.package, why),
            }
        }
    }
    let (on, off) = (median(on), median(off));
    let mut rate = |what: &str, rate: Rate| rate.map_err(|why| note(what, why)).ok();
    let miri = rate("Miri", measure::miri(places, subject, 64));
    let sanitizer = rate(
        "ThreadSanitizer",
        measure::thread_sanitizer(places, subject, Duration::from_secs(2)),
    );
    let cell = |value: Option<f64>, digits: usize| {
        value.map_or_else(|| "—".to_owned(), |value| format!("{value:.digits$}"))
    };
    let executions = |of: &Option<Explored>| of.as_ref().map(|of| of.executions);
    let ratio = |a: Option<f64>, b: Option<f64>| Some(a? / b?);
    format!(
        "| {} `{}` | {} ({} steps) | {} ({} steps) | {} | {} | {} | {} |",
        subject.package,
        subject.type_name,
        cell(executions(&on), 0),
        cell(on.as_ref().map(|of| of.steps), 0),
        cell(executions(&off), 0),
        cell(off.as_ref().map(|of| of.steps), 0),
        cell(ratio(executions(&off), executions(&on)), 2),
        cell(miri, 1),
        cell(ratio(executions(&on), miri), 0),
        cell(sanitizer, 0),
    )
}

/// The run of which as many are faster as slower.
fn median(mut of: Vec<Explored>) -> Option<Explored> {
    of.sort_by(|a, b| a.executions.total_cmp(&b.executions));
    let middle = of.len() / 2;
    of.into_iter().nth(middle)
}
