//! A value that must stay on the thread that made it, dropped on another one: the proof that a type is `Sync` for a `T` that is not `Send`,
//! and hands one from thread to thread.

use super::deadlock::thread_name;
use super::history::History;
use super::judgement::Judge;
use super::race::stack;
use super::verdict::Suspicion;
use contest_data::finding::FindingKind;
use contest_data::test::CallName;
use contest_data::trace::{Origin, Place, Race, RacingAccess};

/// The bug that this is.
pub fn suspicion(
    judge: &Judge<'_>,
    race: &Race,
    calls: [Option<CallName>; 2],
    history: &History,
) -> Suspicion {
    let [made, dropped] = [race.first, race.second];
    let place = place_under_test(dropped);
    let who = |access: RacingAccess, call: Option<CallName>| match call {
        Some(call) => judge.text(call),
        None => thread_name(history, access.thread, ""),
    };
    let thread = |access: RacingAccess| thread_name(history, access.thread, "");
    let at = match place.as_str() {
        "" => String::new(),
        place => format!(" at {place}"),
    };
    let message = format!(
        "wrong thread: {}, on the {}, drops{at} what {} made on {} and what is not `Send`",
        who(dropped, calls[1]),
        thread(dropped),
        who(made, calls[0]),
        thread(made),
    );
    let subject = judge.test.subject.path;
    let mut details = vec![format!(
        "`Unsent` is `Sync` and not `Send`, as `MutexGuard<u32>` is; still `{subject}` is `Sync`, and took one by a shared reference on one \
             thread that another one drops: its `unsafe impl Sync` must ask for `Send` of what it takes"
    )];
    if let Place::Stack(frames) = dropped.place {
        details.extend(stack(frames));
    }
    Suspicion {
        kind: FindingKind::WrongThread,
        message,
        details,
        locations: (!place.is_empty()).then_some(place).into_iter().collect(),
        calls: calls.iter().flatten().copied().collect(),
    }
}

/// Where in the code under test; empty if it is not known, or if the harness drops it.
fn place_under_test(access: RacingAccess) -> String {
    let frame = access.place.telling_frame();
    match frame {
        Some(frame) if frame.origin() == Origin::UnderTest => frame.place().to_owned(),
        _ => String::new(),
    }
}
