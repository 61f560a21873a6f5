//! Builds a driver, leaving out what does not compile until the rest does.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::{Artifact, BuildScript};
use tracing::{info, info_span};

use crate::harness::build_event::{BuildEvent, BuildStage};
use crate::harness::compile_error::{is_afterthought, is_error, lines_in_driver, reason};
use crate::harness::driver_manifest::{driver_lock_file, driver_manifest, read_root_manifest};
use crate::harness::driver_source::{DriverSource, SOURCE_FILE};
use crate::harness::harness_error::HarnessError;
use crate::harness::harness_options::HarnessOptions;
use crate::harness::left_out::{Item, LeftOut, given_in};
use crate::harness::libc_calls::call_libc;
use crate::harness::remembered::Remembered;
use crate::harness::subject_package::SubjectPackage;
use crate::harness::unseen_code::{linked_libraries, unseen_code, unseen_in_dependencies};
use contest_build::instrument::facade_build::Facade;
use contest_build::instrument::lock_stand_in::LockStandIn;
use contest_build::instrument::rustc_wrapper::Instrumentation;
use contest_build::instrument::unit_notes::UnitNotes;
use contest_build::workspace::cargo_build::{
    CargoEnd, CargoMessage, FailureCause, Toolchain, build_into, run_cargo,
};
use contest_build::workspace::scratch_dir::{WriteError, write_if_changed};
use contest_catalog::skipped::Skipped;
use contest_catalog::subject_catalog::SubjectCatalog;

/// Most bytes of diagnostics that are kept for an error.
const DIAGNOSTICS_KEPT: usize = 64 * 1024;

/// A driver as cargo built it.
#[derive(Debug)]
pub struct BuiltDriver {
    /// Where cargo put it; the next build overwrites it.
    pub executable: PathBuf,
    /// The catalog without what does not compile.
    pub catalog: SubjectCatalog,
    /// Crates compiled with the facade, the driver not counted.
    pub instrumented: usize,
    /// Crates compiled without.
    pub uninstrumented: Vec<Skipped>,
}

/// Writes and builds the driver of `package`.
///
/// # Errors
/// See [`HarnessError`].
pub fn build_driver(
    toolchain: &Toolchain,
    facade: Facade,
    package: &SubjectPackage,
    catalog: &SubjectCatalog,
    options: &HarnessOptions,
    on_event: &mut dyn FnMut(BuildEvent),
) -> Result<BuiltDriver, HarnessError> {
    let _span = info_span!("driver build", package = package.name).entered();
    let nothing_left_out = unusable(catalog);
    let text = DriverSource::generate(package, catalog, &nothing_left_out).text;
    let package = &naming(package, &text);
    let directory = package.driver_directory();
    let manifest = driver_manifest(package, &read_root_manifest(&package.workspace_root));
    write_if_changed(&directory.join("Cargo.toml"), &manifest)?;
    write_lock_file(package, &directory)?;
    let contest = package.contest_directory();
    // Cargo does not see the flags that the wrapper adds, so builds with them have a directory of their own.
    let accesses = options.memory && facade.accesses_refused.is_none();
    let kind = if accesses { "-memory" } else { "" };
    let internal = if package.internal.is_some() {
        "-internal"
    } else {
        ""
    };
    let target = contest.join(format!("build-{}{kind}{internal}", facade.fingerprint));
    let mut build = Build {
        toolchain,
        package,
        options,
        manifest: directory.join("Cargo.toml"),
        instrumentation: Instrumentation {
            lock_stand_in: LockStandIn::unless_tested(&facade.lock_sources, &package.name),
            facade,
            driver_crate: package.driver_crate(),
            notes: UnitNotes::new(target.join("notes")),
            accesses,
            test_harness: None,
            checkout: None,
            internal: package.internal.clone(),
        },
        target,
        plain_target: contest.join("plain"),
        offline: options.cargo_arguments.iter().any(|it| it == "--offline"),
    };

    let question = {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        manifest.hash(&mut hasher);
        build.instrumentation.facade.fingerprint.hash(&mut hasher);
        hasher.finish()
    };
    // What did not compile last time does not compile now, unless a crate has changed since, which cargo's messages
    // will show.
    let mut memory = Remembered::read(&build.target);
    let remembered = memory.of(question);
    let mut from_memory = remembered.is_some();
    let mut left_out = remembered.unwrap_or_else(|| nothing_left_out.clone());

    loop {
        let compiling = left_out.with_plain_values(catalog);
        let remaining = left_out.remaining(&compiling);
        if remaining.subjects.is_empty() {
            if !std::mem::take(&mut from_memory) {
                return Err(HarnessError::NothingCompiles(Box::new(remaining)));
            }
            left_out = nothing_left_out.clone();
            continue;
        }
        let source = DriverSource::generate(package, &compiling, &left_out);
        write_if_changed(&directory.join(SOURCE_FILE), &source.text)?;
        let round = build.run(on_event)?;

        if round.built_other_crates {
            memory.forget()?;
        }
        if from_memory && round.built_other_crates {
            from_memory = false;
            left_out = nothing_left_out.clone();
            continue;
        }
        if round.end.success {
            memory.keep(question, left_out)?;
            return build.finish(round, remaining, on_event);
        }
        let known = left_out.len();
        for (item, why) in refused(&round, &source) {
            if let Some(given) = given_in(catalog, item) {
                let given = given.clone();
                return Err(HarnessError::Setting { given, why });
            }
            left_out.refuse(catalog, item, why);
        }
        if left_out.len() == known {
            return Err(build.explain(round, on_event)?);
        }
        info!(items = left_out.len(), "left out; building again");
        on_event(BuildEvent::LeftOut {
            items: left_out.len(),
        });
    }
}

