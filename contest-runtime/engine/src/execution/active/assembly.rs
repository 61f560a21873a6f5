//! Inline assembly. What a block does is not known, so it is taken to change what its pointers lead to, and to
//! synchronise with every other block. A block without a pointer to memory that threads share may use any of it: then
//! all that was before it happens before all that comes after it. A locked instruction on memory that no other thread
//! uses is how x86 has a full fence.

use std::panic::Location;
use std::sync::atomic::Ordering;

use super::{Active, Site, site, stop_inline};
use crate::execution::current;
use crate::memory::set_user_code;
use contest_data::trace::{Action, ObjectId, Pending, Update};

const NAME: &str = "asm!";

/// A block of inline assembly that is about to be executed, or is.
#[derive(Clone, Copy, Debug)]
pub struct AssemblyBlock {
    /// First byte and number of bytes of what it works on, if that is known.
    on: Option<(usize, usize)>,
    /// Hash of these bytes.
    before: u64,
}

/// Whether a block is a full fence, by its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssemblyFence {
    /// It is.
    Yes,
    /// If what its pointers lead to is used by no other thread.
    OfOwnMemory,
    /// It is not, or that is not known.
    No,
}

impl Active {
    /// Waits for the turn of this thread before a block is executed. `pointees` are first byte and number of bytes of
    /// what its pointers lead to. A fence is executed at once.
    #[track_caller]
    pub fn before_assembly(
        self,
        pointees: &[(usize, usize)],
        fence: AssemblyFence,
    ) -> Option<AssemblyBlock> {
        if fence == AssemblyFence::Yes || fence == AssemblyFence::OfOwnMemory && are_own(pointees) {
            self.fence(Ordering::SeqCst);
            return None;
        }
        let machine = current::machine();
        if machine.tearing_down {
            return None;
        }
        set_user_code(false);
        let mut machine = machine;
        let mut shared = pointees
            .iter()
            .copied()
            .filter(|&(address, size)| is_shared(address, size));
        let on = match (shared.next(), shared.next()) {
            // What it writes would be no write of the memory model.
            (Some(one), None) if !machine.weak.on => Some(one),
            _ => None,
        };
        let Site {
            location,
            name,
            check,
        } = if on.is_some() {
            site!(NAME, Action::Rmw(Ordering::SeqCst, Update::Conditional))
        } else {
            site!(NAME, Action::Assembly)
        };
        let pending = match on {
            Some((address, _)) => Pending {
                action: Action::Rmw(Ordering::SeqCst, Update::Conditional),
                object: machine.objects.at(address, "atomic"),
                second: machine.objects.assembly(),
                name,
                check,
            },
            None => Pending {
                action: Action::Assembly,
                object: ObjectId::NONE,
                second: ObjectId::NONE,
                name,
                check,
            },
        };
        drop(stop_inline(machine, pending, location));
        set_user_code(true);
        let before = on.map_or(0, hash);
        Some(AssemblyBlock { on, before })
    }

    /// Records what a block has done.
    pub fn after_assembly(self, block: AssemblyBlock) {
        let mut machine = current::machine();
        if machine.tearing_down {
            return;
        }
        set_user_code(false);
        let after = block.on.map_or(0, hash);
        let action = match block.on {
            None => Action::Assembly,
            Some(_) if after == block.before => Action::CasFail(Ordering::SeqCst),
            Some(_) => Action::Rmw(Ordering::SeqCst, Update::Conditional),
        };
        machine.commit_as(action, block.before, after);
        drop(machine);
        set_user_code(true);
    }
}

/// True if all are pointers to memory that threads do not share.
fn are_own(pointees: &[(usize, usize)]) -> bool {
    let own = |&(address, size): &(usize, usize)| address != 0 && !is_shared(address, size);
    // Elsewhere it is not known what is shared.
    cfg!(all(feature = "driver", target_os = "linux"))
        && !pointees.is_empty()
        && pointees.iter().all(own)
}

/// True if these bytes are alive, and threads can share them.
#[cfg(all(feature = "driver", target_os = "linux"))]
fn is_shared(address: usize, size: usize) -> bool {
    crate::memory::shared::is_shared(address) && crate::memory::arena::is_in_block(address, size)
}

/// Which memory threads share is known in drivers only.
#[cfg(not(all(feature = "driver", target_os = "linux")))]
fn is_shared(_address: usize, _size: usize) -> bool {
    false
}

/// Up to eight bytes are their own hash: then they are shown as a number.
fn hash((address, size): (usize, usize)) -> u64 {
    const MOST: usize = 64;
    let bytes = std::ptr::with_exposed_provenance::<u8>(address);
    let mut hash = 0_u64;
    for at in (0..size.min(MOST)).rev() {
        // SAFETY: the bytes are alive and in memory of this process, and no other OS thread changes them.
        let byte = unsafe { bytes.add(at).read_volatile() };
        hash = hash.rotate_left(8) ^ u64::from(byte);
        if size > 8 {
            hash = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
    }
    hash
}
