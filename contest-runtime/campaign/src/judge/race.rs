//! Data races, use after free, double free and accesses out of bounds: undefined behaviour whatever the results are, so no serial order excuses one.

use super::deadlock::thread_name;
use super::history::History;
use super::judgement::Judge;
use super::verdict::Suspicion;
use super::wrong_thread;
use contest_data::finding::FindingKind;
use contest_data::subject::Probe;
use contest_data::test::CallName;
use contest_data::trace::{AccessKind, ExecutionRecord, Frame, Origin, Place, Race, RacingAccess};

/// How a message begins where a free came after a use that nothing orders before it.
const UNORDERED_FREE: &str = "use after free: nothing orders the free";
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
    if race.first.kind == AccessKind::Make {
        return Some(wrong_thread::suspicion(judge, race, *calls, history));
    }
    if judge.test.subject.probe() == Some(Probe::Unsent) {
        // The usual instance of the type shows the same.
        return None;
    }
    let mut locations = Vec::new();
    for access in [race.second, race.first] {
        let location = location(access, record);
        if !location.is_empty() && !locations.contains(&location) {
            locations.push(location);
        }
    }
    let who = |access: RacingAccess, call: Option<CallName>| match call {
        Some(call) => judge.text(call),
        None => thread_name(history, access.thread, ""),
    };
    let (first, second) = (who(race.first, calls[0]), who(race.second, calls[1]));
    let place = |access: RacingAccess| match location_in_code(access) {
        location if location.is_empty() => String::new(),
        location => format!(" at {location}"),
    };
    let kind = kind(race);
    let (how, before) = (race.second.kind.name(), race.first.kind.name());
    let (here, there) = (place(race.second), place(race.first));
    let message = match kind {
        FindingKind::DataRace => format!(
            "data race: the {how} in {second}{here} and the {before} in {first}{there} are not ordered"
        ),
        FindingKind::DoubleFree => {
            format!("double free: {second} frees{here} what {first} has freed{there}")
        }
        FindingKind::OutOfBounds if there.is_empty() => {
            format!("out of bounds: the {how} in {second}{here} is of memory that is in no block")
        }
        FindingKind::OutOfBounds => format!(
            "out of bounds: the {how} in {second}{here} is of memory behind a block that {first} has allocated{there}"
        ),
        _ if race.second.kind == AccessKind::Free => {
            format!("{UNORDERED_FREE} in {second}{here} after the {before} in {first}{there}")
        }
        _ => format!(
            "use after free: the {how} in {second}{here} is of memory that {first} has freed{there}"
        ),
    };
    Some(Suspicion {
        kind,
        message,
        details: details(judge, race, record, history),
        locations,
        calls: calls.iter().flatten().copied().collect(),
    })
}

/// True if the bug is only one because nothing orders the two accesses: the other kinds happened in this very order.
#[must_use]
pub fn rests_on_order(suspicion: &Suspicion) -> bool {
    suspicion.kind == FindingKind::DataRace || suspicion.message.starts_with(UNORDERED_FREE)
}

/// Where the access is; empty if unknown, or if it is a use of a returned reference or guard in the generated driver.
fn location_in_code(access: RacingAccess) -> String {
    let in_driver = access
        .place
        .telling_frame()
        .is_some_and(|frame| frame.origin() == Origin::Driver);
    let location = access.place.location();
    if in_driver || is_in_driver(&location) {
        return String::new();
    }
    location
}

/// True for places in the source of the generated driver.
fn is_in_driver(location: &str) -> bool {
    location.starts_with("contest-driver.rs:")
}

/// Where to look: for what the driver does with a reference or guard, where the thread was ordered with others before, which is where it got
/// it.
fn location(access: RacingAccess, record: &ExecutionRecord) -> String {
    let location = location_in_code(access);
    if !location.is_empty() || access.kind == AccessKind::Allocate {
        return location;
    }
    access
        .last_synchronisation(&record.events)
        .map_or_else(String::new, |event| event.location.to_string())
}

/// What kind of bug it is: what follows a free is wrong in any order.
fn kind(race: &Race) -> FindingKind {
    match (race.first.kind, race.second.kind) {
        (AccessKind::Allocate, _) => FindingKind::OutOfBounds,
        (AccessKind::Free, AccessKind::Free) => FindingKind::DoubleFree,
        // Where nothing orders a free after a use, the use can come second too.
        (AccessKind::Free, _) | (_, AccessKind::Free) => FindingKind::UseAfterFree,
        _ => FindingKind::DataRace,
    }
}

/// True for the kinds of bugs that this module finds, with [`wrong_thread`].
#[must_use]
pub fn is_about_memory(kind: FindingKind) -> bool {
    kind.needs_memory() || kind == FindingKind::WrongThread
}

/// Both stacks, and what each thread did last to be ordered with others.
fn details(
    judge: &Judge<'_>,
    race: &Race,
    record: &ExecutionRecord,
    history: &History,
) -> Vec<String> {
    let mut lines = Vec::new();
    let subject = judge.test.subject.path;
    if judge.test.subject.probe() == Some(Probe::Unshared) {
        lines.push(format!(
            "`Unshared` is `Send` and not `Sync`, as `Cell<u32>` is, and counts its uses; still `{subject}` is `Sync`, and let two threads use \
             one at once: its `unsafe impl Sync` must ask for `Sync` of what it shares"
        ));
    }
    if let Some(text) = race.touched.and_then(|touched| touched.text()) {
        lines.push(format!("memory: {text}"));
    }
    for (access, which) in [(race.second, "second"), (race.first, "first")] {
        let unknown = Place::Stack(&[]);
        if access.kind == AccessKind::Allocate && access.place == unknown {
            continue;
        }
        lines.push(format!(
            "{which}: {} by {}",
            access.kind.name(),
            thread_name(history, access.thread, "")
        ));
        match access.place {
            Place::Stack(frames) => lines.extend(stack(frames)),
            Place::Source(location) if is_in_driver(&location.to_string()) => {
                lines.push("  in what the test does with it".to_owned());
            }
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

/// A function and where in it.
fn told(frame: &Frame) -> String {
    if frame.location.is_empty() {
        return format!(
            "{} (its crate has no debug information: see `debug` in the profile)",
            frame.function
        );
    }
    format!("{} at {}", frame.function, frame.location)
}

/// Frames of the code under test; functions of `std` between them are folded, what called the code under test is left out.
pub fn stack(frames: &[Frame]) -> Vec<String> {
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
                lines.push(format!("  {}{inside}", told(frame)));
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
        lines.extend((frames.iter().take(MOST_FRAMES)).map(|frame| format!("  {}", told(frame))));
    }
    lines
}
