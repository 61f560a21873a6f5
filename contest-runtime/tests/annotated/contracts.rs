//! What annotations promise: invariants, panics and waits by design.

use std::panic::catch_unwind;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

const BRIEF: Duration = Duration::from_millis(300);

/// Moves in two steps; the sum is wrong in between, which no call is to see.
#[contest::shared]
pub(crate) struct Pair {
    left: Mutex<u32>,
    right: Mutex<u32>,
}

#[contest::operations]
impl Pair {
    pub(crate) fn new() -> Self {
        Self {
            left: Mutex::new(5),
            right: Mutex::new(5),
        }
    }

    pub(crate) fn shift(&self) {
        *self.left.lock().unwrap() -= 1;
        *self.right.lock().unwrap() += 1;
    }

    #[contest(invariant)]
    fn keeps_its_sum(&self) -> bool {
        *self.left.lock().unwrap() + *self.right.lock().unwrap() == 10
    }
}

#[test]
fn an_invariant_is_checked_when_all_threads_have_ended_and_not_before() {
    let report = contest::check::<Pair>().budget(BRIEF).report();
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
    assert!(report.totals.exhausted > 0);
}

/// Reads and writes back later.
#[contest::shared]
pub(crate) struct Leaky(AtomicU32);

#[contest::operations]
impl Leaky {
    pub(crate) fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    #[contest(values(by = [2]))]
    pub(crate) fn add(&self, by: u32) {
        let seen = self.0.load(Ordering::SeqCst);
        self.0.store(seen + by, Ordering::SeqCst);
        if seen == 0 {
            self.0.fetch_sub(1, Ordering::SeqCst);
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[contest(invariant)]
    fn is_even(&self) -> Result<(), u32> {
        match self.0.load(Ordering::SeqCst) {
            value if value.is_multiple_of(2) => Ok(()),
            value => Err(value),
        }
    }
}

#[test]
fn a_broken_invariant_is_a_finding_of_its_own_kind() {
    // Breaks only if one thread takes one away from what the other is about to overwrite.
    let report = contest::check::<Leaky>().report();
    let kinds: Vec<&str> = report.findings.iter().map(|it| it.kind.name()).collect();
    assert_eq!(kinds, ["invariant"], "{:#?}", report.findings);
}

/// Breaks its invariant with one call.
#[contest::shared]
pub(crate) struct Broken(AtomicU32);

#[contest::operations]
impl Broken {
    pub(crate) fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    #[contest(invariant)]
    fn is_zero(&self) -> bool {
        self.0.load(Ordering::SeqCst) == 0
    }
}

#[test]
fn an_invariant_that_breaks_without_concurrency_fails_the_check_too() {
    let check = || {
        contest::check::<Broken>()
            .budget(BRIEF)
            .without_regressions()
            .run()
    };
    let text = *catch_unwind(check)
        .expect_err("broken")
        .downcast::<String>()
        .expect("a text");
    assert!(
        text.contains("without any concurrency") && text.contains("`is_zero`"),
        "{text}"
    );
}

/// Panics when two meet.
#[contest::shared]
pub(crate) struct Shy(AtomicBool);

#[contest::operations]
impl Shy {
    pub(crate) fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    pub(crate) fn enter(&self) {
        assert!(
            !self.0.swap(true, Ordering::SeqCst),
            "another thread is here"
        );
        self.0.store(false, Ordering::SeqCst);
    }
}

/// The same, by design.
#[contest::shared]
pub(crate) struct Frank(AtomicBool);

#[contest::operations]
impl Frank {
    pub(crate) fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    #[contest(may_panic)]
    pub(crate) fn enter(&self) {
        assert!(
            !self.0.swap(true, Ordering::SeqCst),
            "another thread is here"
        );
        self.0.store(false, Ordering::SeqCst);
    }
}

#[test]
fn a_panic_by_design_is_no_bug_and_any_other_is() {
    let shy = contest::check::<Shy>().report();
    assert_eq!(shy.findings[0].kind.name(), "panic");
    let frank = contest::check::<Frank>().budget(BRIEF).report();
    assert!(frank.findings.is_empty() && frank.totals.exhausted > 0);
}

/// Takes a wake-up away from another: waits without looking.
#[contest::shared]
pub(crate) struct Gate {
    open: Mutex<bool>,
    opened: Condvar,
}

macro_rules! gate {
    ($gate:ident, $($blocking:meta)?) => {
        #[contest::operations]
        impl $gate {
            pub(crate) fn new() -> Self {
                Self { open: Mutex::new(false), opened: Condvar::new() }
            }

            pub(crate) fn open(&self) {
                *self.open.lock().unwrap() = true;
                self.opened.notify_one();
            }

            $(#[$blocking])?
            pub(crate) fn pass(&self) {
                if !*self.open.lock().unwrap() {
                    let open = self.open.lock().unwrap();
                    drop(self.opened.wait(open).unwrap());
                }
            }
        }
    };
}

gate!(Gate,);

/// The same, by design.
#[contest::shared]
pub(crate) struct PatientGate {
    open: Mutex<bool>,
    opened: Condvar,
}

gate!(PatientGate, contest(blocking));

#[test]
fn a_wait_by_design_is_no_bug_and_any_other_is() {
    let gate = contest::check::<Gate>().report();
    assert_eq!(gate.findings[0].kind.name(), "deadlock");
    let patient = contest::check::<PatientGate>().budget(BRIEF).report();
    assert!(patient.findings.is_empty(), "{:#?}", patient.findings);
    assert!(patient.totals.tests > 0);
}

/// A ticket is known to its owner once `open` has returned.
#[contest::shared]
pub(crate) struct Tickets {
    next: AtomicU32,
    open: Mutex<Vec<u32>>,
}

#[contest::operations]
impl Tickets {
    pub(crate) fn new() -> Self {
        Self {
            next: AtomicU32::new(0),
            open: Mutex::new(Vec::new()),
        }
    }

    pub(crate) fn open(&self) -> Option<u32> {
        let id = self.next.fetch_add(1, Ordering::SeqCst);
        self.open.lock().unwrap().push(id);
        Some(id)
    }

    pub(crate) fn close(&self, id: u32) -> bool {
        let mut open = self.open.lock().unwrap();
        let at = open.iter().position(|it| *it == id);
        at.inspect(|at| {
            open.remove(*at);
        })
        .is_some()
    }
}

#[test]
fn nobody_closes_what_is_being_opened() {
    let report = contest::check::<Tickets>().budget(BRIEF * 4).report();
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
    let excused = &report.totals.skipped;
    let why = "that another one was about to return";
    assert!(
        excused.iter().any(|(it, _)| it.contains(why)),
        "{excused:?}"
    );
}

/// `add` takes a number, and `increment` returns one, but none that `add` is to have. Together they lose an update.
#[contest::shared]
pub(crate) struct Sum {
    value: AtomicU32,
    adding: Mutex<()>,
}

#[contest::operations]
impl Sum {
    pub(crate) fn new() -> Self {
        Self {
            value: AtomicU32::new(0),
            adding: Mutex::new(()),
        }
    }

    pub(crate) fn increment(&self) -> u32 {
        self.value.fetch_add(1, Ordering::SeqCst) + 1
    }

    #[contest(values(by = [1]))]
    pub(crate) fn add(&self, by: u32) {
        let _adding = self.adding.lock().unwrap();
        let seen = self.value.load(Ordering::SeqCst);
        self.value.store(seen + by, Ordering::SeqCst);
    }

    #[contest(observe)]
    fn value(&self) -> u32 {
        self.value.load(Ordering::SeqCst)
    }
}

#[test]
fn a_number_that_changes_the_object_is_no_guess() {
    let report = contest::check::<Sum>().budget(BRIEF * 4).report();
    // `add(1)` beside `increment()`, which returns 1, and nothing before them.
    let smallest = |it: &contest::Finding| it.prefix.len() == 1;
    assert!(
        report.findings.iter().any(smallest),
        "{:#?}",
        report.findings
    );
}

/// A job that runs once at a time: further calls are turned away, some of them after they were counted.
macro_rules! job {
    ($name:ident, $counts_first:expr) => {
        #[contest::shared]
        pub(crate) struct $name {
            running: AtomicBool,
            turns: AtomicU32,
        }

        #[contest::operations]
        impl $name {
            pub(crate) fn new() -> Self {
                Self {
                    running: AtomicBool::new(false),
                    turns: AtomicU32::new(0),
                }
            }

            /// Runs the job unless it is running.
            pub(crate) fn run(&self) -> bool {
                if $counts_first {
                    self.turns.fetch_add(1, Ordering::SeqCst);
                }
                if self.running.swap(true, Ordering::SeqCst) {
                    return false;
                }
                if !$counts_first {
                    self.turns.fetch_add(1, Ordering::SeqCst);
                }
                self.running.store(false, Ordering::SeqCst);
                true
            }

            #[contest(observe)]
            fn turns(&self) -> u32 {
                self.turns.load(Ordering::SeqCst)
            }
        }
    };
}
job!(Job, false);
job!(CountedJob, true);

#[test]
fn a_call_that_its_own_operation_turns_away_has_done_nothing() {
    let report = contest::check::<Job>().budget(BRIEF * 4).report();
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
    assert!(
        report
            .totals
            .skipped
            .iter()
            .any(|(it, _)| it.contains("gave up")),
        "{:?}",
        report.totals.skipped
    );
}

#[test]
fn a_call_that_is_turned_away_after_it_did_something_is_no_such() {
    let report = contest::check::<CountedJob>().budget(BRIEF * 4).report();
    assert!(!report.findings.is_empty(), "{:#?}", report.totals);
}

/// A flag that is set, and is cleared for a moment by each look at it.
#[contest::shared]
pub(crate) struct Glanced {
    set: AtomicBool,
}

#[contest::operations]
impl Glanced {
    pub(crate) fn new() -> Self {
        Self {
            set: AtomicBool::new(true),
        }
    }

    pub(crate) fn is_set(&self) -> bool {
        let set = self.set.swap(false, Ordering::SeqCst);
        if set {
            self.set.store(true, Ordering::SeqCst);
        }
        set
    }
}

/// Two may run at a time, but who meets another at the counter gives up.
#[contest::shared]
pub(crate) struct Permits {
    free: AtomicU32,
}

#[contest::operations]
impl Permits {
    pub(crate) fn new() -> Self {
        Self {
            free: AtomicU32::new(2),
        }
    }

    pub(crate) fn run(&self) -> bool {
        let free = self.free.load(Ordering::SeqCst);
        let takes = || {
            let (now, then) = (Ordering::SeqCst, Ordering::SeqCst);
            let taken = self.free.compare_exchange(free, free - 1, now, then);
            taken.is_ok()
        };
        if free == 0 || !takes() {
            return false;
        }
        self.free.fetch_add(1, Ordering::SeqCst);
        true
    }
}

#[test]
fn what_is_free_all_the_time_turns_nobody_away() {
    let glanced = contest::check::<Glanced>().budget(BRIEF).report();
    assert!(!glanced.findings.is_empty(), "{:#?}", glanced.totals);
    let permits = contest::check::<Permits>().budget(BRIEF).report();
    assert!(!permits.findings.is_empty(), "{:#?}", permits.totals);
}
