//! Code that the compiler does not make visible, and settings that would keep it from doing so: what is not observed is
//! reported, and is no reason to report a bug.

use std::process::Command;

use serde_json::Value;

use crate::support::{Run, Subject};

const JSON: [&str; 3] = ["--message-format", "json", "--no-emit"];

/// Line of the source that ends in this mark, as locations begin.
fn marked(copy: &Subject, mark: &str) -> String {
    let source = copy.read("src/lib.rs");
    let line = source.lines().position(|line| line.ends_with(mark));
    format!("src/lib.rs:{}:", line.unwrap() + 1)
}

/// Items of the summary's list of what is not instrumented.
fn unseen(summary: &Value) -> Vec<String> {
    let all = summary["uninstrumented"].as_array().unwrap();
    let items = all.iter().map(|it| it["item"].as_str().unwrap().to_owned());
    items.collect()
}

fn finding_of<'a>(findings: &'a [Value], kind: &str, run: &Run) -> &'a Value {
    let found = findings.iter().find(|it| it["kind"] == kind);
    found.unwrap_or_else(|| panic!("no {kind}: {}", run.stderr))
}

#[test]
#[ignore = "it builds libraries in C, which takes a minute: run every week"]
fn locks_in_c_and_in_assembly_make_no_finding_and_what_was_not_reported_is_counted() {
    let copy = Subject::copy("unsupported/foreign_code");
    let run = copy
        .contest(&[&JSON[..], &["--budget", "10s", "--memory"]].concat())
        .status(1);
    let findings = run.with_reason("finding");
    assert_eq!(findings.len(), 1, "{}", run.stderr);
    let race = finding_of(&findings, "data-race", &run);
    assert_eq!(race["type"], "unsupported_foreign_code::Plain");
    let location = race["locations"][0].as_str().unwrap();
    assert!(
        location.starts_with(&marked(&copy, "// RACE")),
        "{location}"
    );
    let details = race["details"].to_string();
    assert!(
        details.contains("not all code is instrumented"),
        "{details}"
    );

    let summary = run.summary();
    let items = unseen(&summary);
    for item in [
        "inline assembly in unsupported-foreign-code",
        "functions of other languages in unsupported-foreign-code",
        "`tally`, which unsupported_foreign_code links",
    ] {
        assert!(items.iter().any(|it| it == item), "{item}: {items:?}");
    }
    let skipped = summary["coverage"]["tests_skipped"].to_string();
    assert!(skipped.contains("data race not reported"), "{skipped}");
    let text = summary.to_string();
    assert!(text.contains("it does not terminate in calls"), "{text}");
    // `add` and `total` share nothing that their sources show; `limit` is known.
    let pairs = &summary["coverage"]["pairs_pruned"];
    assert!(pairs.as_u64().unwrap() <= 1, "{summary}");
}

#[test]
fn profiles_and_flags_of_the_user_do_not_keep_findings_from_being_seen_and_placed() {
    let copy = Subject::copy("unsupported/own_flags");
    let run = copy
        .contest(&[&JSON[..], &["--budget", "1s"]].concat())
        .status(1);
    assert_eq!(run.kinds(), ["data-race", "panic"], "{}", run.stderr);
    let findings = run.with_reason("finding");
    let race = finding_of(&findings, "data-race", &run);
    let location = race["locations"][0].as_str().unwrap();
    assert!(
        location.starts_with(&marked(&copy, "// RACE")),
        "{location}"
    );
    let details = race["details"].to_string();
    assert!(details.contains("`Board.mark`, 4 bytes"), "{details}");
    assert_eq!(unseen(&run.summary()), [""; 0], "{}", run.stderr);
}

#[test]
fn a_library_that_cannot_be_linked_is_the_environments_fault_and_not_the_tools() {
    let copy = Subject::copy("faulty/racy_cells");
    let source = copy.read("src/lib.rs");
    let linked = "#[link(name = \"no_such_library\")]\nunsafe extern \"C\" {\n    fn nothing();\n}\n\
         pub fn call() {\n    unsafe { nothing() }\n}\n";
    copy.write("src/lib.rs", &format!("{source}\n{linked}"));
    let run = copy.contest(&["--budget", "1s"]).status(3);
    assert!(run.stderr.contains("cannot be linked"), "{}", run.stderr);
    assert!(run.stderr.contains("no_such_library"), "{}", run.stderr);
    assert!(!run.stderr.contains("bug of"), "{}", run.stderr);
}

