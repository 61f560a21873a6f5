//! A value that must stay on the thread that made it, dropped on another one: the proof that a type is `Sync` or `Send`
//! for a `T` that is not `Send`, and takes one from thread to thread.

use super::deadlock::thread_name;
use super::history::History;
use super::judgement::Judge;
use super::race::stack;
use super::verdict::Suspicion;
use contest_data::finding::FindingKind;
use contest_data::test::CallName;
use contest_data::trace::{Occurrence, Origin, Place};

/// The bug that this is.
pub(super) fn suspicion(
    judge: &Judge<'_>,
    [made, dropped]: [Occurrence; 2],
    calls: [Option<CallName>; 2],
    history: &History,
) -> Suspicion {
    let place = place_under_test(dropped);
    let who = |at: Occurrence, call: Option<CallName>| match call {
        Some(call) => judge.text(call),
        None => thread_name(history, at.thread, ""),
    };
    let thread = |at: Occurrence| thread_name(history, at.thread, "");
    let there = match place.as_str() {
        "" => String::new(),
        place => format!(" at {place}"),
    };
    let message = format!(
        "wrong thread: {} on {} drops{there} a value that is not `Send`; it was made on {} by {}",
        who(dropped, calls[1]),
        thread(dropped),
        thread(made),
        who(made, calls[0]).trim_end_matches(';'),
    );
    let subject = judge.test.subject.path;
    let why = if judge.test.subject.is_moved() {
        "was moved to another thread with one inside, or took one there: its `unsafe impl Send` (or `Sync`) must ask for `Send` of what it owns"
    } else {
        "took one by a shared reference on one thread that another one drops: its `unsafe impl Sync` must ask for `Send` of what it takes"
    };
    let is = if judge.test.subject.is_moved() {
        "Send"
    } else {
        "Sync"
    };
    let mut details = vec![format!(
        "`Unsent` is `Sync` and not `Send`, as `MutexGuard<u32>` is; still `{subject}` is `{is}`, and {why}"
    )];
    if let Place::Stack(frames) = dropped.place {
        details.extend(stack(frames));
    }
    Suspicion {
        kind: FindingKind::WrongThread,
        rests_on_order: false,
        only_reads: false,
        message,
        details,
        locations: (!place.is_empty()).then_some(place).into_iter().collect(),
        calls: calls.iter().flatten().copied().collect(),
    }
}

/// Where in the code under test; empty if it is not known, or if the harness drops it.
fn place_under_test(at: Occurrence) -> String {
    let frame = at.place.telling_frame();
    match frame {
        Some(frame) if frame.origin() == Origin::UnderTest => frame.place().to_owned(),
        _ => String::new(),
    }
}
