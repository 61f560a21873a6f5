//! What `cargo test` runs is what `cargo contest test` runs: packages, targets, features, names.

use std::collections::BTreeSet;
use std::fs::File;
use std::time::{Duration, SystemTime};

use crate::support::Subject;

const COUNTER: &str = r#"//! A counter.
//!
//! ```
//! assert_eq!(std::thread::current().name(), Some("main"));
//! ```
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
#[derive(Default)]
pub struct Counter(AtomicU32);
impl Counter {
    pub fn get(&self) -> u32 { self.0.load(SeqCst) }
    #[cfg(feature = "more")]
    pub fn add(&self) { let seen = self.0.load(SeqCst); self.0.store(seen + 1, SeqCst); }
}
#[cfg(test)]
mod tests {
    #[test] fn has_its_name() {
        assert_eq!(std::thread::current().name(), Some("tests::has_its_name"));
        std::thread::spawn(|| assert_eq!(std::thread::current().name(), None)).join().unwrap();
        assert_eq!(std::thread::current().name(), Some("tests::has_its_name"));
    }
    #[cfg(feature = "more")]
    #[test] fn counts() {
        let it = crate::Counter::default();
        std::thread::scope(|scope| { scope.spawn(|| it.add()); it.add(); });
        assert_eq!(it.get(), 2);
    }
}
"#;

const STARTS: &str = r#"
use std::path::Path;
use std::process::Command;

#[test] fn starts_the_program() {
    let program = env!("CARGO_BIN_EXE_helper");
    assert_eq!(Command::new(program).status().unwrap().code(), Some(7));
}
#[test] fn starts_the_example() {
    let here = std::env::current_exe().unwrap();
    let folders = here.ancestors().map(|it| it.join("examples").join("sample"));
    let example = folders.into_iter().find(|it| Path::new(it).is_file()).expect("no example");
    assert_eq!(Command::new(example).status().unwrap().code(), Some(8));
}
"#;

fn workspace() -> Subject {
    let package = |name: &str, more: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{more}")
    };
    let user = "[dependencies]\ncounter = { path = \"../counter\", features = [\"more\"] }\n";
    let uses =
        "#[cfg(test)] mod tests { #[test] fn uses() { counter::Counter::default().add(); } }";
    let exits = |code: u8| format!("fn main() {{ std::process::exit({code}) }}");
    Subject::with(
        "as_cargo",
        &[
            (
                "Cargo.toml",
                "[workspace]\nmembers = [\"counter\", \"user\", \"program\"]\nresolver = \"2\"\n",
            ),
            (
                "counter/Cargo.toml",
                &package("counter", "[features]\nmore = []\nrest = []\n"),
            ),
            ("counter/src/lib.rs", COUNTER),
            ("counter/src/bin/helper.rs", &exits(7)),
            ("counter/examples/sample.rs", &exits(8)),
            ("counter/tests/starts.rs", STARTS),
            ("user/Cargo.toml", &package("user", user)),
            ("user/src/lib.rs", uses),
            ("program/Cargo.toml", &package("program", "")),
            (
                "program/src/main.rs",
                "fn main() {}\n#[test] fn of_the_program() {}",
            ),
        ],
    )
}

/// The tests that are listed with these options: plainly, and here.
fn lists(subject: &Subject, options: &[&str]) -> (BTreeSet<String>, BTreeSet<String>) {
    let arguments = [
        &["test"][..],
        options,
        &["--", "--list", "--format", "terse"],
    ]
    .concat();
    let names = |text: &str| -> BTreeSet<String> {
        let tests = text.lines().filter_map(|it| it.strip_suffix(": test"));
        tests.map(str::to_owned).collect()
    };
    let plain = names(&subject.cargo(&arguments).status(0).stdout);
    (plain, names(&subject.contest(&arguments).status(0).stdout))
}

#[test]
fn the_tests_are_those_of_cargo_test_with_the_same_options() {
    let copy = workspace();
    for (options, has_more) in [
        (&[][..], true),
        (&["-p", "counter"], false),
        (&["-p", "counter", "--features", "more"], true),
        (&["--workspace", "--exclude", "user"], false),
        (
            &["--all-features", "--exclude", "user", "--workspace"],
            true,
        ),
        (&["--manifest-path", "counter/Cargo.toml"], false),
        (&["--lib", "-p", "user"], false),
        (&["--bins"], false),
    ] {
        let (plain, here) = lists(&copy, options);
        assert_eq!(plain, here, "{options:?}");
        assert_eq!(plain.contains("tests::counts"), has_more, "{options:?}");
        assert!(!plain.is_empty(), "{options:?}");
    }
    // Libtest's lists are the same, as this command finds out itself.
    copy.contest(&["test", "--compare", "--bins"]).status(0);
    // Cargo's own words.
    let run = copy.contest(&["test", "--features", "nothing"]).status(2);
    assert!(run.stderr.contains("nothing"), "{}", run.stderr);
}

