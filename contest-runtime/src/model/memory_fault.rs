//! Data races and leaks of an execution, as findings.

use super::FindingKind;
use crate::trace::{ExecutionRecord, Leak, Place, RacingAccess, ThreadIndex};

/// Kind, message, details, locations.
pub(super) type Fault = (FindingKind, String, Vec<String>, Vec<String>);

/// The first data race: undefined behaviour, whatever came of the execution afterwards.
pub(super) fn race(record: &ExecutionRecord) -> Option<Fault> {
    let race = record.races.first()?;
    let message = format!(
        "{} at {} and {} at {} of one location, with nothing to order them",
        race.first.kind.name(),
        place(race.first),
        race.second.kind.name(),
        place(race.second),
    );
    let details = [race.first, race.second].map(|access| {
        format!(
            "{} {}",
            who(access.thread),
            match access.last_synchronisation(&record.events) {
                Some(event) => format!("synchronised last by {} at {}", event.name, event.location),
                None => "had not synchronised with anybody since it began".to_owned(),
            }
        )
    });
    let locations = vec![place(race.first), place(race.second)];
    Some((FindingKind::DataRace, message, details.into(), locations))
}

/// Values that had to be dropped and were not.
pub(super) fn leak(record: &ExecutionRecord) -> Option<Fault> {
    let text = |leak: &Leak| format!("{} made at {} is never dropped", leak.what, leak.location);
    let (first, others) = record.leaks.split_first()?;
    Some((
        FindingKind::Leak,
        text(first),
        others.iter().map(text).collect(),
        vec![first.location.to_string()],
    ))
}

fn place(access: RacingAccess) -> String {
    match access.place {
        Place::Source(location) => location.to_string(),
        Place::Code(_) => "a place without source".to_owned(),
    }
}

fn who(thread: ThreadIndex) -> String {
    if thread == ThreadIndex::MAIN {
        "the main thread".to_owned()
    } else {
        format!("thread {}", thread.0)
    }
}
