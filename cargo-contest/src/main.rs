//! `cargo contest`.

use std::process::ExitCode;

use cargo_contest::cli::{args, options::Environment};
use cargo_contest::instrument::rustc_wrapper::{is_rustc_wrapper, run_as_rustc_wrapper};
use cargo_contest::pipeline;

fn main() -> ExitCode {
    let arguments = std::env::args_os();
    // Cargo calls this tool for every crate it compiles for a driver.
    if is_rustc_wrapper() {
        std::process::exit(run_as_rustc_wrapper(arguments.skip(1)));
    }
    match args::parse(arguments) {
        Ok(line) => pipeline::execute(line, &Environment::read()).into(),
        Err(error) => error.exit(),
    }

use std::process::ExitCode;

use cargo_contest::discover::rustdoc_json::{AS_RUSTDOC, run_as_rustdoc};

fn main() -> ExitCode {
    if std::env::var_os(AS_RUSTDOC).is_some() {
        return run_as_rustdoc(std::env::args_os().skip(1));
    }
    ExitCode::SUCCESS
}
