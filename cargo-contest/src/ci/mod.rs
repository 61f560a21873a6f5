//! A workflow of GitHub Actions for a package: its text, and where it belongs.

use std::path::{Path, PathBuf};
use std::time::Duration;

const TEMPLATE: &str = include_str!("workflow.yml.in");
/// Minutes for installing the tool and building the package, beside exploration.
const BESIDE: u64 = 25;

/// What the workflow does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workflow {
    /// Options that select packages, with a space before each; without, the default members.
    pub packages: String,
    /// Exploration time of each part of a pull request.
    pub pull_request: Duration,
    /// Parts into which the tests of a pull request are divided, each on a machine of its own.
    pub parts: u32,
    /// Exploration time of a night.
    pub nightly: Duration,
    /// The command that installs this tool.
    pub install: String,
}

impl Workflow {
    /// The command that installs this version of the tool from the registry.
    #[must_use]
    pub fn install_from_registry() -> String {
        let version = env!("CARGO_PKG_VERSION");
        format!("cargo install cargo-contest --version {version} --locked")
    }

    /// The file.
    #[must_use]
    pub fn text(&self) -> String {
        let minutes = |time: Duration| (time.as_secs().div_ceil(60) + BESIDE).to_string();
        let parts: Vec<String> = (1..=self.parts).map(|part| part.to_string()).collect();
        let values = [
            ("@PULL_REQUEST_TIMEOUT@", minutes(self.pull_request)),
            ("@NIGHTLY_TIMEOUT@", minutes(self.nightly)),
            ("@PULL_REQUEST@", seconds(self.pull_request)),
            ("@NIGHTLY@", seconds(self.nightly)),
            ("@PARTS_LIST@", parts.join(", ")),
            ("@PARTS@", self.parts.to_string()),
            ("@PACKAGE@", self.packages.clone()),
            ("@RUST@", env!("CARGO_PKG_RUST_VERSION").to_owned()),
            ("@INSTALL@", self.install.clone()),
        ];
        let mut text = TEMPLATE.to_owned();
        for (name, value) in values {
            text = text.replace(name, &value);
        }
        text
    }
}

/// As `--budget` takes it.
fn seconds(time: Duration) -> String {
    format!("{}s", time.as_secs().max(1))
}

/// Where the workflow of a repository belongs: at the root of the checkout that has this directory, else in it.
#[must_use]
pub fn file_for(directory: &Path) -> PathBuf {
    let root = directory.ancestors().find(|it| it.join(".git").exists());
    root.unwrap_or(directory)
        .join(".github/workflows/contest.yml")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workflow() -> Workflow {
        Workflow {
            packages: " -p ring".to_owned(),
            pull_request: Duration::from_secs(300),
            parts: 3,
            nightly: Duration::from_secs(3_600),
            install: Workflow::install_from_registry(),
        }
    }

    #[test]
    fn every_value_is_filled_in() {
        let text = workflow().text();
        assert!(
            !text.contains('@') || text.matches('@').count() == text.matches("@v").count(),
            "{text}"
        );
        assert!(text.contains("part: [1, 2, 3]"));
        assert!(text.contains("-p ring --budget 300s --shard ${{ matrix.part }}/3"));
        assert!(text.contains("timeout-minutes: 30") && text.contains("timeout-minutes: 85"));
    }

    /// Two spaces, no tabs: what an edit of the template breaks most easily.
    #[test]
    fn the_file_is_indented_as_yaml() {
        for line in workflow().text().lines() {
            assert!(!line.contains('\t') && line.trim_end() == line, "{line:?}");
            let indent = line.len() - line.trim_start().len();
            assert_eq!(indent % 2, 0, "{line:?}");
        }
    }

    #[test]
    fn the_options_are_options_of_run() {
        let text = workflow().text();
        let commands = text
            .lines()
            .filter_map(|line| line.split_once("cargo contest run"));
        let mut checked = 0;
        for (_, options) in commands {
            let words = options.split_whitespace().filter(|word| *word != "$known");
            let words: Vec<String> = words
                .map(|word| word.replace("${{matrix.part}}", "1"))
                .collect();
            let words = words.join(" ").replace("${{ matrix.part }}", "1");
            let arguments = ["cargo-contest", "run"].into_iter().chain(words.split(' '));
            let arguments = arguments.filter(|word| !word.is_empty());
            crate::cli::args::parse(arguments.map(str::to_owned)).unwrap();
            checked += 1;
        }
        assert_eq!(checked, 2);
    }

    #[test]
    fn the_file_is_at_the_root_of_the_checkout() {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(scratch.path().join(".git")).unwrap();
        let inner = scratch.path().join("crates/ring");
        assert_eq!(
            file_for(&inner),
            scratch.path().join(".github/workflows/contest.yml")
        );
    }
}
