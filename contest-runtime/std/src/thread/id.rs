//! `ThreadId`.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::num::NonZero;

use contest_data::trace::ThreadIndex;
use contest_engine::execution::active;

/// Drop-in for `std::thread::ThreadId`, of the same layout: the number of the real id, or one made from the number of a
/// virtual thread. Virtual threads have the same ids in every execution, unless its circumstances are others.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ThreadId(NonZero<u64>);

/// Marks the id of a virtual thread.
const VIRTUAL: u64 = 1 << 63;
/// The number of a virtual thread, counted from 1, is in these bits of its id; above it is what ids are counted from.
const NUMBER: u64 = 0xFFFF;

impl ThreadId {
    pub(super) fn of_virtual(thread: ThreadIndex) -> Self {
        let first = active().map_or(0, |active| active.circumstances().first_id);
        let number = NonZero::<u64>::MIN.saturating_add(u64::from(thread.0));
        Self(number | u64::from(first) << NUMBER.count_ones() | VIRTUAL)
    }

    /// The number in a real id can be had on stable only through its `Hash`.
    pub(super) fn of_real(id: std::thread::ThreadId) -> Self {
        let mut number = Number(0);
        id.hash(&mut number);
        Self(NonZero::new(number.0 & !VIRTUAL).unwrap_or(NonZero::<u64>::MAX))
    }
}

/// Keeps the number that is hashed.
struct Number(u64);

impl Hasher for Number {
    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }

    fn write(&mut self, bytes: &[u8]) {
        // Not reached while an id is one number; still different for different ids of that size.
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl fmt::Debug for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ThreadId")
            .field(&(self.0.get() & !VIRTUAL))
            .finish()
    }
}

/// The number of a virtual thread, as users of shuttle expect it.
///
/// # Panics
/// If it is a real one.
#[cfg(feature = "conversions")]
impl From<ThreadId> for usize {
    fn from(id: ThreadId) -> Self {
        let number = id.0.get();
        assert!(
            number & VIRTUAL != 0,
            "contest: a real thread has no number"
        );
        ThreadIndex((number & NUMBER) as u16 - 1).index()
    }
}
