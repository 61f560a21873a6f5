//! What is surveyed.

use std::path::Path;

/// One package to run on.
pub(crate) struct Subject {
    /// For the table; also the name of the scratch package.
    pub(crate) label: String,
    /// Package under test.
    pub(crate) package: String,
    dependency: String,
}

/// Well-known concurrent crates at their newest versions, and the features that they are tested with.
const CRATES: [(&str, &[&str]); 24] = [
    ("dashmap", &[]),
    ("moka", &["sync"]),
    ("crossbeam-queue", &[]),
    ("crossbeam-deque", &[]),
    ("concurrent-queue", &[]),
    ("parking_lot", &[]),
    ("once_cell", &[]),
    ("arc-swap", &[]),
    ("event-listener", &[]),
    ("thread_local", &[]),
    ("flume", &[]),
    ("scc", &[]),
    ("sdd", &[]),
    ("kanal", &[]),
    ("async-channel", &[]),
    ("async-broadcast", &[]),
    ("rtrb", &[]),
    ("ringbuf", &[]),
    ("tokio", &["sync"]),
    ("prometheus", &[]),
    ("quick_cache", &[]),
    ("spin", &[]),
    ("boxcar", &[]),
    ("seize", &[]),
];

/// All of them.
pub(crate) fn crates() -> Vec<Subject> {
    let subjects = CRATES.iter().map(|(package, features)| {
        let features: Vec<String> = features.iter().map(|it| format!("{it:?}")).collect();
        let features = features.join(", ");
        Subject {
            label: format!("crate-{package}"),
            package: (*package).to_owned(),
            dependency: format!("{package} = {{ version = \"*\", features = [{features}] }}"),
        }
    });
    subjects.collect()
}

impl Subject {
    /// Writes a small package that depends on the one under test.
    pub(crate) fn write_package(&self, folder: &Path) {
        let manifest = format!(
            "[package]\nname = {:?}\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[dependencies]\n{}\n\n[workspace]\n\n\
             [profile.dev]\ndebug = false\nopt-level = 1\n",
            self.label, self.dependency
        );
        std::fs::create_dir_all(folder.join("src")).expect("the target directory can be written");
        std::fs::write(folder.join("Cargo.toml"), manifest)
            .expect("the scratch package can be written");
        std::fs::write(folder.join("src/main.rs"), "fn main() {}\n")
            .expect("the scratch package can be written");
    }
}
