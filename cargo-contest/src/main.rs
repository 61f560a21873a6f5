//! `cargo contest`.

use std::process::ExitCode;

use cargo_contest::cli::{args, options::Environment};
use cargo_contest::pipeline;
use contest_build::instrument::doctest_recorder::{is_doctest_recorder, run_as_doctest_recorder};
use contest_build::instrument::mir_wrapper::{is_mir_wrapper, run_as_mir_wrapper};
use contest_build::instrument::rustc_wrapper::{is_rustc_wrapper, run_as_rustc_wrapper};
use contest_build::instrument::unit_notes::{is_unit_recorder, run_as_unit_recorder};
use contest_discover::rustdoc_json::{is_rustdoc, run_as_rustdoc};

fn main() -> ExitCode {
    let arguments = std::env::args_os();
    // Nextest calls it in place of a test executable. Variables of its builds are set then too, so this comes first.
    if pipeline::is_test_of_nextest() {
        return pipeline::run_test_of_nextest(arguments.skip(2).collect());
    }
    if is_doctest_recorder(std::env::args_os().nth(1).as_deref()) {
        std::process::exit(run_as_doctest_recorder(arguments.skip(1)));
    }
    // Cargo calls this tool in place of rustc for every crate it compiles for a driver, and in place of rustdoc.
    if is_rustc_wrapper() {
        std::process::exit(run_as_rustc_wrapper(arguments.skip(1)));
    }
    if is_unit_recorder() {
        std::process::exit(run_as_unit_recorder(arguments.skip(1)));
    }
    if is_mir_wrapper() {
        std::process::exit(run_as_mir_wrapper(arguments.skip(1)));
    }
    if is_rustdoc() {
        return run_as_rustdoc(arguments.skip(1));
    }
    match args::parse(arguments) {
        Ok(line) => pipeline::execute(line, &Environment::read()).into(),
        Err(error) => error.exit(),
    }
}
