//! Why `init` does nothing.

use std::io;
use std::path::PathBuf;

use super::init_options::RUNTIME;

/// Why `init` does nothing. Each message suggests what to do instead.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// `cargo metadata` failed: no manifest, a bad one.
    #[error("cargo could not read the workspace:\n{0}")]
    Metadata(String),
    /// `-p` names no member.
    #[error("`{name}` is no member of this workspace, and only members can be edited; there is {there}", there = .members.join(", "))]
    NotAMember {
        /// As given.
        name: String,
        /// Those there are.
        members: Vec<String>,
    },
    /// A virtual workspace and no `-p`.
    #[error("this is a workspace; choose a package with -p: {}", .0.join(", "))]
    Choose(Vec<String>),
    /// A file could not be read.
    #[error("cannot read {}: {source}", .path.display())]
    Read {
        /// The file or directory.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A file could not be written.
    #[error("cannot write {}: {source}; nothing was changed", .path.display())]
    Write {
        /// The file or directory.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A manifest that cargo accepts and this tool cannot edit.
    #[error("cannot edit {}: {why}", .path.display())]
    Edit {
        /// The file or directory.
        path: PathBuf,
        /// What is unexpected.
        why: String,
    },
    /// Resolver 1, chosen explicitly, enables features of dev-dependencies in every build.
    #[error(
        "{}: with version 1 of cargo's resolver the feature `explore`, which is for tests, would be on in every build, a release too; \
         set `resolver = \"2\"` in [{table}] and run this again", .path.display()
    )]
    OldResolver {
        /// The manifest that decides.
        path: PathBuf,
        /// Its table.
        table: &'static str,
    },
    /// The dependency is there, but not always.
    #[error(
        "{}: `{key}` is optional there, so a test cannot rely on it; make it a plain dependency (without the feature `explore` it is \
         nothing but names of std)", .path.display()
    )]
    Optional {
        /// The manifest.
        path: PathBuf,
        /// The dependency's key.
        key: String,
    },
    /// `--path` leads to no checkout.
    #[error("--path {}: there is no package `{RUNTIME}` in it or in its directory `{RUNTIME}`", .0.display())]
    NoCheckout(PathBuf),
    /// Another dependency has every name that could be used.
    #[error("{}: the names `contest` and `contest_rt` are both taken by other packages; add {RUNTIME} under a name of your own and run this again", .0.display())]
    NamesTaken(PathBuf),
    /// Cargo does not accept what was written.
    #[error("cargo does not accept the edited manifests, and nothing was changed:\n{0}")]
    Refused(String),
    /// The user did not confirm.
    #[error("nothing was changed: answer `y`, or pass `--yes`")]
    NotConfirmed,
}
