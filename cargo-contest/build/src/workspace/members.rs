//! Which members of a workspace are tested together: what cargo selects for `cargo test` with the same options.

use std::path::PathBuf;

use glob::Pattern;

use super::cargo_metadata::{by_spec, describe_tests, is_default, members, read};
use super::selection::{FeatureSelection, Package, Selection, SelectionError};
use super::tested_root::{has_code, library_of};
use contest_catalog::skipped::Skipped;

/// `--workspace` and `--exclude`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// All members instead of the default ones.
    pub workspace: bool,
    /// Names of members that are not tested, as patterns of a shell.
    pub exclude: Vec<String>,
}

/// The members that are tested together, and those that are not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Members {
    /// In the order of their names.
    pub selected: Vec<Member>,
    /// Members that are not tested, with the reason.
    pub left_out: Vec<Skipped>,
    /// What was excluded and is no member.
    pub unknown: Vec<String>,
}

/// A member to test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its `Cargo.toml`.
    pub manifest_path: PathBuf,
    /// Features of the command line that it has.
    pub features: Vec<String>,
}

/// The packages whose tests cargo runs together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestedPackages {
    /// In the order of their names, each with the features of the command line that it has.
    pub selected: Vec<(Package, Vec<String>)>,
    /// Members whose tests are not run, with the reason.
    pub left_out: Vec<Skipped>,
    /// What was excluded and is no member.
    pub unknown: Vec<String>,
}

/// The packages whose tests `cargo test` runs with this selection: with a library or without.
///
/// # Errors
/// If the workspace cannot be read, a pattern is none, or no package is left.
pub fn select_tested(
    selection: &Selection,
    scope: &Scope,
) -> Result<TestedPackages, SelectionError> {
    let plain = Selection {
        features: FeatureSelection::default(),
        ..selection.clone()
    };
    let metadata = read(&plain)?;
    let features = |package: &cargo_metadata::Package| -> Vec<String> {
        let all = selection.features.features.iter();
        all.filter(|it| has_feature(package, it)).cloned().collect()
    };
    if let Some(spec) = &selection.package {
        let package = by_spec(&metadata, spec)?;
        let described = describe_tests(&metadata, package);
        let described =
            described.ok_or_else(|| SelectionError::NoLibrary(package.name.to_string()))?;
        return Ok(TestedPackages {
            selected: vec![(described, features(package))],
            ..TestedPackages::default()
        });
    }
    let mut all: Vec<_> = members(&metadata).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    let (patterns, unknown) = patterns(&scope.exclude, &all)?;
    let mut found = TestedPackages {
        unknown,
        ..TestedPackages::default()
    };
    for member in all {
        let why = if patterns.iter().any(|it| it.matches(&member.name)) {
            "--exclude"
        } else if !scope.workspace && !is_default(&metadata, member) {
            NO_DEFAULT
        } else if let Some(package) = describe_tests(&metadata, member) {
            found.selected.push((package, features(member)));
            continue;
        } else {
            "it has no targets"
        };
        found.left_out.push(Skipped::new(member.name.as_str(), why));
    }
    if found.selected.is_empty() {
        return Err(no_member(&found.left_out));
    }
    Ok(found)
}

const NO_DEFAULT: &str = "no default member; --workspace tests all, -p chooses one";

/// Patterns of names, and those that are the name of no member.
fn patterns(
    exclude: &[String],
    members: &[&cargo_metadata::Package],
) -> Result<(Vec<Pattern>, Vec<String>), SelectionError> {
    let patterns = exclude.iter().map(|text| {
        Pattern::new(text).map_err(|why| SelectionError::Pattern(text.clone(), why.to_string()))
    });
    let patterns: Vec<Pattern> = patterns.collect::<Result<_, _>>()?;
    let matches = |pattern: &&Pattern| members.iter().any(|it| pattern.matches(&it.name));
    let unknown = patterns.iter().filter(|it| !matches(it));
    let unknown = unknown.map(|it| it.as_str().to_owned()).collect();
    Ok((patterns, unknown))
}

fn no_member(left_out: &[Skipped]) -> SelectionError {
    let why = left_out.iter().map(|it| format!("{}: {}", it.item, it.why));
    SelectionError::NoMember(why.collect())
}

/// The members that a selection without a package means.
///
/// # Errors
/// If the workspace cannot be read, a pattern is none, no member is left, or a feature of the command line is one of
/// none of them.
pub fn select_members(selection: &Selection, scope: &Scope) -> Result<Members, SelectionError> {
    // Cargo refuses a feature that the root package has not, although another member may have it.
    let plain = Selection {
        features: FeatureSelection::default(),
        ..selection.clone()
    };
    let metadata = read(&plain)?;
    let mut all: Vec<_> = members(&metadata).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    let (patterns, unknown) = patterns(&scope.exclude, &all)?;
    let mut found = Members {
        unknown,
        ..Members::default()
    };
    let mut known_features = vec![false; selection.features.features.len()];
    for member in &all {
        let why = if patterns.iter().any(|it| it.matches(&member.name)) {
            "--exclude".to_owned()
        } else if !has_code(member) {
            match library_of(member) {
                Err(SelectionError::ProcMacro(_)) => "a proc-macro crate".to_owned(),
                _ => "neither a library nor a binary".to_owned(),
            }
        } else if !scope.workspace && !is_default(&metadata, member) {
            NO_DEFAULT.to_owned()
        } else {
            let mut features = Vec::new();
            for (feature, known) in selection.features.features.iter().zip(&mut known_features) {
                if has_feature(member, feature) {
                    *known = true;
                    features.push(feature.clone());
                }
            }
            found.selected.push(Member {
                name: member.name.to_string(),
                manifest_path: member.manifest_path.clone().into_std_path_buf(),
                features,
            });
            continue;
        };
        found.left_out.push(Skipped::new(member.name.as_str(), why));
    }
    if found.selected.is_empty() {
        return Err(no_member(&found.left_out));
    }
    let features = selection.features.features.iter().zip(known_features);
    if let Some((feature, _)) = features.into_iter().find(|(_, known)| !known) {
        return Err(SelectionError::NoFeature(feature.clone()));
    }
    Ok(found)
}

/// `name`, `package/name` or `dependency/name`.
fn has_feature(package: &cargo_metadata::Package, feature: &str) -> bool {
    match feature.split_once('/') {
        None => package.features.contains_key(feature),
        Some((front, name)) if *package.name == front => package.features.contains_key(name),
        Some((front, _)) => {
            let front = front.trim_end_matches('?');
            let named =
                |it: &cargo_metadata::Dependency| it.rename.as_deref().unwrap_or(&it.name) == front;
            package.dependencies.iter().any(named)
        }
    }
}
