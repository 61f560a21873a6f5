//! Cargo's build of the test executables of a package.

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
use super::libc_calls::call_libc;
use super::{property_tests, test_profile};
use crate::instrument::rustc_wrapper::Instrumentation;
use crate::skipped::Skipped;
use crate::workspace::cargo_build::{CargoEnd, CargoMessage, FailureCause, Toolchain, run_cargo};
use crate::workspace::selection::{FeatureSelection, Package};

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

/// Which tests of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestTargets {
    /// Unit and integration tests.
    pub tests: bool,
    /// Integration tests of these targets.
    pub named: Vec<String>,
    /// Tests in examples.
    pub examples: bool,
    /// Examples in the documentation.
    pub documentation: bool,
}

impl TestTargets {
    /// No test.
    pub const NONE: Self = Self {
        tests: false,
        named: Vec::new(),
        examples: false,
        documentation: false,
    };

    /// Those of both.
    #[must_use]
    pub fn or(mut self, other: Self) -> Self {
        self.named.extend(other.named);
        Self {
            tests: self.tests || other.tests,
            named: self.named,
            examples: self.examples || other.examples,
            documentation: self.documentation || other.documentation,
        }
    }

    /// True if cargo builds executables of tests for them.
    #[must_use]
    pub fn are_built(&self) -> bool {
        self.tests || self.examples || !self.named.is_empty()
    }

    /// Those of one executable, by its name.
    #[must_use]
    pub fn of_executable(name: &str) -> Self {
        let is_kind = |kind: &str| name.split(' ').next() == Some(kind);
        Self {
            tests: !is_kind("doc") && !is_kind("example"),
            named: Vec::new(),
            examples: is_kind("example"),
            documentation: is_kind("doc"),
        }
    }
}

pub(super) fn package_directory(package: &Package) -> &Path {
    package.manifest_path.parent().unwrap_or(Path::new("/"))
}

/// What one run of cargo made.
#[derive(Default)]
pub(super) struct Round {
    pub(super) artifacts: Vec<Artifact>,
    /// Errors as the compiler shows them.
    diagnostics: String,
}

pub(super) struct Build<'a> {
    pub(super) toolchain: &'a Toolchain,
    pub(super) package: &'a Package,
    pub(super) features: &'a FeatureSelection,
    pub(super) targets: TestTargets,
    pub(super) options: &'a HarnessOptions,
    pub(super) instrumentation: Instrumentation,
    pub(super) target: PathBuf,
}

