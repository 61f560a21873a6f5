//! The comparison of the paper (Zhao et al., section 5) on Rust ports of its subjects: Tables 4 to 6 and the curves of Figure 6, with PCR,
//! MCR, MAPTest and the samplers side by side.
//!
//! ```text
//! cargo run --release -p contest-runtime --features explore --example map_coverage [SVG file]
//! ```

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
    let file = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "map_coverage.svg".to_owned());
    std::panic::set_hook(Box::new(|_| ()));
    let runs = tables::Runs::all();
    tables::first_failures(&runs);
    tables::table_4(&runs);
    tables::table_5();
    tables::table_6(&runs);
    solving::table();
    solving::looking();
    match std::fs::write(&file, curves::svg()) {
        Ok(()) => println!("\nMAP-coverage over executions: {file}"),
        Err(error) => println!("\n{file}: {error}"),
    }
}
