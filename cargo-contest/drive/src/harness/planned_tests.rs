//! What cargo would build for a plain `cargo test`, and what was built here: the same packages, targets and features,
//! or it is said what differs.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{Artifact, CompilerMessage, TargetKind};

use super::compile_error::reason;
use contest_build::workspace::unit_graph::{PlannedUnit, UnitGraph, name_of_target};

/// A target of a package: its id, and `lib`, `test queue` or the like.
pub(super) type TargetId = (String, String);

/// Errors of the compiler, the first one of each target.
#[derive(Debug, Default)]
pub(super) struct TargetErrors(BTreeMap<TargetId, String>);

impl TargetErrors {
    /// True if there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes an error in.
    pub(super) fn add(&mut self, message: &CompilerMessage) {
        let name = name_of_target(&message.target.kind, &message.target.name);
        let target = (message.package_id.repr.clone(), name);
        let why = || reason(&message.message);
        self.0.entry(target).or_insert_with(why);
    }

    /// Why a unit is not there: its own error, or that of the nearest unit it needs.
    fn of(&self, unit: &PlannedUnit, graph: &UnitGraph) -> Option<String> {
        let needed = graph.needed_by(unit);
        let found = needed.into_iter().find_map(|it| {
            let why = self.0.get(&(it.package.clone(), it.name()))?;
            Some((it, why))
        });
        let (culprit, why) = found?;
        Some(if culprit.package != unit.package {
            format!("{} does not build: {why}", package_name(&culprit.package))
        } else if culprit.name() != unit.name() {
            format!("{} does not build: {why}", described(&culprit.name()))
        } else {
            why.clone()
        })
    }
}

/// A target of tests that was not built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Missing {
    /// Id of its package, and `test queue` or the like.
    pub(super) target: TargetId,
    /// The reason, if the compiler gave one.
    pub(super) why: Option<String>,
}

/// The targets of tests that a plain build has and these artifacts have not.
pub(super) fn missing(
    graph: &UnitGraph,
    artifacts: &[Artifact],
    errors: &TargetErrors,
) -> Vec<Missing> {
    let built: BTreeSet<TargetId> = artifacts
        .iter()
        .filter(|it| it.profile.test)
        .map(target_of)
        .collect();
    let units = graph.roots_of("test");
    let units = units.filter(|it| !built.contains(&(it.package.clone(), it.name())));
    units
        .map(|unit| Missing {
            target: (unit.package.clone(), unit.name()),
            why: errors.of(unit, graph),
        })
        .collect()
}

/// What is not as in a plain build, a line each. `whole`: all of it was built.
pub(super) fn differences(graph: &UnitGraph, artifacts: &[Artifact], whole: bool) -> Vec<String> {
    let mut planned: BTreeMap<Unit, BTreeSet<Vec<String>>> = BTreeMap::new();
    for unit in graph.units.iter().filter(|it| it.is_compiled()) {
        let key = (unit.package.clone(), unit.name(), unit.mode == "test");
        planned
            .entry(key)
            .or_default()
            .insert(sorted(&unit.features));
    }
    let mut built: BTreeMap<Unit, BTreeSet<Vec<String>>> = BTreeMap::new();
    for artifact in artifacts {
        let (package, name) = target_of(artifact);
        let features = sorted(&artifact.features);
        let key = (package, name, artifact.profile.test);
        built.entry(key).or_default().insert(features);
    }
    let none = BTreeSet::new();
    let mut differences = Vec::new();
    for (key, features) in &built {
        let plainly = planned.get(key).unwrap_or(&none);
        let is_planned = features.is_subset(plainly);
        if !is_planned || whole && features != plainly {
            differences.push(difference(key, plainly, features));
        }
    }
    if whole {
        let not_built = planned.iter().filter(|(key, _)| !built.contains_key(*key));
        differences.extend(not_built.map(|(key, features)| difference(key, features, &none)));
    }
    differences
}

/// Package, target, and whether it is one of tests.
type Unit = (String, String, bool);

fn difference(
    (package, target, is_test): &Unit,
    plainly: &BTreeSet<Vec<String>>,
    here: &BTreeSet<Vec<String>>,
) -> String {
    let features = |sets: &BTreeSet<Vec<String>>| {
        if sets.is_empty() {
            return "is not built".to_owned();
        }
        let sets: Vec<String> = sets
            .iter()
            .map(|it| format!("[{}]", it.join(", ")))
            .collect();
        format!("has the features {}", sets.join(" and "))
    };
    format!(
        "{} of {} {} in a plain `cargo test`, and {} here",
        if *is_test {
            format!("the tests of {}", described(target))
        } else {
            described(target)
        },
        package_name(package),
        features(plainly),
        features(here),
    )
}

/// `the library`, `test queue`.
fn described(target: &str) -> String {
    match target {
        "lib" => "the library".to_owned(),
        other => other.to_owned(),
    }
}

fn sorted(features: &[String]) -> Vec<String> {
    let mut features = features.to_vec();
    features.sort_unstable();
    features
}

fn target_of(artifact: &Artifact) -> TargetId {
    (artifact.package_id.repr.clone(), name_of(artifact))
}

