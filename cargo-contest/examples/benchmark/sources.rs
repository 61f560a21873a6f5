//! What the records are made of: tests with their comments, and two tables.

use std::path::Path;
use std::{fs, io};

use serde::Deserialize;

use crate::entries::{self, Entry};
use crate::record::{Record, Side, root};

/// Kernels of GoBench that do not block: races, panics, and what comes too early or too late.
const NOT_BLOCKING: [&str; 35] = [
    "cockroach_35501",
    "cockroach_4407",
    "etcd_3077",
    "etcd_4876",
    "etcd_8194",
    "etcd_9446",
    "grpc_1687",
    "grpc_1748",
    "grpc_2371",
    "grpc_3090",
    "istio_16742",
    "istio_8144",
    "istio_8214",
    "istio_8967",
    "kubernetes_13058",
    "kubernetes_49404",
    "kubernetes_70892",
    "kubernetes_77796",
    "kubernetes_79631",
    "kubernetes_80284",
    "kubernetes_81091",
    "kubernetes_81148",
    "kubernetes_82239",
    "kubernetes_82550",
    "kubernetes_88331",
    "kubernetes_89164",
    "moby_18412",
    "moby_22941",
    "moby_27037",
    "serving_3068",
    "serving_3148",
    "serving_4908",
    "serving_5865",
    "serving_6171",
    "serving_6472",
];

/// A flaky test whose twin has another name and place, because it needs an executable of its own.
const ELSEWHERE: (&str, &str, &str) = (
    "the_hook_hears_one_panic",
    "hooks",
    "the_hook_hears_a_panic",
);

/// All records, in their order.
///
/// # Errors
/// If a source cannot be read.
pub(crate) fn records() -> io::Result<Vec<Record>> {
    let mut records = kernels()?;
    records.extend(flaky()?);
    records.extend(subjects()?);
    records.extend(entries::entries().iter().map(of_entry));
    Ok(records)
}

fn kernels() -> io::Result<Vec<Record>> {
    let mut records = Vec::new();
    for (stem, text) in rust_files("tests/subjects/faulty/goker/tests/kernels")? {
        let heading = text.lines().next().unwrap_or_default();
        let project = heading.trim_start_matches("//! ").trim_end_matches('.');
        let project = project.split(':').next().unwrap_or_default();
        for test in tests_of(&text).filter(|it| it.module.is_empty()) {
            let lockbud = stem == "lockbud";
            let number = test.name.rsplit('_').next().unwrap_or_default();
            let kinds: &[&str] = match test.name.as_str() {
                _ if lockbud => &["deadlock", "panic", "use-after-free"],
                name if NOT_BLOCKING.contains(&name) => &["data-race", "panic", "timing"],
                _ => &["deadlock", "timing"],
            };
            let side = |options: &str| {
                let path = "tests/subjects/faulty/goker";
                let name = format!("{stem}::{}", test.name);
                let command = format!("test{options} --test kernels {name}");
                of_test(path, &command, name)
            };
            records.push(Record {
                id: format!(
                    "{}/{}",
                    if lockbud { "lockbud" } else { "goker" },
                    test.name
                ),
                source: match lockbud {
                    true => "BurtonQin/lockbud, toys".to_owned(),
                    false => format!("GoBench (GoKer), {project}#{number}"),
                },
                scenario: test.comment,
                kinds: kinds.iter().map(|it| (*it).to_owned()).collect(),
                parts: Vec::new(),
                file: Some(format!("tests/kernels/{stem}.rs")),
                buggy: side(""),
                fixed: side(" --features mended"),
            });
        }
    }
    Ok(records)
}

fn flaky() -> io::Result<Vec<Record>> {
    let mut records = Vec::new();
    for (stem, text) in rust_files("tests/subjects/faulty/reported_tests/tests")? {
        for test in tests_of(&text).filter(|it| it.module == "broken") {
            // A test whose comment is that of the one before is the other one of a pair.
            let Some((source, scenario)) = test.comment.split_once(": ") else {
                continue;
            };
            // Beside the others of the file, which may share something with it.
            let side = |stem: &str, name: String| {
                let path = "tests/subjects/faulty/reported_tests";
                of_test(path, &format!("test --test {stem}"), name)
            };
            let (name, elsewhere, twin) = ELSEWHERE;
            let (place, twin) = match test.name == name {
                true => (elsewhere, twin),
                false => (stem.as_str(), test.name.as_str()),
            };
            records.push(Record {
                id: format!("flaky/{}", test.name),
                source: source.to_owned(),
                scenario: scenario.to_owned(),
                kinds: Vec::new(),
                parts: Vec::new(),
                file: Some(format!("tests/{stem}.rs")),
                buggy: side(&stem, format!("broken::{}", test.name)),
                fixed: side(place, format!("mended::{twin}")),
            });
        }
    }
    Ok(records)
}

