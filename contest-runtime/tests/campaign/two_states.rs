//! AutoConTest as published: generator `autocontest` with strategy `pta`, on the running example of the paper (its
//! Figure 1, as far as it is about `m1` to `m4`).

use std::collections::BTreeMap;

use contest::sync::Mutex;
use contest::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use contest_data::finding::FindingKind;
use contest_data::names::pta::{COVERED, DIFFERENT, EXCLUDED, NOT_FORCED, REQUIRED};
use contest_data::settings::Settings;
use contest_data::subject::{Argument, Operation, Subject};

use crate::subjects::{new, object, observer, operation};
use crate::support::{Replies, campaign, settings};

/// `add` locks only until `by_hand` was called.
#[derive(Default)]
struct Tank {
    level: AtomicU32,
    manual: AtomicBool,
    valve: Mutex<()>,
}

impl Tank {
    fn set(&self, level: u32) {
        let _valve = self.valve.lock().unwrap();
        self.level.store(level, SeqCst);
    }

    fn add(&self, amount: u32) {
        let valve = (!self.manual.load(SeqCst)).then(|| self.valve.lock().unwrap());
        let level = self.level.load(SeqCst);
        self.level.store(level + amount, SeqCst);
        drop(valve);
    }
}

const AMOUNT: &[Argument] = &[Argument {
    choices: &["1", "2"],
    object: false,
    of_future: false,
    of_texts: false,
}];

const SET: Operation = operation("set", "{s}.set({0})", AMOUNT, |call| {
    let level = u32::from(call.choice(0)) + 1;
    contest::observe!(object::<Tank>(call).set(level))
});
const ADD: Operation = operation("add", "{s}.add({0})", AMOUNT, |call| {
    let amount = u32::from(call.choice(0)) + 1;
    contest::observe!(object::<Tank>(call).add(amount))
});
const LEVEL: Operation = observer("level", "{s}.level()", &[], |call| {
    contest::observe!(object::<Tank>(call).level.load(SeqCst))
});
const BY_HAND: Operation = operation("by_hand", "{s}.by_hand()", &[], |call| {
    contest::observe!(object::<Tank>(call).manual.store(true, SeqCst))
});

static TANK: [Subject; 1] = [Subject {
    name: "Tank",
    path: "Tank",
    constructors: &[new::<Tank>("Tank::new()")],
    operations: &[SET, ADD, LEVEL, BY_HAND],
    state: None,
}];

/// The same, always with the lock.
static LOCKED: [Subject; 1] = [Subject {
    name: "Locked",
    path: "Locked",
    constructors: &[new::<Tank>("Tank::new()")],
    operations: &[SET, ADD, LEVEL],
    state: None,
}];

fn published(milliseconds: u64) -> Settings {
    Settings {
        generator: "autocontest".to_owned(),
        strategy: "pta".to_owned(),
        ..settings(milliseconds)
    }
}

fn requirements(heard: &Replies) -> BTreeMap<String, u64> {
    heard.totals.subjects[0]
        .requirements
        .iter()
        .cloned()
        .collect()
}

#[test]
fn the_fault_of_the_running_example_needs_the_state_that_a_sequence_leads_to() {
    let settings = Settings {
        fail_fast: true,
        ..published(5_000)
    };
    let heard = campaign(&TANK, &settings);
    let finding = heard.one();
    assert_eq!(finding.kind, FindingKind::NonLinearizable);
    let prefix = finding.prefix.last();
    assert_eq!(prefix.unwrap(), "a.by_hand()", "{}", heard.text());
    // Sequences side by side, each with itself first, and none taken apart.
    let first = &heard.ran[&0];
    assert_eq!(first.threads[0], first.threads[1]);
    assert!(heard.ran.values().all(|test| test.prefix.is_empty()));
    assert!(first.threads[0].len() > 3, "{first:?}");
}

#[test]
fn each_order_is_excluded_or_covered_or_counted_as_neither() {
    for subject in [&TANK, &LOCKED] {
        let heard = campaign(subject, &published(300));
        let counts = requirements(&heard);
        let of = |name: &str| counts.get(name).copied().unwrap_or(0);
        let sum = of(EXCLUDED) + of(COVERED) + of(NOT_FORCED);
        assert_eq!(of(REQUIRED), sum, "{}", heard.text());
        assert!(
            of(EXCLUDED) > 0 && of(DIFFERENT) <= of(COVERED),
            "{counts:?}"
        );
    }
    // What a lock keeps together is never forced apart: `level` reads once, and the others hold the lock.
    let locked = campaign(&LOCKED, &published(300));
    assert_eq!(locked.findings.len(), 0, "{}", locked.text());
}
