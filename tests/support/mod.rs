//! Copies of subject crates, and the real binary in a clean environment.

mod place;
mod until;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Once;
use std::time::Duration;
use std::{env, fs};

use place::Place;
use serde_json::Value;

/// Root of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The runtime is kept here: it is built once for all tests, and the user's own cache is left alone.
pub(crate) fn cache_directory() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache")
}

/// Built subjects of this test go here, and those of tests before it, so that what several depend on is seldom built
/// twice. Tests that run at the same time have different directories, for cargo locks them.
pub(crate) fn target_directory() -> PathBuf {
    Place::target_directory()
}

/// A copy of a subject crate.
pub(crate) struct Subject {
    pub(crate) directory: PathBuf,
    /// Of a subject that has no name.
    scratch: Option<tempfile::TempDir>,
}

impl Subject {
    /// Copies `tests/subjects/<name>`, e.g. `faulty/abba`.
    pub(crate) fn copy(name: &str) -> Self {
        let original = root().join("tests/subjects").join(name);
        let mut files = BTreeMap::new();
        read_tree(&original, &original, &mut files);
        let is_left = |part: &OsStr| part == "target" || part == "Cargo.lock";
        files.retain(|path, _| !path.iter().any(is_left));
        Self::named(&name.replace('/', "-"), &files)
    }

    /// Has these files. What tests build of subjects with one name and the same files is built for them together.
    pub(crate) fn with(name: &str, files: &[(&str, &str)]) -> Self {
        let files = files.iter();
        let files = files.map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec()));
        Self::named(name, &files.collect())
    }

    fn named(name: &str, files: &BTreeMap<PathBuf, Vec<u8>>) -> Self {
        let directory = Place::lend(name);
        place::put(&directory, files)
            .unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
        Self {
            directory,
            scratch: None,
        }
    }

    /// An empty directory.
    pub(crate) fn empty() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        Self {
            directory: scratch.path().to_path_buf(),
            scratch: Some(scratch),
        }
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.directory.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.directory.join(file)).unwrap()
    }

    /// Path and contents of every file.
    pub(crate) fn tree(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut tree = BTreeMap::new();
        read_tree(&self.directory, &self.directory, &mut tree);
        tree
    }

    /// Runs `cargo contest` in the copy. It has no panic of its own.
    #[track_caller]
    pub(crate) fn contest(&self, arguments: &[&str]) -> Run {
        let mut command = tool();
        command
            .arg("contest")
            .args(arguments)
            .current_dir(&self.directory);
        run(command).without_panic_of_the_tool()
    }

    /// The same with this environment variable, which may make it panic.
    pub(crate) fn contest_with(&self, arguments: &[&str], (name, value): (&str, &str)) -> Run {
        let mut command = tool();
        command
            .arg("contest")
            .args(arguments)
            .env(name, value)
            .current_dir(&self.directory);
        run(command)
    }

    /// The same, with JSON lines, until what has been found is `enough`, and for as long as `then` after that. So the
    /// budget is only what a test that fails waits for.
    #[track_caller]
    pub(crate) fn contest_until(
        &self,
        arguments: &[&str],
        then: Duration,
        enough: impl Fn(&[Value]) -> bool,
    ) -> Run {
        let mut command = tool();
        command
            .arg("contest")
            .args(arguments)
            .current_dir(&self.directory);
        until::run_until(command, then, enough).without_panic_of_the_tool()
    }

    /// Runs the subject once more, briefly, and holds what its operations did against their static summaries.
    #[track_caller]
    pub(crate) fn check_analysis(&self) {
        self.check_analysis_of(&["--budget", "300ms"]);
    }

    /// The same with these arguments; the facts that were compared and the operations with exact summaries.
    #[track_caller]
    pub(crate) fn check_analysis_of(&self, arguments: &[&str]) -> (u64, u64) {
        let all = ["--check-analysis", "--no-emit", "--message-format", "json"];
        let run = self.contest(&[&all[..], arguments].concat());
        let analysis = run.summary()["analysis"].clone();
        let wrong = analysis["checked"]["wrong"].as_array().unwrap();
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(matches!(run.status, 0 | 1), "{}", run.stderr);
        (
            analysis["checked"]["compared"].as_u64().unwrap(),
            analysis["exact"].as_u64().unwrap(),
        )
    }

    /// Runs the subject once more for so long, and takes so many samples of each complete test by each sampler: nothing
    /// is seen that its exploration has not shown.
    #[track_caller]
    pub(crate) fn check_complete(&self, budget: &str, samples: u32) {
        let samples = samples.to_string();
        let usual = ["--no-emit", "--message-format", "json", "--budget", budget];
        let run = self.contest(&[&usual[..], &["--check-complete", &samples]].concat());
        let sampled = run.summary()["sampled"].clone();
        assert_eq!(sampled["missed"], Value::Array(Vec::new()), "{sampled:#}");
        assert!(sampled["tests"].as_u64().unwrap() > 0, "{}", run.stderr);
    }

    /// Emitted tests give up on what hangs after five seconds. For bugs only: what is right may be slow on a busy
    /// machine.
    pub(crate) fn hang_briefly(&self) {
        for (path, text) in self.tree() {
            let text = String::from_utf8_lossy(&text);
            if path.starts_with("tests") && text.contains("fn within_time(") {
                let brief = text.replace("Duration::from_secs(20)", "Duration::from_secs(5)");
                assert_ne!(brief, text, "{}", path.display());
                self.write(path.to_str().unwrap(), &brief);
            }
        }
    }

    /// Runs cargo itself in the copy.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Run {
        let mut command = Command::new(env!("CARGO"));
        clean_environment(&mut command);
        command.args(arguments).current_dir(&self.directory);
        run(command)
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        if self.scratch.is_none() {
            Place::give_back(&self.directory);
        }
    }
}

