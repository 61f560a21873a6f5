//! The sources of the runtime, which the tool carries. Only this package embeds them: a change of the engine compiles
//! no other package of the tool again.

use contest_build::instrument::runtime_sources::EmbeddedFiles;

/// Written by the build script; empty in a published package.
pub(crate) const EMBEDDED: EmbeddedFiles =
    include!(concat!(env!("OUT_DIR"), "/runtime_sources.rs"));

#[cfg(test)]
mod tests {
    use contest_build::instrument::runtime_sources::RuntimeSources;
    use toml::{Table, Value};

    use super::*;

    /// The manifest of the scratch workspace.
    fn root_of(sources: &RuntimeSources) -> Table {
        let (_, text) = sources
            .files
            .iter()
            .find(|(path, _)| path == "Cargo.toml")
            .unwrap();
        text.parse().unwrap()
    }

    #[test]
    fn the_embedded_workspace_has_the_driver_and_the_facade_and_no_development_dependencies() {
        let sources = RuntimeSources::of(EMBEDDED);
        let file = |name: &str| {
            sources
                .files
                .iter()
                .find(|(path, _)| path == name)
                .map(|(_, text)| text.as_str())
        };
        for needed in [
            "Cargo.toml",
            "Cargo.lock",
            "contest-runtime/driver/src/lib.rs",
            "contest-runtime/facade/src/lib.rs",
        ] {
            assert!(file(needed).is_some(), "{needed} is not embedded");
        }
        let root = file("Cargo.toml").unwrap();
        assert!(!root.contains("\"cargo-contest\""), "{root}");
        for (path, text) in &sources.files {
            if path.ends_with("Cargo.toml") {
                assert!(!text.contains("dev-dependencies"), "{path}: {text}");
            }
        }
    }

    #[test]
    fn nothing_that_is_linked_with_code_under_test_turns_on_a_library_of_serialisation() {
        let sources = RuntimeSources::of(EMBEDDED);
        let root = root_of(&sources);
        let members = root["workspace"]["members"].as_array().unwrap();
        for package in members.iter().map(|it| it.as_str().unwrap()) {
            let path = format!("{package}/Cargo.toml");
            let (_, manifest) = sources.files.iter().find(|(it, _)| *it == path).unwrap();
            assert!(!manifest.contains("serde_json"), "{path}: {manifest}");
            // Of `contest-data`, for the tool.
            let others = manifest.replace("dep:serde", "");
            let turned_on = others.contains("/serde") || others.contains("[\"serde\"]");
            assert!(!turned_on, "{path}: {manifest}");
        }
    }

    #[test]
    fn packages_with_a_level_of_their_own_are_in_the_workspace_or_come_from_the_registry() {
        let sources = RuntimeSources::of(EMBEDDED);
        let named = |package: &str| {
            let line = format!("name = \"{package}\"");
            sources.files.iter().any(|(_, text)| text.contains(&line))
        };
        let root = root_of(&sources);
        let levels: Vec<&Table> = root["profile"]
            .as_table()
            .unwrap()
            .values()
            .filter_map(Value::as_table)
            .collect();
        let packages = levels.iter().filter_map(|it| it.get("package")?.as_table());
        let packages: Vec<&String> = packages
            .flat_map(Table::keys)
            .filter(|it| *it != "*")
            .collect();
        assert!(!packages.is_empty());
        for package in packages {
            assert!(named(package), "{package}");
        }
    }
}