/// An allocator that cannot allocate: a process that used it would not start.
const ALLOCATOR: &str = "mod own_allocator {
    use std::alloc::{GlobalAlloc, Layout};
    struct Never;
    unsafe impl GlobalAlloc for Never {
        unsafe fn alloc(&self, _: Layout) -> *mut u8 { std::ptr::null_mut() }
        unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
    }
    macro_rules! install { ($(#[$attribute:meta])* $name:ident) => { $(#[$attribute])* static $name: Never = Never; } }
    install!(#[global_allocator] OWN);
}
";

/// How often a run says that it does not use the allocator of a package.
fn allocators_of(run: &Run, package: &str) -> usize {
    let text = format!("the global allocator of {package} 0.1.0 is not used in this run");
    let warnings = run.with_reason("warning").into_iter();
    let texts = warnings.filter(|it| it["message"].as_str().unwrap().starts_with(&text));
    texts.count()
}

#[test]
fn a_global_allocator_in_the_graph_is_replaced_and_the_run_says_so() {
    let copy = Subject::copy("faulty/set_and_inc");
    let (source, manifest) = (copy.read("src/lib.rs"), copy.read("Cargo.toml"));
    copy.write("src/lib.rs", &format!("{source}\n{ALLOCATOR}"));
    let run = copy
        .contest(&[&JSON[..], &["--budget", "1s"]].concat())
        .status(1);
    assert_eq!(
        allocators_of(&run, "faulty-set-and-inc"),
        1,
        "{}",
        run.stdout
    );

    // In a dependency; and nothing is said of the package, which has none any more.
    copy.write("src/lib.rs", &format!("{source}\nuse own as _;\n"));
    copy.write(
        "own/Cargo.toml",
        "[package]\nname = \"own\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    copy.write("own/src/lib.rs", ALLOCATOR);
    copy.write(
        "Cargo.toml",
        &format!("{manifest}\n[dependencies]\nown = {{ path = \"own\" }}\n"),
    );
    let run = copy
        .contest(&[&JSON[..], &["--budget", "1s"]].concat())
        .status(1);
    assert_eq!(allocators_of(&run, "own"), 1, "{}", run.stdout);
    assert_eq!(
        allocators_of(&run, "faulty-set-and-inc"),
        0,
        "{}",
        run.stdout
    );
}

#[test]
fn an_allowed_race_is_in_the_summary_as_text_and_as_json() {
    let copy = Subject::copy("unsupported/own_flags");
    let manifest = copy.read("Cargo.toml");
    let here = "data-race:src/lib.rs";
    let settings = format!("\n[package.metadata.contest]\nallow = [\"{here}\", \"panic\"]\n");
    copy.write("Cargo.toml", &(manifest + &settings));
    let allowed = format!("allowed: {here}");
    let human = copy.contest(&["--budget", "500ms"]).status(0);
    assert!(human.stdout.contains(&allowed), "{}", human.stdout);
    let run = copy
        .contest(&[&JSON[..], &["--budget", "500ms"]].concat())
        .status(0);
    let skipped = run.summary()["coverage"]["tests_skipped"].to_string();
    assert!(skipped.contains(&allowed), "{skipped}");
}

#[test]
#[ignore = "needs a nightly toolchain beside the one that runs the tests"]
fn statics_of_a_nightly_feature_that_threads_share_are_reported() {
    let copy = Subject::empty();
    copy.write(
        "Cargo.toml",
        "[package]\nname = \"own\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    copy.write(
        "src/lib.rs",
        "#![feature(thread_local)]\nuse std::{cell::Cell, sync::Mutex};\n#[thread_local]\nstatic OWN: Cell<u32> = Cell::new(0);\n\
         #[derive(Default)]\npub struct Ids(Mutex<u32>);\nimpl Ids {\n    pub fn next(&self) -> u32 {\n        OWN.set(1);\n        \
         *self.0.lock().unwrap()\n    }\n}\n",
    );
    let mut tool: Command = crate::support::tool();
    tool.args(["contest", "--budget", "500ms", "--message-format", "json"])
        .env("RUSTUP_TOOLCHAIN", "nightly")
        .current_dir(&copy.directory);
    let run = crate::support::run(tool).status(0);
    let items = unseen(&run.summary());
    assert_eq!(items, ["statics with `#[thread_local]` in own"]);
}
