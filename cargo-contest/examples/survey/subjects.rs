//! What is surveyed.

use std::path::Path;

use serde::Deserialize;

/// One package to run on.
pub(crate) struct Subject {
    /// For the table; also the name of the scratch package.
    pub(crate) label: String,
    /// Package under test.
    pub(crate) package: String,
    dependency: String,
    lock: Option<String>,
    /// For a bug: what kind of bug, what it needs, and whether this version has it.
    pub(crate) bug: Option<Bug>,
}

pub(crate) struct Bug {
    pub(crate) class: String,
    pub(crate) plain_memory: String,
    pub(crate) api: String,
    pub(crate) present: bool,
}

#[derive(Deserialize)]
struct Corpus {
    entry: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    id: String,
    #[serde(rename = "crate")]
    package: String,
    buggy: String,
    fixed: String,
    features: Option<String>,
    class: String,
    plain_memory: String,
    api: String,
}

/// Well-known concurrent crates at their newest versions.
pub(crate) fn crates() -> Vec<Subject> {
    let plain = [
        ("dashmap", ""),
        ("moka", "sync"),
        ("crossbeam-queue", ""),
        ("concurrent-queue", ""),
        ("parking_lot", ""),
        ("once_cell", ""),
        ("arc-swap", ""),
        ("event-listener", ""),
        ("thread_local", ""),
        ("tokio", "sync"),
        ("prometheus", ""),
        ("quick_cache", ""),
    ];
    plain
        .into_iter()
        .map(|(package, features)| Subject {
            label: format!("crate-{package}"),
            package: package.to_owned(),
            dependency: dependency(package, "*", features),
            lock: None,
            bug: None,
        })
        .collect()
}

/// Crates with a known bug, and their fixed versions.
pub(crate) fn bugs() -> Vec<Subject> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus");
    let text = std::fs::read_to_string(folder.join("corpus.toml"))
        .expect("the corpus is part of the project");
    let corpus: Corpus = toml::from_str(&text).expect("the corpus is well formed");
    let mut subjects = Vec::new();
    for entry in corpus.entry {
        for (suffix, version, present) in
            [("bug", &entry.buggy, true), ("fix", &entry.fixed, false)]
        {
            let label = format!("p-{}-{suffix}", entry.id);
            let lock = folder
                .join("locks")
                .join(format!("{}-{suffix}.lock", entry.id));
            subjects.push(Subject {
                label,
                package: entry.package.clone(),
                dependency: dependency(
                    &entry.package,
                    &format!("={version}"),
                    entry.features.as_deref().unwrap_or(""),
                ),
                lock: std::fs::read_to_string(lock).ok(),
                bug: Some(Bug {
                    class: entry.class.clone(),
                    plain_memory: entry.plain_memory.clone(),
                    api: entry.api.clone(),
                    present,
                }),
            });
        }
    }
    subjects
}

fn dependency(package: &str, version: &str, features: &str) -> String {
    let features: Vec<String> = features
        .split(',')
        .filter(|feature| !feature.is_empty())
        .map(|feature| format!("{feature:?}"))
        .collect();
    format!(
        "{package} = {{ version = {version:?}, features = [{}] }}",
        features.join(", ")
    )
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
        if let Some(lock) = &self.lock {
            std::fs::write(folder.join("Cargo.lock"), lock)
                .expect("the scratch package can be written");
        }
    }
}
