//! The tool as cargo's `RUSTC_WRAPPER`: hands the facade to each unit of the graph under test.
//!
//! `cargo contest` runs `cargo build` of the driver, which runs this once per unit, which runs `rustc`. Build scripts
//! and macros are not touched; cargo is run with an explicit `--target`, so only units with that flag are for the
//! driver. Another wrapper that the user has set up (a compiler cache) is not used.
//!
//! A crate that compiles only without the facade is compiled without it, and a note says so and why: see [`Note`].

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::instrument::access_flags::{ACCESS_FLAGS, FRAME_POINTERS, KEPT, debug_information};
use crate::instrument::checkout;
use crate::instrument::facade_build::Facade;
use crate::instrument::lock_stand_in::{self, LockStandIn};
use crate::instrument::rustc_attempt::{Attempt, pass_through};
use crate::instrument::rustc_unit::{Unit, plain_sections};
use crate::instrument::unit_notes::{self, UnitNotes};
use crate::workspace::internal_sources::InternalSources;

/// Directory of the files of examples of documentation, as their crate knows them, followed by the number of the
/// example.
pub const DOCUMENTATION: &str = "/contest-documentation/";
/// Set: the process is a wrapper. It and the others are set by [`Instrumentation::apply`].
const MARKER: &str = "CONTEST_WRAPPER";
const SETTINGS: &str = "CONTEST_WRAPPER_SETTINGS";
/// The file in which the facade's `#[global_allocator]` notes that it stood in the unit.
const ALLOCATOR_NOTE: &str = "CONTEST_ALLOCATOR_NOTE";

/// Crates that the facade stands in for. Nothing that is only in `alloc` is replaced, and some sources cannot have it
/// named to the compiler (crossbeam-utils 0.7: `extern crate std as alloc` out of a macro): it is last, and left out in
/// a second attempt.
const NAMES: [&str; 3] = ["std", "core", "alloc"];

/// Parameters of the wrapper, passed in the environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instrumentation {
    /// Stands in for `std`, `core` and `alloc`.
    pub facade: Facade,
    /// Crate name of the driver. It is given the runtime too, and is never compiled without the facade.
    pub driver_crate: String,
    /// A [`Note`] about each unit, the driver left out.
    pub notes: UnitNotes,
    /// Every memory access is made visible: see [`ACCESS_FLAGS`].
    pub accesses: bool,
    /// What test executables have in place of the compiler's crate `test`; `None` if none are built.
    #[serde(default)]
    pub test_harness: Option<PathBuf>,
    /// What is compiled in place of a library of locks.
    #[serde(default)]
    pub lock_stand_in: Option<LockStandIn>,
    /// Root of the workspace whose members are built by cargo as such; `None` for a driver, which knows packages by
    /// their whole paths.
    #[serde(default)]
    pub checkout: Option<PathBuf>,
    /// Sources that are compiled in place of those of the package under test.
    #[serde(default)]
    pub internal: Option<InternalSources>,
}

/// What became of a unit for the target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Package and version: `parking_lot 0.12.1`.
    pub package: String,
    /// If it was compiled without the facade, the first error of the compiler when that was there; or what was compiled
    /// in its place.
    pub why: Option<String>,
}

impl Instrumentation {
    /// Makes a cargo command use `wrapper`, which is this tool.
    ///
    /// # Panics
    /// If a path is not valid UTF-8; cargo could not have named it.
    pub fn apply(&self, wrapper: &Path, cargo: &mut Command) {
        cargo.env("RUSTC_WRAPPER", wrapper);
        if let Some(root) = &self.checkout {
            checkout::set(cargo, root);
        }
        self.set(cargo);
    }

    /// Passes them to a wrapper.
    ///
    /// # Panics
    /// See [`apply`](Self::apply).
    pub fn set(&self, wrapper: &mut Command) {
        let settings =
            serde_json::to_string(self).expect("paths that cargo wrote as JSON are text");
        wrapper.env(MARKER, "1").env(SETTINGS, settings);
    }

