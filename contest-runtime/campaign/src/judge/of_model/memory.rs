//! Memory faults of a model, and values that it does not drop.

use super::{Failure, name};
use crate::judge::memory_fault::{Wording, sentence};
use crate::judge::race::stack;
use contest_data::finding::FindingKind;
use contest_data::trace::{ExecutionRecord, Leak, Occurrence, Place};

/// The first memory fault: undefined behaviour, whatever came of the execution afterwards.
pub(super) fn fault(record: &ExecutionRecord, names: &[String]) -> Option<Failure> {
    let fault = record.faults.first()?;
    let mut details = Vec::new();
    let mut locations = Vec::new();
    for (deed, at) in fault.deeds() {
        let who = name(names, at.thread);
        details.push(match at.last_synchronisation(&record.events) {
            Some(event) => format!(
                "{who} synchronised last by {} at {}",
                event.name, event.location
            ),
            None => format!("{who} had not synchronised with another thread since it began"),
        });
        if let Place::Stack(frames) = at.place
            && !frames.is_empty()
        {
            details.push(format!("the {} by {who}:", deed.name()));
            details.extend(stack(frames));
        }
        let location = place(at);
        if !locations.contains(&location) {
            locations.push(location);
        }
    }
    Some(Failure {
        kind: fault.into(),
        message: sentence(fault, &Names(names)),
        details,
        locations,
    })
}

/// Threads by their names.
struct Names<'a>(&'a [String]);

impl Wording for Names<'_> {
    fn who(&self, at: Occurrence, _: bool) -> String {
        name(self.0, at.thread).to_owned()
    }

    fn place(&self, at: Occurrence) -> String {
        place(at)
    }
}

/// Values that had to be dropped and were not.
pub(super) fn leak(record: &ExecutionRecord) -> Option<Failure> {
    let text = |leak: &Leak| format!("{} made at {} is never dropped", leak.what, leak.location);
    let (first, others) = record.leaks.split_first()?;
    Some(Failure {
        kind: FindingKind::Leak,
        message: text(first),
        details: others.iter().map(text).collect(),
        locations: vec![first.location.to_string()],
    })
}

fn place(at: Occurrence) -> String {
    match at.place.location() {
        unknown if unknown.is_empty() => "a place without source".to_owned(),
        location => location,
    }
}
