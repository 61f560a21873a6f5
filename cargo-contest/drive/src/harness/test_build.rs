//! Cargo's build of test executables: that of a plain `cargo test` at the same place, instrumented.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::{Artifact, TargetKind};

use super::build_event::{BuildEvent, BuildStage};
use super::compile_error::is_error;
use super::driver_build::set_profile;
use super::harness_error::HarnessError;
use super::harness_options::HarnessOptions;
use super::libc_calls::{add_flags, call_libc};
use super::planned_tests::{TargetErrors, name_of, order};
use super::test_profile;
use super::test_targets::TestTargets;
use contest_build::instrument::rustc_wrapper::Instrumentation;
use contest_build::workspace::cargo_build::{
    CargoEnd, CargoMessage, FailureCause, Toolchain, build_into, run_cargo,
};
use contest_build::workspace::cargo_selection::CargoSelection;
use contest_build::workspace::selection::Package;
use contest_build::workspace::unit_graph::{NoUnitGraph, UnitGraph, unit_graph};
use contest_catalog::skipped::Skipped;

/// One executable of tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestExecutable {
    /// `lib`, `test queue`, `bin server`: as cargo names it, and in tokens.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its root source file.
    pub source: PathBuf,
}

pub(super) fn package_directory(package: &Package) -> &Path {
    package.manifest_path.parent().unwrap_or(Path::new("/"))
}

/// What one run of cargo made.
#[derive(Default)]
pub(super) struct Round {
    pub(super) artifacts: Vec<Artifact>,
    pub(super) errors: TargetErrors,
    /// Errors as the compiler shows them.
    diagnostics: String,
}

/// How cargo builds tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Building {
    /// Instrumented, until something does not compile.
    Instrumented,
    /// Instrumented, whatever does not compile.
    AllThatCompiles,
    /// As it is, whatever does not compile.
    Plain,
}

/// The tests of packages of one workspace.
pub(super) struct Build<'a> {
    pub(super) toolchain: &'a Toolchain,
    pub(super) selection: &'a CargoSelection,
    /// The packages that the selection means; at least one.
    pub(super) packages: &'a [Package],
    pub(super) targets: &'a TestTargets,
    pub(super) options: &'a HarnessOptions,
    pub(super) instrumentation: Instrumentation,
    pub(super) target: PathBuf,
}