/// A bug of application code: `benchmark/subjects.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Bug {
    package: String,
    file: String,
    subject: String,
    kinds: Vec<String>,
    source: String,
    scenario: String,
}

#[derive(Deserialize)]
struct Bugs {
    bug: Vec<Bug>,
}

fn subjects() -> io::Result<Vec<Record>> {
    let text = fs::read_to_string(root().join("benchmark/subjects.toml"))?;
    let bugs: Bugs = toml::from_str(&text).map_err(io::Error::other)?;
    let record = |bug: Bug| {
        let side = |group: &str| Side {
            path: Some(format!("tests/subjects/{group}/{}", bug.package)),
            command: format!("cargo contest run {}", bug.subject),
            ..Side::default()
        };
        Record {
            id: format!("application/{}", bug.subject.to_lowercase()),
            buggy: side("faulty"),
            fixed: side("correct"),
            source: bug.source,
            scenario: bug.scenario,
            kinds: bug.kinds,
            parts: Vec::new(),
            file: Some(bug.file),
        }
    };
    Ok(bugs.bug.into_iter().map(record).collect())
}

fn of_entry(entry: &Entry) -> Record {
    let arguments = entry.arguments.iter().map(|it| format!(" {it}"));
    let command = format!(
        "cargo contest run -p {}{}",
        entry.package,
        arguments.collect::<String>()
    );
    let side = |suffix: &str, version: &str| {
        let features = match entry.features.as_slice() {
            [] => String::new(),
            features => format!(", features = {features:?}"),
        };
        let own = format!(
            "{} = {{ version = \"={version}\"{features} }}",
            entry.package
        );
        let beside = match &entry.beside_fixed {
            Some(other) if suffix == "fix" => Some(other),
            _ => entry.beside.as_ref(),
        };
        let lock = format!("tests/corpus/locks/{}-{suffix}.lock", entry.id);
        Side {
            dependencies: [own].into_iter().chain(beside.cloned()).collect(),
            lock: root().join(&lock).exists().then_some(lock),
            command: command.clone(),
            ..Side::default()
        }
    };
    Record {
        id: format!("crates/{}", entry.id),
        source: entry.source.clone(),
        scenario: entry.scenario.clone(),
        kinds: entry.kinds.clone(),
        parts: entry.parts.clone(),
        file: None,
        buggy: side("bug", &entry.buggy),
        fixed: side("fix", &entry.fixed),
    }
}

fn of_test(path: &str, command: &str, test: String) -> Side {
    Side {
        path: Some(path.to_owned()),
        command: format!("cargo contest {command}"),
        test: Some(test),
        ..Side::default()
    }
}

/// Stem and text of each file of a folder.
fn rust_files(folder: &str) -> io::Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(root().join(folder))? {
        let path = entry?.path();
        let stem = path.file_stem().and_then(|it| it.to_str());
        let (Some(stem), true) = (stem, is_rust(&path)) else {
            continue;
        };
        files.push((stem.to_owned(), fs::read_to_string(&path)?));
    }
    files.sort();
    Ok(files)
}

fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "rs")
}

/// A test in a file.
struct Test {
    /// The module of the file that it is in, or nothing.
    module: String,
    name: String,
    comment: String,
}

fn tests_of(text: &str) -> impl Iterator<Item = Test> {
    let (mut module, mut comment, mut tests) = (String::new(), String::new(), Vec::new());
    let mut is_test = false;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("mod ") {
            module = name.trim_end_matches(" {").to_owned();
        }
        let line = line.trim_start();
        if let Some(words) = line.strip_prefix("//") {
            if !comment.is_empty() {
                comment.push(' ');
            }
            comment += words.trim_start_matches(['/', '!']).trim();
        } else if line.starts_with("#[") {
            is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
        } else {
            if let (true, Some((_, name))) = (is_test, line.split_once("fn ")) {
                tests.push(Test {
                    module: module.clone(),
                    name: name.split('(').next().unwrap_or_default().to_owned(),
                    comment: std::mem::take(&mut comment),
                });
            }
            is_test = false;
            comment.clear();
        }
    }
    tests.into_iter()
}
