//! Types that are not public, with `--internal`.

use crate::support::Subject;

const SOURCE: &str = "//! A pool of slots.
mod slots {
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

    /// A count that loses updates.
    #[derive(Default)]
    struct Count(AtomicU32);

    impl Count {
        fn new() -> Self { Self::default() }
        fn next(&self) -> u32 { let seen = self.0.load(SeqCst); self.0.store(seen + 1, SeqCst); seen }
    }

    pub(crate) struct Slots(std::sync::Mutex<u32>);

    impl Slots {
        pub(crate) fn new() -> Self { drop(Count::new().next()); Slots(std::sync::Mutex::new(TEXT.len() as u32)) }
        pub(super) fn take(&self) -> u32 { let mut left = self.0.lock().unwrap(); *left += 1; *left }
    }

    const TEXT: &str = include_str!(\"../slots.txt\");
}

pub struct Pool(slots::Slots);

impl Pool {
    pub fn new() -> Self { Pool(slots::Slots::new()) }
    pub fn take(&self) -> u32 { self.check(); self.0.take() }
    fn check(&self) {}
}
";

#[test]
fn internal_types_are_tested_in_a_copy_and_the_sources_stay_as_they_are() {
    let copy = Subject::empty();
    copy.write("src/lib.rs", SOURCE);
    copy.write("slots.txt", "0123");
    copy.write(
        "Cargo.toml",
        "[package]\nname = \"pool\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    let types = |arguments: &[&str]| -> Vec<(String, u64)> {
        let list = copy.contest(arguments).status(0);
        let subjects = list.with_reason("subject").into_iter();
        subjects
            .map(|it| {
                (
                    it["type"].as_str().unwrap().to_owned(),
                    it["operations"].as_u64().unwrap(),
                )
            })
            .collect()
    };
    let pool = ("pool::Pool".to_owned(), 1);
    assert_eq!(
        types(&["list", "--message-format", "json"]),
        std::slice::from_ref(&pool)
    );
    let internal = types(&["list", "--internal", "--message-format", "json"]);
    let slots = ("pool::slots::Slots".to_owned(), 1);
    assert_eq!(
        internal,
        [pool, ("pool::slots::Count".to_owned(), 1), slots]
    );

    let tree = |copy: &Subject| {
        let mut tree = copy.tree();
        tree.retain(|path, _| !path.to_string_lossy().contains("Cargo.lock"));
        tree
    };
    let before = tree(&copy);
    let run = copy
        .contest(&["--internal", "--fail-fast", "--message-format", "json"])
        .status(1);
    let findings = run.with_reason("finding");
    assert_eq!(findings[0]["type"], "pool::slots::Count", "{}", run.stdout);
    let place = findings[0]["locations"][0].as_str().unwrap();
    assert!(place.starts_with("src/lib.rs:11:"), "{place}");
    assert!(findings[0]["emitted"].is_null());
    let schedule = findings[0]["schedule"].as_str().unwrap();
    copy.contest(&["replay", "--internal", schedule]).status(1);
    assert!(before == tree(&copy), "the sources have changed");

    let run = copy.contest(&["--internal", "--emit"]).status(2);
    assert!(
        run.stderr.contains("outside of the crate"),
        "{}",
        run.stderr
    );
    // Without the option nothing of it is left.
    copy.contest(&["--budget", "500ms"]).status(0);
}
