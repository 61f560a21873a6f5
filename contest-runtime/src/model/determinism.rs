//! Which executions of a model are repeated, to see whether it does the same when the same decisions are taken.

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

#[cfg(test)]
mod tests {
    use super::Repetitions;

    #[test]
    fn repetitions_and_explored_executions_add_up_to_the_limit() {
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
