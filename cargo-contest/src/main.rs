//! `cargo contest`.

use cargo_contest::instrument::rustc_wrapper::{is_rustc_wrapper, run_as_rustc_wrapper};

fn main() {
    if is_rustc_wrapper() {
        std::process::exit(run_as_rustc_wrapper(std::env::args_os().skip(1)));
    }
}
