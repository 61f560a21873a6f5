//! A panic of the tool's own code in a driver costs one test: the run goes on, and says what a report needs.

use crate::support::{Run, Subject};

/// What makes a driver panic; see `contest_engine::fault_point`.
const FAULT: &str = "TEST_CONTEST_FAULT";

/// A run in which the driver panics at this place of test 2.
fn explored(place: &str, lanes: &str) -> Run {
    let copy = Subject::copy("faulty/set_and_inc");
    let all = ["--budget", "3s", "--seed", "1", "-j", lanes, "--no-emit"];
    let fault = format!("{place}:2");
    copy.contest_with(
        &[&all[..], &["--message-format", "json"]].concat(),
        (FAULT, &fault),
    )
}

/// The bug of the crate was found all the same, and this is why the one test is lost.
#[track_caller]
fn lost(run: &Run) -> (String, String) {
    assert_eq!(run.kinds(), ["non-linearizable"], "{}", run.text());
    let summary = run.summary();
    let lost = summary["lost"].as_array().unwrap();
    assert_eq!(lost.len(), 1, "{lost:?}");
    let text = |key: &str| lost[0][key].as_str().unwrap().to_owned();
    let said = run.with_reason("warning");
    assert!(
        said.iter()
            .any(|it| it.to_string().contains("please report it")),
        "{said:?}"
    );
    (text("item"), text("why"))
}

#[test]
fn a_panic_of_the_engine_costs_one_test_and_is_never_the_crates() {
    for lanes in ["1", "2"] {
        let run = explored("executing", lanes).status(1);
        let (item, why) = lost(&run);
        assert!(item.contains("Counter::new()"), "{item}");
        for part in [
            "the driver panicked: a fault for a test: Executing at ",
            "fault_point.rs:",
            "please report it",
            "test 2 of --seed 1",
        ] {
            assert!(why.contains(part), "{part} is not in {why}");
        }
        assert!(run.with_reason("alone").is_empty(), "{}", run.stdout);
    }
}

#[test]
fn a_panic_of_the_judge_costs_one_test_and_says_how_to_see_it_again() {
    let run = explored("judging", "1").status(1);
    let (_, why) = lost(&run);
    assert!(why.contains("a fault for a test: Judging at "), "{why}");
    assert!(why.contains("cargo contest replay "), "{why}");
}

#[test]
fn a_panic_of_a_generator_costs_one_test_and_no_process() {
    let run = explored("generating", "1").status(1);
    let (item, why) = lost(&run);
    assert!(item.contains("Counter"), "{item}");
    assert!(why.contains("a fault for a test: Generating at "), "{why}");
    assert!(why.contains("test 2 of --seed 1"), "{why}");
    assert_eq!(run.summary()["restarts"], 0);
}

#[test]
fn a_panic_before_the_first_test_costs_one_type() {
    let copy = Subject::with(
        "two_types",
        &[
            (
                "Cargo.toml",
                "[package]\nname = \"two\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n",
            ),
            (
                "src/lib.rs",
                "use std::sync::atomic::{AtomicU32, Ordering::SeqCst};\n\
                 /// A.\n#[derive(Default)] pub struct A(AtomicU32);\n\
                 impl A { pub fn add(&self) { self.0.fetch_add(1, SeqCst); } }\n\
                 /// B.\n#[derive(Default)] pub struct B(AtomicU32);\n\
                 impl B { pub fn add(&self) { let n = self.0.load(SeqCst); self.0.store(n + 1, SeqCst); }\n\
                 pub fn get(&self) -> u32 { self.0.load(SeqCst) } }\n",
            ),
        ],
    );
    let all = ["--budget", "2s", "--no-emit", "--message-format", "json"];
    let run = copy.contest_with(&all, (FAULT, "preparing:0")).status(1);
    assert_eq!(run.kinds(), ["non-linearizable"], "{}", run.text());
    let lost = run.summary()["lost"].to_string();
    assert!(lost.contains("a test of two::A"), "{lost}");
    assert!(lost.contains("a fault for a test: Preparing"), "{lost}");
    let nothing_else = copy.contest_with(&[&["A"], &all[..]].concat(), (FAULT, "preparing:0"));
    nothing_else.status(70);
}

#[test]
fn a_panic_of_the_tool_where_nothing_else_is_done_is_status_70() {
    let copy = Subject::copy("faulty/set_and_inc");
    let test = "let a = Counter::new(); a.inc() | a.set(1)";
    let run = copy
        .contest_with(&["try", test], (FAULT, "executing:0"))
        .status(70);
    assert!(run.stderr.contains("please report it"), "{}", run.stderr);
}

#[test]
fn a_panic_of_the_tool_costs_one_of_the_crates_own_tests() {
    let copy = Subject::copy("faulty/set_and_inc");
    copy.write(
        "tests/both.rs",
        r#"
use std::sync::{Arc, atomic::{AtomicU32, Ordering::SeqCst}};

fn adds(steps: u32) {
    let sum = Arc::new(AtomicU32::new(0));
    let other = sum.clone();
    let thread = std::thread::spawn(move || other.fetch_add(1, SeqCst));
    sum.fetch_add(steps, SeqCst);
    thread.join().unwrap();
}

#[test]
fn a_first() { adds(1); }

#[test]
fn b_second() { adds(2); }
"#,
    );
    let arguments = [
        "test",
        "--test",
        "both",
        "-j",
        "1",
        "--message-format",
        "json",
    ];
    let run = copy.contest_with(&arguments, (FAULT, "executing:0"));
    let results = run.with_reason("test");
    let of = |name: &str| {
        let mut all = results.iter();
        all.find(|it| it["name"].as_str() == Some(name))
            .unwrap_or_else(|| panic!("{}", run.text()))
    };
    assert!(
        of("a_first").to_string().contains("please report it"),
        "{}",
        run.text()
    );
    assert_eq!(of("b_second")["complete"], true, "{}", run.text());
}
