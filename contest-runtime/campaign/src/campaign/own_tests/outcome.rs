//! What one execution of a test of the crate shows.

use crate::judge::of_model::{self, Failure};
use crate::judge::race::stack;
use crate::judge::timing::is_of_system;
use contest_data::finding::FindingKind;
use contest_data::trace::{Action, Decision, Ending, ExecutionRecord, Place, ThreadIndex, Unowned};

/// Visible operations after which a livelock is not certain.
const LONG: u32 = 10_000;

/// So often in a row a thread gives way in vain on no machine: tests that count their tries give up then.
const UNFAIR: usize = 1_000;

/// What one execution shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The test returned as it should.
    Passes,
    /// It did not, or did what is undefined.
    Fails(Failure),
    /// Nothing can be said: it reached a limit, or did what cannot be controlled.
    Cut(String),
    /// It was given up: what comes has been explored before.
    Abandoned,
}

/// What the execution shows; `names` are those of the threads. The test function decides, as in `cargo test`: the panic
/// of a thread that no one joins fails no test, and what still runs when it returns ends with the process.
pub(super) fn outcome(record: &ExecutionRecord, names: &[String]) -> Outcome {
    if record.faults.is_empty() {
        match &record.ending {
            Ending::Finished => return Outcome::Passes,
            Ending::Abandoned => return Outcome::Abandoned,
            Ending::StepLimit(steps) => {
                let last = record.events.len().checked_sub(1);
                let last = last.map(|it| record.location(it));
                let last = last.filter(|it| !it.is_empty() && !is_of_system(it));
                let last = last.map_or_else(String::new, |it| format!(", the last one at {it}"));
                return Outcome::Cut(format!("more than {steps} visible operations{last}"));
            }
            Ending::MemoryLimit(bytes) => {
                return Outcome::Cut(format!("more than {bytes} bytes of memory"));
            }
            Ending::Unsupported(text) => return Outcome::Cut(text.clone()),
            Ending::Exit(call) => {
                let text = format!("the test ends the process: it calls {call}");
                return Outcome::Fails(Failure::plain(FindingKind::Abort, text));
            }
            // In long loops that hand over to each other, threads may only look as if nothing could change any more.
            Ending::Livelock(_) if record.steps > LONG => {
                return Outcome::Cut(format!(
                    "after {} visible operations its threads only spin",
                    record.steps
                ));
            }
            Ending::Panicked(_) if is_unfair(record) => {
                return Outcome::Cut(format!(
                    "a thread gave way {UNFAIR} times and more, and no other one ran although it could"
                ));
            }
            Ending::Panicked(_) | Ending::Deadlock(_) | Ending::Livelock(_) => {}
        }
    }
    match of_model::failure(record, names, false) {
        Some(failure) => Outcome::Fails(with_main_panic(failure, record)),
        None => Outcome::Passes,
    }
}

/// True if a thread gave way so often in a row although another one could have run.
fn is_unfair(record: &ExecutionRecord) -> bool {
    let mut yields = (ThreadIndex::MAIN, 0);
    let gave_way = record.events.iter().any(|event| {
        if event.thread != yields.0 {
            yields = (event.thread, 0);
        }
        yields.1 += usize::from(event.action == Action::Yield);
        yields.1 >= UNFAIR
    });
    let mut runs = (None, 0);
    gave_way
        && record.schedule.decisions.iter().any(|decision| {
            if let Decision::Thread(_) = decision {
                if runs.0 != Some(decision) {
                    runs = (Some(decision), 0);
                }
                runs.1 += 1;
            }
            runs.1 >= UNFAIR
        })
}

/// True if it is a bug whatever other executions do; of a leak that was decided before.
pub(super) fn is_definite(kind: FindingKind) -> bool {
    kind.needs_memory() || matches!(kind, FindingKind::WrongThread | FindingKind::Leak)
}

