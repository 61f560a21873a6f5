//! Tools side by side: one set of programs, each with a bug and mended, under `cargo contest test`, loom, shuttle and
//! Miri. What each of them finds, after how many executions and seconds, and how many lines had to change for it.
//!
//! Usage: `cargo run -p cargo-contest --example side_by_side -- [--seconds 120] [--tool TOOL]… [NAME…]`, after
//! `cargo build -p cargo-contest`. The programs are the files in `programs/`. Packages and build output go to
//! `target/side_by_side/`. Tools that are not installed are reported, with how to install them.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

mod package;
#[path = "../shared/places.rs"]
mod places;
mod programs;
mod tools;

use std::process::ExitCode;
use std::time::Duration;

use package::Packages;
use programs::{PROGRAMS, Program};
use tools::{Seen, Tool};

fn main() -> ExitCode {
    let (mut seconds, mut tools, mut names) = (120, Vec::new(), Vec::new());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seconds" => match words.next().and_then(|value| value.parse().ok()) {
                Some(number) => seconds = number,
                None => return usage(),
            },
            "--tool" => match words.next().as_deref().and_then(Tool::named) {
                Some(tool) => tools.push(tool),
                None => return usage(),
            },
            word if word.starts_with('-') => return usage(),
            _ => names.push(word),
        }
    }
    let programs: Vec<&Program> = PROGRAMS
        .iter()
        .filter(|program| names.is_empty() || names.iter().any(|name| program.name == name))
        .collect();
    if programs.is_empty() {
        return usage();
    }
    if tools.is_empty() {
        tools = Tool::ALL.to_vec();
    }
    let packages = match Packages::write(&programs) {
        Ok(packages) => packages,
        Err(error) => {
            eprintln!("the packages cannot be written: {error}");
            return ExitCode::FAILURE;
        }
    };
    for mended in [false, true] {
        println!("\n{}\n", if mended { "Mended:" } else { "With the bug:" });
        println!(
            "| program |{}",
            cells(&tools, |tool| tool.title().to_owned())
        );
        println!(
            "|---|{}",
            cells(&tools, |_| "---".to_owned()).replace(' ', "")
        );
        for program in &programs {
            let limit = Duration::from_secs(seconds);
            let row = cells(&tools, |tool| {
                cell(*tool, program, &packages, mended, limit)
            });
            println!("| `{}` |{row}", program.name);
        }
    }
    println!("\nLines that had to change:\n");
    println!("| program | lines | loom | shuttle |\n|---|---|---|---|");
    for program in &programs {
        println!("{}", program.changed_lines());
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: side_by_side [--seconds 120] [--tool TOOL]… [NAME…]");
    eprintln!("tools: {}", Tool::ALL.map(Tool::name).join(", "));
    for program in PROGRAMS {
        eprintln!("    {}", program.name);
    }
    ExitCode::from(2)
}

fn cells(tools: &[Tool], cell: impl FnMut(&Tool) -> String) -> String {
    let cells: Vec<String> = tools.iter().map(cell).collect();
    format!(" {} |", cells.join(" | "))
}

fn cell(
    tool: Tool,
    program: &Program,
    packages: &Packages,
    mended: bool,
    limit: Duration,
) -> String {
    if program.text(tool.dialect()).is_none() {
        return "cannot be written".to_owned();
    }
    let run = match tools::run(tool, program, packages, mended, limit) {
        Ok(run) => run,
        Err(why) => return why,
    };
    let seen = match run.seen {
        Seen::Failure => "**fails**",
        Seen::Death => "**dies**",
        Seen::Nothing { whole: true } => "whole",
        Seen::Nothing { whole: false } => "nothing",
        Seen::GivenUp => "gives up",
        Seen::OutOfTime => "out of time",
    };
    match run.executions {
        Some(number) => format!("{seen}, {number}, {:.1} s", run.time.as_secs_f64()),
        None => format!("{seen}, {:.1} s", run.time.as_secs_f64()),
    }
}
