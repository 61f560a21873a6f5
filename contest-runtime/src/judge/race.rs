//! Data races: undefined behaviour whatever the results are, so no serial order excuses one.

use super::FindingKind;
use super::deadlock::thread_name;
use super::history::History;
use super::judgement::Judge;
use super::verdict::Suspicion;
use crate::assemble::CallName;
use crate::trace::{ExecutionRecord, Frame, Origin, Place, Race, RacingAccess};

/// Functions of a call stack that are shown.
const MOST_FRAMES: usize = 8;

/// The bug that the race with this number is.
#[must_use]
pub fn suspicion(
    judge: &Judge<'_>,
    record: &ExecutionRecord,
    history: &History,
    number: usize,
) -> Option<Suspicion> {
    let (race, calls) = history.races.get(number)?;
    let mut locations = Vec::new();
    for access in [race.second, race.first] {
        let location = access.place.location();
        if !location.is_empty() && !locations.contains(&location) {
            locations.push(location);
        }
    }
    let who = |access: RacingAccess, call: Option<CallName>| match call {
        Some(call) => judge.text(call),
        None => thread_name(history, access.thread, ""),
    };
    let (first, second) = (who(race.first, calls[0]), who(race.second, calls[1]));
    let place = |access: RacingAccess| match access.place.location() {
        location if location.is_empty() => String::new(),
        location => format!(" at {location}"),
    };
    let message = format!(
        "data race: the {} in {second}{} and the {} in {first}{} are not ordered",
        race.second.kind.name(),
        place(race.second),
        race.first.kind.name(),
        place(race.first),
    );
    Some(Suspicion {
        kind: FindingKind::DataRace,
        message,
        details: details(race, record, history),
        locations,
        calls: calls.iter().flatten().copied().collect(),
    })
}

/// Both stacks, and what each thread did last to be ordered with others.
fn details(race: &Race, record: &ExecutionRecord, history: &History) -> Vec<String> {
    let mut lines = Vec::new();
    for (access, which) in [(race.second, "second"), (race.first, "first")] {
        lines.push(format!(
            "{which}: {} by {}",
            access.kind.name(),
            thread_name(history, access.thread, "")
        ));
        match access.place {
            Place::Stack(frames) => lines.extend(stack(frames)),
            Place::Source(location) => lines.push(format!("  at {location}")),
            Place::Addresses(_) => {}
        }
        lines.push(match access.last_synchronisation(&record.events) {
            Some(event) => format!(
                "  before it {} synchronised by `{}` at {}",
                thread_name(history, access.thread, ""),
                event.name,
                event.location
            ),
            None => "  before it nothing ordered its thread since that began".to_owned(),
        });
    }
    lines
}

/// Frames of the code under test; functions of `std` between them are folded, what called the code under test is left out.
fn stack(frames: &[Frame]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut folded = 0;
    for frame in frames {
        match frame.origin() {
            Origin::UnderTest => {
                let inside = match std::mem::take(&mut folded) {
                    0 => String::new(),
                    1 => " (in a function of std)".to_owned(),
                    more => format!(" (in {more} functions of std)"),
                };
                lines.push(format!(
                    "  {} at {}{inside}",
                    frame.function, frame.location
                ));
            }
            Origin::Standard => folded += 1,
            Origin::Engine | Origin::Driver => folded = 0,
        }
        if lines.len() >= MOST_FRAMES {
            lines.push("  (and more)".to_owned());
            break;
        }
    }
    if lines.is_empty() {
        lines.extend(
            (frames.iter().take(MOST_FRAMES))
                .map(|frame| format!("  {} at {}", frame.function, frame.location)),
        );
    }
    lines
}
