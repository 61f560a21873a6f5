//! What calls show of themselves while they are under way is no error; what they do wrong meanwhile is one.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::SeqCst};
use std::time::Duration;

const BRIEF: Duration = Duration::from_millis(600);

/// What a worker does while it is counted.
#[derive(Clone, Copy)]
enum Work {
    Nothing,
    /// The most that ran at once, rightly.
    Most,
    /// With a look at the most in one step, and a change of it in another one.
    MostInTwoSteps,
    /// A sum, as the last thing before it goes.
    Sum,
    /// A sum in two steps.
    SumInTwoSteps,
    /// Likewise, and between these it goes.
    SumAfterwards,
    /// Nothing if others are there, ...
    SumUnlessOthers,
    /// ... in one step.
    NothingBesideOthers,
    /// What was seen before it goes is written after that, elsewhere.
    Copy,
    /// Who goes last says so, after it has gone.
    SaysLast,
    /// What is under a lock is left out beside others.
    LockedUnlessOthers,
}

macro_rules! workers {
    ($name:ident, $work:expr) => {
        #[contest::shared]
        pub(crate) struct $name {
            running: AtomicU32,
            most: AtomicU32,
            sum: AtomicU32,
            locked: Mutex<u32>,
        }

        #[contest::operations]
        impl $name {
            pub(crate) fn new() -> Self {
                Self {
                    running: AtomicU32::new(0),
                    most: AtomicU32::new(0),
                    sum: AtomicU32::new(0),
                    locked: Mutex::new(0),
                }
            }

            pub(crate) fn work(&self) -> u32 {
                let add = |it: u32| (it < 9).then_some(it + 1);
                let number = self.running.fetch_update(SeqCst, SeqCst, add).unwrap() + 1;
                match $work {
                    Work::Nothing => {}
                    Work::Most => _ = self.most.fetch_max(number, SeqCst),
                    Work::MostInTwoSteps if number > self.most.load(SeqCst) => {
                        self.most.store(number, SeqCst);
                    }
                    Work::MostInTwoSteps => {}
                    Work::Sum => _ = self.sum.fetch_add(1, SeqCst),
                    Work::SumInTwoSteps => self.sum.store(self.sum.load(SeqCst) + 1, SeqCst),
                    Work::SumAfterwards => {
                        let sum = self.sum.load(SeqCst);
                        self.running.fetch_sub(1, SeqCst);
                        self.sum.store(sum + 1, SeqCst);
                        return 0;
                    }
                    Work::Copy => {
                        let sum = self.sum.fetch_add(1, SeqCst) + 1;
                        self.running.fetch_sub(1, SeqCst);
                        self.most.store(sum, SeqCst);
                        return 0;
                    }
                    Work::SaysLast => {
                        let is_last = self.running.fetch_sub(1, SeqCst) == 1;
                        self.most.store(u32::from(is_last), SeqCst);
                        return 0;
                    }
                    Work::LockedUnlessOthers => {
                        *self.locked.lock().unwrap() += u32::from(number == 1);
                    }
                    Work::NothingBesideOthers => {
                        _ = self.sum.fetch_add(u32::from(number == 1), SeqCst);
                    }
                    Work::SumUnlessOthers if number > 1 => {}
                    Work::SumUnlessOthers => _ = self.sum.fetch_add(1, SeqCst),
                }
                self.running.fetch_sub(1, SeqCst);
                match $work {
                    Work::Nothing => number,
                    _ => 0,
                }
            }

            pub(crate) fn running(&self) -> u32 {
                self.running.load(SeqCst)
            }

            #[contest(observe)]
            fn most(&self) -> u32 {
                self.most.load(SeqCst)
            }

            #[contest(observe)]
            fn sum(&self) -> u32 {
                self.sum.load(SeqCst)
            }

            #[contest(observe)]
            fn locked(&self) -> u32 {
                *self.locked.lock().unwrap()
            }
        }
    };
}
workers!(Numbered, Work::Nothing);
workers!(Most, Work::Most);
workers!(MostInTwoSteps, Work::MostInTwoSteps);
workers!(Sum, Work::Sum);
workers!(SumInTwoSteps, Work::SumInTwoSteps);
workers!(SumAfterwards, Work::SumAfterwards);
workers!(SumUnlessOthers, Work::SumUnlessOthers);
workers!(NothingBesideOthers, Work::NothingBesideOthers);
workers!(Copy, Work::Copy);
workers!(SaysLast, Work::SaysLast);
workers!(LockedUnlessOthers, Work::LockedUnlessOthers);

/// One at a time; whether one is there is looked at first. The number is changed by `fetch_add` or `fetch_update`.
macro_rules! limited {
    ($name:ident, $updates:expr) => {
        #[contest::shared]
        pub(crate) struct $name {
            running: AtomicU32,
        }

        #[contest::operations]
        impl $name {
            pub(crate) fn new() -> Self {
                Self {
                    running: AtomicU32::new(0),
                }
            }

            pub(crate) fn work(&self) -> u32 {
                if self.running.load(SeqCst) > 0 {
                    return 9;
                }
                let add = |it: u32| (it < 9).then_some(it + 1);
                let number = match $updates {
                    true => self.running.fetch_update(SeqCst, SeqCst, add).unwrap() + 1,
                    false => self.running.fetch_add(1, SeqCst) + 1,
                };
                self.running.fetch_sub(1, SeqCst);
                number
            }
        }
    };
}
limited!(Limited, false);
limited!(Updated, true);

/// A value is nothing while another one is written.
#[contest::shared]
pub(crate) struct Guarded {
    writing: AtomicU32,
    value: AtomicU32,
}