/// The package with those of the crates that it depends on which the driver's source names. Each would be one more
/// version to hold.
pub(super) fn naming(package: &SubjectPackage, source: &str) -> SubjectPackage {
    // The driver has its own runtime by this name; annotated packages depend on another one.
    const RUNTIME: &str = "contest";
    let mut package = package.clone();
    package
        .named
        .retain(|it| it.path != RUNTIME && source.contains(&format!("{}::", it.path)));
    package
}

/// Panics are observed, the runtime has no code for LTO, its symbols are needed, and reports name source lines.
pub(super) fn set_profile(command: &mut Command, options: &HarnessOptions) {
    let profile = options.profile.to_uppercase().replace('-', "_");
    // Race reports name fields.
    let debug = if options.memory || options.debuggable {
        "full"
    } else {
        "line-tables-only"
    };
    for (setting, value) in [
        ("PANIC", "unwind"),
        ("LTO", "off"),
        ("STRIP", "none"),
        ("DEBUG", debug),
    ] {
        command.env(format!("CARGO_PROFILE_{profile}_{setting}"), value);
    }
    if options.debuggable {
        for profile in [&profile, "TEST"] {
            command.env(format!("CARGO_PROFILE_{profile}_OPT_LEVEL"), "0");
        }
    }
}

/// Subjects that cannot be made or called at all.
fn unusable(catalog: &SubjectCatalog) -> LeftOut {
    let mut left_out = LeftOut::default();
    for (number, subject) in catalog.subjects.iter().enumerate() {
        if subject.constructors.is_empty() {
            left_out.add(catalog, Item::Subject(number), "no constructor".into());
        } else if subject.operations.is_empty() {
            left_out.add(catalog, Item::Subject(number), "no operation".into());
        }
    }
    left_out
}

/// Copies the user's lock file, unless cargo has already worked with this copy of it.
pub(super) fn write_lock_file(
    package: &SubjectPackage,
    directory: &Path,
) -> Result<(), WriteError> {
    let (copy, original) = (
        directory.join("Cargo.lock"),
        directory.join("Cargo.lock.orig"),
    );
    let Some(lock_file) = &package.lock_file else {
        return Ok(());
    };
    let text = fs::read_to_string(lock_file).unwrap_or_default();
    let text = driver_lock_file(package, &text);
    if write_if_changed(&original, &text)? || !copy.is_file() {
        write_if_changed(&copy, &text)?;
    }
    Ok(())
}

/// Items that the compiler refused, in the order of its messages.
fn refused(round: &Round, source: &DriverSource) -> Vec<(Item, String)> {
    let errors = round.driver_errors.iter();
    errors
        .filter_map(|(lines, why)| {
            let item = lines.iter().find_map(|line| source.item_at(*line))?;
            Some((item, why.clone()))
        })
        .collect()
}