impl Build<'_> {
    /// A package of the workspace.
    fn any_package(&self) -> &Package {
        &self.packages[0]
    }

    /// The names of the packages.
    fn names(&self) -> String {
        let names: Vec<&str> = self.packages.iter().map(|it| it.name.as_str()).collect();
        names.join("`, `")
    }

    /// Where what is not instrumented is built.
    fn plain_target(&self) -> PathBuf {
        self.any_package().target_directory.join("contest/plain")
    }

    /// What a plain `cargo test` would build; `Err` inside says why that is not known.
    pub(super) fn plan(&self) -> Result<Result<UnitGraph, String>, HarnessError> {
        match self.plan_once(false) {
            Err(NoUnitGraph::Refused(text)) if cause_of(&text) == FailureCause::Offline => {
                match self.plan_once(true) {
                    Err(NoUnitGraph::Refused(again))
                        if cause_of(&again) == FailureCause::Offline =>
                    {
                        Err(HarnessError::Offline(text))
                    }
                    other => planned(other),
                }
            }
            other => planned(other),
        }
    }

    fn plan_once(&self, offline: bool) -> Result<UnitGraph, NoUnitGraph> {
        let mut command = self.toolchain.cargo(&self.selection.directory);
        command
            .arg("test")
            .args(self.selection.arguments())
            .args(self.targets.planned_options())
            .arg("--target-dir")
            .arg(self.plain_target())
            // With a target, flags are not for build scripts and what they need.
            .args(["--target", &self.toolchain.host]);
        // Which crates rustix needs depends on that.
        call_libc(&mut command, &self.any_package().lock_file);
        self.add_given(&mut command, offline);
        unit_graph(&mut command)
    }

    /// Builds the tests. What does not compile is in the errors, and the rest is built all the same.
    pub(super) fn tests(
        &self,
        on_event: &mut dyn FnMut(BuildEvent),
    ) -> Result<(CargoEnd, Round), HarnessError> {
        let (end, round) = self.cargo(Building::Instrumented, on_event)?;
        if end.success || round.errors.is_empty() {
            return Ok((end, round));
        }
        // `cargo test` stops at the first error, and only `cargo build` can be told not to.
        let (_, more) = self.cargo(Building::AllThatCompiles, on_event)?;
        Ok((end, more))
    }

    /// Builds the tests without instrumentation.
    pub(super) fn plainly(
        &self,
        on_event: &mut dyn FnMut(BuildEvent),
    ) -> Result<(CargoEnd, Round), HarnessError> {
        self.cargo(Building::Plain, on_event)
    }

    /// Runs cargo, without a network if there is none.
    fn cargo(
        &self,
        building: Building,
        on_event: &mut dyn FnMut(BuildEvent),
    ) -> Result<(CargoEnd, Round), HarnessError> {
        let (end, round) = self.cargo_once(building, false, on_event)?;
        if end.success || end.cause() != FailureCause::Offline {
            return Ok((end, round));
        }
        let (again, round) = self.cargo_once(building, true, on_event)?;
        if !again.success && again.cause() == FailureCause::Offline {
            return Err(HarnessError::Offline(end.stderr));
        }
        Ok((again, round))
    }

    fn cargo_once(
        &self,
        building: Building,
        offline: bool,
        on_event: &mut dyn FnMut(BuildEvent),
    ) -> Result<(CargoEnd, Round), HarnessError> {
        let stage = match building {
            Building::Plain => BuildStage::Plain,
            Building::Instrumented | Building::AllThatCompiles => BuildStage::Tests,
        };
        on_event(BuildEvent::Started(stage));
        let mut round = Round::default();
        let mut end: Option<CargoEnd> = None;
        for mut command in self.commands(building, offline) {
            let of_command = run_cargo(&mut command, &mut |message| {
                if let Some(event) = BuildEvent::of(stage, &message) {
                    on_event(event);
                }
                match message {
                    CargoMessage::Artifact(artifact) => round.artifacts.push(*artifact),
                    CargoMessage::Compiler(message) if is_error(&message.message) => {
                        round.errors.add(&message);
                        let text = message.message.rendered.as_deref();
                        round.diagnostics.push_str(text.unwrap_or_default());
                    }
                    _ => {}
                }
            });
            let cargo = &self.toolchain.cargo;
            let of_command =
                of_command.map_err(|error| HarnessError::Cargo(cargo.clone(), error))?;
            // The first failure counts.
            if end.as_ref().is_none_or(|it| it.success) {
                end = Some(of_command);
            }
        }
        round.artifacts.sort_by_key(order);
        // The second of two commands names what the first one has built.
        let mut named = BTreeSet::new();
        round
            .artifacts
            .retain(|it| named.insert(it.filenames.clone()));
        Ok((end.expect("a build has a command"), round))
    }

    /// One, or two where examples are to go on after an error as well.
    fn commands(&self, building: Building, offline: bool) -> Vec<Command> {
        let instrumented = building != Building::Plain;
        let test = |options: Vec<String>| {
            let mut command = self.of_selection("test", instrumented);
            command.arg("--no-run").args(options);
            command
        };
        let build = |options: Vec<String>| {
            let mut command = self.of_selection("build", instrumented);
            command.args(["--keep-going", "--profile", "test"]);
            command.args(options);
            command
        };
        let options = self.targets.options_of_build();
        let examples = self.targets.options_of_examples();
        let mut commands = match building {
            Building::Instrumented => vec![test(self.targets.options())],
            _ if examples.is_empty() => vec![build(options)],
            _ if options.is_empty() => vec![test(examples)],
            _ => vec![build(options), test(examples)],
        };
        for command in &mut commands {
            self.add_given(command, offline);
        }
        commands
    }

    fn add_given(&self, command: &mut Command, offline: bool) {
        let given = &self.options.cargo_arguments;
        command.args(given);
        if offline && !given.iter().any(|it| it == "--offline") {
            command.arg("--offline");
        }
    }

    /// A command of cargo for the packages.
    fn of_selection(&self, name: &str, instrumented: bool) -> Command {
        let mut command = self.toolchain.cargo(&self.selection.directory);
        let package = self.any_package();
        let target = if instrumented {
            self.instrumentation
                .apply(&self.options.wrapper, &mut command);
            call_libc(&mut command, &package.lock_file);
            self.target.clone()
        } else {
            if !package.source.is_local() {
                // As cargo does for a dependency: its author's warnings are no errors here.
                add_flags(&mut command, ["--cap-lints", "allow"]);
            }
            self.plain_target()
        };
        let format = if self.options.color {
            "json-diagnostic-rendered-ansi"
        } else {
            "json"
        };
        command
            .arg(name)
            .args(["--message-format", format])
            .args(["--target", &self.toolchain.host])
            .args(self.selection.arguments());
        build_into(&mut command, &target);
        set_profile(&mut command, self.options);
        test_profile::optimise(&mut command, &package.workspace_root);
        command
    }

    /// `cargo test --doc` of the packages, instrumented.
    pub(super) fn of_documentation(&self) -> Command {
        let mut command = self.of_selection("test", true);
        command.args(["--doc", "--no-fail-fast"]);
        self.add_given(&mut command, false);
        command
    }

    /// Which part of a failed build is at fault: the sources, or the instrumentation.
    pub(super) fn explain(
        &self,
        end: &CargoEnd,
        round: &Round,
        on_event: &mut dyn FnMut(BuildEvent),
    ) -> Result<HarnessError, HarnessError> {
        let package = self.names();
        let (plain_end, plain) = self.plainly(on_event)?;
        Ok(if plain_end.success {
            HarnessError::NotInstrumentable {
                package,
                diagnostics: round.diagnostics.clone() + &end.stderr,
            }
        } else {
            HarnessError::SubjectDoesNotBuild {
                package,
                diagnostics: plain.diagnostics + &plain_end.stderr,
            }
        })
    }

    /// What is not instrumented in the graph of the packages.
    pub(super) fn not_instrumented(
        &self,
        artifacts: &[Artifact],
        on_event: &mut dyn FnMut(BuildEvent),
    ) -> Vec<Skipped> {
        let mut allocators = BTreeSet::new();
        let mut left_out = Vec::new();
        if let Some(why) = &self.instrumentation.facade.accesses_refused
            && self.options.memory
        {
            left_out.push(Skipped::new(
                "memory accesses of all crates",
                format!(
                    "this toolchain cannot make them visible ({why}): data races are not looked for"
                ),
            ));
        }
        for artifact in artifacts {
            let files = || artifact.filenames.iter().map(|it| it.as_std_path());
            allocators.extend(self.instrumentation.allocator_of(files()));
            let note = self.instrumentation.note_about(files());
            if let Some((package, why)) = note.and_then(|it| Some((it.package, it.why?)))
                && artifact.executable.is_none()
            {
                left_out.push(Skipped::new(package, why));
            }
        }
        // The unit tests of a library have the allocator of that too.
        for package in allocators {
            on_event(BuildEvent::AllocatorReplaced { package });
        }
        left_out
    }

    /// Executables of a package that can be explored, and those that cannot.
    pub(super) fn executables(
        &self,
        package: &Package,
        artifacts: &[Artifact],
    ) -> (Vec<TestExecutable>, Vec<Skipped>) {
        let (mut executables, mut left_out) = (Vec::new(), Vec::new());
        let without = without_harness(&package.manifest_path);
        let own = artifacts
            .iter()
            .filter(|it| it.package_id.repr == package.id && it.profile.test);
        for artifact in own {
            let Some(path) = &artifact.executable else {
                continue;
            };
            let path = path.clone().into_std_path_buf();
            let name = name_of(artifact);
            let why = if without.contains(&name) {
                Some("it has `harness = false`, so it does not say which tests it has".to_owned())
            } else if artifact.target.is_proc_macro() {
                Some("it runs where macros run, in the compiler's process".to_owned())
            } else {
                let note = self.instrumentation.note_about([path.as_path()]);
                let why = note.and_then(|it| it.why);
                why.map(|why| format!("it compiles only with the real `std`: {why}"))
            };
            match why {
                Some(why) => left_out.push(Skipped::new(name, why)),
                None => executables.push(TestExecutable {
                    name,
                    path,
                    source: artifact.target.src_path.clone().into_std_path_buf(),
                }),
            }
        }
        (executables, left_out)
    }
}

