//! What an execution of a model shows.

use super::{Finding, FindingKind, Step};
use crate::trace::{BlockedThread, Ending, ExecutionRecord, ThreadIndex};

/// The failure that the execution shows, if any.
pub(super) fn finding(record: &ExecutionRecord, execution: u64) -> Option<Finding> {
    let mut details = Vec::new();
    let mut locations = Vec::new();
    let (kind, message) = match &record.ending {
        Ending::Finished => {
            let panic = record
                .panics
                .iter()
                .find(|panic| record.unhandled.contains(&panic.thread))?;
            locations.push(panic.location.clone());
            (FindingKind::Panic, panic.message.clone())
        }
        Ending::Abandoned => return None,
        Ending::Panicked(panic) => {
            locations.push(panic.location.clone());
            (FindingKind::Panic, panic.message.clone())
        }
        Ending::Deadlock(blocked) => {
            explain(blocked, &mut details, &mut locations);
            (FindingKind::Deadlock, "no thread can run".to_owned())
        }
        Ending::Livelock(blocked) => {
            explain(blocked, &mut details, &mut locations);
            (
                FindingKind::Livelock,
                "threads go round loops for ever".to_owned(),
            )
        }
        Ending::Exit(text) => (FindingKind::Exit, text.clone()),
        Ending::StepLimit(steps) => (
            FindingKind::Limit,
            format!("more than {steps} visible operations in one execution"),
        ),
        Ending::MemoryLimit(bytes) => (
            FindingKind::Limit,
            format!("more than {bytes} bytes allocated in one execution"),
        ),
        Ending::Unsupported(text) => (FindingKind::Unsupported, text.clone()),
    };
    Some(Finding {
        kind,
        message,
        details,
        locations,
        threads: (0..record.threads)
            .map(|thread| match thread {
                0 => "main thread".to_owned(),
                number => format!("thread {number}"),
            })
            .collect(),
        interleaving: record
            .events
            .iter()
            .map(|event| Step {
                thread: event.thread.0,
                event: event.name.to_owned(),
                location: event.location.to_string(),
            })
            .collect(),
        ending: record.ending.clone(),
        panics: record.panics.clone(),
        schedule: record.schedule.to_text(),
        execution,
    })
}

fn explain(blocked: &[BlockedThread], details: &mut Vec<String>, locations: &mut Vec<String>) {
    for thread in blocked {
        let who = if thread.thread == ThreadIndex::MAIN {
            "the main thread".to_owned()
        } else {
            format!("thread {}", thread.thread.0)
        };
        details.push(format!(
            "{who} {}, at {}",
            thread.waits_for, thread.location
        ));
        if !locations.contains(&thread.location) {
            locations.push(thread.location.clone());
        }
    }
}
