//! Locations with a name of their own.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

/// Names are addresses in a part of the address space where no memory can be.
const FIRST: usize = 1 << (usize::BITS - 2);

/// Numbers executions that give names, over all engines of the process: a slot in a static outlives its execution.
static EXECUTIONS: AtomicU32 = AtomicU32::new(0);

/// Hands out names for one execution after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// 0 as long as the execution has given no name, as in a slot without one.
    execution: u32,
    used: usize,
}

impl Names {
    /// A new execution: names given before are void.
    pub(crate) fn reset(&mut self) {
        self.execution = 0;
        self.used = 0;
    }

    /// The name in `slot`, or a new one for `size` bytes.
    pub(crate) fn location(&mut self, slot: &Cell<u64>, size: usize) -> usize {
        if self.execution == 0 {
            self.execution = EXECUTIONS
                .fetch_add(1, Ordering::Relaxed)
                .wrapping_add(1)
                .max(1);
        }
        let known = slot.get();
        if (known >> 32) as u32 == self.execution {
            return FIRST + (known & 0xFFFF_FFFF) as usize * 8;
        }
        let name = self.used;
        self.used += size.div_ceil(8).max(1);
        slot.set(u64::from(self.execution) << 32 | name as u64);
        FIRST + name * 8
    }
}
