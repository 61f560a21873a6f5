//! Several members of a workspace in one run: what cargo would test, one budget, one report.

use crate::support::Subject;

const ABBA: &str = "use std::sync::Mutex;
#[derive(Default)] pub struct Accounts { left: Mutex<u32>, right: Mutex<u32> }
impl Accounts {
    pub fn new() -> Self { Self::default() }
    pub fn there(&self) -> u32 { let left = self.left.lock().unwrap(); *left + *self.right.lock().unwrap() }
    pub fn back(&self) -> u32 { let right = self.right.lock().unwrap(); *right + *self.left.lock().unwrap() }
}
";

const LOST_UPDATE: &str = "use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
#[derive(Default)] pub struct Count(AtomicU32);
impl Count {
    pub fn new() -> Self { Self::default() }
    pub fn next(&self) -> u32 { let seen = self.0.load(SeqCst); self.0.store(seen + 1, SeqCst); seen }
}
";

const CLEAN: &str = "use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
#[derive(Default)] pub struct Clean(AtomicU32);
impl Clean {
    pub fn new() -> Self { Self::default() }
    pub fn next(&self) -> u32 { self.0.fetch_add(1, SeqCst) }
    #[cfg(feature = \"more\")] pub fn previous(&self) -> u32 { self.0.fetch_sub(1, SeqCst) }
}
";

fn workspace() -> Subject {
    let root = "[workspace]\nmembers = [\"crates/*\"]\nresolver = \"2\"\n[workspace.metadata.contest]\nbudget = \"6s\"\nemit = false\n";
    let mut files = vec![
        ("Cargo.toml".to_owned(), root.to_owned()),
        (
            "crates/program/Cargo.toml".to_owned(),
            manifest("program", ""),
        ),
        (
            "crates/program/src/main.rs".to_owned(),
            "fn main() {}".to_owned(),
        ),
    ];
    for (name, source, more) in [
        ("accounts", ABBA, ""),
        ("counts", LOST_UPDATE, ""),
        ("clean", CLEAN, "[features]\nmore = []\n"),
        ("types", "pub struct Plain(pub u32);", ""),
        ("derives", "", "[lib]\nproc-macro = true\n"),
    ] {
        files.push((format!("crates/{name}/Cargo.toml"), manifest(name, more)));
        files.push((format!("crates/{name}/src/lib.rs"), source.to_owned()));
    }
    let files: Vec<_> = (files.iter())
        .map(|(path, text)| (&**path, &**text))
        .collect();
    Subject::with("workspace", &files)
}

fn manifest(name: &str, more: &str) -> String {
    format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{more}")
}

