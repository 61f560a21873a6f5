//! Whether the same decisions lead to the same operations.

use contest_data::trace::{Event, ExecutionRecord};

/// The first difference between an execution and its repetition. Values are left out, because an atomic may hold an
/// address, and so is which object of a type it was: two objects are one if the allocator gives the second the memory
/// of the first, which it may do one time and not the next.
#[must_use]
pub fn difference(first: &ExecutionRecord, again: &ExecutionRecord) -> Option<String> {
    let length = first.events.len().max(again.events.len());
    let at =
        (0..length).find(
            |&index| match (first.events.get(index), again.events.get(index)) {
                (Some(left), Some(right)) => !same(left, right),
                _ => true,
            },
        )?;
    Some(format!(
        "step {} was {}, and the second time {}",
        at + 1,
        text(first, at),
        text(again, at)
    ))
}

/// True if both did the same, in the sense of [`difference`], up to the first panic of the first one, or to its end.
pub(crate) fn agree_until_panic(first: &ExecutionRecord, other: &ExecutionRecord) -> bool {
    let panic = first.panics.first().map(|panic| panic.step as usize);
    let until = panic.unwrap_or(usize::MAX).min(first.events.len());
    other.events.len() >= until
        && (first.events[..until].iter().zip(&other.events)).all(|(left, right)| same(left, right))
}

fn same(left: &Event, right: &Event) -> bool {
    (left.thread, left.action, left.name, left.location)
        == (right.thread, right.action, right.name, right.location)
}

fn text(record: &ExecutionRecord, index: usize) -> String {
    record.events.get(index).map_or_else(
        || "not there any more".to_owned(),
        |event| {
            format!(
                "`{}` of thread {} at {}",
                event.name, event.thread.0, event.location
            )
        },
    )
}
