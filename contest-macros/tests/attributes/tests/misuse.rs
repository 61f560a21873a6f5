//! Every misuse is a compile error at the right place that says what is allowed. To write the expected output anew:
//! `TRYBUILD=overwrite`.

use std::process::Command;

/// What the compiler adds to errors of its own differs from release to release; the expected output is that of this
/// one.
const COMPILER: &str = "rustc 1.95.";

#[test]
fn every_misuse_is_an_error_that_says_what_is_allowed() {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(compiler).arg("--version").output();
    let version = version.expect("the compiler that compiled this").stdout;
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/misuse/*.rs");
    if String::from_utf8_lossy(&version).starts_with(COMPILER) {
        cases.compile_fail("tests/misuse/bounds/*.rs");
    } else {
        eprintln!("errors of bounds are not compared: they are those of {COMPILER}");
    }
}