    /// The note about the unit for which cargo names these files, if it was for the target.
    #[must_use]
    pub fn note_about<'a>(&self, made: impl IntoIterator<Item = &'a Path>) -> Option<Note> {
        let made = self.notes.noted(made)?;
        let text = fs::read_to_string(self.notes.of_made(made)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// The package of the unit for which cargo names these files, if it has a `#[global_allocator]`, which drivers
    /// replace by their own: `app 0.1.0`.
    #[must_use]
    pub fn allocator_of<'a>(&self, made: impl IntoIterator<Item = &'a Path>) -> Option<String> {
        let note = self.notes.of_made(self.notes.noted(made)?);
        let text = fs::read_to_string(allocator_note(&note)).ok()?;
        Some(text.trim().to_owned())
    }
}

/// The file for the facade's note about an allocator, beside the one about the unit.
fn allocator_note(note: &Path) -> PathBuf {
    note.with_added_extension("allocator")
}

/// Directories with what the facade needs, for who reads libraries that were compiled with it; as the settings of the
/// wrapper say, which are set for cargo as a whole.
///
/// # Errors
/// If they are not set.
pub(super) fn library_directories() -> io::Result<Vec<PathBuf>> {
    let settings = std::env::var(SETTINGS).map_err(io::Error::other)?;
    let settings: Instrumentation = serde_json::from_str(&settings)?;
    Ok(settings.facade.dependency_directories)
}

/// True if this process was started as a wrapper.
#[must_use]
pub fn is_rustc_wrapper() -> bool {
    std::env::var_os(MARKER).is_some()
}

/// Compiles one unit: `arguments` are those of the process, its own name left out. Returns the exit code.
#[must_use]
pub fn run_as_rustc_wrapper(arguments: impl IntoIterator<Item = OsString>) -> i32 {
    match wrap(arguments.into_iter().collect()) {
        Ok(code) => code,
        Err(error) => {
            // Cargo shows what a wrapper writes here.
            let _ = writeln!(
                io::stderr(),
                "error: cargo-contest as rustc wrapper: {error}"
            );
            70
        }
    }
}

