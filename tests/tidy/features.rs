//! What users build who depend on `contest-runtime` without its features: the drop-in re-exports, and the types that
//! the signatures of models name.

use std::collections::BTreeSet;
use std::process::Command;

use super::root;

/// Modules of `contest-data` that the interface of `contest-runtime` needs without the engine.
const DATA_WITHOUT_EXPLORE: [&str; 9] = [
    "decision", "delay", "finding", "gap", "limits", "rng", "subject", "test", "trace",
];

/// The packages that are linked into the user's program.
fn linked(features: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--package", "contest-runtime"])
        .args([
            "--edges",
            "normal,no-proc-macro",
            "--prefix",
            "none",
            "--format",
            "{lib}",
        ])
        .args(features)
        .current_dir(root())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    // A package that was shown before is marked.
    let names = text.lines().map(|line| line.trim_end_matches(" (*)"));
    names.map(str::to_owned).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn without_explore_neither_engine_nor_campaign_is_linked() {
    // The package's library is named `contest`.
    let least = set(&["contest", "contest_data", "contest_std"]);
    assert_eq!(linked(&["--no-default-features"]), least);
    assert_eq!(linked(&[]), least);
    let parking_lot = linked(&["--features", "parking_lot"]);
    assert!(parking_lot.is_superset(&least));
    for engine in [
        "contest_engine",
        "contest_search",
        "contest_campaign",
        "contest_loom",
        "corosensei",
    ] {
        assert!(!parking_lot.contains(engine), "{parking_lot:?}");
        assert!(linked(&["--features", "loom"]).contains(engine), "{engine}");
    }
}

#[test]
fn without_explore_data_has_only_the_types_of_the_interface() {
    let path = root().join("contest-runtime/data/src/lib.rs");
    let text = std::fs::read_to_string(path).unwrap();
    let mut before = "";
    let mut found = BTreeSet::new();
    for line in text.lines() {
        if let Some(module) = line.strip_prefix("pub mod ")
            && !before.starts_with("#[cfg(feature = ")
        {
            found.insert(module.trim_end_matches(';').to_owned());
        }
        before = line;
    }
    assert_eq!(found, set(&DATA_WITHOUT_EXPLORE));
}
