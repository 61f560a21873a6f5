//! What tests that were published for other tools, run here as tests of `std`, have in common.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::Run;

/// The directory of the tests of `package`, on which the package in `directory` depends.
pub(crate) fn tests_of(package: &str, directory: impl AsRef<Path>) -> PathBuf {
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["metadata", "--format-version", "1"])
        .current_dir(directory);
    let output = command.output().unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let found = packages.iter().find(|it| it["name"] == package).unwrap();
    let manifest = PathBuf::from(found["manifest_path"].as_str().unwrap());
    manifest.with_file_name("tests")
}

/// Names of the tests that are to panic.
pub(crate) fn names_of_panicking(text: &str) -> Vec<String> {
    let after = text.split("#[should_panic").skip(1);
    after
        .map(|rest| {
            let name = rest.split("fn ").nth(1).unwrap();
            name.split('(').next().unwrap().to_owned()
        })
        .collect()
}

/// Tests in `panics` fail, all others pass, except `others`, by the reason why their outcome may be another one.
pub(crate) fn assert_only_these_panic(
    run: &Run,
    panics: &BTreeSet<String>,
    others: &[(&str, &[&str])],
) {
    let results = run.with_reason("test");
    let mut wrong = Vec::new();
    for result in &results {
        let name = name_of(result);
        let fails = result["result"] == "failed" || result["result"] == "fails-sometimes";
        let is_other = others.iter().any(|(_, all)| all.contains(&name.as_str()));
        if !is_other && fails != panics.contains(&name) {
            wrong.push(result.to_string());
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let names: BTreeSet<String> = results.iter().map(name_of).collect();
    for (why, all) in others {
        for other in *all {
            assert!(names.contains(*other), "{other} ({why}) is no test");
        }
    }
}

/// Without the path of its module.
fn name_of(result: &Value) -> String {
    let name = result["name"].as_str().unwrap();
    name.rsplit("::").next().unwrap().to_owned()
}
