//! The comparison of the paper (Zhao et al., section 5) on Rust ports of its subjects: Tables 4 to 6 and the curves of
//! Figure 6, with PCR, MCR, MAPTest and the samplers side by side.
//!
//! ```text
//! cargo run --release -p contest-runtime --features explore --example map_coverage [-- [--svg FILE] [PART]...]
//! ```
//!
//! Parts: `tables` (executions to the first failure and Tables 4 to 6), `solving`, `looking`, `curves` (Figure 6); all
//! if none is named. What it printed is in the README beside it.

#![allow(
    unreachable_pub,
    missing_docs,
    missing_debug_implementations,
    reason = "a program, not a library"
)]

mod curves;
mod runs;
mod solving;
mod subjects;
mod tables;

fn main() {
    let mut file = "map_coverage.svg".to_owned();
    let mut parts: Vec<String> = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--svg" {
            file = arguments.next().unwrap_or(file);
        } else {
            parts.push(argument);
        }
    }
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|named| named == part);
    std::panic::set_hook(Box::new(|_| ()));
    if wanted("tables") {
        let runs = tables::Runs::all();
        tables::first_failures(&runs);
        tables::table_4(&runs);
        tables::table_5();
        tables::table_6(&runs);
    }
    if wanted("solving") {
        solving::table();
    }
    if wanted("looking") {
        solving::looking();
    }
    if wanted("curves") {
        match std::fs::write(&file, curves::svg()) {
            Ok(()) => println!("\nMAP-coverage over executions: {file}"),
            Err(error) => println!("\n{file}: {error}"),
        }
    }
}
