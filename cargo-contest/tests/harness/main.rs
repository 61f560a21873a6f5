//! From a catalog to a driver that answers, with a real cargo and a small runtime.

#[cfg(unix)]
mod kept_runtime;
mod no_accesses;
mod stand_in_runtime;
mod subject_crate;

use contest_build::workspace::selection::PackageSource;
use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::{OperationEntry, Passed, Returned, Taken};
use contest_drive::harness::{BuildEvent, BuildStage, HarnessError, prepare_with};

use subject_crate::{SubjectCrate, argument, catalog, operation, options, say, subject};

const COUNTER: &str = r#"
use std::sync::{Arc, Mutex};
pub struct Counter(Mutex<u32>);
impl Counter {
    pub fn new() -> Self { Self(Mutex::new(0)) }
    pub fn inc(&self) -> u32 { let mut it = self.0.lock().unwrap(); *it += 1; *it }
    pub fn add(&self, n: u32, label: &str) -> String { *self.0.lock().unwrap() += n; format!("{label}{n}") }
    pub fn at_least<const N: usize>(&self) { const { assert!(N > 0, "too few") } }
    pub fn boom(&self) { panic!("boom") }
    pub fn set(&mut self, n: u32) -> u32 { *self.0.lock().unwrap() = n; n }
    pub fn owners(self: Arc<Self>) -> usize { Arc::strong_count(&self) }
    pub fn same(&self, other: &Self) -> bool { std::ptr::eq(self, other) }
    pub fn upto(&self) -> impl Iterator<Item = u32> { 0..3 }
    pub fn lock_type(&self) -> &'static str { std::any::type_name_of_val(&self.0) }
}
"#;

fn counter_operations() -> Vec<OperationEntry> {
    let shared = |name| operation(name, Taken::Reference, Vec::new());
    vec![
        shared("inc"),
        operation(
            "set",
            Taken::MutableReference,
            vec![argument(Passed::Value, &["7", "8"])],
        ),
        operation("owners", Taken::Arc, Vec::new()),
        operation(
            "same",
            Taken::Reference,
            vec![argument(Passed::OtherObject, &[])],
        ),
        OperationEntry {
            returned: Returned::Iterator,
            ..shared("upto")
        },
        shared("lock_type"),
        shared("boom"),
    ]
}

#[test]
fn what_does_not_compile_is_left_out_with_the_compilers_reason_and_the_rest_works() {
    let user = SubjectCrate::new(
        "left-out",
        "[profile.dev]\npanic = \"abort\"\nlto = true\n",
        COUNTER,
    );
    let before = user.files();
    let mut operations = counter_operations();
    let number = argument(Passed::Value, &["1", "5"]);
    let label = argument(Passed::Reference, &["std::string::String::from(\"+\")"]);
    operations.push(operation(
        "add",
        Taken::Reference,
        vec![number.clone(), label],
    ));
    // Refused for its types; for its borrows; and for a constant, which is evaluated only when all else is right.
    let character = argument(Passed::Value, &["'c'"]);
    operations.push(operation("add", Taken::Reference, vec![number, character]));
    operations.push(OperationEntry {
        expression: "{ let gone = std::string::String::new(); drop(gone); gone.len() }".into(),
        ..operation("borrows", Taken::Reference, Vec::new())
    });
    operations.push(OperationEntry {
        expression: Expression::Object.method("at_least::<0>", []),
        ..operation("at_least", Taken::Reference, Vec::new())
    });
    let catalog = catalog(vec![subject(
        "left_out::Counter",
        &["left_out::Counter::new()"],
        operations,
    )]);

    let (driver, events) = user.prepare(&catalog);
    let driver = driver.unwrap();
    let kept = &driver.catalog.subjects[0];
    assert_eq!(kept.operations.len(), 8);
    let reasons: Vec<_> = kept
        .left_out
        .iter()
        .map(|it| (it.item.as_str(), it.why.as_str()))
        .collect();
    assert_eq!(
        reasons,
        [
            ("add", "mismatched types: expected `&str`, found `char`"),
            (
                "borrows",
                "borrow of moved value: `gone`: value borrowed here after move"
            ),
            (
                "at_least",
                "evaluation panicked: too few: evaluation of `left_out::Counter::at_least::<0>::{constant#0}` failed here"
            ),
        ]
    );
    assert!(
        events.contains(&BuildEvent::LeftOut { items: 2 }),
        "{events:?}"
    );
    assert!(
        events.contains(&BuildEvent::LeftOut { items: 3 }),
        "{events:?}"
    );
    assert!(
        events.iter().any(|it| matches!(
            it,
            BuildEvent::Progress {
                stage: BuildStage::Driver,
                total: 2..,
                ..
            }
        )),
        "{events:?}"
    );
    assert_eq!(
        (driver.instrumented, driver.uninstrumented.as_slice()),
        (1, &[][..])
    );
    assert_eq!(
        say(&driver),
        "left-out 0.1.0; inc 1; set 8; owners 2; same false; upto [0, 1, 2]; \
         lock_type 'contest_facade::sync::Mutex<u32>'; boom panicked; add '+5'"
    );
    assert_eq!(user.files(), before, "the source tree was touched");

    // Nothing has changed: nothing is tried again.
    let (again, events) = user.prepare(&catalog);
    assert_eq!(again.unwrap().catalog, driver.catalog);
    assert!(
        !events.iter().any(|it| matches!(
            it,
            BuildEvent::LeftOut { .. } | BuildEvent::Built { fresh: false, .. }
        )),
        "{events:?}"
    );

    // Now it takes a `char`.
    user.write("src/lib.rs", &COUNTER.replace("label: &str", "label: char"));
    let (changed, _) = user.prepare(&catalog);
    let changed = &changed.unwrap().catalog.subjects[0];
    assert_eq!(changed.operations.len(), 8);
    let why = &changed.left_out[0].why;
    assert_eq!(why, "mismatched types: expected `char`, found `&String`");
}

