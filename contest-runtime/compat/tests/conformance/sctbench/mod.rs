//! The `CS` programs of SCTBench (Thomson, Donaldson, Betts: Concurrency testing using schedule bounding, PPoPP 2014;
//! from the ESBMC and Maple suites) and its `stringbuffer`, written anew on the drop-in types: what is a plain shared
//! variable in C is an atomic here, because a racing access must be a scheduling point.
//!
//! Every program has a bug; every bug is found, by every strategy that has a chance. `first_failure.rs` counts how long
//! that takes.

mod always;
mod conditions;
mod first_failure;
mod locks;
mod races;

use contest_data::trace::Ending;

/// A program with a bug.
pub(crate) struct Program {
    /// Its name in SCTBench.
    pub(crate) name: &'static str,
    pub(crate) run: fn(),
    pub(crate) bug: Bug,
}

/// How the bug shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bug {
    Assertion,
    Deadlock,
}

/// All programs.
pub(crate) fn programs() -> Vec<Program> {
    let mut all = Vec::new();
    all.extend(locks::PROGRAMS);
    all.extend(races::PROGRAMS);
    all.extend(conditions::PROGRAMS);
    all.extend(always::PROGRAMS);
    all
}

/// The bug that an execution shows.
pub(crate) fn shown(record: &contest_data::trace::ExecutionRecord) -> Option<Bug> {
    match &record.ending {
        Ending::Finished if record.unhandled.is_empty() => None,
        Ending::Abandoned => None,
        Ending::Deadlock(_) if record.unhandled.is_empty() => Some(Bug::Deadlock),
        Ending::Finished | Ending::Deadlock(_) | Ending::Panicked(_) => Some(Bug::Assertion),
        other => panic!("neither passes nor shows a bug: {other:?}"),
    }
}

const fn asserts(name: &'static str, run: fn()) -> Program {
    let bug = Bug::Assertion;
    Program { name, run, bug }
}

const fn deadlocks(name: &'static str, run: fn()) -> Program {
    let bug = Bug::Deadlock;
    Program { name, run, bug }
}

/// Starts a thread for each body and waits for all, as the programs do.
fn run_all(bodies: Vec<Box<dyn FnOnce() + Send>>) {
    let threads: Vec<_> = bodies.into_iter().map(contest::thread::spawn).collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

macro_rules! threads {
    ($state:expr; $($body:expr),+ $(,)?) => {{
        let state = std::sync::Arc::new($state);
        super::run_all(vec![$({
            let state = std::sync::Arc::clone(&state);
            Box::new(move || $body(&state))
        }),+])
    }};
}
use threads;
