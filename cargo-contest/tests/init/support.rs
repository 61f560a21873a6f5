//! A crate in a scratch directory.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

/// In place of an argument: no other source than the tool's own choice.
pub(crate) const OWN_CHECKOUT: &str = "--color=never";

/// Files in a scratch directory.
pub(crate) struct Crate {
    pub(crate) scratch: tempfile::TempDir,
}

pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Crate {
    /// A package with this manifest and an empty library.
    pub(crate) fn new(manifest: &str) -> Self {
        let it = Self {
            scratch: tempfile::tempdir().unwrap(),
        };
        it.write("Cargo.toml", manifest);
        it.write("src/lib.rs", "");
        it
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.scratch.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.scratch.path().join(file)).unwrap()
    }

    pub(crate) fn has(&self, file: &str) -> bool {
        self.scratch.path().join(file).exists()
    }

    pub(crate) fn files(&self) -> BTreeMap<PathBuf, String> {
        fn walk(directory: &Path, files: &mut BTreeMap<PathBuf, String>) {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    walk(&path, files);
                } else {
                    let text = fs::read_to_string(&path).unwrap();
                    files.insert(path, text);
                }
            }
        }
        let mut files = BTreeMap::new();
        walk(self.scratch.path(), &mut files);
        files
    }

    /// Runs `cargo contest init` with these arguments; `input` is what the user types.
    pub(crate) fn init_typing(&self, arguments: &[&str], input: &str) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-contest"));
        command.args(["contest", "init"]).args(arguments);
        // The tool of the tests was built from a checkout, which most manifests here are not to name.
        if !arguments.contains(&"--path") && !arguments.contains(&OWN_CHECKOUT) {
            command.arg("--registry");
        }
        self.run(command, input)
    }

    pub(crate) fn init(&self, arguments: &[&str]) -> Run {
        self.init_typing(arguments, "")
    }

    /// `init --yes`, which must succeed; idempotent as it is.
    #[track_caller]
    pub(crate) fn initialised(&self, arguments: &[&str]) -> Run {
        let run = self.init(&[&["--yes"], arguments].concat()).status(0);
        let files = self.files();
        let again = self.init(&[&["--yes"], arguments].concat()).status(0);
        assert!(
            again.stdout.contains("is set up already"),
            "{}",
            again.stdout
        );
        assert_eq!(self.files(), files, "a second run changed something");
        run
    }

    /// Runs cargo.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Run {
        let mut command = Command::new(env!("CARGO"));
        command.args(arguments);
        self.run(command, "")
    }

    /// Dependencies of a package as cargo reads them: `(name, renamed, kind, features)`.
    pub(crate) fn runtime(&self, package: &str) -> Vec<(Option<String>, String, Vec<String>)> {
        let run = self
            .cargo(&["metadata", "--no-deps", "--format-version", "1"])
            .status(0);
        let metadata: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let packages = metadata["packages"].as_array().unwrap();
        let package = packages.iter().find(|it| it["name"] == package).unwrap();
        let dependencies = package["dependencies"].as_array().unwrap();
        dependencies
            .iter()
            .filter(|it| it["name"] == "contest-runtime")
            .map(|it| {
                (
                    it["rename"].as_str().map(str::to_owned),
                    it["kind"].as_str().unwrap_or("normal").to_owned(),
                    it["features"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|it| it.as_str().unwrap().to_owned())
                        .collect(),
                )
            })
            .collect()
    }

    pub(crate) fn run(&self, mut command: Command, input: &str) -> Run {
        for name in ["RUSTC_WRAPPER", "RUSTFLAGS", "CARGO_BUILD_TARGET"] {
            command.env_remove(name);
        }
        let mut child = command
            .current_dir(self.scratch.path())
            // The runtime is built for these tests alone, and a third of that would be debug information. The tool
            // builds it, too, where it runs tests.
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env(
                "CARGO_TARGET_DIR",
                Path::new(env!("CARGO_TARGET_TMPDIR")).join("built"),
            )
            .env(
                "CONTEST_CACHE_DIR",
                Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"),
            )
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A tool that does not prompt need not read.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        Run {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Run {
    #[track_caller]
    pub(crate) fn status(self, expected: i32) -> Self {
        assert_eq!(
            self.status, expected,
            "\n--- stdout\n{}\n--- stderr\n{}",
            self.stdout, self.stderr
        );
        self
    }
}

/// What cargo should see: plain in builds, with the feature in tests.
pub(crate) fn both(renamed: Option<&str>) -> Vec<(Option<String>, String, Vec<String>)> {
    let renamed = renamed.map(str::to_owned);
    vec![
        (renamed.clone(), "normal".to_owned(), vec![]),
        (renamed, "dev".to_owned(), vec!["explore".to_owned()]),
    ]
}
