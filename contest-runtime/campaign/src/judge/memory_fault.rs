//! Memory faults in words, for generated tests and models.

use contest_data::trace::{MemoryFault, Occurrence};

/// How a reader of a finding knows threads and places.
pub(super) trait Wording {
    /// The call or the thread of the access that came first or second.
    fn who(&self, at: Occurrence, is_second: bool) -> String;
    /// `src/ring.rs:12:5`; empty if there is nothing to show.
    fn place(&self, at: Occurrence) -> String;
}

/// What happened, in one sentence.
pub(super) fn sentence(fault: &MemoryFault, words: &dyn Wording) -> String {
    let at_place = |at: Occurrence| match words.place(at) {
        place if place.is_empty() => place,
        place => format!(" at {place}"),
    };
    let (deed, at) = fault.second();
    let (how, second, here) = (deed.name(), words.who(at, true), at_place(at));
    let (before, first, there) = match fault.first() {
        Some((deed, at)) => (deed.name(), words.who(at, false), at_place(at)),
        None => ("", String::new(), String::new()),
    };
    match fault {
        MemoryFault::Race { .. } => {
            format!(
                "the {how} in {second}{here} and the {before} in {first}{there} are not ordered"
            )
        }
        MemoryFault::UseAfterFree { .. } => {
            format!("the {how} in {second}{here} is of memory that {first} has freed{there}")
        }
        MemoryFault::UnorderedFree { .. } => {
            format!(
                "nothing orders the free in {second}{here} after the {before} in {first}{there}"
            )
        }
        MemoryFault::DoubleFree { .. } => {
            format!("{second} frees{here} what {first} has freed{there}")
        }
        MemoryFault::OutOfBounds { .. } if there.is_empty() => {
            format!("the {how} in {second}{here} is of memory that is in no block")
        }
        MemoryFault::OutOfBounds { .. } => format!(
            "the {how} in {second}{here} is of memory behind a block that {first} has allocated{there}"
        ),
        MemoryFault::WrongThread { .. } => {
            format!("{second} drops{here} a value that is not `Send` and that {first} made{there}")
        }
    }
}
