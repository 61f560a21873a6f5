//! Where code under test allocates. Noted only in executions that are run to tell where a block came from.

use std::collections::HashMap;

use super::{current, own_frame};
use crate::trace::{Allocated, Place};

/// The newest allocation at each address.
#[derive(Debug, Default)]
pub(crate) struct Allocations(HashMap<usize, Allocated>);

impl Allocations {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn at(&self, address: usize) -> Option<Allocated> {
        self.0.get(&address).copied()
    }
}

/// Code under test got the block at this address.
#[inline]
pub(in crate::memory) fn allocated(address: usize) {
    if current::is_set() && current::machine().allocations.is_some() {
        note(address);
    }
}

#[cold]
#[inline(never)]
fn note(address: usize) {
    let machine = current::machine();
    if machine.tearing_down || machine.over {
        return;
    }
    let by_user = crate::memory::set_user_code(false);
    let thread = machine.running;
    let end = machine.threads[thread.index()].stack_end;
    let place = Place::Addresses(machine.stacks.number(own_frame(), end));
    let step = machine.record.steps;
    if let Some(Allocations(known)) = &mut machine.allocations {
        known.insert(
            address,
            Allocated {
                thread,
                step,
                place,
            },
        );
    }
    crate::memory::set_user_code(by_user);
}
