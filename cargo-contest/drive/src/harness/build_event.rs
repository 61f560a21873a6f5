//! Progress of the builds.

use std::path::{Path, PathBuf};

use contest_build::workspace::build_target::other_targets;
use contest_build::workspace::cargo_build::{CargoMessage, Toolchain};

/// What is being built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildStage {
    /// The runtime and the facade, once per tool and toolchain.
    Runtime,
    /// The package under test, its dependencies and the driver.
    Driver,
    /// The package under test, its dependencies and its tests.
    Tests,
    /// The package under test without instrumentation, to attribute an error.
    Plain,
}

/// Progress of [`prepare`](crate::harness::prepare).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildEvent {
    /// A build begins.
    Started(BuildStage),
    /// Another run of the tool builds the runtime, for which this one waits.
    Waiting,
    /// No runtime can be kept in the cache; it is built below the target directory.
    CacheUnusable {
        /// The cache.
        directory: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Cargo's count of units.
    Progress {
        /// Of which build.
        stage: BuildStage,
        /// Units done.
        done: u32,
        /// Units in all.
        total: u32,
        /// Crates under way, as cargo lists them.
        building: String,
    },
    /// A crate is built.
    Built {
        /// By which build.
        stage: BuildStage,
        /// Name of the crate.
        krate: String,
        /// True if an earlier run had built it.
        fresh: bool,
    },
    /// A crate has a global allocator, in place of which the driver's own is used.
    AllocatorReplaced {
        /// Its package: `app 0.1.0`.
        package: String,
    },
    /// The user's cargo builds for targets among which the host is not; here it builds for the host.
    OtherTarget {
        /// Those of the user.
        targets: Vec<String>,
        /// The host.
        host: String,
    },
    /// Packages that the package under test does not depend on are linked, because they provide what it needs.
    Provided {
        /// Each with the symbols: ``loggers 0.1.0 (`default_logger`)``.
        providers: Vec<String>,
    },
    /// Items of the catalog do not compile; the driver is built again without them.
    LeftOut {
        /// How many are left out by now.
        items: usize,
    },
}

impl BuildEvent {
    /// Says so where the user's cargo would build for another target.
    pub(super) fn other_target(toolchain: &Toolchain, directory: &Path) -> Option<Self> {
        let targets = other_targets(toolchain, directory);
        let host = toolchain.host.clone();
        (!targets.is_empty()).then_some(Self::OtherTarget { targets, host })
    }

    /// The event for a message of cargo, if any.
    pub(super) fn of(stage: BuildStage, message: &CargoMessage) -> Option<Self> {
        match message {
            CargoMessage::Artifact(artifact) => Some(Self::Built {
                stage,
                krate: artifact.target.name.clone(),
                fresh: artifact.fresh,
            }),
            CargoMessage::Progress {
                done,
                total,
                building,
            } => Some(Self::Progress {
                stage,
                done: *done,
                total: *total,
                building: building.clone(),
            }),
            CargoMessage::BuildScript(_) | CargoMessage::Compiler(_) => None,
        }
    }
}