/// What a process left behind.
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// The same run, if it ended with this status.
    #[track_caller]
    pub(crate) fn status(self, expected: i32) -> Self {
        assert_eq!(
            self.status, expected,
            "\n--- stdout\n{}\n--- stderr\n{}",
            self.stdout, self.stderr
        );
        self
    }

    /// The same run, if no test of it was lost to a panic of the tool's own code.
    #[track_caller]
    fn without_panic_of_the_tool(self) -> Self {
        let text = self.text();
        assert!(!text.contains("is a bug of cargo-contest"), "{text}");
        self
    }

    /// Standard output as JSON lines; every line must be one.
    #[track_caller]
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.stdout
            .lines()
            .map(|line| {
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
            })
            .collect()
    }

    /// JSON lines with this reason.
    #[track_caller]
    pub(crate) fn with_reason(&self, reason: &str) -> Vec<Value> {
        let lines = self.lines().into_iter();
        let lines: Vec<Value> = lines.filter(|line| line["reason"] == reason).collect();
        for step in lines
            .iter()
            .filter_map(|line| line["interleaving"].as_array())
            .flatten()
        {
            let place = step["location"].as_str().unwrap_or_default();
            assert!(
                !place.contains("contest-driver.rs"),
                "a place in the driver: {step}"
            );
        }
        lines
    }

    /// The one summary.
    #[track_caller]
    pub(crate) fn summary(&self) -> Value {
        let summaries = self.with_reason("summary");
        assert_eq!(summaries.len(), 1, "{}\n{}", self.stdout, self.stderr);
        summaries[0].clone()
    }

    /// Type and kind of each finding.
    #[track_caller]
    pub(crate) fn types_and_kinds(&self) -> BTreeSet<(String, String)> {
        let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
        let findings = self.with_reason("finding");
        let both = findings.iter();
        both.map(|it| (text(it, "type"), text(it, "kind")))
            .collect()
    }

    /// Kinds of the findings, sorted, each once.
    #[track_caller]
    pub(crate) fn kinds(&self) -> Vec<String> {
        let mut kinds: Vec<String> = self
            .with_reason("finding")
            .iter()
            .map(|line| line["kind"].as_str().unwrap().to_string())
            .collect();
        kinds.sort();
        kinds.dedup();
        kinds
    }

    /// The lines of a crate's own tests, by name.
    #[track_caller]
    pub(crate) fn tests(&self) -> BTreeMap<String, Value> {
        let lines = self.with_reason("test").into_iter();
        lines
            .map(|line| (line["name"].as_str().unwrap().to_owned(), line))
            .collect()
    }

    /// Names of the tests that ended so, sorted.
    #[track_caller]
    pub(crate) fn tests_that(&self, result: &str) -> Vec<String> {
        let tests = self.tests().into_iter();
        let ended_so = tests.filter(|(_, line)| line["result"] == result);
        ended_so.map(|(name, _)| name).collect()
    }

    /// Standard error and output together, for messages.
    pub(crate) fn text(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }
}

