//! The types that are compared on: all classes in the papers' tables.

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
    /// Its numbers in the tables: A of AutoConTest, V of PCR, C of DepCon+.
    pub(crate) ids: &'static str,
}

const SUBJECTS: [(&str, &str, &str, &str); 31] = [
    ("running_example", "Tank", "non-linearizable", ""),
    ("classics", "IntRange", "panic", "A1 C1"),
    ("collections", "AsMap", "panic", "A2"),
    ("collections", "Vector", "panic", "A3 V10"),
    ("collections", "Stack", "panic", ""),
    ("classics", "NumberAxis", "panic", "A4 V12 C8"),
    ("classics", "Logger", "panic", "A5 V8"),
    ("classics", "Vector", "panic", "A6 V11 C6"),
    (
        "services",
        "PerUserPoolDataSource",
        "non-linearizable",
        "V1 C2",
    ),
    ("services", "SharedPoolDataSource", "panic", "V2 C3"),
    ("services", "InputBuffer", "panic", "V3"),
    ("services", "Request", "non-linearizable", "V4"),
    (
        "buffered_input_stream",
        "BufferedInputStream",
        "panic",
        "V5 C5",
    ),
    ("collections", "ConcurrentHashMap", "non-linearizable", "V6"),
    ("collections", "EnumeratedTable", "panic", "V7"),
    ("string_buffer", "StringBuffer", "deadlock", "V9 C16"),
    ("jfreechart", "PeriodAxis", "non-linearizable", "V13 C9"),
    ("jfreechart", "TimeSeries", "panic", "V14 C10"),
    ("jfreechart", "XyPlot", "panic", "V15 C11"),
    ("classics", "XySeries", "panic", "V16 C12"),
    ("log4j", "AppenderAttachable", "panic", "V17"),
    ("classics", "FileAppender", "panic", "V18 C13"),
    ("log4j", "NullAppender", "panic", "V19"),
    ("services", "XStream", "non-linearizable", "V20 C15"),
    ("collections", "DoubleIntIndex", "panic", "C4"),
    ("jfreechart", "Day", "non-linearizable", "C7"),
    ("log4j", "WriterAppender", "panic", "C14"),
    ("hashtable", "Hashtable", "deadlock", "C17"),
    ("collections", "NestedTable", "deadlock", "C18"),
    ("synchronized_map", "SynchronizedMap", "deadlock", "C19"),
    ("abba", "Accounts", "deadlock", ""),
];

/// Those that are there and whose name is requested; all if none is.
pub(crate) fn all(root: &Path, names: &[String]) -> Vec<Subject> {
    let faulty = root.join("tests/subjects/faulty");
    SUBJECTS
        .iter()
        .filter(|(package, type_name, ..)| {
            let is = |name: &String| package.contains(name) || type_name.contains(name);
            names.is_empty() || names.iter().any(is)
        })
        .map(|&(package, type_name, kind, ids)| Subject {
            directory: faulty.join(package),
            type_name,
            kind,
            ids,
        })
        .filter(|subject| subject.directory.is_dir())
        .collect()
}
