//! Data races, values on wrong threads and leaks of an execution, as findings.

use super::FindingKind;
use super::verdict::{Failure, name};
use contest_data::trace::{AccessKind, ExecutionRecord, Leak, Place, Race, RacingAccess};

/// The first data race: undefined behaviour, whatever came of the execution afterwards.
pub(super) fn race(record: &ExecutionRecord, names: &[String]) -> Option<Failure> {
    let race = record.races.first()?;
    if race.first.kind == AccessKind::Make {
        return Some(on_wrong_thread(race, names));
    }
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
            name(names, access.thread),
            match access.last_synchronisation(&record.events) {
                Some(event) => format!("synchronised last by {} at {}", event.name, event.location),
                None => "had not synchronised with anybody since it began".to_owned(),
            }
        )
    });
    Some(Failure {
        kind: FindingKind::DataRace,
        message,
        details: details.into(),
        locations: vec![place(race.first), place(race.second)],
    })
}

/// A value that must stay on its thread.
fn on_wrong_thread(race: &Race, names: &[String]) -> Failure {
    Failure {
        kind: FindingKind::WrongThread,
        message: format!(
            "{} drops a value that is not `Send` and that {} made at {}",
            name(names, race.second.thread),
            name(names, race.first.thread),
            place(race.first),
        ),
        details: Vec::new(),
        locations: vec![place(race.first)],
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

fn place(access: RacingAccess) -> String {
    match access.place {
        Place::Source(location) => location.to_string(),
        Place::Addresses(_) | Place::Stack(_) => "a place without source".to_owned(),
    }
}
