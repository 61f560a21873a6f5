//! `cargo contest`.

fn main() {}