/// One run of cargo.
struct Round {
    end: CargoEnd,
    artifacts: Vec<Artifact>,
    build_scripts: Vec<BuildScript>,
    /// Errors in the driver's own source: lines, reason.
    driver_errors: Vec<(Vec<u32>, String)>,
    /// All errors, as the compiler shows them.
    diagnostics: String,
    /// A crate other than the driver was not fresh.
    built_other_crates: bool,
}

struct Build<'a> {
    toolchain: &'a Toolchain,
    package: &'a SubjectPackage,
    options: &'a HarnessOptions,
    manifest: PathBuf,
    instrumentation: Instrumentation,
    target: PathBuf,
    plain_target: PathBuf,
    /// There is no network: by the user's option, or found out by a build.
    offline: bool,
}

impl Build<'_> {
    /// Builds the driver, instrumented.
    fn run(&mut self, on_event: &mut dyn FnMut(BuildEvent)) -> Result<Round, HarnessError> {
        on_event(BuildEvent::Started(BuildStage::Driver));
        let round = self.cargo(BuildStage::Driver, on_event)?;
        if round.end.success {
            return Ok(round);
        }
        match round.end.cause() {
            FailureCause::Offline if !self.offline => {
                // Without a network cargo gives up even if everything it needs is in the cache.
                self.offline = true;
                let again = self.cargo(BuildStage::Driver, on_event)?;
                if !again.end.success && again.end.cause() == FailureCause::Offline {
                    return Err(HarnessError::Offline(round.end.stderr));
                }
                Ok(again)
            }
            FailureCause::Offline => Err(HarnessError::Offline(round.end.stderr)),
            FailureCause::NotWritable if round.diagnostics.is_empty() => {
                let source = std::io::Error::other(round.end.stderr.trim().to_owned());
                Err(WriteError::new(&self.target, source).into())
            }
            _ => Ok(round),
        }
    }

    /// Runs cargo for one of the stages.
    fn cargo(
        &self,
        stage: BuildStage,
        on_event: &mut dyn FnMut(BuildEvent),
    ) -> Result<Round, HarnessError> {
        let mut artifacts = Vec::new();
        let mut build_scripts = Vec::new();
        let mut driver_errors: Vec<(Vec<u32>, String)> = Vec::new();
        let mut diagnostics = String::new();
        let mut built_other_crates = false;
        let mut command = self.command(stage);
        let end = run_cargo(&mut command, &mut |message| {
            if let Some(event) = BuildEvent::of(stage, &message) {
                on_event(event);
            }
            match message {
                CargoMessage::Artifact(artifact) => {
                    built_other_crates |= !artifact.fresh && !self.is_driver(&artifact.target.name);
                    artifacts.push(*artifact);
                }
                CargoMessage::Compiler(message)
                    if is_error(&message.message) || is_afterthought(&message.message) =>
                {
                    let said = &message.message;
                    let text = said.rendered.as_deref().unwrap_or_default();
                    if diagnostics.len() + text.len() <= DIAGNOSTICS_KEPT {
                        diagnostics.push_str(text);
                    }
                    if self.is_driver(&message.target.name) {
                        let lines = lines_in_driver(said);
                        if is_error(said) {
                            driver_errors.push((lines, reason(said)));
                        } else if let Some((of_error, _)) = driver_errors.last_mut() {
                            of_error.extend(lines);
                        }
                    }
                }
                CargoMessage::BuildScript(script) => build_scripts.push(*script),
                CargoMessage::Compiler(_) | CargoMessage::Progress { .. } => {}
            }
        });
        Ok(Round {
            end: end.map_err(|error| HarnessError::Cargo(self.toolchain.cargo.clone(), error))?,
            artifacts,
            build_scripts,
            driver_errors,
            diagnostics,
            built_other_crates,
        })
    }

    fn is_driver(&self, target: &str) -> bool {
        target == self.instrumentation.driver_crate
    }

    /// In the root of the user's workspace, so that the user's configuration of cargo counts.
    fn command(&self, stage: BuildStage) -> Command {
        let mut command = self.toolchain.cargo(&self.package.workspace_root);
        let target = match stage {
            BuildStage::Plain => {
                let package = format!("{}@{}", self.package.name, self.package.version);
                command.args(["check", "--package", &package]);
                &self.plain_target
            }
            BuildStage::Runtime | BuildStage::Driver | BuildStage::Tests => {
                command.arg("build");
                self.instrumentation
                    .apply(&self.options.wrapper, &mut command);
                call_libc(&mut command, &self.manifest.with_file_name("Cargo.lock"));
                &self.target
            }
        };
        let format = if self.options.color {
            "json-diagnostic-rendered-ansi"
        } else {
            "json"
        };
        command
            .args(["--message-format", format])
            .args(["--profile", &self.options.profile])
            .args(["--target", &self.toolchain.host])
            .arg("--manifest-path")
            .arg(&self.manifest)
            .args(&self.options.cargo_arguments);
        build_into(&mut command, target);
        if self.offline
            && !self
                .options
                .cargo_arguments
                .iter()
                .any(|it| it == "--offline")
        {
            command.arg("--offline");
        }
        set_profile(&mut command, self.options);
        command
    }

    /// Takes the executable from a successful build, and collects the crates that were built without the facade.
    fn finish(
        &self,
        round: Round,
        catalog: SubjectCatalog,
        on_event: &mut dyn FnMut(BuildEvent),
    ) -> Result<BuiltDriver, HarnessError> {
        let executable = round
            .artifacts
            .iter()
            .filter(|artifact| self.is_driver(&artifact.target.name))
            .find_map(|artifact| artifact.executable.clone())
            .ok_or_else(|| self.own_error("cargo named no executable".to_owned()))?;
        let mut instrumented = 0;
        let mut dependencies = Vec::new();
        let mut uninstrumented = Vec::new();
        if let Some(why) = &self.instrumentation.facade.accesses_refused
            && self.options.memory
        {
            uninstrumented.push(Skipped::new(
                "memory accesses of all crates",
                format!(
                    "this toolchain cannot make them visible ({why}): data races are not looked for"
                ),
            ));
        }
        for artifact in &round.artifacts {
            let files = || artifact.filenames.iter().map(|it| it.as_std_path());
            // What has no note is for build scripts and macros, or the driver itself.
            let Some(note) = self.instrumentation.note_about(files()) else {
                continue;
            };
            let is_seen = note.why.is_none();
            match note.why {
                Some(why) => uninstrumented.push(Skipped::new(note.package, why)),
                None => instrumented += 1,
            }
            if let Some(package) = self.instrumentation.allocator_of(files()) {
                on_event(BuildEvent::AllocatorReplaced { package });
            }
            let same = |name: &str| name.replace('-', "_") == self.package.name.replace('-', "_");
            let Some(sources) = artifact.target.src_path.parent() else {
                continue;
            };
            if same(&artifact.target.name) {
                uninstrumented.extend(unseen_code(&self.package.name, sources.as_std_path()));
            } else if is_seen {
                dependencies.push((artifact.target.name.as_str(), sources.as_std_path()));
            }
        }
        uninstrumented.extend(unseen_in_dependencies(&dependencies));
        uninstrumented.extend(linked_libraries(&round.build_scripts, &round.artifacts));
        Ok(BuiltDriver {
            executable: executable.into_std_path_buf(),
            catalog,
            instrumented,
            uninstrumented,
        })
    }

    /// Finds out what broke a build: the driver, the user's sources, or the instrumentation.
    fn explain(
        &self,
        round: Round,
        on_event: &mut dyn FnMut(BuildEvent),
    ) -> Result<HarnessError, HarnessError> {
        let diagnostics = round.diagnostics + &round.end.stderr;
        if !round.driver_errors.is_empty() {
            return Ok(self.own_error(diagnostics));
        }
        on_event(BuildEvent::Started(BuildStage::Plain));
        let plain = self.cargo(BuildStage::Plain, on_event)?;
        let package = self.package.name.clone();
        Ok(if plain.end.success {
            HarnessError::NotInstrumentable {
                package,
                diagnostics,
            }
        } else {
            HarnessError::SubjectDoesNotBuild {
                package,
                diagnostics: plain.diagnostics + &plain.end.stderr,
            }
        })
    }

    fn own_error(&self, diagnostics: String) -> HarnessError {
        HarnessError::Driver {
            package: self.package.name.clone(),
            diagnostics,
        }
    }
}
