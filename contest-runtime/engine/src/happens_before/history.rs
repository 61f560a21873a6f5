//! What an access does to the history of a cell.

use super::accesses::{Accesses, set_touched_bytes};
use super::cells::{INLINE, Past};
use super::granules::NONE;
use contest_data::trace::MemoryFault;

/// Places that are kept.
const MOST_CONTENDED: usize = 64;

impl Accesses {
    #[cold]
    fn contend(&mut self, mut race: MemoryFault, granule: usize, mask: u8) {
        set_touched_bytes(std::slice::from_mut(&mut race), granule, mask);
        let known = |other: &MemoryFault| other.touched() == race.touched();
        if self.contended.len() < MOST_CONTENDED && !self.contended.iter().any(known) {
            self.contended.push(race);
        }
    }

    /// Holds the access against what is known of the cell, and replaces what it stands for.
    #[inline(never)]
    pub(crate) fn meet(
        &mut self,
        cell: u32,
        granule: usize,
        new: Past,
        clock: &[u32],
        races: &mut Vec<MemoryFault>,
    ) {
        let state = self.cells.get_mut(cell);
        if state.is_repeated(new.thread, new.epoch, new.kind) {
            return;
        }
        let (mut races_with, mut covered) = (false, false);
        // Those that must be kept, as bits.
        let mut kept = 0_u8;
        for (at, past) in state.pasts().iter().enumerate() {
            let own = past.thread == new.thread;
            let ordered = own || knows(clock, past);
            covered |= own && past.epoch == new.epoch && past.covers(&new);
            races_with |= !ordered && new.conflicts(past);
            kept |= u8::from(!ordered || !new.covers(past)) << at;
        }
        if races_with || state.older != NONE || kept >= 1 << (INLINE - 1) {
            return self.meet_slowly(cell, granule, new, clock, races);
        }
        if covered {
            // An access of the same epoch that is not the newest stands for it already.
            return;
        }
        // As `put_newest` has it.
        let pasts = &mut state.pasts;
        let count = match kept {
            0 => 1,
            0b001 => {
                pasts[1] = pasts[0];
                2
            }
            0b010 => 2,
            0b100 => {
                pasts[1] = pasts[2];
                2
            }
            0b011 => {
                pasts[2] = pasts[1];
                pasts[1] = pasts[0];
                3
            }
            0b101 => {
                pasts[1] = pasts[0];
                3
            }
            0b110 => 3,
            _ => {
                pasts[3] = pasts[1];
                pasts[1] = pasts[0];
                4
            }
        };
        pasts[0] = new;
        state.count = count;
        state.has_plain |= !new.is_atomic();
    }

    /// As `meet`, for a race and for any number of past accesses.
    #[inline(never)]
    fn meet_slowly(
        &mut self,
        cell: u32,
        granule: usize,
        new: Past,
        clock: &[u32],
        races: &mut Vec<MemoryFault>,
    ) {
        let mask = self.cells.get(cell).mask;
        let known = races.len();
        let race = self.check(cell, &new, clock, races);
        set_touched_bytes(&mut races[known..], granule, mask);
        if let Some(race) = race {
            self.contend(race, granule, mask);
        }
        let mut pasts = self.cells.take_pasts(cell);
        let covered = pasts
            .iter()
            .any(|past| past.thread == new.thread && past.epoch == new.epoch && past.covers(&new));
        if !covered {
            pasts.retain(|past| !knows(clock, past) || !new.covers(past));
            put_newest(&mut pasts, new);
        }
        self.cells.set_pasts(cell, pasts);
        self.cells.get_mut(cell).has_plain |= !new.is_atomic();
    }

    /// Holds the access against what is known of the cell. Returns a race if there is any, a known one too.
    pub(crate) fn check(
        &mut self,
        cell: u32,
        new: &Past,
        clock: &[u32],
        races: &mut Vec<MemoryFault>,
    ) -> Option<MemoryFault> {
        let mut found = None;
        self.cells.each_past(cell, |past| {
            found = compare(past, new, clock, races).or(found);
        });
        found
    }
}

/// The order of what is known of a cell: the newest, the one that was the newest before it, and the others turned round
/// each time.
fn put_newest(pasts: &mut Vec<Past>, new: Past) {
    pasts.insert(0, new);
    if let Some(others) = pasts.get_mut(2..) {
        others.reverse();
    }
}

/// True if the past access happens before the owner of the clock. A clock that is too short for a thread knows nothing
/// of it.
#[inline]
fn knows(clock: &[u32], past: &Past) -> bool {
    clock
        .get(past.thread.index())
        .is_some_and(|known| *known >= past.epoch)
}

#[inline]
fn compare(
    past: &Past,
    new: &Past,
    clock: &[u32],
    races: &mut Vec<MemoryFault>,
) -> Option<MemoryFault> {
    if past.thread == new.thread || knows(clock, past) || !new.conflicts(past) {
        return None;
    }
    let race = MemoryFault::unordered(past.access(), new.access());
    if !races.iter().any(|known| known.same_places(&race)) {
        races.push(race);
    }
    Some(race)
}
