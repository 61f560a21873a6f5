//! `cargo contest`.

use cargo_contest::instrument::rustc_wrapper::{is_rustc_wrapper, run_as_rustc_wrapper};

fn main() {
    if is_rustc_wrapper() {
        std::process::exit(run_as_rustc_wrapper(std::env::args_os().skip(1)));
    }

use std::process::ExitCode;

use cargo_contest::discover::rustdoc_json::{AS_RUSTDOC, run_as_rustdoc};

fn main() -> ExitCode {
    if std::env::var_os(AS_RUSTDOC).is_some() {
        return run_as_rustdoc(std::env::args_os().skip(1));
    }
    ExitCode::SUCCESS
}
