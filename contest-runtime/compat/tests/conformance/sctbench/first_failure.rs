//! How many executions each strategy needs until it sees the bug of each program.

use std::time::Duration;

use contest_data::decision::Strategy;
use contest_data::limits::Limits;
use contest_data::trace::ExecutionRecord;
use contest_engine::execution::Engine;
use contest_search::explore::{Budget, Explorer, RunOnce};

use super::{Bug, Program, programs, shown};

struct Running(Engine, fn());

impl RunOnce for Running {
    fn run_once(&mut self, strategy: &mut dyn Strategy) -> &ExecutionRecord {
        self.0.run(strategy, self.1)
    }
}

/// Number of the first execution that fails, and how; counting from 1.
fn first_failure(program: &Program, strategy: &str, seed: u64, most: Budget) -> Option<(u64, Bug)> {
    let limits = Limits {
        run_detached: true,
        ..Limits::default()
    };
    let mut running = Running(Engine::new(limits), program.run);
    let mut explorer = Explorer::new(strategy, seed, most).unwrap();
    while let Some(record) = explorer.next(&mut running) {
        if let Some(bug) = shown(record) {
            return Some((explorer.executions(), bug));
        }
    }
    None
}

fn within(executions: u64, time: Duration) -> Budget {
    Budget {
        executions,
        time,
        minimum: 0,
    }
}

/// Programs with so many threads that the exhaustive part of `auto` cannot help: strategies that find them, each within
/// this many executions.
const RARE: [&str; 7] = [
    "twostage_20",
    "twostage_50",
    "twostage_100",
    "reorder_10",
    "reorder_20",
    "reorder_50",
    "reorder_100",
];

#[test]
fn every_bug_is_found_and_is_what_it_should_be() {
    for program in programs() {
        let (strategies, most): (&[&str], u64) = if RARE.contains(&program.name) {
            (&["pos", "surw", "auto"], 3_000)
        } else {
            (&["auto", "surw"], 10_000)
        };
        for strategy in strategies {
            let found = first_failure(&program, strategy, 1, within(most, Duration::from_secs(60)));
            let (_, bug) = found.unwrap_or_else(|| panic!("{strategy} misses {}", program.name));
            assert_eq!(bug, program.bug, "{}", program.name);
        }
    }
}

/// Of each measurement, at most 10,000 executions each.
const SEEDS: u64 = 10;
const STRATEGIES: [&str; 7] = ["random", "pct", "pos", "urw", "surw", "dpor", "auto"];

#[test]
#[ignore = "a table for people, some minutes long; run it with --ignored --nocapture"]
fn executions_to_the_first_failure() {
    println!(
        "mean executions to the first failure, of those of {SEEDS} seeds that found it within 10,000 executions and 6 s"
    );
    print!("{:<18}", "program");
    for strategy in STRATEGIES {
        print!("{strategy:>15}");
    }
    println!();
    for program in programs() {
        print!("{:<18}", program.name);
        for strategy in STRATEGIES {
            // No chance is taken, so one seed says it all.
            let seeds = if strategy == "dpor" { 1 } else { SEEDS };
            let found: Vec<u64> = (1..=seeds)
                .filter_map(|seed| {
                    let most = within(10_000, Duration::from_secs(6));
                    first_failure(&program, strategy, seed, most)
                })
                .map(|(executions, _)| executions)
                .collect();
            print!("{:>15}", cell(&found, seeds));
        }
        println!();
    }
}

fn cell(found: &[u64], seeds: u64) -> String {
    if found.is_empty() {
        return "-".to_owned();
    }
    let mean = found.iter().sum::<u64>() as f64 / found.len() as f64;
    if found.len() as u64 == seeds {
        format!("{mean:.1}")
    } else {
        format!("{mean:.0} ({}/{seeds})", found.len())
    }
}
