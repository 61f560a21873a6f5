//! Builds the examples of a package's documentation, instrumented: all in one executable, as rustdoc does since edition
//! 2024; where that does not compile, each in one of its own.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use super::build_event::{BuildEvent, BuildStage};
use super::doctest_scan::may_have_examples;
use super::doctest_source::{Doctest, read, sources};
use super::harness_error::HarnessError;
use super::test_build::{Build, TestExecutable, package_directory};
use contest_build::instrument::doctest_recorder::{
    RecordedDoctests, called, record_doctests, recorded_file,
};
use contest_build::instrument::rustc_unit::DOCTESTS_CRATE;
use contest_build::instrument::rustc_wrapper::DOCUMENTATION;
use contest_build::workspace::cargo_build::{CargoMessage, run_cargo};
use contest_build::workspace::logged_command::logged_output;
use contest_build::workspace::scratch_dir::{WriteError, make_directory, write_if_changed};
use contest_build::workspace::selection::Package;
use contest_catalog::skipped::Skipped;

/// The file that says what was built.
const BUILT: &str = "built.json";

/// Cargo's words where none of the packages has documentation that can be tested.
const NO_LIBRARY: &str = "no library targets found";

/// What there is to run, and what is not.
#[derive(Debug, Default)]
pub(super) struct Doctests {
    pub(super) executables: Vec<TestExecutable>,
    pub(super) left_out: Vec<Skipped>,
}

/// What was built, beside it.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Built {
    /// Names and files of executables.
    executables: Vec<(String, String)>,
    /// Examples that do not compile, with the reason.
    left_out: Vec<(String, String)>,
}

/// Builds those of these packages, unless that was done before; by the ids of packages.
pub(super) fn build_doctests(
    build: &Build<'_>,
    packages: &[&Package],
    on_event: &mut dyn FnMut(BuildEvent),
) -> Result<BTreeMap<String, Doctests>, HarnessError> {
    let mut all = BTreeMap::new();
    let has_examples = |it: &&Package| may_have_examples(&it.library_source);
    let packages: Vec<&Package> = packages.iter().copied().filter(has_examples).collect();
    if packages.is_empty() {
        return Ok(all);
    }
    let place = build.target.join("doctests");
    make_directory(&place)?;
    let failed = record(build, &packages, &place, on_event)?;
    for package in packages {
        let file = recorded_file(&place, &package.name, &package.version);
        let doctests = match recorded(&file) {
            Ok(Some(recorded)) => of_package(build, package, &place, &recorded, on_event)?,
            // Cargo has not called rustdoc for it.
            Ok(None) => match &failed {
                Some(why) => without(why),
                None => Doctests::default(),
            },
            Err(why) => without(failed.as_ref().unwrap_or(&why)),
        };
        all.insert(package.id.clone(), doctests);
    }
    Ok(all)
}

fn of_package(
    build: &Build<'_>,
    package: &Package,
    place: &Path,
    recorded: &RecordedDoctests,
    on_event: &mut dyn FnMut(BuildEvent),
) -> Result<Doctests, HarnessError> {
    let (doctests, mut left_out) = match read(&recorded.list, &build.toolchain.host) {
        Ok(doctests) => doctests,
        Err(error) => {
            return Ok(without(&format!(
                "the list that this rustdoc gives is another one: {error}"
            )));
        }
    };
    if doctests.is_empty() {
        return Ok(Doctests {
            executables: Vec::new(),
            left_out,
        });
    }
    let name = format!("{}-{}", package.name, package.version);
    let directory = place.join(format!("{name}-{:016x}", key(build, recorded)));
    // What another version of this tool has written is built again.
    let built = fs::read_to_string(directory.join(BUILT)).ok();
    let built = match built.and_then(|text| serde_json::from_str(&text).ok()) {
        Some(built) => built,
        None => {
            on_event(BuildEvent::Started(BuildStage::Tests));
            remove_older(place, &name);
            make_directory(&directory)?;
            let compiler = Compiler {
                build,
                package,
                arguments: &recorded.arguments,
                directory: &directory,
            };
            let built = compiler.all(&doctests)?;
            let text = serde_json::to_string(&built).unwrap_or_default();
            write_if_changed(&directory.join(BUILT), &text)?;
            built
        }
    };
    left_out.extend(
        built
            .left_out
            .into_iter()
            .map(|(item, why)| Skipped::new(item, why)),
    );
    let executable = |(name, file): (String, String)| TestExecutable {
        name,
        path: directory.join(file),
        source: package.library_source.clone(),
    };
    Ok(Doctests {
        executables: built.executables.into_iter().map(executable).collect(),
        left_out,
    })
}

