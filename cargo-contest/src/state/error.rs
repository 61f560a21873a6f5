//! Why a state cannot be used.

use std::io;
use std::path::PathBuf;

/// Why a state cannot be used, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// It cannot be read, or nothing can be written to it.
    #[error("--state: cannot use {}: {source}; choose a directory that can be written", .path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// There is nothing that can be read.
    #[error("cannot read {}: {source}; name a directory of `--state`", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Another run holds its lock.
    #[error("--state: another run uses {}; wait for its end, or choose another directory", .0.display())]
    InUse(PathBuf),
    /// Another program wrote it, or it is damaged.
    #[error(
        "--state: {} is not a state of cargo-contest, or is damaged ({why}); remove it to begin anew", .path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// It has another format.
    #[error(
        "--state: {} has format {found}, this version of cargo-contest knows format {known}; use another directory, or \
         remove it to begin anew", .path.display()
    )]
    OtherFormat {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u64,
        /// The one that is known.
        known: u64,
    },
    /// It belongs to another package.
    #[error("--state: {} is of the package `{found}`, this is `{here}`; use a directory for each package", .path.display())]
    OtherPackage {
        /// The file.
        path: PathBuf,
        /// Its package.
        found: String,
        /// The one under test.
        here: String,
    },
}
