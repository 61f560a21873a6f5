//! The types that are compared on.

use std::path::{Path, PathBuf};

/// A faulty type of a subject crate.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    /// Directory of the crate under `tests/subjects/faulty`.
    pub(crate) directory: PathBuf,
    /// Its type.
    pub(crate) type_name: &'static str,
    /// Kind of finding that shows the bug.
    pub(crate) kind: &'static str,
}

const SUBJECTS: [(&str, &str, &str); 12] = [
    ("running_example", "Tank", "non-linearizable"),
    ("classics", "IntRange", "panic"),
    ("classics", "Vector", "panic"),
    ("classics", "NumberAxis", "non-linearizable"),
    ("classics", "Logger", "panic"),
    ("classics", "XySeries", "panic"),
    ("classics", "FileAppender", "panic"),
    ("buffered_input_stream", "BufferedInputStream", "panic"),
    ("hashtable", "Hashtable", "deadlock"),
    ("string_buffer", "StringBuffer", "deadlock"),
    ("synchronized_map", "SynchronizedMap", "deadlock"),
    ("abba", "Accounts", "deadlock"),
];

/// Those that are there and whose name is requested; all if none is.
pub(crate) fn all(root: &Path, names: &[String]) -> Vec<Subject> {
    let faulty = root.join("tests/subjects/faulty");
    SUBJECTS
        .iter()
        .filter(|(package, type_name, _)| {
            let is = |name: &String| package.contains(name) || type_name.contains(name);
            names.is_empty() || names.iter().any(is)
        })
        .map(|&(package, type_name, kind)| Subject {
            directory: faulty.join(package),
            type_name,
            kind,
        })
        .filter(|subject| subject.directory.is_dir())
        .collect()
}
