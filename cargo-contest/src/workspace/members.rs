//! Which members of a workspace are tested together: what cargo selects for `cargo test` with the same options.

use std::path::PathBuf;

use super::cargo_metadata::{is_default, library_of, members, read};
use super::selection::{FeatureSelection, Selection, SelectionError};
use crate::skipped::Skipped;

/// `--workspace` and `--exclude`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// All members instead of the default ones.
    pub workspace: bool,
    /// Names of members that are not tested; `*` and `?` stand for any characters and one character.
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

/// The members that a selection without a package means.
///
/// # Errors
/// If the workspace cannot be read, no member is left, or a feature of the command line is one of none of them.
pub fn select_members(selection: &Selection, scope: &Scope) -> Result<Members, SelectionError> {
    // Cargo refuses a feature that the root package has not, although another member may have it.
    let plain = Selection {
        features: FeatureSelection::default(),
        ..selection.clone()
    };
    let metadata = read(&plain)?;
    let mut all: Vec<_> = members(&metadata).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    let matches = |pattern: &String| all.iter().any(|it| is_like(&it.name, pattern));
    let unknown = scope.exclude.iter().filter(|it| !matches(it)).cloned();
    let mut found = Members {
        unknown: unknown.collect(),
        ..Members::default()
    };
    let mut known_features = vec![false; selection.features.features.len()];
    for member in &all {
        let excluded = |pattern: &String| is_like(&member.name, pattern);
        let why = if scope.exclude.iter().any(excluded) {
            "--exclude".to_owned()
        } else if let Err(error) = library_of(member) {
            match error {
                SelectionError::ProcMacro(_) => "a proc-macro crate".to_owned(),
                _ => "no library target".to_owned(),
            }
        } else if !scope.workspace && !is_default(&metadata, member) {
            "no default member; --workspace tests all, -p chooses one".to_owned()
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
        return Err(SelectionError::NoMember(
            found
                .left_out
                .iter()
                .map(|it| format!("{}: {}", it.item, it.why))
                .collect(),
        ));
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

/// Wildcards of cargo's package patterns, but for ranges.
fn is_like(name: &str, pattern: &str) -> bool {
    let mut rest = pattern.chars();
    match rest.next() {
        None => name.is_empty(),
        Some('*') => {
            let ends = name.char_indices().map(|(at, _)| at).chain([name.len()]);
            ends.into_iter()
                .any(|at| is_like(&name[at..], rest.as_str()))
        }
        Some(first) => {
            let mut others = name.chars();
            let next = others.next();
            next.is_some_and(|next| first == '?' || first == next)
                && is_like(others.as_str(), rest.as_str())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_like;

    #[test]
    fn patterns_are_those_of_a_shell() {
        for (pattern, name, expected) in [
            ("alpha", "alpha", true),
            ("alpha", "alphabet", false),
            ("al*", "alphabet", true),
            ("*bet", "alphabet", true),
            ("a*a*t", "alphabet", true),
            ("alph?", "alpha", true),
            ("alph?", "alph", false),
            ("*", "", true),
        ] {
            assert_eq!(is_like(name, pattern), expected, "{pattern} {name}");
        }
    }
}
