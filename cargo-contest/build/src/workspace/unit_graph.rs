//! What cargo would build for a command, before it builds anything: its units, each with its features.
//!
//! Cargo shows them with `--unit-graph`, which is unstable, so it is called with `RUSTC_BOOTSTRAP=1`; nothing is
//! compiled by that call. A cargo that has no such option says nothing, and then nothing is compared.

use std::collections::HashSet;
use std::process::Command;

use cargo_metadata::TargetKind;
use serde::Deserialize;

use super::logged_command::logged_output;

/// The units of a command, and which of them it is for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct UnitGraph {
    /// All units; dependencies are numbers of this list.
    pub units: Vec<PlannedUnit>,
    /// Numbers of those that the command is for.
    pub roots: Vec<usize>,
}

/// A target of a package, with features, for one purpose.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PlannedUnit {
    /// Cargo's id of the package.
    #[serde(rename = "pkg_id")]
    pub package: String,
    /// The target.
    pub target: PlannedTarget,
    /// `test`, `build`, `doctest`, `run-custom-build`, …
    pub mode: String,
    /// Features of the package.
    pub features: Vec<String>,
    /// What it needs.
    pub dependencies: Vec<PlannedDependency>,
}

/// A target of a package.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PlannedTarget {
    /// `lib`, `test`, `bin`, …
    pub kind: Vec<TargetKind>,
    /// Its name.
    pub name: String,
}

/// Another unit that a unit needs.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PlannedDependency {
    /// Its number.
    pub index: usize,
}

/// A target as it is named to users and in tokens: `lib`, `test queue`, `bin server`.
#[must_use]
pub fn name_of_target(kind: &[TargetKind], name: &str) -> String {
    let kind = match () {
        () if kind.contains(&TargetKind::Test) => "test",
        () if kind.contains(&TargetKind::Bin) => "bin",
        () if kind.contains(&TargetKind::Example) => "example",
        () if kind.contains(&TargetKind::Bench) => "bench",
        () if kind.contains(&TargetKind::CustomBuild) => "build script",
        () => return "lib".to_owned(),
    };
    format!("{kind} {name}")
}

/// Why there is no graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoUnitGraph {
    /// This cargo does not show it; in its words.
    Unknown(String),
    /// Cargo refuses the command itself; in its words.
    Refused(String),
}

/// The units of a command of cargo, which is not executed.
///
/// # Errors
/// See [`NoUnitGraph`].
pub fn unit_graph(command: &mut Command) -> Result<UnitGraph, NoUnitGraph> {
    command
        .args(["--unit-graph", "-Z", "unstable-options"])
        .env("RUSTC_BOOTSTRAP", "1");
    let output = logged_output(command).map_err(|error| NoUnitGraph::Unknown(error.to_string()))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        let about_option = ["--unit-graph", "unstable-options", "'-Z"];
        return Err(if about_option.iter().any(|it| text.contains(it)) {
            NoUnitGraph::Unknown(text)
        } else {
            NoUnitGraph::Refused(text)
        });
    }
    serde_json::from_slice(&output.stdout).map_err(|error| NoUnitGraph::Unknown(error.to_string()))
}

impl UnitGraph {
    /// The units that the command is for, of one mode.
    pub fn roots_of(&self, mode: &str) -> impl Iterator<Item = &PlannedUnit> {
        let roots = self.roots.iter().filter_map(|it| self.units.get(*it));
        roots.filter(move |it| it.mode == mode)
    }

    /// A unit and all that it needs, nearest first.
    #[must_use]
    pub fn needed_by<'a>(&'a self, unit: &'a PlannedUnit) -> Vec<&'a PlannedUnit> {
        let mut needed = vec![unit];
        let mut seen = HashSet::new();
        let mut next = 0;
        while let Some(unit) = needed.get(next).copied() {
            next += 1;
            for dependency in &unit.dependencies {
                if seen.insert(dependency.index)
                    && let Some(unit) = self.units.get(dependency.index)
                {
                    needed.push(unit);
                }
            }
        }
        needed
    }
}

impl PlannedUnit {
    /// `lib`, `test queue`.
    #[must_use]
    pub fn name(&self) -> String {
        name_of_target(&self.target.kind, &self.target.name)
    }

    /// True if the compiler makes it: not what cargo only runs.
    #[must_use]
    pub fn is_compiled(&self) -> bool {
        matches!(self.mode.as_str(), "build" | "test")
    }
}
