//! Crates that drivers and tests of a package can name beside it.

/// Such a crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedLibrary {
    /// As paths begin that name it.
    pub path: String,
    /// As definition paths begin.
    pub library: String,
    /// Crates that it depends on, some of whose items it may re-export.
    pub uses: Vec<String>,
    /// The package does not depend on it.
    pub is_beside: bool,
}

impl NamedLibrary {
    /// One whose two names are the same.
    #[must_use]
    pub fn plain(name: &str) -> Self {
        Self {
            path: name.to_owned(),
            library: name.to_owned(),
            uses: Vec::new(),
            is_beside: false,
        }
    }
}
