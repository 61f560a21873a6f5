//! What the compiler says of the same selection, for those who read what cargo prints: an editor that runs this tool in
//! place of `cargo check` keeps the compiler's errors and warnings, and has those of code that does not compile as soon
//! as ever.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::Value;

use super::arguments::{cargo_arguments, features};
use super::failure::Failure;
use super::prepare;
use crate::cli::args::CommonArgs;
use crate::cli::exit_code::ExitCode;
use contest_build::workspace::cargo_metadata::cargo;
use contest_build::workspace::logged_command::log_start;
use contest_report::Reporter;

/// Kinds of targets without which nothing can be tested.
const NEEDED: [&str; 8] = [
    "lib",
    "rlib",
    "dylib",
    "cdylib",
    "staticlib",
    "proc-macro",
    "bin",
    "custom-build",
];

/// Runs `cargo check` and passes on its messages but the last one, which says that the build has finished.
///
/// # Errors
/// If cargo cannot be started, or refuses a target without which nothing can be tested.
pub(super) fn of_same_selection(
    common: &CommonArgs,
    reporter: &mut Reporter,
) -> Result<(), Failure> {
    let mut command = cargo();
    command
        .args(["check", "--message-format=json", "--keep-going"])
        .args(features(common).arguments())
        .args(cargo_arguments(common))
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    for (option, value) in [
        ("--manifest-path", &common.manifest_path),
        ("--target-dir", &common.target_dir),
    ] {
        if let Some(value) = value {
            command.arg(option).arg(value);
        }
    }
    // Of a dependency, what only its tests need is not there.
    let mut is_member = true;
    if let Some(package) = &common.package {
        command.args(["-p", package]);
        is_member = prepare::select(common).is_ok_and(|it| it.is_member);
    }
    if is_member {
        command.arg("--all-targets");
    }
    if common.members.workspace {
        command.arg("--workspace");
    }
    for name in &common.members.exclude {
        command.args(["--exclude", name]);
    }
    if common.quiet {
        command.arg("--quiet");
    }
    log_start(&command);
    let failed = |error| {
        let text = format!("cannot run `cargo check`: {error}");
        Failure::new(ExitCode::ToolFailed, text)
    };
    let mut child = command.spawn().map_err(failed)?;
    let mut refused = false;
    let output = child.stdout.take().into_iter();
    let mut any = false;
    for line in output
        .flat_map(|it| BufReader::new(it).lines())
        .map_while(Result::ok)
    {
        let Ok(message) = serde_json::from_str::<Value>(&line) else {
            continue;
        };
        if message["reason"] == "build-finished" {
            continue;
        }
        any = true;
        refused |= is_refusal(&message);
        reporter.cargo_line(|| line);
    }
    let status = child.wait().map_err(failed)?;
    if !status.success() && (refused || !any) {
        let text = "nothing was tested, for `cargo check` fails";
        return Err(Failure::new(ExitCode::BuildFailed, text));
    }
    Ok(())
}

/// True for an error in a target without which nothing can be tested.
fn is_refusal(message: &Value) -> bool {
    let level = message["message"]["level"].as_str().unwrap_or_default();
    let kinds = message["target"]["kind"].as_array();
    let mut kinds = kinds.into_iter().flatten().filter_map(Value::as_str);
    level.starts_with("error") && kinds.any(|it| NEEDED.contains(&it))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_in_tests_and_benches_leave_the_library_to_be_tested() {
        let is = |level: &str, kind: &str| {
            is_refusal(&json!({"message": {"level": level}, "target": {"kind": [kind]}}))
        };
        assert!(is("error", "lib") && is("error: internal compiler error", "bin"));
        assert!(!is("error", "test") && !is("error", "bench") && !is("warning", "lib"));
        assert!(!is_refusal(&json!({"reason": "build-script-executed"})));
    }
}
