//! Drop-ins for lock libraries: compiled in place of the library's sources, so that to take a lock is one step, and who
//! holds it is known. Its own sources spin, and keep their queues in atomics: two threads that meet at one lock of
//! parking_lot had more interleavings than any budget, and each was dozens of rows in a report.
//!
//! The drop-in is compiled as that unit, with its features, its edition and its lock_api, so that what depends on it
//! fits. Where it does not compile, the library's own sources are compiled.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use contest_data::trace::STAND_INS;
use serde::{Deserialize, Serialize};

use crate::instrument::rustc_unit::Unit;

/// What the sources of the drop-in know: they stand in for the library.
const CFG: &str = "contest_stand_in";
/// A drop-in.
pub(super) struct DropIn {
    /// The library.
    library: &'static str,
    /// The versions whose interface it has.
    versions: &'static [&'static str],
    /// Directory of its sources, in contest-std and beside the libraries of the runtime.
    pub(super) directory: &'static str,
}

/// All of them.
pub(super) const DROP_INS: [DropIn; 3] = [
    DropIn {
        library: "parking_lot",
        versions: &["0.11.", "0.12."],
        directory: "parking_lot",
    },
    DropIn {
        library: "parking_lot",
        versions: &["0.13."],
        directory: "parking_lot_0_13",
    },
    DropIn {
        library: "parking_lot_core",
        versions: &["0.8.", "0.9.", "0.10."],
        directory: "parking_lot_core",
    },
];
/// A feature that no drop-in has.
const NOT_WITH: &str = "feature=\"deadlock_detection\"";

/// What the summary says of such a library.
pub(super) const WHY: &str = "its locks are stood in for: what they do inside is not explored";

/// The drop-ins that stand in for libraries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockStandIn {
    /// Directory of the directories of their sources.
    sources: PathBuf,
}

impl LockStandIn {
    /// From the sources below this directory. A package that cargo calls a primary one has its own sources.
    #[must_use]
    pub fn new(sources: &Path) -> Self {
        let sources = sources.to_owned();
        Self { sources }
    }

    /// As [`new`](Self::new); `None` if one of the libraries is the package under test, which is a dependency of its
    /// driver.
    #[must_use]
    pub fn unless_tested(sources: &Path, tested: &str) -> Option<Self> {
        let is_tested = DROP_INS.iter().any(|it| it.library == tested);
        (!is_tested).then(|| Self::new(sources))
    }

    /// The arguments of the compiler for a drop-in in place of the unit with these arguments, if there is one.
    /// `variable` gives what cargo sets for the unit.
    pub(super) fn in_place_of(
        &self,
        unit: &Unit,
        arguments: &[OsString],
        variable: impl Fn(&str) -> String,
    ) -> Option<Vec<OsString>> {
        let version = variable("CARGO_PKG_VERSION");
        let drop_in = DROP_INS.iter().find(|it| {
            let has_interface = it.versions.iter().any(|it| version.starts_with(it));
            unit.crate_name == it.library && has_interface
        })?;
        let name = drop_in.library;
        let stands_in = variable("CARGO_PKG_NAME") == name
            && variable("CARGO_PRIMARY_PACKAGE").is_empty()
            && is_published(Path::new(&variable("CARGO_MANIFEST_DIR")))
            && !arguments
                .iter()
                .any(|it| it.to_string_lossy().contains(NOT_WITH));
        let mut arguments = arguments.to_vec();
        let is_source = |it: &&mut OsString| Path::new(it).extension() == Some(OsStr::new("rs"));
        let root = arguments.iter_mut().find(is_source).filter(|_| stands_in)?;
        *root = self.sources.join(drop_in.directory).join("mod.rs").into();
        arguments.extend(["--cfg", CFG].map(OsString::from));
        // Some files belong to two drop-ins.
        let mut remap = OsString::from("--remap-path-prefix=");
        remap.push(&self.sources);
        remap.push("=");
        remap.push(STAND_INS.trim_end_matches('/'));
        arguments.push(remap);
        Some(arguments)
    }
}

/// True for the sources of a published package. A fork has changes that must be tested as they are.
fn is_published(package: &Path) -> bool {
    let vendored = package.join(".cargo-checksum.json").is_file();
    let unpacked = package.join(".cargo-ok").is_file();
    vendored || unpacked && !package.join(".git").exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: [&str; 14] = [
        "--crate-name",
        "parking_lot",
        "--edition=2021",
        "/registry/parking_lot-0.12.5/src/lib.rs",
        "--error-format=json",
        "--crate-type",
        "lib",
        "--emit=dep-info,metadata,link",
        "-C",
        "metadata=0f",
        "--target",
        "x86_64-unknown-linux-gnu",
        "--check-cfg",
        "cfg(feature, values(\"arc_lock\", \"deadlock_detection\"))",
    ];

    fn replaced(version: &str, primary: &str, more: &[&str]) -> Option<Vec<OsString>> {
        let arguments = UNIT.iter().chain(more).map(OsString::from);
        let arguments: Vec<_> = arguments.collect();
        let stand_in = LockStandIn::unless_tested(Path::new("/store"), "app")?;
        let unit = Unit::of(&arguments)?;
        let package = tempfile::tempdir().ok()?;
        std::fs::write(package.path().join(".cargo-ok"), "").ok()?;
        stand_in.in_place_of(&unit, &arguments, |name| match name {
            "CARGO_MANIFEST_DIR" => package.path().display().to_string(),
            "CARGO_PKG_NAME" => "parking_lot".to_owned(),
            "CARGO_PKG_VERSION" => version.to_owned(),
            _ => primary.to_owned(),
        })
    }

    #[test]
    fn a_version_whose_interface_is_known_is_replaced() {
        for (version, directory) in [
            ("0.11.2", "parking_lot"),
            ("0.12.5", "parking_lot"),
            ("0.13.0", "parking_lot_0_13"),
        ] {
            let replaced = replaced(version, "", &[]).unwrap();
            assert!(replaced.contains(&format!("/store/{directory}/mod.rs").into()));
            assert!(!replaced.contains(&UNIT[3].into()));
        }
        assert_eq!(replaced("0.10.2", "", &[]), None);
        assert_eq!(replaced("0.14.0", "", &[]), None);
    }

    #[test]
    fn what_is_tested_or_has_more_is_not_replaced() {
        for drop_in in DROP_INS {
            let tested = LockStandIn::unless_tested(Path::new("/store"), drop_in.library);
            assert_eq!(tested, None);
        }
        assert_eq!(replaced("0.12.5", "1", &[]), None);
        let feature = ["--cfg", "feature=\"deadlock_detection\""];
        assert_eq!(replaced("0.12.5", "", &feature), None);
    }
}
