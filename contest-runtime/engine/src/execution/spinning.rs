//! Spinning threads: a thread that goes round a loop of reads that all return what they returned before waits until
//! something it read since is written by another thread. A yield says where a round ends, so that fewer rounds are
//! enough; one yield alone is no loop, and what comes after it may come at once.

use std::panic::Location;

use contest_data::trace::{Action, ObjectId};

/// Longest loop body, in visible operations, that is recognised without a yield.
const LONGEST_CYCLE: usize = 8;
/// Rounds of equal reads before the thread counts as spinning.
const ROUNDS: u32 = 3;

/// Reads that are kept; of more than that, the oldest are forgotten.
const MOST_READS: usize = 64;

/// Reads of a round that are only counted, because they cannot be a repetition yet.
pub(super) const UNLOGGED: u32 = ROUNDS - 1;

/// What one thread has read since it last wrote or yielded.
#[derive(Debug, Default)]
pub(super) struct SpinState {
    /// Objects read, with their versions at that time; the last entry of an object counts.
    pub reads: Vec<(ObjectId, u32)>,
    /// Ring of the last reads, as hashes.
    recent: [u64; LONGEST_CYCLE],
    /// Number of reads since the last write.
    pub count: u32,
    /// They are in `reads` and `recent`; else they are only counted.
    pub logged: bool,
    /// A bit for each read since the last write, by its hash: what is new here equals nothing before.
    seen: u64,
    /// Hash of the reads since the last write or yield.
    round: u64,
    /// Hash of the round that the last yield ended, and of where it was; 0 after a write.
    last_round: u64,
    /// For each period, how many reads in a row equalled the one a period before.
    equal: [u32; LONGEST_CYCLE],
    /// Objects it waits to see changed, for reports.
    pub waits_on: Vec<ObjectId>,
    /// Found to repeat itself; gives way at its next operation.
    pub repeats: bool,
    /// In the same state as a round before, too.
    pub alike: bool,
    /// Iterations given while no other thread could run.
    pub granted: u32,
    /// How often it went on although it repeats itself, because its loop may have an end of its own.
    pub let_go: u32,
    /// A bit for each place in the code where it has read since the last write, but for the first.
    places: u64,
    /// The thread's states before its last reads, each with the number of the read, counting from 1.
    states: [(u32, u64); LONGEST_CYCLE],
    /// Those before its last two yields; 0 if one is not known.
    yield_states: (u64, u64),
    /// Reads to come that take the newest write, because the thread would go round for ever else.
    pub catch_up: u32,
}

impl SpinState {
    #[inline]
    pub(super) fn clear(&mut self) {
        self.start_round();
        self.last_round = 0;
        self.granted = 0;
        self.let_go = 0;
        self.repeats = false;
        self.catch_up = 0;
    }

    /// True if the next read is one of those that take the newest write.
    pub(super) fn catches_up(&mut self) -> bool {
        let catches_up = self.catch_up > 0;
        self.catch_up -= u32::from(catches_up);
        catches_up
    }

    /// The thread changed something: whatever it does next is no repetition.
    #[inline]
    pub(super) fn progressed(&mut self) {
        if self.count != 0 {
            self.start_round();
            self.repeats = false;
        }
        self.last_round = 0;
        self.granted = 0;
        self.let_go = 0;
    }