fn cause_of(text: &str) -> FailureCause {
    let end = CargoEnd {
        success: false,
        stderr: text.to_owned(),
    };
    end.cause()
}

fn planned(
    graph: Result<UnitGraph, NoUnitGraph>,
) -> Result<Result<UnitGraph, String>, HarnessError> {
    match graph {
        Ok(graph) => Ok(Ok(graph)),
        Err(NoUnitGraph::Unknown(why)) => Ok(Err(why)),
        Err(NoUnitGraph::Refused(text)) => {
            let text = text.trim_start_matches("error: ").to_owned();
            Err(HarnessError::Refused(text))
        }
    }
}

/// Programs of a package that tests start, with the variables by which cargo tells them.
pub(super) fn programs<'a>(
    package: &'a Package,
    artifacts: &'a [Artifact],
) -> impl Iterator<Item = (String, &'a Path)> {
    let own = artifacts.iter().filter(|it| {
        it.package_id.repr == package.id
            && !it.profile.test
            && it.target.kind.contains(&TargetKind::Bin)
    });
    own.filter_map(|it| {
        let path = it.executable.as_ref()?.as_std_path();
        Some((format!("CARGO_BIN_EXE_{}", it.target.name), path))
    })
}

/// False if the manifest has `doctest = false`, which cargo heeds unless it is given `--doc`.
#[must_use]
pub fn tests_documentation(manifest: &Path) -> bool {
    let manifest = fs::read_to_string(manifest).unwrap_or_default();
    let manifest: toml::Table = manifest.parse().unwrap_or_default();
    let doctest = manifest.get("lib").and_then(|it| it.get("doctest"));
    doctest.and_then(toml::Value::as_bool) != Some(false)
}

