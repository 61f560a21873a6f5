//! The arena of an execution: what code under test allocates, at the same addresses in every execution and every
//! process.
//!
//! A bump pointer with a free list per [`SizeClass`]; a freed block is the first to be used again, as allocators in the
//! field do, so that code that relies on an address staying unique shows it. Only the main OS thread of the driver gets
//! here. The tables live in the reserved range too, outside the statics that are restored.

use std::alloc::Layout;
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::Relaxed};

use super::mapping::{GRANULE, Region, TABLE_BYTES, UNIT};
use super::size_class::SizeClass;

/// Default of the most bytes one execution may take.
pub const DEFAULT_LIMIT: usize = 1 << 30;
/// Zeroed by hand when the arena is emptied; what lies above is given back to the kernel, and each page of it that is
/// touched again costs a page fault (2 us on a virtual machine; zeroing it costs 0.1 us).
const KEPT_BYTES: usize = 1 << 20;

/// Least number of bytes between two blocks, and before the first one.
const RED_ZONE: usize = 16;
/// Blocks that are aligned to more have no red zone.
const MOST_ALIGNED: usize = 512;

// Both are set once before the snapshot.
static TABLES: AtomicPtr<Tables> = AtomicPtr::new(ptr::null_mut());
static LIMIT_HOOK: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static OWNER: Cell<bool> = const { Cell::new(false) };
}

/// Most blocks that are looked at.
const MOST_LOOKED_AT: u64 = 120_000;

/// What the arena did in the present execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArenaUse {
    /// Bytes in blocks that are not freed.
    pub live_bytes: u64,
    /// Bytes taken from the range, freed blocks included; what the limit is about.
    pub taken_bytes: u64,
    /// Blocks that are not freed.
    pub live_blocks: u64,
    /// Blocks handed out.
    pub allocations: u64,
    /// Blocks of earlier executions that were freed in this one (ignored): a pointer to them outlived its execution.
    pub stale_frees: u64,
}

struct Tables {
    base: usize,
    next: usize,
    limit: usize,
    end: usize,
    /// An entry for each [`UNIT`] of the arena: one more than the requested size where a live block begins, else 0.
    sizes: usize,
    /// A byte for each [`GRANULE`] of the arena: how many of its first bytes are in a block that is not freed.
    in_blocks: usize,
    used: ArenaUse,
    /// Free lists that are not empty, as bits: only these need to be cleared.
    dirty: [u64; SizeClass::COUNT.div_ceil(64)],
    free: [usize; SizeClass::COUNT],
}

const _: () = assert!(size_of::<Tables>() <= TABLE_BYTES);

/// Makes the calling thread the owner of the arena. Called once, before the snapshot. `None` if no address range could
/// be reserved.
#[must_use]
pub fn install() -> Option<Region> {
    let region = Region::get()?;
    let tables: *mut Tables = ptr::with_exposed_provenance_mut(region.tables());
    // SAFETY: the range is mapped and zeroed, large enough by the assertion above, and zero is a valid `Tables`.
    let tables_ref = unsafe { &mut *tables };
    tables_ref.base = region.arena();
    tables_ref.next = region.arena() + RED_ZONE;
    tables_ref.end = region.end();
    tables_ref.sizes = region.end();
    tables_ref.in_blocks = region.in_blocks();
    tables_ref.limit = region.end().min(region.arena() + DEFAULT_LIMIT);
    TABLES.store(tables, Relaxed);
    OWNER.set(true);
    Some(region)
}

/// Sets the most bytes one execution may take.
pub fn set_limit(bytes: usize) {
    with(|tables| tables.limit = tables.end.min(tables.base.saturating_add(bytes)));
}

/// Sets what is called, from inside an allocation of code under test, when the limit is reached; it is given the limit
/// in bytes. It need not return: the execution may be left there and then. If it returns, the allocation fails. Called
/// once, before the snapshot.
pub fn set_limit_hook(hook: fn(u64)) {
    LIMIT_HOOK.store((hook as *const ()).expose_provenance(), Relaxed);
}

/// Where the arena begins.
#[must_use]
pub fn base() -> usize {
    with(|tables| tables.base).unwrap_or_default()
}

