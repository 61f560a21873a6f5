//! `cargo contest test` on examples: of the documentation, and below `examples`.

use serde_json::Value;

use crate::support::{Run, Subject};

const LIBRARY: &str = r#"//! Counts.
//!
//! ```
//! let counter = counter::Counter::default();
//! counter.bump();
//! assert_eq!(counter.get(), 1);
//! ```
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// Counts.
#[derive(Default)]
pub struct Counter(AtomicUsize);

impl Counter {
    /// How many.
    pub fn get(&self) -> usize {
        self.0.load(SeqCst)
    }

    /// One more.
    ///
    /// ```
    /// #![allow(unused_mut)]
    /// # use counter::Counter;
    /// let mut counter = Counter::default();
    /// std::thread::scope(|scope| {
    ///     scope.spawn(|| counter.bump());
    ///     scope.spawn(|| counter.bump());
    /// });
    /// assert_eq!(counter.get(), 2);
    /// ```
    ///
    /// ```should_panic
    /// panic!("as it should");
    /// ```
    /// ```no_run
    /// loop {}
    /// ```
    /// ```ignore
    /// nothing
    /// ```
    /// ```compile_fail
    /// let number: u8 = "";
    /// ```
    /// ```text
    /// Hello.
    /// ```
    /// ```
    /// let number: u8 = "no number".parse()?;
    /// # Ok::<(), std::num::ParseIntError>(())
    /// ```
    /// ```
    /// fn main() -> Result<(), String> {
    ///     std::thread::spawn(|| ()).join().map_err(|_| "it panicked".to_owned())
    /// }
    /// ```
    pub fn bump(&self) {
        let number = self.0.load(SeqCst);
        self.0.store(number + 1, SeqCst);
    }
}

#[test]
fn of_the_library() {}
"#;

const IN_EXAMPLE: &str = "fn main() {}\n#[test]\nfn of_an_example() {}\n";

fn counter(library: &str) -> Subject {
    let manifest = "[package]\nname = \"counter\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    Subject::with(
        "counter",
        &[
            ("Cargo.toml", manifest),
            ("src/lib.rs", library),
            ("examples/count.rs", IN_EXAMPLE),
        ],
    )
}

fn names(run: &Run) -> Vec<String> {
    run.tests().into_keys().collect()
}

#[test]
fn examples_of_documentation_are_tests_with_their_own_places() {
    let copy = counter(LIBRARY);
    let json = ["test", "--message-format", "json"];
    let run = copy.contest(&json).status(1);
    let of_bump = |line: u32| format!("src/lib.rs - Counter::bump (line {line})");
    assert_eq!(
        run.tests_that("ok"),
        [
            "of_the_library".to_owned(),
            "src/lib.rs - (line 3)".to_owned(),
            of_bump(33),
            of_bump(52),
        ],
        "{}",
        run.stderr
    );
    assert_eq!(run.tests_that("fails-sometimes"), [of_bump(22)]);
    assert_eq!(run.tests_that("failed"), [of_bump(48)]);
    let results = run.tests();
    assert_eq!(results["src/lib.rs - (line 3)"]["executions"], 1);
    assert_eq!(results[&of_bump(52)]["threads"], 2);
    assert_eq!(results[&of_bump(22)]["complete"], true);
    let left_out = run.with_reason("left-out");
    let why: Vec<&str> = (left_out.iter())
        .filter_map(|it| it["why"].as_str())
        .collect();
    assert_eq!(
        why,
        [
            "it is marked `ignore`",
            "they are to be compiled only, not to be run"
        ]
    );

    let finding = &run.with_reason("finding")[0];
    assert_eq!(finding["kind"], "panic");
    // Lines of the package's file.
    assert_eq!(finding["locations"], serde_json::json!(["src/lib.rs:30:1"]));
    let rows = finding["interleaving"].as_array().unwrap();
    let is_spawn = |row: &&Value| {
        row["location"]
            .as_str()
            .unwrap()
            .starts_with("src/lib.rs:27:")
    };
    assert!(rows.iter().any(|row| is_spawn(&row)), "{finding}");
    let token = finding["schedule"].as_str().unwrap();
    let again = copy.contest(&["replay", token]).status(1);
    assert!(again.stdout.contains("src/lib.rs:30:1"), "{}", again.stdout);

    let kept = copy
        .contest(&["test", "(line 22)", "--doc", "--emit"])
        .status(1);
    let name = "contest_src_lib_rs_counter_bump_line_22_panic_1";
    assert!(
        kept.stdout.contains(&format!("tests/{name}.rs")),
        "{}",
        kept.stdout
    );
    let again = copy.contest(&["test", "--emitted"]).status(1);
    assert!(
        again.stdout.contains(&format!("test {name} ... FAILED")),
        "{}",
        again.stdout
    );
    copy.cargo(&["test", "--test", name]).status(0);

    // What was built is used again, and mended documentation is not taken for it.
    let mended = LIBRARY
        .replace("self.0.store(number + 1, SeqCst);", "")
        .replace("self.0.load(SeqCst);", "self.0.fetch_add(1, SeqCst);")
        .replace("\"no number\"", "\"7\"");
    copy.write("src/lib.rs", &mended);
    let run = copy.contest(&json).status(0);
    let passed = run.tests_that("ok");
    let of_bump = passed
        .iter()
        .filter(|it| it.contains("Counter::bump (line"));
    assert_eq!(of_bump.count(), 4, "{}", run.stderr);

    // Where cargo would test no documentation, none is tested.
    let manifest = copy.read("Cargo.toml");
    copy.write("Cargo.toml", &format!("{manifest}[lib]\ndoctest = false\n"));
    let run = copy.contest(&json);
    assert!(!names(&run.status(0)).iter().any(|it| it.contains("(line")));
}

