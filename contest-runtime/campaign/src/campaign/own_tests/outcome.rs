//! What one execution of a test of the crate shows.

use crate::judge::of_model::{self, Failure};
use contest_data::finding::FindingKind;
use contest_data::trace::{Ending, ExecutionRecord, ThreadIndex};

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
                return Outcome::Cut(format!("more than {steps} visible operations"));
            }
            Ending::MemoryLimit(bytes) => {
                return Outcome::Cut(format!("more than {bytes} bytes of memory"));
            }
            Ending::Unsupported(text) => return Outcome::Cut(text.clone()),
            Ending::Exit(call) => {
                let text = format!("the test ends the process: it calls {call}");
                return Outcome::Fails(Failure::plain(FindingKind::Abort, text));
            }
            Ending::Panicked(_) | Ending::Deadlock(_) | Ending::Livelock(_) => {}
        }
    }
    match of_model::failure(record, names, false) {
        Some(failure) => Outcome::Fails(with_main_panic(failure, record)),
        None => Outcome::Passes,
    }
}

/// True if it is a bug whatever other executions do.
pub(super) fn is_definite(kind: FindingKind) -> bool {
    kind.needs_memory() || kind == FindingKind::WrongThread
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
