//! What a call returns is used as a caller would: a guard is given back, and what a reference leads to is read.

use crate::support::Subject;

const MANIFEST: &str = "[package]\nname = \"returned\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

const SOURCE: &str = r#"
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Condvar, Mutex};

macro_rules! semaphore {
    ($name:ident, $permit:ident, $wakes:expr) => {
        /// A counting semaphore; a permit goes back when it is dropped.
        pub struct $name {
            permits: Mutex<usize>,
            given_back: Condvar,
        }
        pub struct $permit<'a>(&'a $name);
        impl $name {
            pub fn new(permits: usize) -> Self {
                Self { permits: Mutex::new(permits), given_back: Condvar::new() }
            }
            /// Waits for a permit.
            pub fn acquire(&self) -> $permit<'_> {
                let mut permits = self.permits.lock().unwrap();
                while *permits == 0 {
                    permits = self.given_back.wait(permits).unwrap();
                }
                *permits -= 1;
                $permit(self)
            }
        }
        impl Drop for $permit<'_> {
            fn drop(&mut self) {
                *self.0.permits.lock().unwrap() += 1;
                if $wakes {
                    self.0.given_back.notify_one();
                }
            }
        }
    };
}
semaphore!(Forgetful, ForgetfulPermit, false);
semaphore!(Right, RightPermit, true);

macro_rules! cell {
    ($name:ident, $publish:expr) => {
        /// A place that is filled once.
        pub struct $name<T> {
            state: AtomicU8,
            place: UnsafeCell<MaybeUninit<T>>,
        }
        unsafe impl<T: Send> Send for $name<T> {}
        unsafe impl<T: Send + Sync> Sync for $name<T> {}
        impl<T> $name<T> {
            pub fn new() -> Self {
                Self { state: AtomicU8::new(0), place: UnsafeCell::new(MaybeUninit::uninit()) }
            }
            /// Fills it, unless another call has begun to.
            pub fn set(&self, value: T) -> Result<(), T> {
                if self.state.compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed).is_err() {
                    return Err(value);
                }
                unsafe { (*self.place.get()).write(value) };
                self.state.store(2, $publish);
                Ok(())
            }
            /// What is in it, if it is filled.
            pub fn get(&self) -> Option<&T> {
                (self.state.load(Ordering::Acquire) == 2).then(|| unsafe { (*self.place.get()).assume_init_ref() })
            }
        }
    };
}
cell!(Early, Ordering::Relaxed);
cell!(Filled, Ordering::Release);
"#;

#[test]
fn guards_that_wake_nobody_and_references_to_what_is_not_yet_there_are_found() {
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", SOURCE)];
    let package = Subject::with("returned", &files);
    let found = |types: &[&str], status| -> Vec<(String, String)> {
        let options = ["--budget", "6s", "--message-format", "json"];
        let run = package.contest(&[types, &options].concat());
        let findings = run.status(status).with_reason("finding");
        let errors = findings.iter().filter(|it| it["level"] == "error");
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        errors
            .map(|it| (text(&it["kind"]), text(&it["type"])))
            .collect()
    };
    let of = |kind: &str, name: &str| (kind.to_owned(), name.to_owned());
    let guards = found(&["Forgetful", "Right"], 1);
    assert_eq!(guards, [of("deadlock", "returned::Forgetful")]);
    let references = found(&["Early", "Filled"], 1);
    assert!(
        references.contains(&of("data-race", "returned::Early<u32>"))
            || references.contains(&of("data-race", "returned::Early<String>")),
        "{references:?}"
    );
    let races_of_the_early = |(kind, name): &(String, String)| {
        kind == "data-race" && name.starts_with("returned::Early<")
    };
    assert!(references.iter().all(races_of_the_early), "{references:?}");
}

const BOXED: &str = r#"
use std::future::Future;
use std::pin::Pin;
use std::sync::Mutex;

/// A turn that is taken once, by a future in a box, as `async_trait` makes them.
#[derive(Default)]
pub struct Turn(Mutex<bool>);

impl Turn {
    pub fn take(&self) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        Box::pin(async {
            let taken = *self.0.lock().unwrap();
            *self.0.lock().unwrap() = true;
            !taken
        })
    }
}

/// Numbers that are looked up as they are asked for.
#[derive(Default)]
pub struct Numbers(Mutex<Vec<u8>>);

impl Numbers {
    pub fn push(&self, number: u8) {
        self.0.lock().unwrap().push(number);
    }

    pub fn all(&self) -> Box<dyn Iterator<Item = u8> + '_> {
        Box::new((0..4).filter_map(|at| self.0.lock().unwrap().get(at).copied()))
    }
}
"#;

#[test]
fn futures_and_iterators_in_boxes_are_run() {
    let manifest = "[package]\nname = \"boxed\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    let package = Subject::with("boxed", &[("Cargo.toml", manifest), ("src/lib.rs", BOXED)]);
    let list = package.contest(&["list"]).status(0).text();
    assert!(list.contains("a.take().await"), "{list}");
    let run = package.contest(&["Turn", "--budget", "3s"]).status(1);
    let said = run.text();
    assert!(
        said.contains("two calls of a.take().await return true"),
        "{said}"
    );
    let order = "let a = boxed::Numbers::default(); a.push(1) | a.all()";
    let said = package.contest(&["try", order]).status(0).text();
    for seen in ["a.all() = []", "a.all() = [1]"] {
        assert!(said.contains(seen), "no `{seen}` in {said}");
    }
}

const TICKETS: &str = "use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
/// A ticket is known to its owner once `open` has returned.
#[derive(Default)]
pub struct Tickets { next: AtomicU64, open: Mutex<Vec<u64>> }
impl Tickets {
    pub fn open(&self) -> u64 {
        let id = self.next.fetch_add(1, SeqCst);
        self.open.lock().unwrap().push(id);
        id
    }
    pub fn close(&self, id: u64) -> bool {
        let mut open = self.open.lock().unwrap();
        let at = open.iter().position(|it| *it == id);
        at.inspect(|at| { open.remove(*at); }).is_some()
    }
}
";

/// Tests guess numbers. No caller can close a ticket before it knows its number.
#[test]
fn no_caller_knows_a_number_before_it_is_returned() {
    let manifest = "[package]\nname = \"tickets\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    let explored = |source: &str| {
        let files = [("Cargo.toml", manifest), ("src/lib.rs", source)];
        Subject::with("tickets", &files).contest(&["--budget", "3s"])
    };
    let said = explored(TICKETS).status(0).text();
    assert!(
        said.contains("that another one was about to return"),
        "{said}"
    );
    // Two tickets of one number are wrong all the same, and so is a ticket that is closed twice.
    let not_at_once = "self.next.load(SeqCst); self.next.store(id + 1, SeqCst)";
    let looks_first = "if !self.open.lock().unwrap().contains(&id) { return false }
        let mut open = self.open.lock().unwrap();
        open.retain(|it| *it != id);
        return true;
        #[allow(unreachable_code)]
        let mut open = self.open.lock().unwrap();";
    for (right, wrong, found) in [
        (
            "self.next.fetch_add(1, SeqCst)",
            not_at_once,
            "two calls of a.open() return 0",
        ),
        (
            "let mut open = self.open.lock().unwrap();",
            looks_first,
            "two calls of a.close(",
        ),
    ] {
        let said = explored(&TICKETS.replace(right, wrong)).status(1).text();
        assert!(said.contains(found), "{said}");
    }
}
