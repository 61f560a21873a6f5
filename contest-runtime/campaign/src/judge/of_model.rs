//! What an execution of a model shows. A model has no serial orders to be compared with: whatever goes wrong in it is a
//! failure.

mod interleaving;
mod memory;

use super::deadlock::cycle;
use super::older_writes;
use contest_data::finding::{Finding, FindingKind, InterleavingStep};
use contest_data::trace::{BlockedThread, Ending, ExecutionRecord, Panic, ThreadIndex};

/// What is wrong with an execution, before anything is made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What kind.
    pub kind: FindingKind,
    /// One sentence; of a panic, its message.
    pub message: String,
    /// Further lines.
    pub details: Vec<String>,
    /// Source locations that matter most.
    pub locations: Vec<String>,
}

impl Failure {
    /// True if both are the same, up to values in the message.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        self.kind == other.kind && self.locations == other.locations
    }

    /// Shorthand for what has nothing but a message.
    pub fn plain(kind: FindingKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            details: Vec::new(),
            locations: Vec::new(),
        }
    }
}

/// The failure that the execution shows, if any; with `may_block`, threads that wait for ever after the main one has
/// ended are none. A data race comes first, because nothing is certain after it, then a panic that no thread handled:
/// what blocks after it is its consequence.
#[must_use]
pub fn failure(record: &ExecutionRecord, names: &[String], may_block: bool) -> Option<Failure> {
    memory::fault(record, names)
        .or_else(|| of_threads(record, names, may_block))
        .or_else(|| memory::leak(record))
}

fn of_threads(record: &ExecutionRecord, names: &[String], may_block: bool) -> Option<Failure> {
    let mut failure = match &record.ending {
        Ending::Finished | Ending::Deadlock(_) | Ending::Livelock(_) => unhandled(record, names),
        Ending::Panicked(panic) => Some(of_panic(record, panic, names)),
        _ => None,
    };
    match &record.ending {
        Ending::Deadlock(blocked) if may_block && main_ended(blocked) => {
            return failure;
        }
        Ending::Deadlock(blocked) | Ending::Livelock(blocked) => {
            let waits = blocked.iter().map(|thread| line(thread, names));
            match &mut failure {
                Some(failure) => {
                    failure
                        .details
                        .push("after that no thread could go on:".into());
                    failure.details.extend(waits);
                }
                None => failure = Some(stuck(&record.ending, blocked, waits.collect())),
            }
        }
        _ => {}
    }
    failure.or_else(|| of_ending(record, names))
}

fn of_ending(record: &ExecutionRecord, names: &[String]) -> Option<Failure> {
    let (kind, message) = match &record.ending {
        Ending::Exit(text) => (FindingKind::Exit, format!("the model called {text}")),
        Ending::StepLimit(steps) => (
            FindingKind::Limit,
            format!(
                "more than {steps} visible operations in one execution; if the model ends at all, raise `Builder::max_steps`"
            ),
        ),
        Ending::MemoryLimit(bytes) => (
            FindingKind::Limit,
            format!("more than {bytes} bytes allocated in one execution"),
        ),
        Ending::Unsupported(text) => (FindingKind::Unsupported, text.clone()),
        _ => return None,
    };
    let panics = record.panics.iter();
    Some(Failure {
        details: panics.map(|panic| with_message(panic, names)).collect(),
        ..Failure::plain(kind, message)
    })
}

fn main_ended(blocked: &[BlockedThread]) -> bool {
    blocked
        .iter()
        .all(|thread| thread.thread != ThreadIndex::MAIN)
}

/// True if threads wait for ever for what another thread has to do, not for a lock that one of them holds: that thread
/// may be one that the scheduler does not see.
#[must_use]
pub fn needs_other_thread(record: &ExecutionRecord) -> bool {
    let Ending::Deadlock(blocked) = &record.ending else {
        return false;
    };
    let mut waits = blocked.iter().map(|thread| &thread.waits_for);
    waits.any(contest_data::trace::WaitsFor::needs_other_thread)
}