impl Build<'_> {
    /// Runs cargo, without a network if there is none.
    pub(super) fn cargo(
        &self,
        instrumented: bool,
        on_event: &mut dyn FnMut(BuildEvent),
    ) -> Result<(CargoEnd, Round), HarnessError> {
        let (end, round) = self.cargo_once(instrumented, false, on_event)?;
        if end.success || end.cause() != FailureCause::Offline {
            return Ok((end, round));
        }
        let (again, round) = self.cargo_once(instrumented, true, on_event)?;
        if !again.success && again.cause() == FailureCause::Offline {
            return Err(HarnessError::Offline(end.stderr));
        }
        Ok((again, round))
    }

    fn cargo_once(
        &self,
        instrumented: bool,
        offline: bool,
        on_event: &mut dyn FnMut(BuildEvent),
    ) -> Result<(CargoEnd, Round), HarnessError> {
        let stage = if instrumented {
            BuildStage::Tests
        } else {
            BuildStage::Plain
        };
        on_event(BuildEvent::Started(stage));
        let mut round = Round::default();
        let mut command = self.command(instrumented);
        let given = &self.options.cargo_arguments;
        if offline && !given.iter().any(|it| it == "--offline") {
            command.arg("--offline");
        }
        let end = run_cargo(&mut command, &mut |message| {
            if let Some(event) = BuildEvent::of(stage, &message) {
                on_event(event);
            }
            match message {
                CargoMessage::Artifact(artifact) => round.artifacts.push(*artifact),
                CargoMessage::Compiler(message) if is_error(&message.message) => {
                    let text = message.message.rendered.as_deref();
                    round.diagnostics.push_str(text.unwrap_or_default());
                }
                _ => {}
            }
        });
        let cargo = &self.toolchain.cargo;
        let end = end.map_err(|error| HarnessError::Cargo(cargo.clone(), error))?;
        Ok((end, round))
    }

    fn command(&self, instrumented: bool) -> Command {
        let mut command = self.of_package(instrumented);
        command.args(["--no-run", "--no-fail-fast"]);
        if self.targets.tests {
            command.arg("--tests");
        }
        for name in &self.targets.named {
            command.args(["--test", name]);
        }
        if self.targets.examples {
            command.arg("--examples");
        }
        command
    }

    /// `cargo test` of the package.
    pub(super) fn of_package(&self, instrumented: bool) -> Command {
        let mut command = self.toolchain.cargo(&self.package.workspace_root);
        let target = if instrumented {
            self.instrumentation
                .apply(&self.options.wrapper, &mut command);
            call_libc(&mut command, &self.package.lock_file);
            self.target.clone()
        } else {
            self.package.target_directory.join("contest/plain")
        };
        let format = if self.options.color {
            "json-diagnostic-rendered-ansi"
        } else {
            "json"
        };
        command
            .arg("test")
            .args(["--message-format", format])
            .args(["--target", &self.toolchain.host])
            .args(["--package", &self.package.id])
            .arg("--manifest-path")
            .arg(&self.package.graph_manifest)
            .arg("--target-dir")
            .arg(&target)
            .env("CARGO_BUILD_BUILD_DIR", &target)
            .args(self.features.arguments())
            .args(&self.options.cargo_arguments);
        set_profile(&mut command, self.options);
        test_profile::optimise(&mut command, &self.package.workspace_root);
        command
    }

    /// Which part of a failed build is at fault: the sources, or the instrumentation.
    pub(super) fn explain(
        &self,
        end: &CargoEnd,
        round: Round,
        on_event: &mut dyn FnMut(BuildEvent),
    ) -> Result<HarnessError, HarnessError> {
        if end.stderr.contains("no test target named") {
            let text = end.stderr.trim().trim_start_matches("error: ");
            return Ok(HarnessError::NoSuchTarget(text.to_owned()));
        }
        let package = self.package.name.clone();
        let (plain_end, plain) = self.cargo(false, on_event)?;
        Ok(if plain_end.success {
            HarnessError::NotInstrumentable {
                package,
                diagnostics: round.diagnostics + &end.stderr,
            }
        } else {
            HarnessError::SubjectDoesNotBuild {
                package,
                diagnostics: plain.diagnostics + &plain_end.stderr,
            }
        })
    }

    /// Executables that can be explored, and what cannot.
    pub(super) fn sort(
        &self,
        artifacts: &[Artifact],
        on_event: &mut dyn FnMut(BuildEvent),
    ) -> (Vec<TestExecutable>, Vec<Skipped>) {
        let mut allocators = BTreeSet::new();
        let mut executables = Vec::new();
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
        left_out.extend(property_tests::left_out(artifacts));
        let without = without_harness(&self.package.manifest_path);
        for artifact in artifacts {
            let mut files = artifact.filenames.iter().map(|it| it.as_std_path());
            let rlib = files.find(|it| it.extension().is_some_and(|it| it == "rlib"));
            allocators.extend(rlib.and_then(|it| self.instrumentation.allocator_of(it)));
            if let Some(note) = rlib.and_then(|it| self.instrumentation.note_about(it)) {
                left_out.push(Skipped::new(note.package, note.why));
            }
            let Some(path) = (artifact.executable.as_ref()).filter(|_| artifact.profile.test)
            else {
                continue;
            };
            let path = path.clone().into_std_path_buf();
            allocators.extend(self.instrumentation.allocator_of(&path));
            let name = name_of(artifact);
            let why = if without.contains(&name) {
                Some("it has `harness = false`, so it does not say which tests it has".to_owned())
            } else if artifact.target.is_proc_macro() {
                Some("it runs where macros run, in the compiler's process".to_owned())
            } else {
                let note = self.instrumentation.note_about_executable(&path);
                note.map(|note| format!("it compiles only with the real `std`: {}", note.why))
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
        // The unit tests of a library have the allocator of that too.
        for package in allocators {
            on_event(BuildEvent::AllocatorReplaced { package });
        }
        (executables, left_out)
    }
}

/// `lib`, `test queue`, `bin server`.
fn name_of(artifact: &Artifact) -> String {
    let target = &artifact.target;
    let has = |kind: TargetKind| target.kind.contains(&kind);
    let kind = match () {
        () if has(TargetKind::Test) => "test",
        () if has(TargetKind::Bin) => "bin",
        () if has(TargetKind::Example) => "example",
        () if has(TargetKind::Bench) => "bench",
        () => return "lib".to_owned(),
    };
    format!("{kind} {}", target.name)
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