#[test]
fn generated_tests_have_the_features_that_other_members_turn_on() {
    let copy = workspace();
    let calls = |options: &[&str]| -> String {
        let run = copy.contest(&[&["list"][..], options].concat()).status(0);
        run.stdout
    };
    assert!(calls(&[]).contains("a.add()"), "{}", calls(&[]));
    assert!(!calls(&["-p", "counter"]).contains("a.add()"));
    assert!(calls(&["-p", "counter", "-F", "more"]).contains("a.add()"));
}

#[test]
fn tests_run_with_the_features_programs_and_names_that_cargo_gives_them() {
    let copy = workspace();
    let run = copy
        .contest(&["test", "--message-format", "json"])
        .status(1);
    assert_eq!(
        run.tests_that("fails-sometimes"),
        ["tests::counts"],
        "{}",
        run.stderr
    );
    let mut passed = run.tests_that("ok");
    passed.sort_unstable();
    assert_eq!(
        passed,
        [
            "counter/src/lib.rs - (line 3)",
            "of_the_program",
            "starts_the_example",
            "starts_the_program",
            "tests::has_its_name",
            "tests::uses",
        ],
        "{}",
        run.stderr
    );
    // The token is of a package that has the feature only together with another one.
    let token = run.with_reason("finding")[0]["schedule"].clone();
    let again = copy.contest(&["replay", token.as_str().unwrap()]).status(1);
    assert!(again.stdout.contains("counter"), "{}", again.stdout);

    // What does not build is named with the reason, and the rest runs.
    copy.write(
        "counter/tests/broken.rs",
        "use nowhere::Thing;\n#[test] fn broken() {}",
    );
    let arguments = [
        "test",
        "--message-format",
        "json",
        "--",
        "--skip",
        "tests::counts",
    ];
    let run = copy.contest(&arguments).status(3);
    assert_eq!(run.tests_that("ok").len(), 6, "{}", run.stderr);
    let left_out = run.with_reason("left-out");
    assert_eq!(left_out.len(), 1, "{left_out:?}");
    assert_eq!(left_out[0]["item"], "test broken");
    let why = left_out[0]["why"].as_str().unwrap();
    assert!(
        why.starts_with("it does not build: ") && why.contains("nowhere"),
        "{why}"
    );
    assert_eq!(run.with_reason("test-summary")[0]["not_built"], 1);
    assert!(
        run.stderr.contains("test result: INCOMPLETE"),
        "{}",
        run.stderr
    );

    // So it is beside examples, whose tests cargo cannot build in that way.
    let named = ["--tests", "--examples", "of_the_program", "starts_the"];
    let json = ["test", "--message-format", "json"];
    let run = copy.contest(&[&json[..], &named].concat()).status(3);
    let mut passed = run.tests_that("ok");
    passed.sort_unstable();
    assert_eq!(
        passed,
        ["of_the_program", "starts_the_example", "starts_the_program"],
        "{}",
        run.stderr
    );
    assert_eq!(run.with_reason("left-out"), left_out);
}

/// What a build script needs is compiled for the machine, without the settings of the code under test: rustix needs
/// other crates there.
#[test]
fn dependencies_of_build_scripts_are_those_of_a_plain_build() {
    let manifest = "[package]\nname = \"scripted\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\
                    [build-dependencies]\ntempfile = \"3\"\n[dev-dependencies]\ntempfile = \"3\"\n[workspace]\n";
    let copy = Subject::with(
        "build_scripts",
        &[
            ("Cargo.toml", manifest),
            ("build.rs", "fn main() { tempfile::tempfile().unwrap(); }"),
            (
                "src/lib.rs",
                "#[test] fn writes() { tempfile::tempfile().unwrap(); }",
            ),
        ],
    );
    let run = copy.contest(&["test"]).status(0);
    assert!(run.stdout.contains("writes ... ok"), "{}", run.stdout);
}

/// Cargo takes what another checkout has built for what this one has, if the files here are older.
#[test]
fn checkouts_that_share_a_target_directory_run_tests_of_their_own() {
    let manifest = "[package]\nname = \"checked-out\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let of = |place: &str, number: u32| {
        let source = format!(
            "pub fn number() -> u32 {{ {number} }}\n#[test] fn is_one() {{ assert_eq!(number(), 1) }}\n"
        );
        let files = [("Cargo.toml", manifest), ("src/lib.rs", source.as_str())];
        Subject::with(place, &files)
    };
    let (right, wrong) = (of("checkout-one", 1), of("checkout-two", 2));
    let long_ago = SystemTime::now() - Duration::from_secs(1_000_000);
    for file in ["Cargo.toml", "src/lib.rs"] {
        let file = File::options()
            .write(true)
            .open(wrong.directory.join(file))
            .unwrap();
        file.set_modified(long_ago).unwrap();
    }
    right.contest(&["test"]).status(0);
    let run = wrong.contest(&["test"]).status(1);
    assert!(run.text().contains("left: 2"), "{}", run.text());
    right.contest(&["test"]).status(0);
}
