//! Emitted tests of annotated types are run once, as the user will run them: to see that they fail, and to write down
//! their interleaving.

use std::fs;
use std::path::Path;

use super::arguments::{cargo_arguments, features};
use super::explore::EmittedFinding;
use super::prepare::Prepared;
use crate::cli::args::CommonArgs;
use crate::emit::emitted_test;
use contest_build::workspace::cargo_metadata::cargo;
use contest_build::workspace::logged_command::logged_output;
use contest_catalog::progress_event::ProgressEvent;
use contest_report::Reporter;

/// Runs those that were written into the package's `tests/`. Problems are warnings: the findings stand.
pub(super) fn of_emitted_tests(
    prepared: &Prepared,
    findings: &[EmittedFinding],
    common: &CommonArgs,
    reporter: &mut Reporter,
) {
    let tests = prepared.package_directory().join("tests");
    let here = std::env::current_dir().unwrap_or_default();
    for path in findings.iter().filter_map(|(_, path)| path.as_deref()) {
        let path = here.join(path);
        let name = path.file_stem().and_then(|name| name.to_str());
        let (Some(name), true) = (name, path.starts_with(&tests)) else {
            continue;
        };
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        if !emitted_test::lacks_interleaving(&text) {
            continue;
        }
        reporter.event(&ProgressEvent::Step(format!(
            "running {name} with cargo test"
        )));
        let warning = match run(prepared, name, common) {
            Ok(Some(interleaving)) => write(
                &path,
                &emitted_test::with_interleaving(&text, &interleaving),
            )
            .err(),
            Ok(None) => Some(format!(
                "{name} passes under `cargo test`: the bug does not show with the synchronisation that the annotations make visible; `cargo \
                 contest test` runs it with all of it"
            )),
            Err(why) => Some(format!("{name} could not be run with `cargo test`: {why}")),
        };
        if let Some(warning) = warning {
            reporter.event(&ProgressEvent::Warning(warning));
        }
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// The interleaving that the failing test names; `None` if it passes.
fn run(prepared: &Prepared, name: &str, common: &CommonArgs) -> Result<Option<String>, String> {
    let package = prepared.package();
    let mut command = cargo();
    command
        .args(["test", "-p", &package.id, "--test", name, "--manifest-path"])
        .arg(&package.graph_manifest)
        .arg("--target-dir")
        .arg(&package.target_directory)
        .args(features(common).arguments())
        .args(cargo_arguments(common));
    let output =
        logged_output(&mut command).map_err(|error| format!("cannot start cargo: {error}"))?;
    if output.status.success() {
        return Ok(None);
    }
    let shown = String::from_utf8_lossy(&output.stdout);
    if let Some(interleaving) = emitted_test::named_interleaving(&shown) {
        return Ok(Some(interleaving));
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let first = errors
        .lines()
        .chain(shown.lines())
        .find(|line| line.starts_with("error") || line.starts_with("contest: "));
    Err(first.unwrap_or("it fails for another reason").to_owned())
}
