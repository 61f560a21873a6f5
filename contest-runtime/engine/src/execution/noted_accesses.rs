//! Atomic operations as accesses, held against the others later.
//!
//! Atomic operations race with plain accesses only. Where memory is watched, an atomic operation of a drop-in type is
//! noted, and held against the others in its turn when the clocks of the execution are computed, which a plain access
//! makes happen: so that many are worked off in one go, and none of them where no plain access follows and no plain
//! access was made to the same memory.

use super::machine::Machine;
use crate::happens_before::Access;
use contest_data::trace::{AccessKind, Place};

/// An atomic operation that is to be held against other accesses. Thread and place are those of its event.
#[derive(Clone, Copy, Debug)]
pub(super) struct NotedAccess {
    location: usize,
    /// Events up to and including its own.
    events: usize,
    step: u32,
    size: u8,
    kind: AccessKind,
}

impl Machine {
    /// The operation recorded last is an access.
    #[inline]
    pub(super) fn note_access(&mut self, location: usize, size: u8, kind: AccessKind) {
        self.noted.push(NotedAccess {
            location,
            events: self.record.events.len(),
            step: self.record.steps,
            size,
            kind,
        });
    }

    /// Holds what is noted against the other accesses: before races are recorded by other means, and before memory is
    /// used for something else.
    #[inline]
    pub(super) fn settle_accesses(&mut self) {
        if !self.noted.is_empty() {
            self.synchronise();
        }
    }

    /// As `settle_accesses`, when no plain access follows: for nothing unless there was one to the same memory.
    pub(super) fn settle_last_accesses(&mut self) {
        let mut last = (0, 0);
        let accesses = &mut self.accesses;
        let may_race = self.noted.iter().any(|noted| {
            let here = (noted.location, usize::from(noted.size));
            here != std::mem::replace(&mut last, here) && accesses.has_plain(here.0, here.1)
        });
        if may_race {
            self.synchronise();
        }
    }

    /// Lets the events from this one on order the threads, and holds those of them that are noted against the other
    /// accesses.
    #[inline(never)]
    pub(super) fn synchronise_noted(&mut self, first: usize) {
        let known = self.record.faults.len();
        let mut noted = self.noted.iter().peekable();
        for (at, event) in self.record.events.iter().enumerate().skip(first) {
            let thread = event.thread;
            // A releasing operation hands this number on and starts the next.
            let epoch = self.synchronisation.epoch(thread);
            self.synchronisation.perform(event, &self.objects);
            if let Some(noted) = noted.next_if(|noted| noted.events <= at + 1) {
                let access = Access {
                    thread,
                    epoch,
                    step: noted.step,
                    place: Place::Source(event.location),
                    kind: noted.kind,
                    location: noted.location,
                    size: usize::from(noted.size),
                };
                let clock = self.synchronisation.clock(thread);
                (self.accesses).access(&access, clock, &mut self.record.faults);
            }
        }
        self.noted.clear();
        if self.record.faults.len() > known {
            self.note_blocks_of_faults(known);
        }
    }
}
