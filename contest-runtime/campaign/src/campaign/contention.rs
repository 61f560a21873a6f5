//! What is visible in the executions of a test besides its operations: it grows with what executions show to be
//! contended.

use super::test_runner::TestRunner;
use contest_data::decision::Strategy as _;
use contest_data::gap::{Gap, Gaps};
use contest_data::test::RunnableTest;
use contest_data::trace::{Contended, Schedule, VisibleBytes};
use contest_search::explore::Replay;

/// How often the exploration of one test begins anew with more memory visible.
const MOST_ROUNDS: u32 = 8;
/// Pieces of memory that are visible in one test.
const MOST_PIECES: usize = 64;

/// Memory that two threads of the test were seen to access unordered.
#[derive(Clone, Debug, Default)]
pub(super) struct Contention {
    visible: Vec<VisibleBytes>,
    rounds: u32,
    /// More was contended than is visible.
    left_out: bool,
}

impl Contention {
    /// What is visible.
    pub(super) fn visible(&self) -> &[VisibleBytes] {
        &self.visible
    }

    /// Makes this visible from the beginning.
    pub(super) fn begin_with(&mut self, visible: &[VisibleBytes]) {
        self.visible = visible.to_vec();
    }

    /// Contended: something was contended that is not visible.
    pub(super) fn gaps(&self) -> Gaps {
        self.left_out
            .then_some(Gap::Contended)
            .into_iter()
            .collect()
    }

    /// An execution with this schedule showed more to be contended than is visible. True if more is visible now: then
    /// the exploration begins anew, because decisions mean something else.
    pub(super) fn grow(
        &mut self,
        runner: &mut TestRunner<'_>,
        test: &RunnableTest,
        schedule: Schedule,
    ) -> bool {
        if !self.may_grow() {
            return false;
        }
        // Once more, to see where the blocks come from.
        let noted = runner.note_allocations(true);
        let visible = schedule.visible.clone();
        let mut strategy = Replay::new(schedule);
        strategy.begin();
        let record = runner.run(test, &mut strategy, &visible);
        strategy.end(record);
        let contended = record.contended.clone();
        runner.note_allocations(noted);
        self.add_all(&contended)
    }

    /// Begins a round in which more may become visible; false if there were enough.
    pub(super) fn may_grow(&mut self) -> bool {
        if self.rounds == MOST_ROUNDS {
            self.left_out = true;
            return false;
        }
        self.rounds += 1;
        true
    }

    /// Adds what an execution, which noted allocations, showed to be contended. True if more is visible now.
    pub(super) fn add_all(&mut self, contended: &[Contended]) -> bool {
        let mut grown = false;
        for contended in contended {
            match contended.bytes {
                Some(bytes) => grown |= self.add(bytes),
                None => self.left_out = true,
            }
        }
        grown
    }

    /// Adds these bytes to what is visible; pieces that overlap become one, so that an access is of one piece. True if
    /// that is new.
    fn add(&mut self, bytes: VisibleBytes) -> bool {
        let mut whole = bytes;
        let before = self.visible.len();
        // What was joined may overlap others.
        while let Some((at, joined)) = (self.visible.iter().enumerate())
            .find_map(|(at, other)| Some((at, other.joined(&whole)?)))
        {
            if joined == self.visible[at] {
                // It is inside of it; so is all that was joined before, if anything was.
                return before != self.visible.len();
            }
            self.visible.swap_remove(at);
            whole = joined;
        }
        if self.visible.len() == MOST_PIECES {
            self.left_out = true;
            return false;
        }
        self.visible.push(whole);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contest_data::trace::Home;

    fn bytes(offset: u32, size: u32) -> VisibleBytes {
        let home = Home::Statics;
        VisibleBytes { home, offset, size }
    }

    #[test]
    fn pieces_that_overlap_become_one() {
        let mut contention = Contention::default();
        assert!(contention.add(bytes(0, 8)));
        assert!(contention.add(bytes(8, 8)));
        assert!(!contention.add(bytes(2, 4)));
        assert_eq!(contention.visible().len(), 2);
        assert!(contention.add(bytes(6, 4)));
        assert_eq!(contention.visible(), [bytes(0, 16)]);
        assert!(!contention.add(bytes(0, 16)));
    }

    #[test]
    fn what_finds_no_room_is_told() {
        let mut contention = Contention::default();
        for piece in 0..MOST_PIECES as u32 {
            assert!(contention.add(bytes(16 * piece, 8)));
        }
        assert!(contention.gaps().is_empty());
        assert!(!contention.add(bytes(16 * MOST_PIECES as u32, 8)));
        assert!(contention.gaps().contains(&Gap::Contended));
    }
}
