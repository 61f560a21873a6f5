//! Findings of earlier runs, in a file beside the test: one token a line, and what it is about. Run first, before
//! anything is generated.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use contest_data::finding::Finding;
use contest_data::token::Token;

const EXTENSION: &str = "contest-regressions";
const HEADER: &str = "\
# Schedules of bugs that `contest::check` found. They are run first, before anything new is generated. Keep this file under version control;
# a line can be taken out when its type or its operations are gone.
";

/// One file, of all tests in one source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RegressionFile {
    path: PathBuf,
}

/// What became of a finding.
#[derive(Debug)]
pub(super) enum Kept {
    /// It is in the file now.
    In(PathBuf),
    /// It was in the file already.
    Already(PathBuf),
    /// The file cannot be written.
    Failed(PathBuf, io::Error),
    /// It was not to be kept.
    Not,
}

impl fmt::Display for RegressionFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(f)
    }
}

impl RegressionFile {
    pub(super) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// The one beside the source of the caller; `None` if that source is not on this machine.
    pub(super) fn beside(caller: &Location<'_>) -> Option<Self> {
        let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let here = std::env::current_dir().ok();
        let source = source(Path::new(caller.file()), package.or(here).as_deref())?;
        Some(Self::at(source.with_extension(EXTENSION)))
    }

    /// Tokens about this type, in order.
    pub(super) fn tokens(&self, subject: &str) -> Vec<String> {
        let Ok(text) = fs::read_to_string(&self.path) else {
            return Vec::new();
        };
        text.lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split_whitespace().next())
            // What cannot be read may be about this type: running it will say what is wrong.
            .filter(|token| Token::decode(token).map_or(true, |it| it.subject_name == subject))
            .map(str::to_owned)
            .collect()
    }

    /// Adds a finding.
    pub(super) fn keep(&self, finding: &Finding) -> Kept {
        // Tests of one binary run beside each other.
        static WRITING: Mutex<()> = Mutex::new(());
        let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        let before = fs::read_to_string(&self.path).unwrap_or_default();
        if before.contains(&finding.schedule) {
            return Kept::Already(self.path.clone());
        }
        let calls: Vec<String> = finding.threads.iter().map(|it| it.join("; ")).collect();
        let line = format!(
            "{}{} # {}: {}: {}\n",
            if before.is_empty() { HEADER } else { "" },
            finding.schedule,
            finding.subject,
            finding.kind,
            calls.join(" | ").replace('\n', " "),
        );
        let written = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.path)
            .and_then(|mut file| file.write_all(line.as_bytes()));
        match written {
            Ok(()) => Kept::In(self.path.clone()),
            Err(error) => Kept::Failed(self.path.clone(), error),
        }
    }
}

/// Cargo compiles in the root of the workspace and runs tests in the package: the path of a source file is relative to
/// the former.
fn source(file: &Path, package: Option<&Path>) -> Option<PathBuf> {
    if file.is_absolute() {
        return file.is_file().then(|| file.to_owned());
    }
    package?
        .ancestors()
        .map(|directory| directory.join(file))
        .find(|path| path.is_file())
}
