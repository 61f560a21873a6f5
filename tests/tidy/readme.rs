//! The README's pipeline table cannot rot: every stage there is in the sources is named in it.

use super::root;

/// Modules that are stages of the pipeline, where they are, and the word the table has for them.
const STAGES: &[(&str, &str, &str)] = &[
    ("cargo-contest", "discover", "discover"),
    ("cargo-contest", "analyse", "analyse"),
    ("cargo-contest", "instrument", "instrument"),
    ("cargo-contest", "harness", "harness"),
    ("cargo-contest", "report", "report"),
    ("cargo-contest", "emit", "emit"),
    ("contest-runtime", "generate", "generate"),
    ("contest-runtime", "assemble", "assemble"),
    ("contest-runtime", "explore", "explore"),
    ("contest-runtime", "judge", "judge"),
    ("contest-runtime", "minimise", "minimise"),
];

fn exists(package: &str, module: &str) -> bool {
    let source = root().join(package).join("src").join(module);
    source.join("mod.rs").is_file() || source.with_extension("rs").is_file()
}

/// Lines of the first table of the README that has a `stage` column.
fn pipeline_table() -> Vec<String> {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    readme
        .lines()
        .skip_while(|line| !line.starts_with("| stage"))
        .take_while(|line| line.starts_with('|'))
        .map(str::to_string)
        .collect()
}

#[test]
fn the_readme_names_every_stage_there_is_and_no_other() {
    let table = pipeline_table();
    assert!(table.len() > 5, "no pipeline table in README.md: {table:?}");
    for (package, module, word) in STAGES {
        let named = table.iter().any(|line| {
            line.split('|')
                .nth(1)
                .is_some_and(|cell| cell.contains(word))
        });
        assert_eq!(
            named,
            exists(package, module),
            "README.md and {package}/src/{module} do not agree that there is such a stage"
        );
    }
}

#[test]
fn the_architecture_names_every_stage_there_is() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for (package, module, word) in STAGES {
        if exists(package, module) {
            assert!(text.contains(word), "ARCHITECTURE.md does not name {word}");
        }
    }
}