/// The tool under test, in a clean environment.
pub(crate) fn tool() -> Command {
    static RUNTIME: Once = Once::new();
    RUNTIME.call_once(build_runtime);
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-contest"));
    clean_environment(&mut command);
    command
}

/// Has the tool build its runtime, with all cores: the tests, which have one each, would wait for it.
fn build_runtime() {
    let kept = fs::read_dir(cache_directory()).into_iter().flatten();
    let is_runtime = |entry: fs::DirEntry| entry.path().join("built.json").is_file();
    if !kept.flatten().any(is_runtime) {
        let subject = tempfile::tempdir().unwrap();
        copy_tree(
            &root().join("tests/subjects/correct/set_and_inc"),
            subject.path(),
        );
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-contest"));
        clean_environment(&mut command);
        command
            .env_remove("CARGO_BUILD_JOBS")
            .current_dir(subject.path());
        command.args(["contest", "--budget", "100ms", "--no-emit"]);
        run(command);
    }
}

/// A script for a shell that finds the tool under test, in a clean environment. Its last command decides its status.
pub(crate) fn shell(script: &str) -> Command {
    let mut command = Command::new("bash");
    clean_environment(&mut command);
    let tool = Path::new(env!("CARGO_BIN_EXE_cargo-contest"));
    let path = env::var_os("PATH").unwrap_or_default();
    let first = tool.parent().map(Path::to_owned).into_iter();
    let path = env::join_paths(first.chain(env::split_paths(&path))).unwrap();
    command.env("PATH", path).args(["-u", "-c", script]);
    command
}

/// Runs a command to its end.
pub(crate) fn run(command: Command) -> Run {
    run_reading(command, Stdio::null())
}

/// The same, with this input.
pub(crate) fn run_reading(mut command: Command, input: Stdio) -> Run {
    let output = command.stdin(input).output().unwrap();
    Run {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// What the cargo that runs the tests has set must not reach the tool.
fn clean_environment(command: &mut Command) {
    const KEPT: &[&str] = &[
        "PATH",
        "HOME",
        "CARGO_HOME",
        "RUSTUP_HOME",
        "RUSTUP_TOOLCHAIN",
        "RUSTUP_AUTO_INSTALL",
        "TMPDIR",
        "HTTPS_PROXY",
        "https_proxy",
        "HTTP_PROXY",
        "http_proxy",
        "NO_PROXY",
        "no_proxy",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "CARGO_HTTP_CAINFO",
    ];
    command.env_clear();
    for (name, value) in env::vars_os() {
        let registry = name.to_str().is_some_and(|name| {
            name.starts_with("CARGO_REGISTR") || name.starts_with("CARGO_SOURCE_")
        });
        if registry || KEPT.iter().any(|kept| OsStr::new(kept) == name) {
            command.env(name, value);
        }
    }
    command.env("CARGO_TARGET_DIR", target_directory());
    // Tests run side by side themselves.
    command.env("CARGO_BUILD_JOBS", "1");
    command.env("CONTEST_CACHE_DIR", cache_directory());
}

pub(crate) fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap_or_else(|error| panic!("{}: {error}", from.display())) {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        if path.is_dir() {
            if name != "target" {
                copy_tree(&path, &to.join(name));
            }
        } else if name != "Cargo.lock" {
            fs::copy(&path, to.join(name)).unwrap();
        }
    }
}

fn read_tree(root: &Path, directory: &Path, tree: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_tree(root, &path, tree);
        } else {
            let name = path.strip_prefix(root).unwrap().to_path_buf();
            tree.insert(name, fs::read(&path).unwrap());
        }
    }
}