#[contest::operations]
impl Guarded {
    pub(crate) fn new() -> Self {
        Self {
            writing: AtomicU32::new(0),
            value: AtomicU32::new(1),
        }
    }

    pub(crate) fn set(&self) {
        self.writing.fetch_add(1, SeqCst);
        self.value.store(2, SeqCst);
        self.writing.fetch_sub(1, SeqCst);
    }

    pub(crate) fn get(&self) -> u32 {
        match self.writing.load(SeqCst) {
            0 => self.value.load(SeqCst),
            _ => 7,
        }
    }
}

/// Two places; who wants more takes them for a moment.
#[contest::shared]
pub(crate) struct Taken {
    used: AtomicU32,
}

#[contest::operations]
impl Taken {
    pub(crate) fn new() -> Self {
        Self {
            used: AtomicU32::new(0),
        }
    }

    #[contest(values(places = [1, 3]))]
    pub(crate) fn take(&self, places: u32) -> Option<u32> {
        let used = self.used.fetch_add(places, SeqCst) + places;
        if used > 2 {
            self.used.fetch_sub(places, SeqCst);
            return None;
        }
        Some(used)
    }
}

/// Who turns others away.
#[derive(Clone, Copy)]
enum Turns {
    /// A flag, looked at and set in one step.
    InOneStep,
    /// A flag, looked at first.
    InTwoSteps,
    /// Nobody: the flag is a number, too, and a sum within both is made in two steps.
    Nobody,
}

/// How many run stands within a flag.
macro_rules! turning_away {
    ($name:ident, $turns:expr) => {
        #[contest::shared]
        pub(crate) struct $name {
            busy: AtomicU32,
            running: AtomicU32,
            done: AtomicU32,
        }

        #[contest::operations]
        impl $name {
            pub(crate) fn new() -> Self {
                Self {
                    busy: AtomicU32::new(0),
                    running: AtomicU32::new(0),
                    done: AtomicU32::new(0),
                }
            }

            pub(crate) fn work(&self) -> Result<(), &'static str> {
                let is_busy = match $turns {
                    Turns::InOneStep => self.busy.swap(1, SeqCst) == 1,
                    Turns::InTwoSteps => self.busy.load(SeqCst) == 1,
                    Turns::Nobody => false,
                };
                if is_busy {
                    return Err("busy");
                }
                match $turns {
                    Turns::InOneStep => {}
                    Turns::InTwoSteps => _ = self.busy.swap(1, SeqCst),
                    Turns::Nobody => _ = self.busy.fetch_add(1, SeqCst),
                }
                self.running.fetch_add(1, SeqCst);
                match $turns {
                    Turns::Nobody => self.done.store(self.done.load(SeqCst) + 1, SeqCst),
                    _ => _ = self.done.fetch_add(1, SeqCst),
                }
                self.running.fetch_sub(1, SeqCst);
                match $turns {
                    Turns::Nobody => _ = self.busy.fetch_sub(1, SeqCst),
                    _ => self.busy.store(0, SeqCst),
                }
                Ok(())
            }

            pub(crate) fn running(&self) -> u32 {
                self.running.load(SeqCst)
            }

            pub(crate) fn done(&self) -> u32 {
                self.done.load(SeqCst)
            }
        }
    };
}
turning_away!(TurningAway, Turns::InOneStep);
turning_away!(TurningAwayLate, Turns::InTwoSteps);
turning_away!(TurningNobodyAway, Turns::Nobody);

macro_rules! findings {
    ($name:ty) => {{
        let report = contest::check::<$name>().budget(BRIEF).report();
        let kinds = report
            .findings
            .iter()
            .map(|it| (it.kind, it.message.clone()));
        (kinds.collect::<Vec<_>>(), report.totals.skipped)
    }};
}

#[test]
fn how_many_run_at_once_is_no_error() {
    let reason = "calls under way are seen by others, as how many run at once";
    for (findings, skipped) in [
        findings!(Numbered),
        findings!(Most),
        findings!(Sum),
        findings!(TurningAway),
    ] {
        assert!(findings.is_empty(), "{findings:?}");
        assert!(
            skipped.iter().any(|(it, _)| it.contains(reason)),
            "{skipped:?}"
        );
    }
}

#[test]
fn what_goes_wrong_meanwhile_is_found() {
    for (findings, skipped) in [
        findings!(MostInTwoSteps),
        findings!(SumInTwoSteps),
        findings!(SumAfterwards),
        findings!(SumUnlessOthers),
        findings!(NothingBesideOthers),
        findings!(Copy),
        findings!(SaysLast),
        findings!(LockedUnlessOthers),
        findings!(Guarded),
        findings!(Updated),
        findings!(Limited),
        findings!(Taken),
        findings!(TurningAwayLate),
        findings!(TurningNobodyAway),
    ] {
        assert!(!findings.is_empty(), "{skipped:?}");
    }
}

/// A place is taken away and put back: meanwhile there is none.
#[contest::shared]
pub(crate) struct Lent {
    places: AtomicI32,
}

#[contest::operations]
impl Lent {
    pub(crate) fn new() -> Self {
        Self {
            places: AtomicI32::new(1),
        }
    }

    pub(crate) fn touch(&self) {
        let places = self.places.swap(0, SeqCst);
        self.places.store(places, SeqCst);
    }

    pub(crate) fn places(&self) -> i32 {
        self.places.load(SeqCst)
    }
}

#[test]
fn what_is_missing_for_a_moment_is_found() {
    let (findings, skipped) = findings!(Lent);
    assert!(!findings.is_empty(), "{skipped:?}");
}
