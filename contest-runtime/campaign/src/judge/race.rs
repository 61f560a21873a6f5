//! Data races, use after free, double free and accesses out of bounds of generated tests: undefined behaviour whatever
//! the results are, so no serial order excuses one.

use super::deadlock::thread_name;
use super::history::History;
use super::judgement::Judge;
use super::memory_fault::{self, Wording};
use super::verdict::Suspicion;
use super::wrong_thread;
use contest_data::finding::FindingKind;
use contest_data::subject::Probe;
use contest_data::test::CallName;
use contest_data::trace::{
    Deed, ExecutionRecord, Frame, MemoryFault, Occurrence, Origin, Place, Touched,
};

/// Functions of a call stack that are shown.
const MOST_FRAMES: usize = 8;

/// The bug that the memory fault with this number is.
#[must_use]
pub(crate) fn suspicion(
    judge: &Judge<'_>,
    record: &ExecutionRecord,
    history: &History,
    number: usize,
) -> Option<Suspicion> {
    let (fault, calls) = history.faults.get(number)?;
    if let MemoryFault::WrongThread { made, dropped } = *fault {
        let both = [made, dropped];
        return Some(wrong_thread::suspicion(judge, both, *calls, history));
    }
    if judge.test.subject.probe() == Some(Probe::Unsent) {
        // The usual instance of the type shows the same.
        return None;
    }
    let mut locations = Vec::new();
    for (deed, at) in [Some(fault.second()), fault.first()].into_iter().flatten() {
        let location = location(deed, at, record);
        if !location.is_empty() && !locations.contains(&location) {
            locations.push(location);
        }
    }
    let kind = FindingKind::from(fault);
    let words = OfTest {
        judge,
        history,
        calls: *calls,
    };
    let sentence = memory_fault::sentence(fault, &words);
    Some(Suspicion {
        kind,
        rests_on_order: fault.rests_on_order(),
        only_reads: false,
        message: format!("{}: {sentence}", kind.words()),
        details: details(judge, fault, record, history),
        locations,
        calls: calls.iter().flatten().copied().collect(),
    })
}

/// Names the calls of a generated test.
struct OfTest<'a> {
    judge: &'a Judge<'a>,
    history: &'a History,
    calls: [Option<CallName>; 2],
}

impl Wording for OfTest<'_> {
    fn who(&self, at: Occurrence, is_second: bool) -> String {
        match self.calls[usize::from(is_second)] {
            Some(call) => self.judge.text(call),
            None => thread_name(self.history, at.thread, ""),
        }
    }

    fn place(&self, at: Occurrence) -> String {
        location_in_code(at)
    }
}

/// Where the access is; empty if unknown, or if it is a use of a returned reference or guard in the generated driver.
pub(super) fn location_in_code(at: Occurrence) -> String {
    let in_driver = at
        .place
        .telling_frame()
        .is_some_and(|frame| frame.origin() == Origin::Driver);
    let location = at.place.location();
    if in_driver || is_in_driver(&location) {
        return String::new();
    }
    location
}

/// True for places in the source of the generated driver.
fn is_in_driver(location: &str) -> bool {
    location.starts_with("contest-driver.rs:")
}

/// Where to look: for what the driver does with a reference or guard, where the thread was ordered with others before,
/// which is where it got it.
fn location(deed: Deed, at: Occurrence, record: &ExecutionRecord) -> String {
    let location = location_in_code(at);
    if !location.is_empty() || deed == Deed::Allocation {
        return location;
    }
    at.last_synchronisation(&record.events)
        .map_or_else(String::new, |event| event.location.to_string())
}

/// True for the kinds of bugs that this module finds, with [`wrong_thread`].
#[must_use]
pub(crate) fn is_about_memory(kind: FindingKind) -> bool {
    kind.needs_memory() || kind == FindingKind::WrongThread
}

/// Both stacks, and what each thread did last to be ordered with others.
fn details(
    judge: &Judge<'_>,
    fault: &MemoryFault,
    record: &ExecutionRecord,
    history: &History,
) -> Vec<String> {
    let mut lines = Vec::new();
    let subject = judge.test.subject.path;
    if judge.test.subject.probe() == Some(Probe::Unshared) {
        let is = if judge.test.subject.is_moved() {
            "Send"
        } else {
            "Sync"
        };
        lines.push(format!(
            "`Unshared` is `Send` and not `Sync`, as `Cell<u32>` is, and counts its uses; still `{subject}` is `{is}`, and let two threads use \
             one at once: its `unsafe impl {is}` must ask for `Sync` of what it shares"
        ));
    }
    if let Some(text) = fault.touched().and_then(Touched::text) {
        lines.push(format!("memory: {text}"));
    }
    let both = [(Some(fault.second()), "second"), (fault.first(), "first")];
    for (one, which) in both {
        let Some((deed, at)) = one else { continue };
        if deed == Deed::Allocation && at.place == Place::Stack(&[]) {
            continue;
        }
        lines.push(format!(
            "{which}: {} by {}",
            deed.name(),
            thread_name(history, at.thread, "")
        ));
        match at.place {
            Place::Stack(frames) => lines.extend(stack(frames)),
            Place::Source(location) if is_in_driver(&location.to_string()) => {
                lines.push("  in what the test does with it".to_owned());
            }
            Place::Source(location) => lines.push(format!("  at {location}")),
            Place::Addresses(_) => {}
        }
        lines.push(match at.last_synchronisation(&record.events) {
            Some(event) => format!(
                "  before it {} synchronised by `{}` at {}",
                thread_name(history, at.thread, ""),
                event.name,
                event.location
            ),
            None => "  before it nothing ordered its thread since that began".to_owned(),
        });
    }
    lines
}

/// A function and where in it.
fn frame_text(frame: &Frame) -> String {
    if frame.location.is_empty() {
        return format!(
            "{} (its crate has no debug information: see `debug` in the profile)",
            frame.function
        );
    }
    format!("{} at {}", frame.function, frame.location)
}

/// Frames of the code under test; functions of `std` between them are folded, what called the code under test is left
/// out.
pub(crate) fn stack(frames: &[Frame]) -> Vec<String> {
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
                lines.push(format!("  {}{inside}", frame_text(frame)));
            }
            Origin::Standard => folded += 1,
            Origin::Engine | Origin::Driver => folded = 0,
        }
        if lines.len() >= MOST_FRAMES {
            lines.push("  (and more)".to_owned());
            break;
        }
    }
    let in_driver = |frame: &Frame| frame.origin() == Origin::Driver;
    if lines.is_empty() && frames.iter().any(in_driver) {
        lines.push(
            "  in the test, or last in a function that it called (optimised code)".to_owned(),
        );
    } else if lines.is_empty() {
        lines.extend(
            (frames.iter().take(MOST_FRAMES)).map(|frame| format!("  {}", frame_text(frame))),
        );
    }
    lines
}