/// What the execution, which noted allocations, leaves behind without an owner.
pub(super) fn leak(record: &ExecutionRecord) -> Option<Failure> {
    let first = record.unowned.first()?;
    let place = |block: &Unowned| {
        let allocated = block.allocated;
        allocated.map_or_else(String::new, |made| made.place.location())
    };
    let bytes: usize = record.unowned.iter().map(|block| block.size).sum();
    let mut locations: Vec<String> = Vec::new();
    for location in record.unowned.iter().map(place) {
        if !location.is_empty() && !locations.contains(&location) {
            locations.push(location);
        }
    }
    let mut details = vec!["other executions of this test leave nothing behind".to_owned()];
    if let Some(Place::Stack(frames)) = first.allocated.map(|made| made.place) {
        details.push("the first block is allocated by".to_owned());
        details.extend(stack(frames));
    }
    let (blocks, are) = match record.unowned.len() {
        1 => ("1 block".to_owned(), "is"),
        more => (format!("{more} blocks"), "are"),
    };
    Some(Failure {
        kind: FindingKind::Leak,
        message: format!(
            "memory leak: {blocks} ({bytes} bytes) {are} without an owner after the test and all its threads have ended"
        ),
        details,
        locations,
    })
}

/// Of threads that panicked one after another, the message of the test's own thread is what `cargo test` shows.
fn with_main_panic(mut failure: Failure, record: &ExecutionRecord) -> Failure {
    if failure.kind != FindingKind::Panic {
        return failure;
    }
    let mut panics = record.panics.iter().rev();
    let own = panics.find(|panic| panic.thread == ThreadIndex::MAIN);
    if let Some(own) = own
        && !failure.locations.contains(&own.location)
    {
        failure.locations.push(own.location.clone());
    }
    failure
}

#[cfg(test)]
mod tests {
    use super::*;
    use contest_data::trace::{BlockedThread, Event, ObjectId, Panic};

    fn ended(ending: Ending) -> ExecutionRecord {
        ExecutionRecord {
            ending,
            ..ExecutionRecord::empty()
        }
    }

    #[test]
    fn the_panic_of_a_thread_that_is_not_joined_fails_no_test() {
        let mut record = ended(Ending::Finished);
        record.panics.push(Panic {
            thread: ThreadIndex(1),
            ..Panic::default()
        });
        record.unhandled.push(ThreadIndex(1));
        assert_eq!(outcome(&record, &[]), Outcome::Passes);
    }

    #[test]
    fn a_panic_that_leaves_the_test_fails_it() {
        let panic = Panic {
            message: "no".to_owned(),
            location: "src/lib.rs:1:2".to_owned(),
            ..Panic::default()
        };
        let Outcome::Fails(failure) = outcome(&ended(Ending::Panicked(panic)), &[]) else {
            panic!("it passes");
        };
        assert_eq!(failure.kind, FindingKind::Panic);
        assert_eq!(failure.locations, ["src/lib.rs:1:2"]);
    }

    #[test]
    fn a_test_that_gives_up_because_no_other_thread_ran_does_not_fail() {
        let mut record = ended(Ending::Panicked(Panic::default()));
        for index in 0..UNFAIR {
            record.events.push(Event {
                thread: ThreadIndex::MAIN,
                index: index as u32,
                call: None,
                action: Action::Yield,
                object: ObjectId::NONE,
                second: ObjectId::NONE,
                location: std::panic::Location::caller(),
                name: "yield_now",
                read: 0,
                wrote: 0,
            });
        }
        // No other thread could have run.
        assert!(matches!(outcome(&record, &[]), Outcome::Fails(_)));
        let decisions = &mut record.schedule.decisions;
        decisions.resize(UNFAIR, Decision::Thread(0));
        assert!(matches!(outcome(&record, &[]), Outcome::Cut(_)));
        record.schedule.decisions[UNFAIR / 2] = Decision::Thread(1);
        assert!(matches!(outcome(&record, &[]), Outcome::Fails(_)));
    }

    #[test]
    fn threads_that_spin_after_long_loops_are_no_certain_livelock() {
        let spins: Vec<BlockedThread> = Vec::new();
        let mut record = ended(Ending::Livelock(spins));
        assert!(matches!(outcome(&record, &[]), Outcome::Fails(_)));
        record.steps = LONG + 1;
        assert!(matches!(outcome(&record, &[]), Outcome::Cut(_)));
    }
}
