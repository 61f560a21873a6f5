//! The one address range of the driver's own heaps: reserved once, at a fixed address if it is free.

use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Tried in this order; the first is far from what the kernel uses by itself, the second fits a 39-bit address space.
pub(super) const ADDRESSES: [usize; 2] = [0x6000_0000_0000, 0x20_0000_0000];
/// Reserved for what is allocated before the snapshot.
pub const STARTUP_BYTES: usize = 64 << 20;
/// Reserved for the tables of the arena.
pub const TABLE_BYTES: usize = 64 << 10;
/// Reserved for the arena; halved until the kernel agrees.
const ARENA_BYTES: usize = 64 << 30;
/// Bytes of the arena that have one entry in the table of block sizes.
pub const UNIT: usize = 16;
/// Bytes of that entry, of four for the size of a block.
const ENTRY: usize = size_of::<u32>();
/// Bytes of the arena that have one byte in the table of what may be accessed.
pub const GRANULE: usize = 8;

// Set once, by the first allocation of the process; constant from then on.
static BASE: AtomicUsize = AtomicUsize::new(0);
static LENGTH: AtomicUsize = AtomicUsize::new(0);

/// The reserved range: startup heap, then the arena's tables, then the arena, then the sizes of its blocks, then which
/// of its bytes are in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// First address.
    pub base: usize,
    /// Bytes.
    pub length: usize,
}

impl Region {
    /// The range of this process; `None` if none could be reserved.
    #[inline]
    #[must_use]
    pub fn get() -> Option<Self> {
        let length = LENGTH.load(Relaxed);
        if length > 1 {
            return Some(Self {
                base: BASE.load(Relaxed),
                length,
            });
        }
        // 1: was tried and failed.
        if length == 1 { None } else { Self::reserve() }
    }

    /// True if `address` is in the range. Cheap: two loads.
    #[inline]
    #[must_use]
    pub fn contains(address: usize) -> bool {
        // Before the reservation: length 0 or 1 from base 0 contains no pointer that anybody frees.
        address.wrapping_sub(BASE.load(Relaxed)) < LENGTH.load(Relaxed)
    }

    /// Where the tables of the arena are.
    #[inline]
    #[must_use]
    pub fn tables(self) -> usize {
        self.base + STARTUP_BYTES
    }

    /// Where the arena begins.
    #[inline]
    #[must_use]
    pub fn arena(self) -> usize {
        self.base + STARTUP_BYTES + TABLE_BYTES
    }

    /// One past the end of the arena, where the sizes of its blocks begin: an entry for each [`UNIT`].
    #[inline]
    #[must_use]
    pub fn end(self) -> usize {
        let arena = self.length - STARTUP_BYTES - TABLE_BYTES;
        self.arena() + arena / (UNIT + ENTRY + UNIT / GRANULE) * UNIT
    }

    /// Where the table of what may be accessed begins: a byte for each [`GRANULE`].
    #[inline]
    #[must_use]
    pub fn in_blocks(self) -> usize {
        self.end() + (self.end() - self.arena()) / UNIT * ENTRY
    }

    /// True if the range is where every other driver process has it.
    #[must_use]
    pub fn is_at_fixed_address(self) -> bool {
        self.base == ADDRESSES[0]
    }

    /// Called at the first allocation, while the process has one thread.
    #[cold]
    fn reserve() -> Option<Self> {
        LENGTH.store(1, Relaxed);
        let mut arena = ARENA_BYTES;
        while arena >= 1 << 30 {
            let tables = arena / UNIT * ENTRY + arena / GRANULE;
            let length = STARTUP_BYTES + TABLE_BYTES + arena + tables;
            for address in ADDRESSES {
                if map(address, length, libc::MAP_FIXED_NOREPLACE) == Some(address) {
                    return Some(Self::publish(address, length));
                }
            }
            if let Some(address) = map(0, length, 0) {
                return Some(Self::publish(address, length));
            }
            arena /= 2;
        }
        None
    }

    fn publish(base: usize, length: usize) -> Self {
        BASE.store(base, Relaxed);
        LENGTH.store(length, Relaxed);
        Self { base, length }
    }
}

/// Maps zeroed memory that is committed on touch. `None` if the kernel refuses or picks another place than `address`
/// (old kernels take `MAP_FIXED_NOREPLACE` as a hint).
fn map(address: usize, length: usize, flags: libc::c_int) -> Option<usize> {
    // SAFETY: a new anonymous mapping; with these flags it replaces none.
    let at = unsafe {
        libc::mmap(
            ptr::without_provenance_mut(address),
            length,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | flags,
            -1,
            0,
        )
    };
    if at == libc::MAP_FAILED {
        return None;
    }
    if address != 0 && at.addr() != address {
        // SAFETY: the mapping just made.
        unsafe { libc::munmap(at, length) };
        return None;
    }
    // Huge pages would make the first touch of an execution cost 2 MiB of zeroing.
    // SAFETY: the mapping just made; advice only.
    unsafe { libc::madvise(at, length, libc::MADV_NOHUGEPAGE) };
    Some(at.expose_provenance())
}
