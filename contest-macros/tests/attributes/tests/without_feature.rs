//! Without feature `explore` an annotated crate is the crate without annotations: layout, machine code, size. And with
//! it a release build is refused.
//!
//! The crates are made here and built as a user would, with a lock file and dependencies of this workspace.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SOURCE: &str = r#"
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, OnceLock, RwLock};

#[contest::shared]
#[derive(Debug, Default)]
pub struct Queue {
    pub(crate) items: Mutex<VecDeque<u64>>,
    #[contest(opaque)]
    filled: Condvar,
    names: RwLock<Option<Box<str>>>,
    pushed: AtomicUsize,
    once: OnceLock<u8>,
}

#[contest::operations]
impl Queue {
    pub fn new() -> Self {
        Self { items: Mutex::new(VecDeque::new()), ..Self::default() }
    }

    #[contest(values(value = [1, 2]))]
    pub fn push(&self, value: u64) -> usize {
        let mut items = self.items.lock().unwrap();
        items.push_back(value);
        drop(items);
        self.filled.notify_one();
        self.pushed.fetch_add(1, Ordering::SeqCst)
    }

    #[contest(blocking)]
    pub fn pop(&self) -> u64 {
        let mut items = self.items.lock().unwrap();
        loop {
            if let Some(value) = items.pop_front() {
                return value + u64::from(*self.once.get_or_init(|| 3));
            }
            items = self.filled.wait(items).unwrap();
        }
    }
}

#[unsafe(no_mangle)]
pub fn lock_heavy(queue: &Queue, other: &Queue) -> u64 {
    let first = queue.items.lock().unwrap();
    let second = other.items.lock().unwrap();
    let named = queue.names.read().unwrap().is_some();
    let sum: u64 = first.iter().chain(second.iter()).sum();
    drop((first, second));
    *other.names.write().unwrap() = None;
    sum + u64::from(named) + queue.push(sum) as u64 + other.pop()
}

pub const LAYOUT: [usize; 2] = [size_of::<Queue>(), align_of::<Queue>()];
"#;

const MAIN: &str = r#"
fn main() {
    let [left, right] = [subject::Queue::new(), subject::Queue::new()];
    left.push(1);
    right.push(2);
    println!("{:?} {}", subject::LAYOUT, subject::lock_heavy(&left, &right));
}
"#;

/// What a release build is, in the profile that other tests of the workspace build in: what the macros depend on is the
/// same for all of them, and is compiled once.
const RELEASE: &str = "[profile.dev]
opt-level = 3
debug = 0
debug-assertions = false
overflow-checks = false
incremental = false
codegen-units = 1
[profile.dev.package.subject]
strip = true
[profile.dev.build-override]
debug-assertions = true
overflow-checks = true
";

/// The attributes as someone would take them away.
fn without_attributes(source: &str) -> String {
    let lines = source.lines();
    let kept = lines.filter(|line| !line.trim_start().starts_with("#[contest"));
    kept.collect::<Vec<_>>().join("\n")
}

fn package(name: &str, source: &str, dependencies: &str) -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(3)
        .expect("in a workspace");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("without-feature")
        .join(name);
    fs::create_dir_all(directory.join("src")).unwrap();
    let runtime = workspace.join("contest-runtime");
    let manifest = format!(
        "[package]\nname = \"subject\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n[workspace]\n\
         {RELEASE}{}",
        dependencies.replace("RUNTIME", &runtime.display().to_string())
    );
    for (file, text) in [
        ("Cargo.toml", manifest.as_str()),
        ("src/lib.rs", source),
        ("src/main.rs", MAIN),
    ] {
        let file = directory.join(file);
        if fs::read_to_string(&file).ok().as_deref() != Some(text) {
            fs::write(file, text).unwrap();
        }
    }
    fs::copy(workspace.join("Cargo.lock"), directory.join("Cargo.lock")).unwrap();
    directory
}

/// One for all of them, and for the tests of `cargo contest init`.
fn target_directory() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("built")
}

fn cargo(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(directory)
        .env("CARGO_TARGET_DIR", target_directory())
        .env("CARGO_NET_OFFLINE", "true")
        .env_remove("RUSTFLAGS")
        .output()
        .expect("cargo runs")
}

fn succeeds(directory: &Path, arguments: &[&str]) {
    let output = cargo(directory, arguments);
    assert!(
        output.status.success(),
        "cargo {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// What was built of one package.
struct Built {
    assembly: String,
    bytes: u64,
    printed: String,
}

fn build(directory: &Path) -> Built {
    succeeds(directory, &["build"]);
    let executable = target_directory().join("debug/subject");
    let bytes = fs::metadata(&executable).unwrap().len();
    let printed = Command::new(&executable).output().unwrap().stdout;
    let file = directory.join("lib.s");
    let emit = format!("asm={}", file.display());
    succeeds(directory, &["rustc", "--lib", "--", "--emit", &emit]);
    let assembly = fs::read_to_string(file).unwrap();
    Built {
        assembly: function(&assembly, "lock_heavy"),
        bytes,
        printed: String::from_utf8(printed).unwrap(),
    }
}

/// The lines of a function, without what names its crate and its own place in the file.
fn function(assembly: &str, name: &str) -> String {
    let start = format!("{name}:");
    let lines = assembly
        .lines()
        .skip_while(|line| *line != start)
        .take_while(|line| !line.trim_start().starts_with(".cfi_endproc"));
    lines.map(without_names).collect::<Vec<_>>().join("\n")
}

/// Hashes of symbols and names of constants differ with the crate's identity.
fn without_names(line: &str) -> String {
    let mut out = String::new();
    let constant = line.split_once(".Lanon.").and_then(|(before, name)| {
        let (_, after) = name.split_once('(')?;
        Some(format!("{before}<constant>({after}"))
    });
    let mut rest = constant.as_deref().unwrap_or(line);
    while let Some(at) = rest.find("17h") {
        let hash = rest.get(at + 3..at + 19).unwrap_or_default();
        out.push_str(&rest[..at]);
        if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            out.push_str("<hash>");
            rest = &rest[at + 19..];
        } else {
            out.push_str("17h");
            rest = &rest[at + 3..];
        }
    }
    out.push_str(rest);
    out
}

#[test]
fn an_annotated_crate_is_the_crate_without_annotations() {
    let annotated = package(
        "annotated",
        SOURCE,
        "[dependencies]\ncontest-runtime = { path = \"RUNTIME\" }\n",
    );
    let plain = package("plain", &without_attributes(SOURCE), "");
    let annotated = build(&annotated);
    let plain = build(&plain);
    assert!(plain.assembly.lines().count() > 50, "{}", plain.assembly);
    assert_eq!(annotated.printed, plain.printed, "layout and result");
    assert_eq!(annotated.assembly, plain.assembly);
    assert_eq!(annotated.bytes, plain.bytes, "size of the executable");
}

#[test]
fn a_release_build_with_the_feature_on_is_refused() {
    let directory = package(
        "released",
        SOURCE,
        "[dependencies]\ncontest-runtime = { path = \"RUNTIME\", features = [\"explore\"] }\n",
    );
    let output = cargo(&directory, &["check", "--lib"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(
        text.contains(
            "feature `explore` of contest-runtime is on in a build without debug assertions"
        ),
        "{text}"
    );
}
