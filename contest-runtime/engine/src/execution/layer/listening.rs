//! Accesses of executions that are only listened to: noted with their place, not held against each other. What one call
//! after another does is not looked at for races, and without clocks and shadow memory an access costs a look at its
//! call stack.

use super::{FrameRecord, KnownBlocks};
use crate::execution::machine::Machine;
use contest_data::trace::{AccessKind, Place, PlainAccess, ThreadIndex};

/// Places for accesses that were just noted; one that is repeated is left out.
const RECENT: usize = 256;

/// An access, as far as repetitions are alike.
type Key = (usize, usize, bool, u32, ThreadIndex);

/// What the fields of accesses are found from when an execution is over.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// Blocks are recorded, and accesses too if they are not watched anyway.
    pub on: bool,
    /// Accesses before this many calls have begun are not noted.
    pub from_call: usize,
    pub blocks: KnownBlocks,
    recent: Recent,
}

impl Notes {
    /// Before an execution.
    pub(crate) fn clear(&mut self) {
        if self.on {
            self.blocks.clear();
            self.recent.0.fill(None);
        }
    }
}

/// The accesses noted last, by address.
#[derive(Debug)]
struct Recent(Box<[Option<Key>; RECENT]>);

impl Default for Recent {
    fn default() -> Self {
        Self(Box::new([None; RECENT]))
    }
}

impl Recent {
    /// True if there was one like it since the last visible operation, as far as is remembered.
    fn has(&mut self, key: Key) -> bool {
        // The low bits of an address are the same in every process.
        let place = &mut self.0[(key.0 >> 2) % RECENT];
        let known = *place == Some(key);
        *place = Some(key);
        known
    }
}

/// Notes an access of the running thread.
pub(super) fn listen(
    machine: &mut Machine,
    location: usize,
    size: usize,
    kind: AccessKind,
    frame: *const FrameRecord,
) {
    if machine.record.calls.len() < machine.layer.notes.from_call {
        return;
    }
    let (thread, step) = (machine.running, machine.record.steps);
    let writes = kind.writes();
    if machine
        .layer
        .notes
        .recent
        .has((location, size, writes, step, thread))
    {
        return;
    }
    let end = machine.threads[thread.index()].stack_end;
    let place = Place::Addresses(machine.layer.stacks.number(frame, end));
    machine.record.plain.push(PlainAccess {
        thread,
        step,
        place,
        writes,
        location,
        size,
        field: None,
        symbols: None,
    });
}