fn stuck(ending: &Ending, blocked: &[BlockedThread], details: Vec<String>) -> Failure {
    let mut locations: Vec<String> = Vec::new();
    for thread in blocked {
        if !locations.contains(&thread.location) {
            locations.push(thread.location.clone());
        }
    }
    let circle = cycle(&blocked.iter().collect::<Vec<_>>());
    let (kind, message) = match ending {
        Ending::Livelock(_) => (
            FindingKind::Livelock,
            "threads go round loops for ever, nothing changes what they wait for",
        ),
        _ if main_ended(blocked) => (
            FindingKind::Deadlock,
            "the main thread has ended, and the threads that are left wait for ever",
        ),
        _ if circle.is_empty() => (FindingKind::Deadlock, "no thread can go on"),
        _ => (
            FindingKind::Deadlock,
            "no thread can go on: each waits for what another holds",
        ),
    };
    Failure {
        kind,
        message: message.to_owned(),
        details,
        locations,
    }
}

/// The first panic that ended a thread and was not taken from its join handle.
fn unhandled(record: &ExecutionRecord, names: &[String]) -> Option<Failure> {
    let panic = record
        .unhandled
        .iter()
        .filter_map(|thread| last_panic(record, *thread))
        .min_by_key(|panic| panic.step)?;
    Some(of_panic(record, panic, names))
}

fn last_panic(record: &ExecutionRecord, thread: ThreadIndex) -> Option<&Panic> {
    let mut panics = record.panics.iter().rev();
    panics.find(|panic| panic.thread == thread)
}

fn of_panic(record: &ExecutionRecord, panic: &Panic, names: &[String]) -> Failure {
    // Those who join a thread and unwrap, and scopes, panic because of it: its panic is the one to look at.
    let because = panic
        .message
        .starts_with("called `Result::unwrap()` on an `Err` value: Any")
        || panic.message == "a scoped thread panicked";
    let cause = because
        .then(|| {
            let mut earlier = record.panics.iter().rev();
            earlier.find(|other| other.thread != panic.thread && other.step <= panic.step)
        })
        .flatten();
    let mut details = Vec::new();
    let first = cause.unwrap_or(panic);
    details.push(panicked(first, names));
    for other in &record.panics {
        if other != first {
            details.push(with_message(other, names));
        }
    }
    Failure {
        kind: FindingKind::Panic,
        message: first.message.clone(),
        details,
        // A panic that began with `resume_unwind` has no place.
        locations: Vec::from_iter(Some(first.location.clone()).filter(|it| !it.is_empty())),
    }
}

fn panicked(panic: &Panic, names: &[String]) -> String {
    let who = name(names, panic.thread);
    match panic.location.as_str() {
        "" => format!("{who} panicked"),
        place => format!("{who} panicked at {place}"),
    }
}

fn with_message(panic: &Panic, names: &[String]) -> String {
    format!("{}: {}", panicked(panic, names), panic.message)
}

fn line(thread: &BlockedThread, names: &[String]) -> String {
    format!(
        "{} {}, at {}",
        name(names, thread.thread),
        thread.waits_for,
        thread.place()
    )
}

fn name(names: &[String], thread: ThreadIndex) -> &str {
    names.get(thread.index()).map_or("a thread", String::as_str)
}

/// The execution as rows of a table.
#[must_use]
pub fn steps(record: &ExecutionRecord, names: &[String]) -> Vec<InterleavingStep> {
    interleaving::steps(record, names)
}

/// The failure as a finding, with the execution that shows it.
#[must_use]
pub fn finding(
    failure: Failure,
    record: &ExecutionRecord,
    names: &[String],
    execution: u64,
) -> Finding {
    let mut details = failure.details;
    details.extend(older_writes::explanations(record));
    Finding {
        details,
        locations: failure.locations,
        thread_names: names.to_vec(),
        interleaving: interleaving::steps(record, names),
        preemptions: record.preemptions,
        schedule: record.schedule.to_text(),
        executions: execution,
        ..Finding::new(failure.kind, failure.message)
    }
}
