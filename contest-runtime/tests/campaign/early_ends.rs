//! Waits with a time limit that are over while other threads could run.

use std::time::Duration;

use contest::sync::{Condvar, Mutex};
use contest::thread;
use contest::time::Instant;
use contest_data::finding::FindingKind;
use contest_data::settings::Settings;
use contest_data::subject::Subject;

use crate::subjects::{new, object, operation};
use crate::support::{campaign, settings};

const LIMIT: Duration = Duration::from_millis(5);

/// What a campaign does in a few seconds, in steps.
const STEPS: u64 = 3_000_000;

#[derive(Default)]
struct State {
    free: u32,
    waiting: u32,
    granted: u32,
}

/// A permit that is given back is handed to who waits.
#[derive(Default)]
struct Permits<const LOSES: bool> {
    state: Mutex<State>,
    handed: Condvar,
}

impl<const LOSES: bool> Permits<LOSES> {
    fn take(&self) -> bool {
        let mut state = self.state.lock().unwrap();
        if state.free > 0 {
            state.free -= 1;
            return true;
        }
        state.waiting += 1;
        let (mut state, over) = self.handed.wait_timeout(state, LIMIT).unwrap();
        // One may have been handed over between the end of the time and here.
        if state.granted > 0 && !(LOSES && over.timed_out()) {
            state.granted -= 1;
            return true;
        }
        state.waiting = state.waiting.saturating_sub(1);
        false
    }

    fn put(&self) {
        let mut state = self.state.lock().unwrap();
        if state.waiting > 0 {
            state.waiting -= 1;
            state.granted += 1;
            self.handed.notify_one();
        } else {
            state.free += 1;
        }
    }

    /// One that was handed over and not taken yet may still be taken by anybody.
    fn free(&self) -> u32 {
        let state = self.state.lock().unwrap();
        state.free + state.granted
    }
}

macro_rules! subject {
    ($type:ty) => {
        [Subject {
            name: "Permits",
            path: "Permits",
            constructors: &[new::<$type>("Permits::default()")],
            operations: &[
                operation("take", "{s}.take()", &[], |call| {
                    contest::observe!(object::<$type>(call).take())
                }),
                operation("put", "{s}.put()", &[], |call| {
                    contest::observe!(object::<$type>(call).put())
                }),
                operation("free", "{s}.free()", &[], |call| {
                    contest::observe!(object::<$type>(call).free())
                }),
            ],
            state: None,
        }]
    };
}

static LOSES: [Subject; 1] = subject!(Permits<true>);
static KEEPS: [Subject; 1] = subject!(Permits<false>);

#[test]
fn a_permit_that_is_lost_when_time_is_up_is_found() {
    // It takes a second or two on a machine that does nothing else.
    let settings = Settings {
        steps: Some(STEPS),
        ..settings(60_000)
    };
    let heard = campaign(&LOSES, &settings);
    assert!(
        !heard.findings.is_empty(),
        "{:?}",
        heard.totals.subjects[0].skipped
    );
    let finding = &heard.findings[0];
    assert_eq!(
        finding.kind,
        FindingKind::NonLinearizable,
        "{}",
        heard.text()
    );
    let says = |it: &String| it.starts_with("here the time limit of a.take()");
    assert!(finding.details.iter().any(says), "{}", heard.text());
}

#[test]
fn who_gives_up_when_time_is_up_does_no_harm() {
    let heard = campaign(&KEEPS, &settings(1_500));
    assert_eq!(heard.kinds(), [], "{}", heard.text());
    let skipped = &heard.totals.subjects[0].skipped;
    assert!(
        !skipped.iter().any(|(why, _)| why.contains("early")),
        "{skipped:?}"
    );
}

const PERIOD: Duration = Duration::from_secs(1);

/// One token a second, for the thread that comes first.
#[derive(Default)]
struct Bucket(Mutex<Option<Instant>>);

impl Bucket {
    fn try_take(&self) -> Result<(), Duration> {
        let mut taken = self.0.lock().unwrap();
        let since = taken.map_or(PERIOD, |at| at.elapsed());
        if since < PERIOD {
            return Err(PERIOD - since);
        }
        *taken = Some(Instant::now());
        Ok(())
    }

    /// Sleeps until there is one, if it can be had in time.
    fn take_within(&self, limit: Duration) -> bool {
        let begun = Instant::now();
        loop {
            match self.try_take() {
                Ok(()) => return true,
                Err(wait) if wait > limit.saturating_sub(begun.elapsed()) => return false,
                Err(wait) => thread::sleep(wait),
            }
        }
    }
}

static BUCKET: [Subject; 1] = [Subject {
    name: "Bucket",
    path: "Bucket",
    constructors: &[new::<Bucket>("Bucket::default()")],
    operations: &[
        operation("take_soon", "{s}.take_within(MS)", &[], |call| {
            contest::observe!(object::<Bucket>(call).take_within(Duration::from_millis(1)))
        }),
        operation("take_later", "{s}.take_within(S)", &[], |call| {
            contest::observe!(object::<Bucket>(call).take_within(PERIOD))
        }),
    ],
    state: None,
}];

#[test]
fn who_is_late_after_a_sleep_may_find_that_others_were_first() {
    let heard = campaign(&BUCKET, &settings(4_000));
    assert_eq!(heard.kinds(), [], "{}", heard.text());
    let skipped = &heard.totals.subjects[0].skipped;
    let says = |why: &str| skipped.iter().any(|(it, _)| it.contains(why));
    assert!(
        says("a call gave up") && says("may depend on the clock"),
        "{skipped:?}"
    );
}
