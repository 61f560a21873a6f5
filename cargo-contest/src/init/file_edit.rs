//! A change of one file, to be shown before it is made.

use std::path::PathBuf;

/// One file, before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEdit {
    /// Where it is.
    pub path: PathBuf,
    /// As it is; `None`: it does not exist.
    pub before: Option<String>,
    /// As it will be.
    pub after: String,
}
