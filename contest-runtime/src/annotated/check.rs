//! A generated campaign inside a `#[test]`.

use std::marker::PhantomData;
use std::panic::Location;
use std::path::PathBuf;
use std::time::Duration;

#[cfg(feature = "explore")]
use contest_data::settings::{Settings, TestSize};

/// Time of one check. That of the tool is for a whole crate; a check is one test among many.
#[cfg(feature = "explore")]
const BUDGET: Duration = Duration::from_secs(2);

/// Checks an annotated type: calls of its operations, generated, run beside each other under one interleaving after
/// another, and compared with the same calls one after another.
///
/// ```no_run
/// # #[cfg(feature = "never")] {
/// #[test]
/// fn the_queue_is_linearizable() {
///     contest::check::<Queue<u32>>().run();
/// }
/// # }
/// ```
///
/// Nothing happens before [`Check::run`].
#[cfg(feature = "explore")]
#[track_caller]
pub fn check<T: super::Operations>() -> Check<T> {
    Check::of(Location::caller())
}

/// Checks an annotated type, with feature `explore`.
#[cfg(not(feature = "explore"))]
#[track_caller]
pub fn check<T>() -> Check<T> {
    Check::of(Location::caller())
}

/// How a type is checked; made by [`check`].
///
/// Defaults are those of `cargo contest run`, except the budget: 2 seconds instead of 60. Environment variables take
/// precedence over what is set here, for continuous integration: `CONTEST_BUDGET` (`30s`, `500ms`, `2m`; a number alone
/// is seconds), `CONTEST_SEED`, and `CONTEST_REPLAY` with the token that a failure printed.
///
/// # One process
/// The campaign runs in the test's own process. Code under test that aborts, overflows its stack or exits ends the
/// whole test binary; with `--test-threads=1 --nocapture` the last test named is the one. A call that blocks for real
/// (a lock of a type that is not annotated) ends it too, after [`hang_limit`](Self::hang_limit), with a message that
/// names the call. `cargo contest` runs the same campaign behind a process wall.
#[derive(Debug)]
#[must_use = "nothing is checked before `run`"]
pub struct Check<T> {
    #[cfg(feature = "explore")]
    pub(super) settings: Settings,
    /// What is allowed is still text: [`run`](Self::run) reads it, where it can panic with the list of kinds.
    pub(super) allow: Vec<String>,
    pub(super) hang_limit: Duration,
    pub(super) regressions: Regressions,
    pub(super) caller: &'static Location<'static>,
    pub(super) subject: PhantomData<fn() -> T>,
}

/// Where findings are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Regressions {
    BesideTest,
    At(PathBuf),
    Nowhere,
}

#[cfg_attr(
    not(feature = "explore"),
    allow(
        unused_mut,
        unused_variables,
        reason = "without the engine there is nothing to set: `run` panics"
    )
)]
impl<T> Check<T> {
    fn of(caller: &'static Location<'static>) -> Self {
        Self {
            #[cfg(feature = "explore")]
            settings: Settings {
                budget: BUDGET,
                fail_fast: true,
                // So that a check ends once these are done.
                size: TestSize::USUAL.into(),
                ..Settings::default()
            },
            allow: Vec::new(),
            hang_limit: Duration::from_secs(10),
            regressions: Regressions::BesideTest,
            caller,
            subject: PhantomData,
        }
    }

    /// Time for all tests together; the default is 2 seconds. It ends earlier when nothing is left to try.
    pub fn budget(mut self, time: Duration) -> Self {
        #[cfg(feature = "explore")]
        {
            self.settings.budget = time;
        }
        self
    }

    /// Seed of everything random; the default is 1, as that of `cargo contest`.
    pub fn seed(mut self, seed: u64) -> Self {
        #[cfg(feature = "explore")]
        {
            self.settings.seed = seed;
        }
        self
    }

    /// How tests are made; the default is `auto`. The names are those of the option `--generator` of
    /// `cargo contest run`; with any other one [`run`](Self::run) panics and lists them.
    pub fn generator(mut self, name: &str) -> Self {
        #[cfg(feature = "explore")]
        {
            name.clone_into(&mut self.settings.generator);
        }
        self
    }

    /// How interleavings are picked; the default is `auto`. The names are those of the option `--strategy` of
    /// `cargo contest run`; with any other one [`run`](Self::run) panics and lists them.
    pub fn strategy(mut self, name: &str) -> Self {
        #[cfg(feature = "explore")]
        {
            name.clone_into(&mut self.settings.strategy);
        }
        self
    }

    /// Most threads of a test that call operations at the same time; the default is 2, and less counts as 2.
    pub fn threads(mut self, threads: usize) -> Self {
        #[cfg(feature = "explore")]
        {
            self.settings.size.threads = Some(u8::try_from(threads.max(2)).unwrap_or(u8::MAX));
        }
        self
    }

    /// Most calls of each thread; the default is 2, and 0 counts as 1.
    pub fn calls(mut self, calls: usize) -> Self {
        #[cfg(feature = "explore")]
        {
            self.settings.size.calls = Some(u8::try_from(calls.max(1)).unwrap_or(u8::MAX));
        }
        self
    }

    /// Compares the results of weakly consistent operations too (`len`, `is_empty`, iterators, those with
    /// `#[contest(weak)]`).
    pub fn strict(mut self) -> Self {
        #[cfg(feature = "explore")]
        {
            self.settings.strict = true;
        }
        self
    }

    /// Findings of this kind are counted and do not fail the test: `deadlock`, `panic`, `livelock`, `data-race`,
    /// `invariant`, `non-linearizable`, and the other names in `FindingKind::OF_CAMPAIGNS`; or only those in one place:
    /// `data-race:src/ring.rs`, `data-race:src/ring.rs:12`. With any other name [`run`](Self::run) panics and lists the
    /// names.
    pub fn allow(mut self, kind: &str) -> Self {
        self.allow.push(kind.to_owned());
        self
    }

    /// After how long an execution counts as blocked in a call that the scheduler does not see; the process then ends,
    /// and the message names the call. The default is 10 seconds; zero is never. Linux only.
    pub fn hang_limit(mut self, limit: Duration) -> Self {
        self.hang_limit = limit;
        self
    }

    /// Keeps findings in this file, and runs those in it first. The default is beside the source of the test:
    /// `queue.contest-regressions` beside `queue.rs`.
    pub fn regressions(mut self, file: impl Into<PathBuf>) -> Self {
        self.regressions = Regressions::At(file.into());
        self
    }

    /// Keeps and runs no findings of earlier runs.
    pub fn without_regressions(mut self) -> Self {
        self.regressions = Regressions::Nowhere;
        self
    }
}

#[cfg(not(feature = "explore"))]
impl<T> Check<T> {
    /// Without feature `explore` nothing can be checked.
    ///
    /// # Panics
    /// Always, and says what is missing.
    #[track_caller]
    pub fn run(self) {
        panic!(
            "contest: nothing was checked at {}: contest-runtime was built without feature `explore`. Turn it on for tests, in Cargo.toml:\n\n    \
             [dev-dependencies]\n    contest-runtime = {{ version = \"{}\", features = [\"explore\"] }}\n",
            self.caller,
            env!("CARGO_PKG_VERSION"),
        );
    }
}
