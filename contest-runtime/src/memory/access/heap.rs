//! Blocks that code under test gives back.

use super::current;
use crate::trace::{AccessKind, Place};

/// A block of the arena is given back. By code under test: as a write to all of it, for it must not race with any other access. By the engine:
/// whatever was known of it is forgotten, because the next owner has nothing to do with the last.
pub(crate) fn freed(address: usize, size: usize) {
    if !current::is_set() {
        return;
    }
    let machine = current::machine();
    if !machine.watches_memory || machine.tearing_down || machine.over {
        return;
    }
    let by_user = super::super::set_user_code(false);
    if by_user {
        let thread = machine.running;
        let epoch = machine.synchronisation().epoch(thread);
        machine.access(address, size, AccessKind::Free, Place::Addresses(0), epoch);
    } else {
        machine.accesses.forget(address, size);
    }
    super::super::set_user_code(by_user);
}