#[test]
fn a_crate_that_does_not_build_is_shown_with_its_own_errors() {
    let user = SubjectCrate::new(
        "broken",
        "",
        "pub struct Counter;\npub fn f() -> u32 { \"no\" }\n",
    );
    let operations = vec![operation("inc", Taken::Reference, Vec::new())];
    let catalog = catalog(vec![subject(
        "broken::Counter",
        &["broken::Counter"],
        operations,
    )]);
    match user.prepare(&catalog).0 {
        Err(HarnessError::SubjectDoesNotBuild {
            package,
            diagnostics,
        }) => {
            assert_eq!(package, "broken");
            assert!(diagnostics.contains("mismatched types"), "{diagnostics}");
            assert!(diagnostics.contains("src/lib.rs:2:"), "{diagnostics}");
            assert!(!diagnostics.contains("contest_facade"), "{diagnostics}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_crate_that_the_facade_breaks_is_compiled_without_and_named() {
    let user = SubjectCrate::new(
        "user-of-plain",
        "[dependencies]\nplain-lock = { path = \"plain-lock\" }\n",
        "pub struct Counter(std::sync::Mutex<u32>);\nimpl Counter {\n    pub fn new() -> Self { Self(std::sync::Mutex::new(plain_lock::take(std::sync::Arc::new(3)))) }\n    \
         pub fn get(&self) -> u32 { *self.0.lock().unwrap() }\n}\n",
    );
    user.write(
        "plain-lock/Cargo.toml",
        "[package]\nname = \"plain-lock\"\nversion = \"1.2.3\"\nedition = \"2021\"\n",
    );
    user.write(
        "plain-lock/src/lib.rs",
        "pub fn take(n: std::sync::Arc<u32>) -> u32 { std::sync::Mutex::new(*n).into_inner().unwrap() }\n",
    );
    let operations = vec![operation("get", Taken::Reference, Vec::new())];
    let catalog = catalog(vec![subject(
        "user_of_plain::Counter",
        &["user_of_plain::Counter::new()"],
        operations,
    )]);
    for run in ["first", "second, when nothing is compiled"] {
        let driver = user.prepare(&catalog).0.unwrap();
        assert_eq!(driver.instrumented, 1, "{run}");
        let [plain] = driver.uninstrumented.as_slice() else {
            panic!("{run}: {:?}", driver.uninstrumented);
        };
        assert_eq!(plain.item, "plain-lock 1.2.3");
        assert!(
            plain.why.starts_with("no method named `into_inner` found"),
            "{}",
            plain.why
        );
        assert_eq!(say(&driver), "user-of-plain 0.1.0; get 3");
    }
}

#[test]
fn a_crate_that_gives_the_name_alloc_to_std_is_instrumented() {
    let user = SubjectCrate::new(
        "own-alloc",
        "",
        "macro_rules! under { ($name:ident) => { extern crate std as $name; } }\nunder!(alloc);\n\
         pub struct Lock(alloc::sync::Mutex<u32>);\n\
         impl Lock { pub fn new() -> Self { Self(alloc::sync::Mutex::new(0)) } \
         pub fn lock_type(&self) -> &'static str { std::any::type_name_of_val(&self.0) } }\n",
    );
    let operations = vec![operation("lock_type", Taken::Reference, Vec::new())];
    let catalog = catalog(vec![subject(
        "own_alloc::Lock",
        &["own_alloc::Lock::new()"],
        operations,
    )]);
    let driver = user.prepare(&catalog).0.unwrap();
    assert_eq!(driver.uninstrumented, []);
    assert_eq!(
        say(&driver),
        "own-alloc 0.1.0; lock_type 'contest_facade::sync::Mutex<u32>'"
    );
}

#[test]
fn a_type_that_cannot_be_shared_is_no_subject_and_without_any_there_is_no_driver() {
    let user = SubjectCrate::new(
        "not-sync",
        "",
        "pub struct Local(std::cell::Cell<u32>);\nimpl Local { pub fn new() -> Self { Self(std::cell::Cell::new(0)) } pub fn get(&self) -> u32 { self.0.get() } }\n",
    );
    let operations = vec![operation("get", Taken::Reference, Vec::new())];
    let catalog = catalog(vec![subject(
        "not_sync::Local",
        &["not_sync::Local::new()"],
        operations,
    )]);
    match user.prepare(&catalog).0 {
        Err(HarnessError::NothingCompiles(left)) => {
            assert!(left.subjects.is_empty());
            assert_eq!(left.skipped[0].item, "not_sync::Local");
            assert!(
                left.skipped[0]
                    .why
                    .contains("cannot be shared between threads"),
                "{:?}",
                left.skipped
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_users_lock_file_decides_versions_and_stays_as_it_is() {
    let user = SubjectCrate::new(
        "locked",
        "[workspace]\nmembers = [\"member\"]\nresolver = \"2\"\n[dependencies]\nmember = { path = \"member\" }\n",
        "pub use member::Counter;\n",
    );
    user.write(
        "member/Cargo.toml",
        "[package]\nname = \"member\"\nversion = \"0.2.0\"\nedition.workspace = true\n",
    );
    user.write(
        "Cargo.toml",
        &std::fs::read_to_string(user.directory.path().join("Cargo.toml"))
            .unwrap()
            .replace("[workspace]", "[workspace]\npackage.edition = \"2021\""),
    );
    user.write("member/src/lib.rs", COUNTER);
    let lock = "version = 4\n\n[[package]]\nname = \"locked\"\nversion = \"0.1.0\"\ndependencies = [\n \"member\",\n]\n\n\
                [[package]]\nname = \"member\"\nversion = \"0.2.0\"\n";
    user.write("Cargo.lock", lock);
    let mut user = user;
    user.package.lock_file = Some(user.package.workspace_root.join("Cargo.lock"));
    let before = user.files();
    let catalog = catalog(vec![subject(
        "locked::Counter",
        &["locked::Counter::new()"],
        counter_operations(),
    )]);
    let mut options = options(&["--locked"]);
    options.color = true;
    // With the driver written into the copy of the lock file there is nothing for cargo to change.
    let driver = prepare_with(
        &stand_in_runtime::sources(),
        &user.package,
        &catalog,
        &options,
        &mut |_| {},
    )
    .unwrap();
    assert_eq!(driver.instrumented, 2);
    assert_eq!(user.files(), before);
}

#[test]
fn a_target_directory_that_cannot_be_written_is_named() {
    let mut user = SubjectCrate::new("read-only", "", COUNTER);
    user.write("file", "");
    user.package.target_directory = user.package.workspace_root.join("file");
    let catalog = catalog(vec![subject(
        "read_only::Counter",
        &["read_only::Counter::new()"],
        counter_operations(),
    )]);
    match user.prepare(&catalog).0 {
        Err(HarnessError::Write(error)) => {
            let text = error.to_string();
            assert!(
                text.contains("file/contest") && text.contains("CARGO_TARGET_DIR"),
                "{text}"
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_crate_that_is_not_in_the_cache_cannot_be_built_offline() {
    let mut user = SubjectCrate::new("cargo-contest-no-such-crate", "", "");
    let registry = "registry+https://github.com/rust-lang/crates.io-index";
    user.package.source = PackageSource::Registry(registry.to_owned());
    let catalog = catalog(vec![subject(
        "a::B",
        &["a::B"],
        vec![operation("f", Taken::Reference, Vec::new())],
    )]);
    let result = prepare_with(
        &stand_in_runtime::sources(),
        &user.package,
        &catalog,
        &options(&["--offline"]),
        &mut |_| {},
    );
    match result {
        Err(HarnessError::Offline(text)) => {
            assert!(text.contains("cargo-contest-no-such-crate"), "{text}")
        }
        other => panic!("{other:?}"),
    }
}
