//! Settings in the manifest: `[package.metadata.contest]` and `[workspace.metadata.contest]`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

/// Settings of one manifest table, as written; named like the options.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ManifestSettings {
    /// `--budget`.
    pub budget: Option<String>,
    /// `--seed`.
    pub seed: Option<u64>,
    /// `--generator`.
    pub generator: Option<String>,
    /// `--strategy`.
    pub strategy: Option<String>,
    /// `--memory-model`.
    pub memory_model: Option<String>,
    /// `--atomic-set`, one list for each.
    pub atomic_sets: Option<Vec<Vec<String>>>,
    /// `--threads`.
    pub threads: Option<u8>,
    /// `--calls`.
    pub calls: Option<u8>,
    /// `--jobs`.
    pub jobs: Option<u16>,
    /// `--strict`.
    pub strict: Option<bool>,
    /// `--fail-fast`.
    pub fail_fast: Option<bool>,
    /// `--emit DIR`, or `false` for `--no-emit`.
    pub emit: Option<DirectorySetting>,
    /// `--cache-dir DIR`, relative to the root of the workspace, or `false` for `--no-cache`.
    pub cache_dir: Option<DirectorySetting>,
    /// `--allow` of one table; of both together, [`levels`](Self::levels) has it.
    pub allow: Vec<String>,
    /// `--warn`, likewise.
    pub warn: Vec<String>,
    /// `--deny`, likewise.
    pub deny: Vec<String>,
    /// Levels of findings as the package has them, then as the workspace has them.
    #[serde(skip)]
    pub levels: Vec<LevelTable>,
    /// How to make values of types, by the end of their path.
    pub make: BTreeMap<String, String>,
    /// Alternatives for arguments, by `Type::method.argument`.
    pub values: BTreeMap<String, Vec<String>>,
    /// Types and operations that are not tested.
    pub leave_out: Vec<String>,
    /// Operations whose results are not compared beside other calls: `Type::method`, or `Type::*`.
    pub weak: Vec<String>,
    /// Operations whose results are compared whatever their names and documentation say.
    pub exact: Vec<String>,
}

/// Levels of findings in one table, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LevelTable {
    /// `--allow`.
    pub allow: Vec<String>,
    /// `--warn`.
    pub warn: Vec<String>,
    /// `--deny`.
    pub deny: Vec<String>,
}

/// `emit = "tests"` or `emit = false`; `cache-dir` likewise.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum DirectorySetting {
    /// `false`: none. `true`: the usual one.
    Switch(bool),
    /// This one.
    Directory(PathBuf),
}

/// A table of settings that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("[{table}.metadata.contest] in Cargo.toml: {source}")]
pub struct SettingsError {
    table: &'static str,
    source: serde_json::Error,
}

/// Reads the `contest` tables of a package's and its workspace's metadata; where both have a value, the package wins.
///
/// # Errors
/// Names the table and the key that is unknown or has the wrong type.
pub fn read(package: &Value, workspace: &Value) -> Result<ManifestSettings, SettingsError> {
    let table = |name, metadata: &Value| match metadata.get("contest") {
        None => Ok(ManifestSettings::default()),
        Some(value) => ManifestSettings::deserialize(value).map_err(|source| SettingsError {
            table: name,
            source,
        }),
    };
    let workspace = table("workspace", workspace)?;
    let package = table("package", package)?;
    Ok(ManifestSettings {
        budget: package.budget.or(workspace.budget),
        seed: package.seed.or(workspace.seed),
        generator: package.generator.or(workspace.generator),
        strategy: package.strategy.or(workspace.strategy),
        memory_model: package.memory_model.or(workspace.memory_model),
        atomic_sets: package.atomic_sets.or(workspace.atomic_sets),
        threads: package.threads.or(workspace.threads),
        calls: package.calls.or(workspace.calls),
        jobs: package.jobs.or(workspace.jobs),
        strict: package.strict.or(workspace.strict),
        fail_fast: package.fail_fast.or(workspace.fail_fast),
        emit: package.emit.or(workspace.emit),
        cache_dir: package.cache_dir.or(workspace.cache_dir),
        allow: Vec::new(),
        warn: Vec::new(),
        deny: Vec::new(),
        levels: vec![
            LevelTable {
                allow: package.allow,
                warn: package.warn,
                deny: package.deny,
            },
            LevelTable {
                allow: workspace.allow,
                warn: workspace.warn,
                deny: workspace.deny,
            },
        ],
        // These are about the types of one package.
        make: package.make,
        values: package.values,
        leave_out: package.leave_out,
        weak: package.weak,
        exact: package.exact,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_package_wins_over_the_workspace() {
        let settings = read(
            &json!({"contest": {"seed": 7, "deny": ["panic"]}}),
            &json!({"contest": {"seed": 1, "budget": "5s", "allow": ["panic", "leak"]}}),
        )
        .unwrap();
        assert_eq!(settings.seed, Some(7));
        assert_eq!(settings.budget.as_deref(), Some("5s"));
        assert_eq!(settings.levels[0].deny, ["panic"]);
        assert_eq!(settings.levels[1].allow, ["panic", "leak"]);
    }

    #[test]
    fn an_unknown_key_is_named_with_its_table() {
        let error = read(&json!({"contest": {"bugdet": "5s"}}), &Value::Null).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("[package.metadata.contest]"), "{text}");
        assert!(text.contains("bugdet"), "{text}");
        assert!(text.contains("`budget`"), "{text}");
    }

    #[test]
    fn emit_is_a_directory_or_a_switch() {
        let settings = |value| read(&json!({"contest": {"emit": value}}), &Value::Null).unwrap();
        assert_eq!(
            settings(json!(false)).emit,
            Some(DirectorySetting::Switch(false))
        );
        assert_eq!(
            settings(json!("more")).emit,
            Some(DirectorySetting::Directory("more".into()))
        );
    }
}