#[test]
fn all_members_share_a_budget_and_a_report_and_those_not_tested_are_named() {
    let copy = workspace();
    // A virtual workspace has all members as its default ones.
    let run = copy.contest(&["--message-format", "json"]).status(1);
    let findings = run.with_reason("finding");
    let mut found: Vec<(&str, &str, &str)> = findings
        .iter()
        .map(|it| {
            (
                it["package"].as_str().unwrap(),
                it["type"].as_str().unwrap(),
                it["kind"].as_str().unwrap(),
            )
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    assert_eq!(
        found,
        [
            ("accounts 0.1.0", "accounts::Accounts", "deadlock"),
            ("counts 0.1.0", "counts::Count", "non-linearizable"),
        ]
    );
    let place = findings[0]["locations"][0].as_str().unwrap();
    assert!(place.starts_with("crates/accounts/src/lib.rs:"), "{place}");
    let summary = run.summary();
    assert_eq!(
        summary["package"],
        "accounts 0.1.0, clean 0.1.0, counts 0.1.0"
    );
    assert_eq!(summary["types"], 3);
    assert!(summary["elapsed_ms"].as_u64().unwrap() < 9_000, "{summary}");
    let not_tested = summary["members_not_tested"].as_array().unwrap();
    let mut names: Vec<&str> = not_tested
        .iter()
        .map(|it| it["item"].as_str().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["derives", "program 0.1.0", "types 0.1.0"]);

    // The token knows its package.
    let schedule = findings[0]["schedule"].as_str().unwrap();
    let replayed = copy.contest(&["replay", schedule]).status(1);
    assert!(replayed.stdout.contains("deadlock"), "{}", replayed.stdout);
}

#[test]
fn members_can_be_excluded_and_features_reach_those_that_have_them() {
    let copy = workspace();
    let run = copy.contest(&[
        "--workspace",
        "--exclude",
        "c?unts",
        "--exclude",
        "acc*",
        "--exclude",
        "nothing",
        "--budget",
        "1s",
        "--features",
        "more",
    ]);
    let run = run.status(0);
    assert!(
        run.stdout.contains("clean 0.1.0: 1 type, 2 operations"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("not tested  counts: --exclude"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout
            .contains("--exclude nothing: no member of the workspace"),
        "{}",
        run.stdout
    );
    for (arguments, status, part) in [
        (&["--workspace", "-p", "clean"][..], 2, "omit -p"),
        (&["--exclude", "clean"][..], 2, "--workspace"),
        (
            &["--workspace", "--features", "none"][..],
            2,
            "none of the selected packages has the feature `none`",
        ),
        (&["Nowhere"][..], 2, "no type to test of any member"),
        (
            &["--workspace", "--exclude", "*"][..],
            4,
            "no member of the workspace is left",
        ),
    ] {
        let run = copy.contest(arguments).status(status);
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    // A type of one member: the others are not tested, and the report says so.
    let run = copy.contest(&["Clean", "--budget", "1s"]).status(0);
    assert!(
        run.stdout
            .contains("not tested  accounts 0.1.0: none of the named types"),
        "{}",
        run.stdout
    );
    let list = copy
        .contest(&["list", "--workspace", "--message-format", "json"])
        .status(0);
    let packages: Vec<String> = list
        .with_reason("subject")
        .iter()
        .map(|it| it["package"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(packages, ["accounts 0.1.0", "clean 0.1.0", "counts 0.1.0"]);
}

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn tests_analysis_orderings_and_workflows_take_members_and_a_scenario_takes_one_package() {
    let copy = workspace();
    let ends = "use std::thread::scope;
        #[test] fn counts() { let it = clean::Clean::new(); scope(|s| { s.spawn(|| it.next()); it.next(); }); assert_eq!(it.next(), 2) }";
    copy.write("crates/clean/tests/counts.rs", ends);
    let loses = ends.replace("clean::Clean", "counts::Count");
    copy.write("crates/counts/tests/counts.rs", &loses);

    let run = copy
        .contest(&["test", "--message-format", "json"])
        .status(1);
    let tests = run.with_reason("test");
    assert_eq!(tests.len(), 2, "{}", run.stdout);
    let summary = run.with_reason("test-summary");
    assert_eq!(summary[0]["ok"], 1);
    assert_eq!(summary[0]["fails_sometimes"], 1);
    let run = copy
        .contest(&["test", "--workspace", "--exclude", "counts"])
        .status(0);
    assert!(run.stdout.contains("clean 0.1.0\n"), "{}", run.stdout);
    assert!(run.stdout.contains("counts: --exclude"), "{}", run.stdout);
    // Its tests are run like those of the others; it has none.
    assert!(run.stdout.contains("program 0.1.0\n"), "{}", run.stdout);

    let run = copy
        .contest(&["analyze", "--message-format", "json", "Count", "Clean"])
        .status(0);
    let packages: Vec<String> = run
        .with_reason("summary")
        .iter()
        .map(|it| it["package"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(packages, ["clean 0.1.0", "counts 0.1.0"]);

    let run = copy
        .contest(&["orderings", "Count", "Clean", "--budget", "6s"])
        .status(0);
    for part in ["clean::Clean", "counts::Count", "crates/clean/src/lib.rs:5"] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }

    let run = copy.contest(&["ci", "--workspace", "--dry-run"]).status(0);
    assert!(
        run.stdout.contains("cargo contest run --workspace"),
        "{}",
        run.stdout
    );
    for (arguments, part) in [
        (
            &["try", "--workspace", "let a = 1; a | a"][..],
            "`try` is about one package",
        ),
        (&["try", "let a = 1; a | a"][..], "choose a package with -p"),
        (&["test", "--exclude", "clean"][..], "add --workspace"),
    ] {
        let run = copy.contest(arguments).status(2);
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
}

const DECLARES: &str = "use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
extern \"Rust\" { fn step_of_the_board() -> u32; }
#[derive(Default)] pub struct Count(AtomicU32);
impl Count {
    pub fn new() -> Self { Self::default() }
    pub fn next(&self) -> u32 {
        let seen = self.0.load(SeqCst);
        self.0.store(seen + unsafe { step_of_the_board() }, SeqCst);
        seen
    }
}
";

#[test]
fn a_crate_that_provides_what_another_one_declares_is_linked_and_said_to_be() {
    let depends = "[dev-dependencies]\nboard = { path = \"../board\" }\n";
    let provides = "#[no_mangle] pub extern \"Rust\" fn step_of_the_board() -> u32 { 1 }";
    let copy = Subject::with(
        "provided",
        &[
            (
                "Cargo.toml",
                "[workspace]\nmembers = [\"count\", \"board\"]\nresolver = \"2\"\n",
            ),
            ("count/Cargo.toml", &manifest("count", depends)),
            ("count/src/lib.rs", DECLARES),
            ("board/Cargo.toml", &manifest("board", "")),
            ("board/src/lib.rs", provides),
        ],
    );
    for _ in 0..2 {
        // The second run does not try without it.
        let arguments = ["-p", "count", "--fail-fast", "--no-emit"];
        let run = copy.contest(&[&arguments[..], &["--message-format", "json"]].concat());
        let run = run.status(1);
        let said =
            "linked with board 0.1.0 (`step_of_the_board`), which the package does not depend on";
        let warnings = run.with_reason("warning");
        let mut texts = warnings.iter().filter_map(|it| it["message"].as_str());
        assert!(texts.any(|it| it.starts_with(said)), "{}", run.stdout);
        assert!(
            run.kinds().contains(&"non-linearizable".to_owned()),
            "{}",
            run.stdout
        );
    }
}
