//! Notes about the units that a wrapper of the compiler has seen, found by the files that cargo names.
//!
//! Cargo's messages do not say which artifacts are for the target, and for some they name a copy. Where the files of a
//! unit are is for each release of cargo to choose. The compiler's arguments say both, so the wrapper notes each unit
//! under the place and the name that the compiler is given.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use fnv::FnvHasher;
use serde::{Deserialize, Serialize};

use super::rustc_attempt::pass_through;
use super::rustc_unit::Unit;

/// Set: the process only notes units. It is their directory.
const MARKER: &str = "CONTEST_UNIT_NOTES";

/// Part of the name of what is built with such notes: units that were compiled with other ones are not found.
pub(super) const VERSION: &str = "notes 3";

/// A directory of notes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnitNotes {
    directory: PathBuf,
}

impl UnitNotes {
    /// Notes in `directory`, which need not be there.
    #[must_use]
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
        }
    }

    /// The file with the note about a unit that is compiled.
    pub(super) fn of_unit(&self, unit: &Unit) -> PathBuf {
        let directory = unit.out_dir.as_deref().unwrap_or_default();
        self.file(Path::new(directory), &unit.file_name())
    }

    /// The file with the note about the unit that the compiler has made this library, its metadata or this executable
    /// of. It is not there if no such unit was compiled.
    #[must_use]
    pub fn of_made(&self, made: &Path) -> PathBuf {
        let name = made.file_stem().unwrap_or_default().to_string_lossy();
        let is_library = made.extension().is_some_and(|it| it != OsStr::new("exe"));
        let unit = name.strip_prefix("lib").filter(|_| is_library);
        let directory = made.parent().unwrap_or(Path::new(""));
        self.file(directory, unit.unwrap_or(&name))
    }

    /// Of the files that cargo names for one artifact, the one that the compiler itself has written, if it was for the
    /// target. Others are copies.
    #[must_use]
    pub fn noted<'a>(&self, made: impl IntoIterator<Item = &'a Path>) -> Option<&'a Path> {
        made.into_iter().find(|it| self.of_made(it).is_file())
    }

    fn file(&self, directory: &Path, unit: &str) -> PathBuf {
        let mut hasher = FnvHasher::default();
        directory.hash(&mut hasher);
        self.directory
            .join(format!("{unit}-{:016x}", hasher.finish()))
    }
}

/// Writes a note.
pub(super) fn write(note: &Path, text: &str) -> io::Result<()> {
    if let Some(directory) = note.parent() {
        fs::create_dir_all(directory)?;
    }
    fs::write(note, text)
}

/// Makes a cargo command note its units with `tool`, which is this program.
pub(super) fn note_units(cargo: &mut Command, tool: &Path, notes: &UnitNotes) {
    cargo
        .env("RUSTC_WRAPPER", tool)
        .env(MARKER, &notes.directory);
}

/// True if this process was started to note a unit.
#[must_use]
pub fn is_unit_recorder() -> bool {
    std::env::var_os(MARKER).is_some()
}

/// Notes one unit for the target and compiles it: `arguments` are those of the process, its own name left out. Returns
/// the exit code.
#[must_use]
pub fn run_as_unit_recorder(arguments: impl IntoIterator<Item = OsString>) -> i32 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    record(&arguments).unwrap_or_else(|error| {
        eprintln!("error: cargo-contest as rustc wrapper: {error}");
        70
    })
}

fn record(arguments: &[OsString]) -> io::Result<i32> {
    let Some((rustc, arguments)) = arguments.split_first() else {
        return Err(io::Error::other("no compiler named"));
    };
    let notes = UnitNotes::new(std::env::var_os(MARKER).unwrap_or_default());
    if let Some(unit) = Unit::of(arguments) {
        write(&notes.of_unit(&unit), "")?;
    }
    let mut command = Command::new(rustc);
    command.args(arguments);
    pass_through(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(out_dir: &str, crate_name: &str, extra: &str) -> Unit {
        let line = format!(
            "--crate-name {crate_name} --error-format=json --crate-type lib --emit=metadata,link -C metadata=0f \
             -C extra-filename={extra} --out-dir {out_dir} --target x"
        );
        let arguments: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        Unit::of(&arguments).unwrap()
    }

    #[test]
    fn what_the_compiler_made_is_told_from_copies_of_it_wherever_it_is() {
        let scratch = tempfile::tempdir().unwrap();
        let notes = UnitNotes::new(scratch.path().join("notes"));
        for (directory, extra) in [("/t/x/all", "-0f"), ("/t/units/lay/0f/made", "")] {
            write(&notes.of_unit(&unit(directory, "lay", extra)), "").unwrap();
            let copy = PathBuf::from("/t/x/liblay.rlib");
            for file in ["lib{}.rmeta", "lib{}.rlib", "{}"] {
                let name = format!("lay{extra}");
                let made = Path::new(directory).join(file.replace("{}", &name));
                assert_eq!(notes.noted([copy.as_path(), &made]), Some(made.as_path()));
            }
            assert_eq!(notes.noted([copy.as_path()]), None);
        }
    }

    #[test]
    fn units_with_the_same_name_in_two_places_are_two() {
        let notes = UnitNotes::new("/notes");
        let one = notes.of_unit(&unit("/t/a/out", "lay", ""));
        assert_ne!(one, notes.of_unit(&unit("/t/b/out", "lay", "")));
        assert_eq!(one, notes.of_made(Path::new("/t/a/out/liblay.rmeta")));
    }
}
