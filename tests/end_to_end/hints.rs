//! What a manifest says of how to test a package, and what a list says of the rest.

use crate::support::Subject;

const SOURCE: &str = "use std::sync::Mutex;
pub trait Dial: Send + Sync + 'static { fn dial<T: From<u32>>(&self) -> T; }
pub struct Local;
impl Dial for Local { fn dial<T: From<u32>>(&self) -> T { T::from(1) } }
pub struct Address(());
pub fn local() -> Address { Address(()) }
pub struct Pool(Mutex<u32>);
pub struct Secret { _private: () }
impl Pool {
    pub fn open(address: Address, secret: Secret) -> Self { drop((address, secret)); Pool(Mutex::new(0)) }
    #[doc(hidden)] pub fn closed() -> Self { Pool(Mutex::new(0)) }
    pub fn get(&self, limit: u32) -> u32 { let mut it = self.0.lock().unwrap(); *it += limit; *it }
    pub fn close(&self) { *self.0.lock().unwrap() = 0 }
}
";

fn subject(settings: &str) -> Subject {
    let manifest = format!(
        "[package]\nname = \"pool\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[package.metadata.contest]\n{settings}\n"
    );
    Subject::with("pool", &[("Cargo.toml", &manifest), ("src/lib.rs", SOURCE)])
}

#[test]
fn a_list_ends_with_what_was_left_out_by_reason_and_the_manifest_can_help() {
    let list = subject("").contest(&["list"]);
    let by_reason = list.stdout.split("left out by reason").nth(1).unwrap();
    assert!(
        by_reason.contains("no way to make one (pool::Pool)"),
        "{}",
        list.stdout
    );
    assert!(by_reason.contains("make = {"), "{}", list.stdout);

    let helped = subject(
        "make = { Pool = \"Pool::closed()\" }\nvalues = { \"Pool::get.limit\" = [\"7\", \"u32::MAX / 4\"] }\nleave-out = [\"Pool::close\"]",
    );
    let list = helped
        .contest(&["list", "--message-format", "json"])
        .status(0);
    let subjects = list.with_reason("subject");
    assert_eq!(subjects.len(), 1, "{}", list.stdout);
    assert_eq!(subjects[0]["constructors"][0], "Pool::closed()");
    assert_eq!(subjects[0]["calls"][0], "a.get(7)");
    assert_eq!(subjects[0]["operations"], 1);
    let reasons = list.with_reason("left-out-reason");
    let manifest = reasons
        .iter()
        .find(|it| it["why"] == "`leave-out` in the manifest");
    assert_eq!(manifest.unwrap()["items"][0], "pool::Pool::close");
    helped.contest(&["--budget", "500ms"]).status(0);
}

#[test]
fn settings_that_do_not_compile_or_name_nothing_are_named() {
    let broken = subject("seed = 1\nmake = { Pool = \"Pool::shut()\" }");
    let run = broken.contest(&["--budget", "500ms"]).status(3);
    for part in [
        "Cargo.toml:8: `make` of `Pool`",
        "`Pool::shut()`",
        "named `shut` found for struct",
    ] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    let malformed = subject("make = { Pool = \"Pool::closed(\" }");
    let run = malformed.contest(&["list"]);
    assert!(
        run.stderr.contains("`make` of `Pool` is no expression"),
        "{}",
        run.stderr
    );
    let unknown = subject(
        "make = { Pol = \"Pool::closed()\" }\nleave-out = [\"Pool::cloze\"]\n\
         values = { \"Pool::get.limits\" = [\"7\"] }",
    );
    let run = unknown.contest(&["list"]);
    assert_ne!(run.status, 0);
    for part in [
        "`make` names `Pol`",
        "`leave-out` names `Pool::cloze`",
        "`values` names `Pool::get.limits`",
    ] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
}

const REASONS: &str = "//! ```
//! let log = reasons::Log::new(\"x\".parse::<u32>().unwrap_err());
//! ```
use std::num::ParseIntError;
use std::sync::Mutex;
pub struct Log { first: ParseIntError, last: Mutex<Option<ParseIntError>>, count: Mutex<u32> }
impl Log {
    pub fn new(first: ParseIntError) -> Self { Log { first, last: Mutex::default(), count: Mutex::default() } }
    pub fn add(&self, reason: &ParseIntError) {
        *self.last.lock().unwrap() = Some(reason.clone());
        let count = *self.count.lock().unwrap();
        *self.count.lock().unwrap() = count + 1;
    }
    pub fn count(&self) -> u32 { *self.count.lock().unwrap() }
    pub fn first(&self) -> String { self.first.to_string() }
    pub fn mark(&self, with: ParseIntError) { drop(with) }
}
";