    /// Notes where the thread is; true if it was there before since its last write.
    pub(super) fn was_at(&mut self, place: usize) -> bool {
        let bit = 1 << ((place as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58);
        let before = self.places & bit != 0;
        self.places |= bit;
        before
    }

    /// The thread's state before its next operation.
    pub(super) fn note_state(&mut self, state: u64) {
        self.states[self.count as usize % LONGEST_CYCLE] = (self.count + 1, state);
        self.yield_states.1 = state;
    }

    /// What was known of the thread's states means nothing any more: something else has changed.
    pub(super) fn forget_states(&mut self) {
        self.states = [(0, 0); LONGEST_CYCLE];
        self.yield_states = (0, 0);
    }

    /// The state before the read with this number, counting from 0.
    fn state_at(&self, read: u32) -> Option<u64> {
        let (number, state) = self.states[read as usize % LONGEST_CYCLE];
        (number == read + 1).then_some(state)
    }

    /// Logs a read. True if the thread now repeats itself.
    pub(super) fn read(
        &mut self,
        object: ObjectId,
        version: u32,
        action: Action,
        value: u64,
        location: &'static Location<'static>,
    ) -> bool {
        if self.reads.len() == self.reads.capacity() {
            self.make_room();
        }
        self.reads.push((object, version));
        let tag = matches!(action, Action::Load(_)) as u64;
        let hash = (std::ptr::from_ref(location) as u64)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(17)
            .wrapping_add(value)
            .wrapping_mul(0xD6E8_FEB8_6659_FD93)
            .wrapping_add(u64::from(object.0) << 1 | tag);
        self.round = self.round.rotate_left(7) ^ hash;
        let bit = 1 << (hash >> 58);
        let repeats = self.seen & bit != 0 && self.compare(hash);
        if self.seen & bit == 0 {
            self.seen |= bit;
            // Equals nothing before, so no row goes on.
            self.equal = [0; LONGEST_CYCLE];
        }
        self.recent[self.count as usize % LONGEST_CYCLE] = hash;
        self.count += 1;
        repeats
    }

    /// Compares a read with those before it; true if the thread repeats itself.
    #[inline(never)]
    fn compare(&mut self, hash: u64) -> bool {
        let mut repeats = false;
        let mut alike = false;
        for period in 1..=LONGEST_CYCLE {
            let before = self.recent[(self.count as usize).wrapping_sub(period) % LONGEST_CYCLE];
            let equal = &mut self.equal[period - 1];
            if self.count as usize >= period && before == hash {
                *equal += 1;
                if *equal >= (ROUNDS - 1) * period as u32 {
                    repeats = true;
                    let now = self.state_at(self.count);
                    alike |= now.is_some() && now == self.state_at(self.count - period as u32);
                }
            } else {
                *equal = 0;
            }
        }
        self.alike = alike;
        repeats
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        self.last_reads();
        if self.reads.len() > MOST_READS {
            self.reads.drain(..self.reads.len() - MOST_READS);
        }
        self.reads.reserve(4 * MOST_READS - self.reads.len());
    }

    /// The objects read since the last write or yield, each once, with its version at the last read.
    pub(super) fn last_reads(&mut self) -> &[(ObjectId, u32)] {
        let mut kept = 0;
        for index in 0..self.reads.len() {
            let (object, version) = self.reads[index];
            // Searched from the newest: a thread that reads much reads in rounds.
            match self.reads[..kept]
                .iter_mut()
                .rev()
                .find(|(id, _)| *id == object)
            {
                Some(known) => known.1 = version,
                None => {
                    self.reads[kept] = (object, version);
                    kept += 1;
                }
            }
        }
        self.reads.truncate(kept);
        &self.reads
    }

    /// A yield ends a round of reads: true if the round before was the same. Further yields belong to the same round:
    /// a loop that backs off gives way more often each time.
    pub(super) fn ends_round(&mut self, location: &'static Location<'static>) -> bool {
        if self.count == 0 {
            return false;
        }
        let round = self.round.rotate_left(7) ^ std::ptr::from_ref(location) as u64;
        let same = round == std::mem::replace(&mut self.last_round, round);
        let (before, now) = self.yield_states;
        if same {
            self.alike |= now != 0 && before == now;
        }
        self.yield_states = (now, 0);
        same
    }

    /// A yield ends a round in which locks were taken; returns the thread's state, 0 if it is not known.
    pub(super) fn end_round(&mut self) -> u64 {
        let (_, now) = self.yield_states;
        self.yield_states = (0, 0);
        self.start_round();
        now
    }

    /// After a yield: the next round starts from here.
    pub(super) fn yielded(&mut self) {
        self.start_round();
    }

    #[inline]
    fn start_round(&mut self) {
        self.count = 0;
        if self.places != 0 {
            self.places = 0;
            self.states = [(0, 0); LONGEST_CYCLE];
        }
        if self.logged {
            self.forget_reads();
        }
    }

    #[inline(never)]
    fn forget_reads(&mut self) {
        self.logged = false;
        self.reads.clear();
        self.round = 0;
        self.seen = 0;
        self.equal = [0; LONGEST_CYCLE];
    }
}
