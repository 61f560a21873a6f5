//! How a model is run.

use std::fmt;
use std::time::Duration;

use super::{FindingKind, Report};
pub use contest_data::decision::ChooseStrategy;
use contest_data::decision::{Strategy, StrategyChoice};
use contest_data::limits::{Limits, MemoryModel, Timeouts};
use contest_data::rng::DEFAULT_SEED;

/// How a model is run: which interleavings, how many, within which limits.
///
/// ```
/// let report = contest::Builder::new().exhaustive().run(|| {
///     let count = std::sync::Arc::new(contest::sync::atomic::AtomicU32::new(0));
///     let theirs = count.clone();
///     let thread = contest::thread::spawn(move || theirs.fetch_add(1, std::sync::atomic::Ordering::SeqCst));
///     count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
///     thread.join().unwrap();
/// });
/// assert!(report.findings().is_empty());
/// ```
#[derive(Debug)]
#[must_use = "does nothing until `check` or `run`"]
pub struct Builder {
    pub(super) search: Search,
    pub(super) seed: u64,
    pub(super) executions: Option<u64>,
    pub(super) time: Option<Duration>,
    pub(super) limits: Limits,
    pub(super) must_exhaust: bool,
    pub(super) allow_no_decisions: bool,
    pub(super) repeats: bool,
    pub(super) max_findings: usize,
    pub(super) tolerated: Vec<FindingKind>,
    pub(super) hang_limit: Duration,
    pub(super) detached: Detached,
}

/// What becomes of threads that are still running when the closure of the model returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detached {
    /// They run on until they end; one that waits for ever is a deadlock. As in loom, and in shuttle for threads.
    #[default]
    MustEnd,
    /// They run on until they end or none can go on: workers that wait for more to do.
    MayBlock,
    /// They are stopped where they are, as at the end of a process.
    EndWithMain,
}

/// Which interleavings are run.
pub(super) enum Search {
    Named(String),
    #[cfg_attr(
        not(feature = "explore"),
        expect(
            dead_code,
            reason = "without the engine a model runs once, whatever the strategy"
        )
    )]
    Custom(Box<dyn Strategy>),
    Preemptions(u32),
    Replay(String),
}