fn without(why: &str) -> Doctests {
    Doctests {
        left_out: vec![Skipped::new("examples of documentation", why)],
        ..Doctests::default()
    }
}

/// Has cargo call this tool as rustdoc, which notes in `place` what it is called with. Why cargo failed, if it did.
fn record(
    build: &Build<'_>,
    packages: &[&Package],
    place: &Path,
    on_event: &mut dyn FnMut(BuildEvent),
) -> Result<Option<String>, HarnessError> {
    let mut command = build.of_documentation();
    let rustdoc = format!("rustdoc{}", std::env::consts::EXE_SUFFIX);
    let rustdoc = build.toolchain.rustc.with_file_name(rustdoc);
    record_doctests(&mut command, &build.options.wrapper, &rustdoc, place);
    for package in packages {
        let called = called(&recorded_file(place, &package.name, &package.version));
        if called.exists() {
            fs::remove_file(&called).map_err(|source| WriteError::new(&called, source))?;
        }
    }
    let end = run_cargo(&mut command, &mut |message| {
        if let CargoMessage::Progress { .. } = message
            && let Some(event) = BuildEvent::of(BuildStage::Tests, &message)
        {
            on_event(event);
        }
    });
    let end = end.map_err(|error| HarnessError::Cargo(build.toolchain.cargo.clone(), error))?;
    if end.success || end.stderr.contains(NO_LIBRARY) {
        return Ok(None);
    }
    let error = end.stderr.lines().find(|it| it.starts_with("error"));
    Ok(Some(error.unwrap_or("cargo failed").to_owned()))
}

/// What rustdoc was called with for a package; nothing if it was not, or why there is no list.
fn recorded(file: &Path) -> Result<Option<RecordedDoctests>, String> {
    if !called(file).exists() {
        return Ok(None);
    }
    let text = fs::read_to_string(file).map_err(|_| "rustdoc does not list them".to_owned())?;
    let unreadable = |error: serde_json::Error| error.to_string();
    serde_json::from_str(&text).map(Some).map_err(unreadable)
}

/// Names everything that the executables depend on.
fn key(build: &Build<'_>, recorded: &RecordedDoctests) -> u64 {
    let mut hasher = DefaultHasher::new();
    let recorded = serde_json::to_string(recorded).unwrap_or_default();
    let settings = serde_json::to_string(&build.instrumentation).unwrap_or_default();
    (recorded, settings, &build.toolchain.version_text).hash(&mut hasher);
    hasher.finish()
}

/// Removes what was built of the package before.
fn remove_older(place: &Path, name: &str) {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    for path in entries.map(|it| it.path()) {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let rest = file.strip_prefix(name).and_then(|it| it.strip_prefix('-'));
        if rest.is_some_and(|it| it.len() == 16) && path.is_dir() {
            // If it is in use, the next run removes it.
            let _ = fs::remove_dir_all(&path);
        }
    }
}

struct Compiler<'a> {
    build: &'a Build<'a>,
    package: &'a Package,
    /// Of rustdoc.
    arguments: &'a [String],
    directory: &'a Path,
}

