//! The stage tables of README.md and ARCHITECTURE.md agree with the sources: a row for each stage, and no other row.

use std::collections::BTreeSet;
use std::path::Path;

use super::root;

/// A stage of the pipeline: its name in the tables, where it runs, and its directory.
const STAGES: &[(&str, &str, &str)] = &[
    ("discover", "tool", "cargo-contest/discover/src"),
    ("analyse", "tool", "cargo-contest/analyse/src"),
    ("instrument", "tool", "cargo-contest/build/src/instrument"),
    ("harness", "tool", "cargo-contest/drive/src/harness"),
    (
        "generate",
        "driver",
        "contest-runtime/campaign/src/generate",
    ),
    ("explore", "driver", "contest-runtime/search/src/explore"),
    ("judge", "driver", "contest-runtime/campaign/src/judge"),
    (
        "minimise",
        "driver",
        "contest-runtime/campaign/src/minimise",
    ),
    ("report", "tool", "cargo-contest/report/src"),
    ("emit", "tool", "cargo-contest/src/emit"),
];

/// Rooms beside the stages of a pipeline: loops that run the stages, commands of their own, and what all stages use.
const NOT_STAGES: &[&str] = &[
    "advise",
    "campaign",
    "ci",
    "debugger",
    "cli",
    "init",
    "mcp",
    "pipeline",
    "state",
    "workspace",
];

/// `(stage, where it runs)` of each row of the first table with a `stage` column; a cell may name several stages.
fn stage_table(text: &str) -> Vec<(String, String)> {
    let rows = text
        .lines()
        .skip_while(|line| !line.starts_with("| stage"))
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let mut stages = Vec::new();
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        for stage in cells[1].split(',') {
            stages.push((stage.trim().to_owned(), cells[2].to_owned()));
        }
    }
    stages
}

/// Names of the directories in a directory.
fn rooms(source: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(source).unwrap().map(Result::unwrap);
    let directories = entries.filter(|entry| entry.path().is_dir());
    directories
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect()
}

#[test]
fn the_stage_tables_have_a_row_for_each_stage_and_no_other() {
    let expected: Vec<(String, String)> = STAGES
        .iter()
        .map(|(stage, place, _)| ((*stage).to_owned(), (*place).to_owned()))
        .collect();
    for document in ["README.md", "ARCHITECTURE.md"] {
        let text = std::fs::read_to_string(root().join(document)).unwrap();
        assert_eq!(stage_table(&text), expected, "{document}");
    }
}

#[test]
fn every_stage_is_a_room_and_every_room_of_a_pipeline_is_a_stage() {
    for (stage, _, directory) in STAGES {
        assert!(
            ["mod.rs", "lib.rs"]
                .iter()
                .any(|file| root().join(directory).join(file).is_file()),
            "{stage} is not in {directory}"
        );
    }
    for source in [
        "cargo-contest/src",
        "cargo-contest/build/src",
        "cargo-contest/drive/src",
        "contest-runtime/campaign/src",
    ] {
        for room in rooms(&root().join(source)) {
            let directory = format!("{source}/{room}");
            let is_stage = STAGES.iter().any(|(_, _, known)| *known == directory);
            assert!(
                is_stage || NOT_STAGES.contains(&room.as_str()),
                "{directory} is no stage of the tables; name it in tests/tidy/readme.rs"
            );
        }
    }
}

#[test]
fn stage_tables_are_read_cell_by_cell() {
    let text = "\n| a | b |\n|---|---|\n| no | no |\n\n| stage | where | in |\n|---|---|---|\n| one | tool | x, y |\n\
                | two, three | driver | z |\nend\n| no | no | no |\n";
    let found = stage_table(text);
    let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (&**a, &**b)).collect();
    assert_eq!(
        found,
        [("one", "tool"), ("two", "driver"), ("three", "driver")]
    );
}