/// What the present execution has taken so far.
#[must_use]
pub fn in_use() -> ArenaUse {
    with(|tables| ArenaUse {
        taken_bytes: (tables.next - tables.base - RED_ZONE) as u64,
        ..tables.used
    })
    .unwrap_or_default()
}

/// A block that is not freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveBlock {
    /// Address of its first byte.
    pub start: usize,
    /// The requested size in bytes, or [`LARGEST_KNOWN`] if it was more.
    pub size: usize,
}

/// Sizes above are not kept.
const LARGEST_KNOWN: usize = u32::MAX as usize - 1;

/// All blocks that are not freed, by address. Takes time in proportion to what was taken.
#[must_use]
pub fn live_blocks() -> Vec<LiveBlock> {
    // Made before the tables are lent: nothing may be allocated meanwhile.
    let mut blocks = Vec::with_capacity(in_use().live_blocks as usize);
    with(|tables| {
        for unit in 0..(tables.next - tables.base) / UNIT {
            // SAFETY: an entry of a unit that was taken.
            let entry = unsafe { tables.entry(unit).read() };
            if entry != 0 && blocks.len() < blocks.capacity() {
                blocks.push(LiveBlock {
                    start: tables.base + unit * UNIT,
                    size: entry as usize - 1,
                });
            }
        }
    });
    blocks
}

/// The part of the arena that was taken: first address and one past the last.
#[must_use]
pub fn taken() -> (usize, usize) {
    with(|tables| (tables.base, tables.next)).unwrap_or((1, 0))
}

/// The block is freed but stays out of use until the arena is emptied.
pub fn retire(block: usize) {
    with(|tables| tables.retire(block));
}

/// The block serves for a layout of another size as it is.
#[inline]
pub fn resize(block: *mut u8, size: usize) {
    with(|tables| {
        if block.addr() < tables.next {
            // SAFETY: a block in the arena begins there.
            unsafe { tables.set_size(block.addr(), size) };
        }
    });
}

/// True if some of these bytes are in the arena.
#[inline]
#[must_use]
pub fn has(address: usize, size: usize) -> bool {
    with(|tables| address < tables.end && tables.base < address.saturating_add(size.max(1)))
        .unwrap_or(false)
}

/// True unless some of these bytes are in the arena and in no block that is not freed.
#[inline]
#[must_use]
pub fn is_in_block(address: usize, size: usize) -> bool {
    with(|tables| {
        let arena = tables.base..tables.end;
        !arena.contains(&address) || tables.is_in_block(address, size)
    })
    .unwrap_or(true)
}

/// The block that is not freed at or nearest before the address, if one begins within the last mebibyte.
#[must_use]
pub fn block_before(address: usize) -> Option<LiveBlock> {
    const FARTHEST: usize = 1 << 20;
    with(|tables| {
        let last = address.checked_sub(tables.base)? / UNIT;
        (last.saturating_sub(FARTHEST / UNIT)..=last)
            .rev()
            .find_map(|unit| {
                // SAFETY: an entry of a unit of the arena.
                let entry = unsafe { tables.entry(unit).read() };
                (entry != 0).then(|| LiveBlock {
                    start: tables.base + unit * UNIT,
                    size: entry as usize - 1,
                })
            })
    })
    .flatten()
}

fn entry_of(size: usize) -> u32 {
    size.min(LARGEST_KNOWN) as u32 + 1
}

/// Empties the arena; every block in it is gone. Takes time in proportion to what was taken, what was reserved.
///
/// # Safety
/// No block of the arena is used any more.
pub unsafe fn reset() {
    with(Tables::reset);
}

/// Calls `look` with the bytes of each block that is not free, in order of addresses. False if there are too many of
/// them.
pub fn look_at_blocks(mut look: impl FnMut(usize, &[u8])) -> bool {
    if in_use().live_blocks > MOST_LOOKED_AT {
        return false;
    }
    for LiveBlock { start, size } in live_blocks() {
        // SAFETY: a block of the arena, mapped; bytes that were never written are zero. Code under test does not run.
        let bytes =
            unsafe { std::slice::from_raw_parts(ptr::with_exposed_provenance::<u8>(start), size) };
        look(start, bytes);
    }
    true
}

/// A block for code under test (null if there is none to be had), or `None` if this thread has no arena.
#[inline]
pub fn alloc(layout: Layout, zeroed: bool) -> Option<*mut u8> {
    match with(|tables| tables.alloc(layout, zeroed))? {
        Ok(block) => Some(block),
        Err(shortage) => Some(no_block(shortage)),
    }
}