fn wrap(arguments: Vec<OsString>) -> io::Result<i32> {
    let Some((rustc, arguments)) = arguments.split_first() else {
        return Err(io::Error::other("no compiler named"));
    };
    let plain = || {
        let mut command = Command::new(rustc);
        command.args(arguments);
        command
    };
    let Some(unit) = Unit::of(arguments) else {
        return checkout::compile(plain(), arguments);
    };
    let settings = std::env::var(SETTINGS).map_err(io::Error::other)?;
    let settings: Instrumentation = serde_json::from_str(&settings)?;
    let mut arguments = arguments.to_vec();
    if let Some(internal) = &settings.internal
        && internal.redirect(&mut arguments, &std::env::current_dir()?)
    {
        // Reports name the user's files.
        let mut remap = flag("--remap-path-prefix=", &internal.copy);
        remap.push("=");
        remap.push(&internal.directory);
        arguments.push(remap);
    }

    // Also for a unit without the facade: what it depends on may have it.
    let linkable = |arguments: &[OsString]| {
        let mut command = Command::new(rustc);
        command.args(arguments);
        for directory in &settings.facade.dependency_directories {
            command.arg("-L").arg(flag("dependency=", directory));
        }
        // The runtime and the graph under test may hold the same crate.
        command.args(["-C", "metadata=contest"]);
        command.args(FRAME_POINTERS);
        command.args(KEPT);
        command.args(["-C", debug_information(settings.accesses)]);
        if settings.accesses {
            command.args(ACCESS_FLAGS);
        }
        if !unit.caps_lints {
            // `#![deny(warnings)]` is about the user's sources, not about what stands in for `std`.
            command.args(["--cap-lints", "warn"]);
        }
        command
    };
    let instrumented = |arguments: &[OsString], names: &[&str]| {
        let mut command = linkable(arguments);
        if let (Some(harness), true) = (&settings.test_harness, unit.is_test) {
            // In sight for generated code only: the user's modules of this name are found as without it.
            command.args(["-Z", "unstable-options", "--extern"]);
            command.arg(flag("noprelude:test=", harness));
            command.env("RUSTC_BOOTSTRAP", with_unstable_options(&unit.crate_name));
            command.args(plain_sections(arguments));
        }
        for name in names {
            command
                .arg("--extern")
                .arg(flag(&format!("{name}="), &settings.facade.facade_rlib));
        }
        command
    };
    if unit.crate_name == settings.driver_crate.as_str() {
        let mut command = instrumented(&arguments, &NAMES);
        let library = flag("contest=", &settings.facade.driver_rlib);
        command.arg("--extern").arg(library);
        command.args(["--check-cfg", "cfg(contest_accesses)"]);
        command.args(plain_sections(&arguments));
        if settings.accesses {
            command.args(["--cfg", "contest_accesses"]);
        }
        return pass_through(command);
    }

    let note = settings.notes.of_unit(&unit);
    let stand_in = settings.lock_stand_in.as_ref();
    if let Some(replaced) = stand_in.and_then(|it| it.in_place_of(&unit, &arguments, variable)) {
        let attempt = Attempt::run(instrumented(&replaced, &NAMES))?;
        match attempt.code {
            0 => write_note(&note, Some(lock_stand_in::WHY.to_owned()))?,
            _ => forget(&note)?,
        }
        if !attempt.is_refusal() {
            attempt.pass_on()?;
            return Ok(attempt.code);
        }
    }
    let allocator_note = allocator_note(&note);
    let mut refused = None;
    for names in [&NAMES[..], &NAMES[..2], &[]] {
        forget(&allocator_note)?;
        let mut command = instrumented(&arguments, names);
        command.env(ALLOCATOR_NOTE, &allocator_note);
        let attempt = Attempt::run(command)?;
        if attempt.is_refusal() {
            if !names.is_empty() {
                refused = Some(attempt);
            }
            continue;
        }
        let why = refused.as_ref().filter(|_| names.is_empty());
        if attempt.code == 0 {
            checkout::note(&arguments)?;
            write_note(&note, why.map(Attempt::first_error))?;
        } else {
            forget(&note)?;
        }
        attempt.pass_on()?;
        return Ok(attempt.code);
    }
    // Neither way: the errors with the facade are shown, unless the sources are at fault, which the tool finds out.
    forget(&note)?;
    let Some(refused) = refused else {
        return Err(io::Error::other("no attempt was made"));
    };
    refused.pass_on()?;
    Ok(refused.code)
}

/// The value of `RUSTC_BOOTSTRAP` with which the compiler takes unstable options for this crate; source code that names
/// unstable features does not compile without it either.
fn with_unstable_options(crate_name: &str) -> String {
    match std::env::var("RUSTC_BOOTSTRAP") {
        Ok(all) if all == "1" => all,
        Ok(others) if !others.is_empty() => format!("{others},{crate_name}"),
        _ => crate_name.to_owned(),
    }
}

/// What cargo sets for the unit; empty if it does not.
fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// `prefix` with a path behind it, as one argument.
fn flag(prefix: &str, path: &Path) -> OsString {
    let mut flag = OsString::from(prefix);
    flag.push(path);
    flag
}

fn write_note(path: &Path, why: Option<String>) -> io::Result<()> {
    let note = Note {
        package: format!(
            "{} {}",
            variable("CARGO_PKG_NAME"),
            variable("CARGO_PKG_VERSION")
        ),
        why,
    };
    unit_notes::write(path, &serde_json::to_string(&note)?)
}

/// Removes the note of an earlier build.
fn forget(note: &Path) -> io::Result<()> {
    match fs::remove_file(note) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