impl fmt::Debug for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => f.write_str(name),
            Self::Custom(_) => f.write_str("custom strategy"),
            Self::Preemptions(bound) => write!(f, "at most {bound} preemptions"),
            Self::Replay(token) => write!(f, "replay of {token}"),
        }
    }
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// Strategy `auto`, 100,000 executions, default [`Limits`]; threads that are still running when the closure returns
    /// run on to their end.
    pub fn new() -> Self {
        Self {
            search: Search::Named("auto".to_owned()),
            seed: DEFAULT_SEED,
            executions: None,
            time: None,
            limits: Limits {
                run_detached: true,
                fresh_statics: true,
                timeouts: Timeouts::Few,
                ..Limits::default()
            },
            must_exhaust: false,
            allow_no_decisions: false,
            repeats: true,
            max_findings: 1,
            tolerated: Vec::new(),
            hang_limit: Duration::from_secs(10),
            detached: Detached::MustEnd,
        }
    }

    /// Every interleaving that can make a difference, however many there are; a model that is cut short by
    /// [`max_executions`](Self::max_executions) or [`budget`](Self::budget) then fails in [`check`](Self::check).
    pub fn exhaustive(mut self) -> Self {
        self.search = Search::Named("dpor".to_owned());
        self.must_exhaust = true;
        self
    }

    /// What atomic operations may read; the default is sequential consistency. Under [`MemoryModel::Rc11`] a load may
    /// take older values where the orderings allow it, and [`exhaustive`](Self::exhaustive) runs every execution graph
    /// (which write each read takes, and the order of writes to each location) once.
    ///
    /// ```
    /// use contest::sync::atomic::{AtomicU32, Ordering::Relaxed};
    /// use std::sync::Arc;
    ///
    /// let report = contest::Builder::new().memory_model(contest::MemoryModel::Rc11).exhaustive().run(|| {
    ///     let flags = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
    ///     let theirs = flags.clone();
    ///     let thread = contest::thread::spawn(move || {
    ///         theirs[0].store(1, Relaxed);
    ///         theirs[1].load(Relaxed)
    ///     });
    ///     flags[1].store(1, Relaxed);
    ///     let mine = flags[0].load(Relaxed);
    ///     assert!(mine + thread.join().unwrap() > 0, "both came first");
    /// });
    /// # #[cfg(feature = "explore")]
    /// assert!(report.findings()[0].message.contains("both came first"));
    /// ```
    pub fn memory_model(mut self, model: MemoryModel) -> Self {
        self.limits.memory_model = model;
        self
    }

    /// Picks interleavings by this strategy: a name, such as `"random"`, or a value that implements `Strategy`.
    ///
    /// ```
    /// # fn model() {}
    /// contest::Builder::new().strategy("random").seed(7).max_executions(100).allow_no_decisions().check(model);
    /// ```
    pub fn strategy(mut self, strategy: impl ChooseStrategy) -> Self {
        self.search = match strategy.choice() {
            StrategyChoice::Named(name) => Search::Named(name),
            StrategyChoice::Given(strategy) => Search::Custom(strategy),
        };
        self.must_exhaust = false;
        self
    }

    /// Where random strategies begin; the default is 1, as everywhere. The same seed gives the same executions.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Most executions, repetitions included (of 10 executions and more, some are run a second time to see whether the
    /// model is deterministic). The default is 100,000; none if the search is exhaustive or bounded, or has a
    /// [`budget`](Self::budget).
    pub fn max_executions(mut self, executions: u64) -> Self {
        self.executions = Some(executions);
        self
    }

    /// Most time for all executions together.
    pub fn budget(mut self, time: Duration) -> Self {
        self.time = Some(time);
        self
    }

    /// Every interleaving with at most this many preemptions: points at which a thread is stopped that could go on. By
    /// default there is no bound.
    pub fn preemption_bound(mut self, preemptions: u32) -> Self {
        self.search = Search::Preemptions(preemptions);
        self.must_exhaust = false;
        self
    }

    /// Most visible operations of one execution; the default is 10,000.
    pub fn max_steps(mut self, steps: u32) -> Self {
        self.limits.steps = steps;
        self
    }

    /// Most threads of one execution, the main thread and those that have ended included. The default is 128; more
    /// counts as 128.
    pub fn threads(mut self, threads: u16) -> Self {
        self.limits.threads = threads;
        self
    }

    /// Stack of each thread; the default is 1 MiB.
    pub fn stack_size(mut self, bytes: usize) -> Self {
        self.limits.stack_bytes = bytes;
        self
    }

    /// When waits with a timeout time out; the default is when nothing else can run, and once all of that was explored
    /// whenever, at most twice in an execution.
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.limits.timeouts = timeouts;
        self
    }

    /// How often in one execution a condition variable or `park` may wake a thread without a notification; the default
    /// is 0. While some of these are left, a deadlock that one of them would end does not show, and
    /// [`Report::exhausted`](super::Report::exhausted) is false where that happened: look for deadlocks without.
    pub fn spurious_wakeups(mut self, times: u32) -> Self {
        self.limits.spurious_wakeups = times;
        self
    }

    /// What becomes of threads that are still running when the closure returns; the default is [`Detached::MustEnd`].
    pub fn detached(mut self, detached: Detached) -> Self {
        self.limits.run_detached = detached != Detached::EndWithMain;
        self.detached = detached;
        self
    }

    /// [`Detached::MustEnd`] if true, else [`Detached::EndWithMain`].
    pub fn run_detached(self, run: bool) -> Self {
        self.detached(if run {
            Detached::MustEnd
        } else {
            Detached::EndWithMain
        })
    }

    /// Runs the one interleaving that a failure printed. The environment variable `CONTEST_REPLAY` does the same for
    /// every model that is run.
    ///
    /// ```
    /// # #[cfg(feature = "explore")] {
    /// use contest::sync::mpsc;
    /// let model = || {
    ///     let (sender, receiver) = mpsc::channel();
    ///     let other = sender.clone();
    ///     contest::thread::spawn(move || sender.send(1));
    ///     contest::thread::spawn(move || other.send(2));
    ///     assert_eq!(receiver.recv(), Ok(1), "the second came first");
    /// };
    /// let report = contest::Builder::new().run(model);
    /// let schedule = &report.findings()[0].schedule;
    /// let again = contest::Builder::new().replay(schedule).run(model);
    /// assert!(again.findings()[0].message.contains("the second came first"));
    /// # }
    /// ```
    pub fn replay(mut self, schedule: &str) -> Self {
        self.search = Search::Replay(schedule.to_owned());
        self.must_exhaust = false;
        self
    }

    /// Goes on after a failure until this many different ones are found; the default is 1.
    pub fn max_findings(mut self, findings: usize) -> Self {
        self.max_findings = findings;
        self
    }

    /// After how long a single execution counts as hanging in a call that the scheduler does not see (a lock of `std`,
    /// a real sleep): the process then ends with exit status 101 and says which call it is. The default is 10 seconds;
    /// zero is never. Linux only.
    pub fn hang_limit(mut self, limit: Duration) -> Self {
        self.hang_limit = limit;
        self
    }

    /// Executions that fail in this way are counted in [`Report::tolerated`] and are no failure of the model: deadlocks
    /// of a model that may block, say, or [`FindingKind::Limit`], for loops that an unfair schedule keeps going.
    pub fn tolerate(mut self, kind: FindingKind) -> Self {
        self.tolerated.push(kind);
        self
    }

    /// Runs no execution a second time to see whether it does the same again, unless it fails. For models that count
    /// their executions; one that is not deterministic may then pass.
    pub fn without_repetitions(mut self) -> Self {
        self.repeats = false;
        self
    }

    /// Accepts a model in which there is nothing to decide: only one thread could run at every point.
    pub fn allow_no_decisions(mut self) -> Self {
        self.allow_no_decisions = true;
        self
    }

    /// Runs `f` under one interleaving after another.
    ///
    /// # Panics
    /// If there is no such strategy, the schedule to replay is damaged, or if called from inside a model.
    #[track_caller]
    pub fn run<F: Fn()>(self, f: F) -> Report {
        #[cfg(feature = "loom")]
        return super::by_loom::run(&self, &f);
        #[cfg(all(feature = "explore", not(feature = "loom")))]
        return super::running::run(self, &f);
        #[cfg(not(feature = "explore"))]
        return super::uncontrolled::run(&self, &f);
    }

    /// Runs `f` under one interleaving after another, and panics if one fails, if there was nothing to decide, and, if
    /// everything was to be explored, if it was not.
    ///
    /// # Panics
    /// See above, and as [`run`](Self::run).
    #[track_caller]
    pub fn check<F: Fn()>(self, f: F) {
        let (must_exhaust, allow_no_decisions) = (self.must_exhaust, self.allow_no_decisions);
        let report = self.run(f);
        report.check(must_exhaust, allow_no_decisions);
    }
}