#[test]
fn what_cannot_be_made_is_taken_from_tests_and_documentation() {
    let manifest = "[package]\nname = \"reasons\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let copy = Subject::with(
        "reasons",
        &[("Cargo.toml", manifest), ("src/lib.rs", REASONS)],
    );
    let none = copy.contest(&["list"]);
    assert!(none.stdout.contains("in all"), "{}", none.text());
    assert!(
        none.stdout.contains("Log::new.first = \"x\""),
        "{}",
        none.stdout
    );
    copy.write(
        "tests/log.rs",
        "use reasons::Log;
        fn log() -> Log { Log::new(\"x\".parse::<u32>().unwrap_err()) }
        #[test]
        fn adds() {
            let reason = \"y\".parse::<u32>().unwrap_err();
            let mut log = Log::new(\"\".parse::<u32>().unwrap_err());
            log.add(&reason);
            log.mark(7);
            Vec::new().push(log);
            log = self::log();
        }",
    );
    let list = copy
        .contest(&["list", "--message-format", "json"])
        .status(0);
    let idioms = list.with_reason("idiom");
    let added = idioms.iter().find(|it| it["argument"] == "Log::add.reason");
    let added = added.unwrap_or_else(|| panic!("{}", list.stdout));
    assert_eq!(added["text"], "&\"y\".parse::<u32>().unwrap_err()");
    assert_eq!(added["location"], "tests/log.rs:7");
    // What the compiler refuses is left out, and the rest is tested.
    let json = ["--message-format", "json", "--budget", "2s", "--no-emit"];
    let run = copy.contest(&json).status(1);
    assert_eq!(run.kinds(), ["non-linearizable"]);
    assert_eq!(run.summary()["operations"], 3);
    let left_out = run.with_reason("left-out");
    assert_eq!(left_out[0]["item"], "reasons::Log::mark", "{left_out:?}");
    let why = left_out[0]["why"].as_str().unwrap();
    assert!(
        why.contains("expected `ParseIntError`, found integer"),
        "{why}"
    );
}

const JOBS: &str = "use std::sync::Mutex;
#[derive(Default)]
pub struct Jobs(Mutex<Vec<Job>>);
#[derive(Clone, PartialEq)]
pub struct Job { id: u32, name: String }
impl Job {
    pub fn parse(text: &str) -> Option<Self> {
        let (id, name) = text.split_once(':')?;
        Some(Job { id: id.parse().ok()?, name: name.to_owned() })
    }
}
impl Jobs {
    pub fn new() -> Self { Self::default() }
    pub fn with_capacity(self, capacity: usize) -> Self { self.0.lock().unwrap().reserve(capacity); self }
    pub fn try_pop(&self) -> Option<Job> { self.0.lock().unwrap().pop() }
    pub fn submit(&self, job: Job) -> bool {
        let known = self.0.lock().unwrap().contains(&job);
        if !known { self.0.lock().unwrap().push(job) }
        !known
    }
}
#[test]
fn submits() {
    assert!(Job::parse(\"b\").is_none());
    assert!(Jobs::new().submit(Job::parse(\"1:a\").unwrap()));
}
";

#[test]
fn a_text_has_the_form_that_it_has_in_tests() {
    let manifest = "[package]\nname = \"jobs\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let jobs = Subject::with("jobs", &[("Cargo.toml", manifest), ("src/lib.rs", JOBS)]);
    let list = jobs.contest(&["list"]).status(0).stdout;
    assert!(
        list.contains("a.submit(Job::parse(\"1:a\").unwrap())"),
        "{list}"
    );
    let run = jobs.contest(&["--budget", "2s", "--no-emit"]).status(1);
    assert!(
        run.stdout.contains("two calls of a.submit(Job::parse("),
        "{}",
        run.stdout
    );
    // None is made in a way that never works, like `Jobs::new().try_pop().unwrap()`.
    assert!(!run.stdout.contains("panics in"), "{}", run.stdout);
}

const NESTED: &str = "pub mod waits {
    use std::sync::Mutex;
    use std::time::Duration;
    #[derive(Default)]
    pub struct Total(Mutex<u128>);
    impl Total {
        pub fn new() -> Self { Self::default() }
        pub fn add(&self, time: Duration) -> u128 {
            let before = *self.0.lock().unwrap();
            *self.0.lock().unwrap() = before + time.as_millis();
            before
        }
    }
}
";

/// A list shows types without the paths of their modules, and what is typed as it shows it is understood.
#[test]
fn a_scenario_names_types_as_a_list_shows_them() {
    let manifest = "[package]\nname = \"nested\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    let nested = Subject::with(
        "nested",
        &[("Cargo.toml", manifest), ("src/lib.rs", NESTED)],
    );
    let list = nested.contest(&["list"]).status(0).stdout;
    for part in [
        "made by  Total::new()",
        "call     a.add(Duration::from_millis(1))",
    ] {
        assert!(list.contains(part), "{list}");
    }
    let typed =
        "let a = Total::new(); a.add(Duration::from_millis(1)) | a.add(Duration::from_millis(1))";
    let run = nested
        .contest(&["try", typed, "--emit", "--message-format", "json"])
        .status(1);
    assert_eq!(run.kinds(), ["non-linearizable"]);
    // The emitted test compiles, and replays it.
    let replayed = nested.contest(&["test"]).status(1).text();
    assert!(replayed.contains("FAILED: non-linearizable"), "{replayed}");
    let unknown = nested.contest(&["try", "let a = Sum::new(); a.add() | a.add()"]);
    assert!(unknown.status(2).text().contains("cannot find type `Sum`"));
}