/// True if a block for one layout serves for the other as it is.
#[inline]
pub fn same_class(a: Layout, b: Layout) -> bool {
    class_of(a) == class_of(b)
}

/// The class of a block for this layout with a red zone behind it: bytes that are in no block.
#[inline]
fn class_of(layout: Layout) -> Option<SizeClass> {
    // A block that is aligned to itself would become twice as large.
    if layout.align() > MOST_ALIGNED {
        return SizeClass::of(layout);
    }
    let size = layout.size().checked_add(RED_ZONE)?;
    SizeClass::of(Layout::from_size_align(size, layout.align()).ok()?)
}

/// Takes a block back. On a thread that does not own the arena the block stays where it is until the arena is emptied.
///
/// # Safety
/// The block came from [`alloc`] with this layout and is not used again.
#[inline]
pub unsafe fn dealloc(block: *mut u8, layout: Layout) {
    // SAFETY: by this function's contract the block came from the arena with this layout and is not used again.
    with(|tables| unsafe { tables.dealloc(block, layout) });
}

#[inline]
fn with<R>(f: impl FnOnce(&mut Tables) -> R) -> Option<R> {
    if !OWNER.get() {
        return None;
    }
    // SAFETY: this thread called `install`, so the pointer is set and the tables are mapped for good. No other thread
    // gets here, and
    // `f` is code of this file that allocates nothing.
    unsafe { TABLES.load(Relaxed).as_mut() }.map(f)
}

/// Why there is no block.
#[derive(Clone, Copy, Debug)]
enum Shortage {
    /// No machine has that much: an ordinary failed allocation, for which the code may be prepared (`try_reserve`).
    Absurd,
    /// The limit of the execution, in bytes.
    Limit(usize),
}

#[cold]
fn no_block(shortage: Shortage) -> *mut u8 {
    let hook = LIMIT_HOOK.load(Relaxed);
    if let Shortage::Limit(bytes) = shortage {
        if hook != 0 {
            // SAFETY: only `set_limit_hook` stores there, a function of this type.
            let hook = unsafe {
                std::mem::transmute::<*const (), fn(u64)>(ptr::with_exposed_provenance(hook))
            };
            hook(bytes as u64);
        }
        crate::black_box::memory_limit(bytes as u64);
    }
    ptr::null_mut()
}

impl Tables {
    #[inline]
    fn alloc(&mut self, layout: Layout, zeroed: bool) -> Result<*mut u8, Shortage> {
        let class = class_of(layout).ok_or(Shortage::Absurd)?;
        let head = self.free[class.index];
        if head != 0 {
            let block: *mut u8 = ptr::with_exposed_provenance_mut(head);
            // SAFETY: a free block holds the address of the next one in its first word; it is at least 16 bytes and
            // aligned to 16.
            self.free[class.index] = unsafe { block.cast::<usize>().read() };
            if zeroed {
                // SAFETY: the block has at least `layout.size()` bytes.
                unsafe { block.write_bytes(0, layout.size()) };
            }
            self.hand_out(head, layout, class);
            return Ok(block);
        }
        let start = self.next.next_multiple_of(class.align);
        let end = start + class.size;
        if end > self.limit {
            return Err(if class.size > self.end - self.base {
                Shortage::Absurd
            } else {
                Shortage::Limit(self.limit - self.base)
            });
        }
        self.next = end;
        self.hand_out(start, layout, class);
        // Everything above `next` is zero.
        Ok(ptr::with_exposed_provenance_mut(start))
    }

    #[inline]
    fn hand_out(&mut self, block: usize, layout: Layout, class: SizeClass) {
        // SAFETY: a block in the arena begins there.
        unsafe { self.set_size(block, layout.size()) };
        self.used.live_bytes += class.size as u64;
        self.used.live_blocks += 1;
        self.used.allocations += 1;
    }

    #[inline]
    fn unit(&self, address: usize) -> usize {
        (address - self.base) / UNIT
    }

    #[inline]
    fn entry(&self, unit: usize) -> *mut u32 {
        ptr::with_exposed_provenance_mut::<u32>(self.sizes).wrapping_add(unit)
    }