impl Compiler<'_> {
    /// Executables with all of them, by edition, as far as they compile.
    fn all(&self, doctests: &[Doctest]) -> Result<Built, HarnessError> {
        let mut built = Built::default();
        let mut editions: Vec<Option<&str>> = doctests.iter().map(Doctest::edition).collect();
        editions.sort_unstable();
        editions.dedup();
        for edition in editions {
            let same: Vec<&Doctest> = doctests
                .iter()
                .filter(|it| it.edition() == edition)
                .collect();
            let name = edition.map_or_else(|| "doc".to_owned(), |it| format!("doc edition{it}"));
            if self
                .compile(&same, false, edition, &name, &mut built)?
                .is_none()
            {
                continue;
            }
            for doctest in same {
                let name = format!("doc {}:{}", doctest.file, doctest.line);
                if let Some(why) = self.compile(&[doctest], true, edition, &name, &mut built)? {
                    let why = format!("it does not compile as a part of a crate of tests: {why}");
                    built.left_out.push((doctest.name.clone(), why));
                }
            }
        }
        Ok(built)
    }

    /// Compiles an executable and adds it, or says why it does not compile.
    fn compile(
        &self,
        doctests: &[&Doctest],
        alone: bool,
        edition: Option<&str>,
        name: &str,
        built: &mut Built,
    ) -> Result<Option<String>, HarnessError> {
        let unit = format!("-{}", built.executables.len() + built.left_out.len());
        let unit = if alone { unit } else { format!("{unit}-all") };
        let (root, files) = sources(doctests, alone);
        let sources = self.directory.join(format!("src{unit}"));
        let mut remapped = Vec::new();
        for file in files {
            let directory = sources.join(&file.directory);
            let path = directory.join(&file.path);
            make_directory(path.parent().unwrap_or(&directory))?;
            write_if_changed(&path, &file.text)?;
            remapped.push(directory);
        }
        let main = sources.join("main.rs");
        write_if_changed(&main, &root)?;
        let mut command = self.command(&main, &unit, edition);
        // Each has a name of its own there, or the compiler would take them for one file.
        for (number, directory) in remapped.iter().enumerate() {
            let directory = directory.display();
            command.arg(format!(
                "--remap-path-prefix={directory}={DOCUMENTATION}{number}"
            ));
        }
        let output = logged_output(&mut command)
            .map_err(|source| HarnessError::from(WriteError::new(self.directory, source)))?;
        if !output.status.success() {
            return Ok(Some(first_error(&String::from_utf8_lossy(&output.stderr))));
        }
        let file = format!("{DOCTESTS_CRATE}{unit}{}", std::env::consts::EXE_SUFFIX);
        built.executables.push((name.to_owned(), file));
        Ok(None)
    }

    /// The wrapper, called as cargo calls it.
    fn command(&self, main: &Path, unit: &str, edition: Option<&str>) -> Command {
        let build = self.build;
        let mut command = Command::new(&build.options.wrapper);
        build.instrumentation.set(&mut command);
        command
            .arg(&build.toolchain.rustc)
            .args(["--crate-name", DOCTESTS_CRATE])
            .args(kept(self.arguments, edition))
            .args(["--crate-type", "bin", "--emit=link", "--error-format=json"])
            .args(["--target", &build.toolchain.host, "--cap-lints", "allow"])
            .args([
                "-C",
                "metadata=contest",
                "-C",
                &format!("extra-filename={unit}"),
            ])
            .arg("--out-dir")
            .arg(self.directory)
            .arg(main)
            .current_dir(package_directory(self.package))
            .stdin(Stdio::null());
        command
    }
}

/// The arguments of rustdoc that a compiler takes too.
fn kept(arguments: &[String], edition: Option<&str>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut all = arguments.iter();
    while let Some(argument) = all.next() {
        let name = argument
            .split_once('=')
            .map_or(argument.as_str(), |it| it.0);
        match name {
            "--extern" | "-L" | "-C" | "--cfg" | "--check-cfg" => {
                kept.push(argument.clone());
                if argument == name {
                    kept.extend(all.next().cloned());
                }
            }
            "--edition" if edition.is_none() => kept.push(argument.clone()),
            _ => {}
        }
    }
    kept.extend(edition.map(|it| format!("--edition={it}")));
    kept
}

/// The first error among messages of the compiler.
fn first_error(messages: &str) -> String {
    #[derive(Deserialize)]
    struct Message {
        level: String,
        message: String,
    }
    let messages = messages
        .lines()
        .filter_map(|it| serde_json::from_str::<Message>(it).ok());
    let mut errors = messages.filter(|it| it.level.starts_with("error"));
    errors
        .next()
        .map_or_else(|| "the compiler says nothing".to_owned(), |it| it.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiler_has_the_libraries_and_features_of_rustdoc() {
        let text = "--edition=2021 --crate-type lib --crate-name x --test src/lib.rs --extern x=/t/libx.rlib \
                    -L dependency=/t -C embed-bitcode=no --cfg a --error-format human";
        let arguments: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let common = "--extern x=/t/libx.rlib -L dependency=/t -C embed-bitcode=no --cfg a";
        assert_eq!(
            kept(&arguments, None).join(" "),
            format!("--edition=2021 {common}")
        );
        assert_eq!(
            kept(&arguments, Some("2018")).join(" "),
            format!("{common} --edition=2018")
        );
    }
}
