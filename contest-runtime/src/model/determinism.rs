//! Whether a model does the same again when the same decisions are taken.

use contest_data::trace::{Event, ExecutionRecord};

/// Executions are repeated after this many, and after each time this factor more.
const FACTOR: u64 = 8;
/// With fewer executions in all, none is spent on a repetition.
const FEWEST: u64 = 10;

/// Which executions are run a second time: the first, the eighth, the 64th, ...
#[derive(Clone, Copy, Debug)]
pub(super) struct Repetitions {
    next: u64,
}

impl Repetitions {
    /// None is.
    pub(super) fn none() -> Self {
        Self { next: u64::MAX }
    }

    /// Those of a run of at most `executions` executions, and how many of these are left for the exploration itself.
    pub(super) fn within(executions: u64) -> (Self, u64) {
        if executions < FEWEST {
            return (Self::none(), executions);
        }
        let mut left = executions;
        let mut next = 1;
        while next < left {
            left -= 1;
            next = next.saturating_mul(FACTOR);
        }
        (Self { next: 1 }, left)
    }

    /// True if the execution with this number, counting from 1, is to be repeated.
    pub(super) fn is_due(&mut self, execution: u64) -> bool {
        if execution < self.next {
            return false;
        }
        self.next = self.next.saturating_mul(FACTOR);
        true
    }
}

/// The first difference between an execution and its repetition. Values are left out, because an atomic may hold an address, and so is which
/// object of a type it was: two objects are one if the allocator gives the second the memory of the first, which it may do one time and not
/// the next.
pub(super) fn difference(first: &ExecutionRecord, again: &ExecutionRecord) -> Option<String> {
    let length = first.events.len().max(again.events.len());
    let at = (0..length).find(|&index| {
        let (left, right) = (first.events.get(index), again.events.get(index));
        match (left, right) {
            (Some(left), Some(right)) => !same(left, right),
            _ => true,
        }
    })?;
    Some(format!(
        "step {} was {}, and the second time {}",
        at + 1,
        text(first, at),
        text(again, at)
    ))
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

#[cfg(test)]
mod tests {
    use super::Repetitions;

    #[test]
    fn repetitions_and_explored_executions_together_are_what_was_asked_for() {
        for executions in [1, 9, 10, 63, 64, 65, 100, 1_000, 100_000] {
            let (mut repetitions, explored) = Repetitions::within(executions);
            let repeated = (1..=explored)
                .filter(|&number| repetitions.is_due(number))
                .count() as u64;
            assert!(explored + repeated <= executions, "{executions}");
            assert!(explored + repeated + 1 >= executions, "{executions}");
        }
    }
}
