//! A test of the crate as the body of an execution.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use contest_engine::execution::{MainName, active};

/// What `#[should_panic]` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedPanic {
    /// The test does not have it.
    No,
    /// Any panic will do.
    Any,
    /// One whose message contains this.
    With(&'static str),
}

/// A test of the crate.
pub struct OwnTest {
    /// `module::name`.
    pub name: String,
    /// It is not to be run; the reason, if one is given.
    pub ignored: Option<&'static str>,
    /// Whether it is to panic.
    pub panics: ExpectedPanic,
    /// What the thread that runs it is called: a test by its name, an example of documentation is a program of its own.
    pub thread: MainName,
    /// Where it is declared: `src/lib.rs:10:8`.
    pub declared: String,
    /// Runs it; the error is that of a test which returns one.
    pub run: Box<dyn Fn() -> Result<(), String>>,
}

impl fmt::Debug for OwnTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnTest")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl OwnTest {
    /// Runs it in an execution: a panic leaves it if, and only if, the test fails.
    ///
    /// # Panics
    /// If the test fails.
    pub(super) fn body(&self) {
        if let Some(active) = active() {
            active.name_main(&self.thread);
        }
        self.checked();
    }

    /// As [`body`](Self::body), in whatever thread.
    ///
    /// # Panics
    /// If the test fails.
    pub(super) fn checked(&self) {
        let run = || {
            if let Err(text) = (self.run)() {
                panic!("{text}");
            }
        };
        if self.panics == ExpectedPanic::No {
            return run();
        }
        match (catch_unwind(AssertUnwindSafe(run)), self.panics) {
            (Ok(()), _) => panic!("test did not panic as expected"),
            (Err(payload), ExpectedPanic::With(expected)) => {
                let text = payload
                    .downcast_ref::<String>()
                    .map(String::as_str)
                    .or_else(|| payload.downcast_ref::<&str>().copied());
                match text {
                    Some(text) if text.contains(expected) => {}
                    Some(text) => panic!(
                        "panic did not contain expected string: expected {expected:?}, it was {text:?}"
                    ),
                    None => resume_unwind(payload),
                }
            }
            (Err(_), _) => {}
        }
    }
}