    #[inline]
    fn granule(&self, address: usize) -> *mut u8 {
        let number = (address - self.base) / GRANULE;
        ptr::with_exposed_provenance_mut::<u8>(self.in_blocks).wrapping_add(number)
    }

    /// # Safety
    /// A block in the arena begins there, with room for so many bytes.
    #[inline]
    unsafe fn set_size(&mut self, block: usize, size: usize) {
        let entry = self.entry(self.unit(block));
        let first = self.granule(block);
        // SAFETY: entries of the block, which is in the arena.
        unsafe {
            let old = entry.read() as usize;
            if old > size {
                first.write_bytes(0, (old - 1).div_ceil(GRANULE));
            }
            entry.write(entry_of(size));
            first.write_bytes(GRANULE as u8, size / GRANULE);
            if !size.is_multiple_of(GRANULE) {
                first.add(size / GRANULE).write((size % GRANULE) as u8);
            }
        }
    }

    fn is_in_block(&self, address: usize, size: usize) -> bool {
        let end = address.saturating_add(size);
        if end > self.end {
            return false;
        }
        let mut at = address;
        while at < end {
            let granule = at / GRANULE * GRANULE;
            let last = end.min(granule + GRANULE) - granule;
            // SAFETY: an entry of a granule of the arena.
            if last > usize::from(unsafe { self.granule(granule).read() }) {
                return false;
            }
            at = granule + GRANULE;
        }
        true
    }

    /// The block is no longer alive.
    #[inline]
    fn retire(&mut self, block: usize) {
        let entry = self.entry(self.unit(block));
        // SAFETY: of a unit of the arena, and of a block that begins there. It is 0 if the block was freed before.
        unsafe {
            let size = entry.read() as usize;
            if size != 0 {
                self.used.live_blocks -= 1;
                entry.write(0);
                self.granule(block)
                    .write_bytes(0, (size - 1).div_ceil(GRANULE));
            }
        }
    }

    #[inline]
    unsafe fn dealloc(&mut self, block: *mut u8, layout: Layout) {
        let Some(class) = class_of(layout) else {
            return;
        };
        if block.addr() >= self.next {
            self.used.stale_frees += 1;
            return;
        }
        self.retire(block.addr());
        // SAFETY: the caller of `dealloc` does not use the block again, so the free list may. A block has at least 16
        // bytes and is aligned to 16.
        unsafe { block.cast::<usize>().write(self.free[class.index]) };
        self.free[class.index] = block.addr();
        self.dirty[class.index / 64] |= 1 << (class.index % 64);
        self.used.live_bytes = self.used.live_bytes.saturating_sub(class.size as u64);
    }

    fn reset(&mut self) {
        self.used = ArenaUse::default();
        let taken = self.next - self.base;
        if taken == RED_ZONE {
            return;
        }
        // SAFETY: both ranges are mapped and begin at a page. The execution whose blocks they held is over.
        unsafe {
            zero(ptr::with_exposed_provenance_mut(self.base), taken);
            zero(
                self.entry(0).cast(),
                taken.div_ceil(UNIT) * size_of::<u32>(),
            );
        }
        for (word, bits) in self.dirty.iter_mut().enumerate() {
            while *bits != 0 {
                self.free[word * 64 + bits.trailing_zeros() as usize] = 0;
                *bits &= *bits - 1;
            }
        }
        self.next = self.base + RED_ZONE;
    }
}

/// Makes all of it zero, and gives what is not often used back to the kernel.
///
/// # Safety
/// The range is part of the reserved one, begins at a page, and holds nothing that is still in use.
unsafe fn zero(start: *mut u8, length: usize) {
    let kept = length.min(KEPT_BYTES);
    // SAFETY: the caller guarantees that the range is mapped and unused; `kept` is within it.
    unsafe { start.write_bytes(0, kept) };
    if length > kept {
        // SAFETY: the rest of the same range. It begins at a page, since `KEPT_BYTES` is a multiple of the page size;
        // private anonymous memory reads as zero after `MADV_DONTNEED`.
        let done =
            unsafe { libc::madvise(start.add(kept).cast(), length - kept, libc::MADV_DONTNEED) };
        if done != 0 {
            // SAFETY: the rest of the same range, still mapped because the call failed.
            unsafe { start.add(kept).write_bytes(0, length - kept) };
        }
    }
}
