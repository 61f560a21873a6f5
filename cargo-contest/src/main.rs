//! `cargo contest`.

use std::process::ExitCode;

use cargo_contest::discover::rustdoc_json::{AS_RUSTDOC, run_as_rustdoc};

fn main() -> ExitCode {
    if std::env::var_os(AS_RUSTDOC).is_some() {
        return run_as_rustdoc(std::env::args_os().skip(1));
    }
    ExitCode::SUCCESS
}