#[test]
fn options_choose_among_tests_examples_and_documentation() {
    let copy = counter(LIBRARY);
    let run = |options: &[&str]| {
        let all = ["test", "--message-format", "json", "--", "--skip", "(line"];
        let arguments: Vec<&str> = all[..3]
            .iter()
            .chain(options)
            .chain(&all[3..])
            .copied()
            .collect();
        copy.contest(&arguments)
    };
    assert_eq!(names(&run(&[]).status(0)), ["of_the_library"]);
    assert_eq!(names(&run(&["--tests"]).status(0)), ["of_the_library"]);
    assert_eq!(names(&run(&["--examples"]).status(0)), ["of_an_example"]);
    assert_eq!(
        names(&run(&["--examples", "--tests"]).status(0)),
        ["of_an_example", "of_the_library"]
    );
    run(&["--doc"]).status(4);
    let list = copy.contest(&["test", "--doc", "--", "--list", "--format", "terse"]);
    let list = list.status(0).stdout;
    assert!(
        list.contains("src/lib.rs - Counter::bump (line 33): test\n"),
        "{list}"
    );
    assert!(!list.contains("of_the_library"), "{list}");
}

const NOT_TOGETHER: &str = r#"/// This one needs an attribute of its crate, and one does not compile.
///
/// ```
/// #![recursion_limit = "256"]
/// macro_rules! seven { () => { 7 } }
/// assert_eq!(seven!(), 7);
/// ```
/// ```
/// use counter::nothing_of_this_name;
/// ```
/// ```edition2015
/// let async = 7;
/// assert_eq!(async, 7);
/// ```
pub fn f() {}
"#;

#[test]
fn an_example_that_does_not_compile_is_named_and_the_others_run() {
    let copy = counter(NOT_TOGETHER);
    let run = copy.contest(&["test", "--doc", "--message-format", "json"]);
    let run = run.status(0);
    assert_eq!(
        run.tests_that("ok"),
        ["src/lib.rs - f (line 11)", "src/lib.rs - f (line 3)"],
        "{}",
        run.stderr
    );
    let left_out = &run.with_reason("left-out")[0];
    assert_eq!(left_out["item"], "src/lib.rs - f (line 8)");
    let why = left_out["why"].as_str().unwrap();
    assert!(why.contains("nothing_of_this_name"), "{why}");
}