/// `lib`, `test queue`, `bin server`.
pub(super) fn name_of(artifact: &Artifact) -> String {
    name_of_target(&artifact.target.kind, &artifact.target.name)
}

/// Where the tests of a target come in the order of cargo.
pub(super) fn order(artifact: &Artifact) -> (usize, String) {
    let kinds = [
        TargetKind::Bin,
        TargetKind::Test,
        TargetKind::Bench,
        TargetKind::Example,
    ];
    let kind = &artifact.target.kind;
    let place = kinds.iter().position(|it| kind.contains(it));
    (place.map_or(0, |it| it + 1), artifact.target.name.clone())
}

/// `serde 1.0.0`, of a package id: `registry+https://…#serde@1.0.0`, `path+file:///…/a#0.1.0`.
pub(super) fn package_name(id: &str) -> String {
    let Some((place, version)) = id.rsplit_once('#') else {
        return id.to_owned();
    };
    match version.split_once('@') {
        Some((name, version)) => format!("{name} {version}"),
        None => {
            let place = place.split(['?']).next().unwrap_or(place);
            let name = place.rsplit('/').next().unwrap_or(place);
            format!("{name} {version}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "path+file:///w/a#0.1.0";

    /// A unit: package, kind and name of the target, mode, features, and units it depends on.
    type Described<'a> = (&'a str, &'a str, &'a str, &'a [&'a str], &'a [usize]);

    /// Units, the first `roots` of which the command is for.
    fn graph(units: &[Described], roots: usize) -> UnitGraph {
        let units: Vec<String> = units
            .iter()
            .map(|(package, target, mode, features, dependencies)| {
                let (kind, name) = target.split_once(' ').unwrap_or((target, "a"));
                let dependencies: Vec<String> = (dependencies.iter())
                    .map(|it| format!(r#"{{"index":{it}}}"#))
                    .collect();
                format!(
                    r#"{{"pkg_id":{package:?},"target":{{"kind":[{kind:?}],"name":{name:?}}},"mode":{mode:?},
                        "features":{features:?},"dependencies":[{}]}}"#,
                    dependencies.join(",")
                )
            })
            .collect();
        let roots: Vec<String> = (0..roots).map(|it| it.to_string()).collect();
        let text = format!(
            r#"{{"version":1,"units":[{}],"roots":[{}]}}"#,
            units.join(","),
            roots.join(",")
        );
        serde_json::from_str(&text).unwrap()
    }

    fn artifact(package: &str, target: &str, test: bool, features: &[&str]) -> Artifact {
        let (kind, name) = target.split_once(' ').unwrap_or((target, "a"));
        let text = format!(
            r#"{{"package_id":{package:?},"manifest_path":"/w/a/Cargo.toml","target":{{"kind":[{kind:?}],"crate_types":[],
                "name":{name:?},"src_path":"/w/a/x.rs"}},"profile":{{"opt_level":"0","debuginfo":2,
                "debug_assertions":true,"overflow_checks":true,"test":{test}}},"features":{features:?},"filenames":[],
                "executable":null,"fresh":true}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn a_package_with_other_features_is_named_with_both() {
        let graph = graph(&[(A, "lib", "test", &["y", "x"], &[])], 1);
        let same = [artifact(A, "lib", true, &["x", "y"])];
        assert!(differences(&graph, &same, true).is_empty());
        let other = [artifact(A, "lib", true, &["x"])];
        assert_eq!(
            differences(&graph, &other, true),
            [
                "the tests of the library of a 0.1.0 has the features [x, y] in a plain `cargo test`, and has the features [x] here"
            ]
        );
    }

    #[test]
    fn what_is_not_built_is_a_difference_unless_the_build_failed() {
        let units: [Described; 2] = [
            (A, "lib", "test", &[], &[]),
            (A, "test t", "test", &[], &[]),
        ];
        let graph = graph(&units, 2);
        let built = [artifact(A, "lib", true, &[])];
        assert!(differences(&graph, &built, false).is_empty());
        assert_eq!(differences(&graph, &built, true).len(), 1);
        let more = [built[0].clone(), artifact(A, "test u", true, &[])];
        assert_eq!(differences(&graph, &more, false).len(), 1);
    }

    #[test]
    fn a_target_that_is_missing_has_the_reason_of_what_it_needs() {
        let dependency = "registry+https://github.com/rust-lang/crates.io-index#d@2.0.0";
        let units: [Described; 3] = [
            (A, "test t", "test", &[], &[2]),
            (A, "test u", "test", &[], &[2]),
            (dependency, "lib d", "build", &[], &[]),
        ];
        let graph = graph(&units, 2);
        let mut errors = TargetErrors::default();
        let key = |package: &str, name: &str| (package.to_owned(), name.to_owned());
        errors
            .0
            .insert(key(dependency, "lib"), "no such type".into());
        errors.0.insert(key(A, "test u"), "its own".into());
        let why: Vec<_> = missing(&graph, &[], &errors)
            .into_iter()
            .map(|it| it.why.unwrap())
            .collect();
        assert_eq!(why, ["d 2.0.0 does not build: no such type", "its own"]);
    }
}