/// Names of the executables that the manifest says to be without libtest.
fn without_harness(manifest: &Path) -> BTreeSet<String> {
    let manifest = fs::read_to_string(manifest).unwrap_or_default();
    let manifest: toml::Table = manifest.parse().unwrap_or_default();
    let off = |it: &toml::Value| it.get("harness").and_then(toml::Value::as_bool) == Some(false);
    let mut names = BTreeSet::new();
    if manifest.get("lib").is_some_and(off) {
        names.insert("lib".to_owned());
    }
    for kind in ["test", "bin", "example", "bench"] {
        let entries = manifest.get(kind).and_then(toml::Value::as_array);
        for entry in entries.into_iter().flatten().filter(|it| off(it)) {
            if let Some(name) = entry.get("name").and_then(toml::Value::as_str) {
                names.insert(format!("{kind} {name}"));
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_without_libtest_are_known_by_the_manifest() {
        let directory = tempfile::tempdir().unwrap();
        let manifest = directory.path().join("Cargo.toml");
        let text = "[lib]\nharness = false\n[[test]]\nname = \"a\"\nharness = false\n[[test]]\nname = \"b\"\n";
        fs::write(&manifest, text).unwrap();
        let names: Vec<String> = without_harness(&manifest).into_iter().collect();
        assert_eq!(names, ["lib", "test a"]);
    }
}
