//! The tables, as Markdown.

use crate::modes::{MODES, MOST, Mode};
use crate::parent::{figures, instructions};
use crate::programs::PROGRAMS;

/// Which parts are wanted.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// Programs; empty: all.
    pub(crate) programs: Vec<String>,
    /// Only the modes that explore weak memory.
    pub(crate) weak: bool,
    pub(crate) instructions: bool,
    pub(crate) millions: u64,
}

pub(crate) fn print(wanted: &Wanted) {
    programs(wanted);
    if wanted.programs.is_empty() && !wanted.weak {
        events();
        outside();
        memory(wanted.millions);
    }
}

fn programs(wanted: &Wanted) {
    println!("## Programs\n");
    for (name, what) in PROGRAMS {
        println!("- {name}: {what}");
    }
    println!(
        "\nCPU time, median [least] of 7 repetitions. An exploration in bold is all there is to explore; others are cut or without end.\n"
    );
    println!(
        "| program | mode | executions | ns/execution | executions/s | x loom | x shuttle random | instructions/execution |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (program, _) in PROGRAMS {
        if !wanted.programs.is_empty() && !wanted.programs.iter().any(|name| name == program) {
            continue;
        }
        // What the others are compared with comes first.
        let time = |mode: &str| figures(&["row", mode, program]).map(|row| row[1]);
        let (loom, shuttle) = (time("loom"), time("shuttle random"));
        for (mode, name) in MODES {
            if wanted.weak && !matches!(mode, Mode::OursGraphs | Mode::Loom) {
                continue;
            }
            let Some(row) = figures(&["row", name, program]) else {
                println!("| {program} | {name} | fails | | | | | |");
                continue;
            };
            let [size, median, least] = row[..] else {
                continue;
            };
            let times = |other: Option<f64>| {
                other.map_or("?".to_owned(), |other| format!("{:.1}", other / median))
            };
            let most = if program == "l" { 2_000 } else { MOST };
            // loom stops one short of the number it is given.
            let executions = if mode.exhausts() && size < (most - 1) as f64 {
                format!("**{size}**")
            } else {
                "".to_owned()
            };
            let counted = if !wanted.instructions || mode == Mode::Threads {
                "-".to_owned()
            } else if program == "l" && mode.exhausts() {
                "not counted".to_owned()
            } else {
                instructions(name, program, mode.exhausts())
                    .map_or_else(str::to_owned, |number| number.to_string())
            };
            println!(
                "| {program} | {name} | {executions} | {median:.0} [{least:.0}] | {:.0} | {} | {} | {counted} |",
                1e9 / median,
                times(loom),
                times(shuttle),
            );
        }
    }
}

/// Increments of each of the two threads, and the operations of the program: two threads made and joined, one load at
/// the end.
fn operations(rounds: u64) -> u64 {
    4 * rounds + 5
}

fn events() {
    println!("\n## Cost of an operation, by the length of the execution\n");
    println!(
        "ns of CPU time for each operation of the program (program l with another length), median [least].\n"
    );
    println!(
        "| operations | ours random | ours random, races watched | ours pct | loom | shuttle random | shuttle pct |"
    );
    println!("|---|---|---|---|---|---|---|");
    for rounds in [2, 25, 250, 2_500, 25_000] {
        let operations = operations(rounds);
        print!("| {operations} |");
        for mode in [
            "ours random",
            "ours random, races watched",
            "ours pct",
            "loom",
            "shuttle random",
            "shuttle pct",
        ] {
            match figures(&["events", mode, &rounds.to_string()]).as_deref() {
                Some([_, median, least]) => print!(
                    " {:.1} [{:.1}] |",
                    median / operations as f64,
                    least / operations as f64
                ),
                _ => print!(" fails |"),
            }
        }
        println!();
    }
}

fn outside() {
    println!("\n## Outside an execution\n");
    println!("| operation | std, ns | ours, ns | ours / std |");
    println!("|---|---|---|---|");
    for (what, name) in [
        ("lock", "`Mutex` lock and unlock, uncontended"),
        ("fetch_add", "`fetch_add`"),
    ] {
        let time = |whose: &str| figures(&["outside", &format!("{whose} {what}")]);
        let (Some(std), Some(ours)) = (time("std"), time("our")) else {
            println!("| {name} | fails | | |");
            continue;
        };
        println!(
            "| {name} | {:.2} [{:.2}] | {:.2} [{:.2}] | {:.2} |",
            std[0],
            std[1],
            ours[0],
            ours[1],
            ours[0] / std[0]
        );
    }
    println!(
        "\nOutside a model, the types of loom cannot be made and those of shuttle cannot be used: both panic."
    );
}

fn memory(millions: u64) {
    println!("\n## Memory\n");
    match figures(&["memory", &millions.to_string()]).as_deref() {
        Some([begin, end, executions]) => println!(
            "{begin} KiB after 100,000 executions of b, {end} KiB after {executions}: {} KiB more.",
            end - begin
        ),
        _ => println!("fails"),
    }
}
