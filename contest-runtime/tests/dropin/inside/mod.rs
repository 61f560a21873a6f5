//! The drop-in types inside executions: each program is run under all its schedules, or as many as its bound on
//! preemptions allows.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::rc::Rc;

use contest_data::decision::Strategy;
use contest_data::limits::Limits;
use contest_data::trace::{Action, Ending, ExecutionRecord};
use contest_engine::execution::Engine;
use contest_search::explore::Dfs;

mod atomics;
mod channels;
mod locations;
mod locks;
mod once;
mod poisoning;
mod races;
mod threads;

/// Runs `body` under every schedule with at most this many preemptions, and shows each record.
fn explore(bound: Option<u32>, body: impl Fn(), mut see: impl FnMut(&ExecutionRecord)) {
    explore_once_compiled(bound, &body, &mut see);
}

/// The engine is generic in the body: it would be compiled for each test.
fn explore_once_compiled(
    bound: Option<u32>,
    body: &dyn Fn(),
    see: &mut dyn FnMut(&ExecutionRecord),
) {
    let mut engine = Engine::new(Limits::default());
    let mut dfs = Dfs::new(bound);
    let mut executions = 0;
    while dfs.begin() {
        let record = engine.run(&mut dfs, body).clone();
        dfs.end(&record);
        see(&record);
        executions += 1;
        assert!(executions < 200_000, "too many schedules for a test");
    }
    assert_eq!(engine.given_up(), 0, "threads left behind");
}

/// All results of a body that always ends.
fn results<T: Ord + Debug>(body: impl Fn() -> T) -> BTreeSet<T> {
    let result = RefCell::new(None);
    let mut all = BTreeSet::new();
    explore(
        Some(3),
        || {
            let value = body();
            *result.borrow_mut() = Some(value);
        },
        |record| {
            assert_eq!(record.ending, Ending::Finished, "{:#?}", record.events);
            all.insert(result.borrow_mut().take().expect("the body has ended"));
        },
    );
    all
}

/// Names of all endings: `finished`, or the variant with what the blocked threads wait for.
fn endings(body: impl Fn()) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    explore(Some(3), body, |record| {
        all.insert(match &record.ending {
            Ending::Finished => "finished".to_owned(),
            Ending::Deadlock(blocked) => {
                // Every thread is listed, also the main one that waits for the others.
                let waits = blocked.iter().map(|thread| {
                    let waits = thread.waits_for.to_string();
                    waits.split(',').next().unwrap_or_default().to_owned()
                });
                format!("deadlock: {}", waits.collect::<Vec<_>>().join("; "))
            }
            Ending::Panicked(panic) => format!("panic: {}", panic.message),
            other => format!("{other:?}"),
        });
    });
    all
}

/// The visible operations of one execution, as `name` and action, without those of starting and ending threads.
fn operations(body: impl Fn()) -> Vec<(&'static str, Action)> {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let theirs = Rc::clone(&seen);
    explore(Some(0), body, move |record| {
        let mut seen = theirs.borrow_mut();
        seen.clear();
        for event in &record.events {
            if !matches!(event.action, Action::Begin | Action::End) {
                seen.push((event.name, event.action));
            }
        }
    });
    seen.take()
}

fn set<T: Ord, const N: usize>(values: [T; N]) -> BTreeSet<T> {
    BTreeSet::from(values)
}

fn text_set<const N: usize>(values: [&str; N]) -> BTreeSet<String> {
    values.iter().map(|text| (*text).to_owned()).collect()
}
