//! Data races, values on wrong threads and leaks of an execution, as findings.

use super::FindingKind;
use super::verdict::{Failure, name};
use contest_data::trace::{ExecutionRecord, Leak, MemoryFault, Occurrence, Place};

/// The first memory fault: undefined behaviour, whatever came of the execution afterwards.
pub(super) fn fault(record: &ExecutionRecord, names: &[String]) -> Option<Failure> {
    let fault = record.faults.first()?;
    if let MemoryFault::WrongThread { made, dropped } = *fault {
        return Some(on_wrong_thread(made, dropped, names));
    }
    let parts: Vec<String> = fault
        .deeds()
        .map(|(deed, at)| format!("{} at {}", deed.name(), place(at)))
        .collect();
    let message = format!(
        "{} of one location, with nothing to order them",
        parts.join(" and ")
    );
    let details = fault.deeds().map(|(_, at)| {
        format!(
            "{} {}",
            name(names, at.thread),
            match at.last_synchronisation(&record.events) {
                Some(event) => format!("synchronised last by {} at {}", event.name, event.location),
                None => "had not synchronised with anybody since it began".to_owned(),
            }
        )
    });
    Some(Failure {
        kind: FindingKind::DataRace,
        message,
        details: details.collect(),
        locations: fault.deeds().map(|(_, at)| place(at)).collect(),
    })
}

/// A value that must stay on its thread.
fn on_wrong_thread(made: Occurrence, dropped: Occurrence, names: &[String]) -> Failure {
    Failure {
        kind: FindingKind::WrongThread,
        message: format!(
            "{} drops a value that is not `Send` and that {} made at {}",
            name(names, dropped.thread),
            name(names, made.thread),
            place(made),
        ),
        details: Vec::new(),
        locations: vec![place(made)],
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
    match at.place {
        Place::Source(location) => location.to_string(),
        Place::Addresses(_) | Place::Stack(_) => "a place without source".to_owned(),
    }
}
