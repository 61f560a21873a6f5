//! What is in the corpus: `tests/corpus/corpus.toml`.

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// A bug of a published crate.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    pub(crate) id: String,
    pub(crate) group: String,
    #[serde(rename = "crate")]
    pub(crate) package: String,
    /// A version that has it, and one that does not.
    pub(crate) buggy: String,
    pub(crate) fixed: String,
    #[serde(default)]
    pub(crate) features: Vec<String>,
    #[serde(default = "yes")]
    pub(crate) default_features: bool,
    /// Further dependencies, as lines of a manifest.
    pub(crate) beside: Option<String>,
    /// Instead of those, of the fixed version.
    pub(crate) beside_fixed: Option<String>,
    /// Further arguments of `cargo contest run`.
    #[serde(default)]
    pub(crate) arguments: Vec<String>,
    /// A finding of one of these kinds, with all of these parts in its calls or places, is the bug.
    pub(crate) kinds: Vec<String>,
    #[serde(default)]
    pub(crate) parts: Vec<String>,
    /// What is wrong, and where it was reported or mended.
    #[allow(dead_code, reason = "for people, and for the example `benchmark`")]
    pub(crate) scenario: String,
    #[allow(dead_code, reason = "for people, and for the example `benchmark`")]
    pub(crate) source: String,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
struct Corpus {
    entry: Vec<Entry>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus")
}

/// All entries.
pub(crate) fn entries() -> Vec<Entry> {
    let text = std::fs::read_to_string(folder().join("corpus.toml"));
    let text = text.expect("the corpus is a part of the project");
    let corpus: Corpus = toml::from_str(&text).expect("the corpus is well formed");
    corpus.entry
}

/// The lock file of a version that was yanked, which cargo does not resolve anew.
pub(crate) fn lock(label: &str) -> Option<String> {
    std::fs::read_to_string(folder().join("locks").join(format!("{label}.lock"))).ok()
}
