//! The arena of an execution: what code under test allocates, at the same addresses in every execution and every
//! process.
//!
//! A bump pointer for each virtual thread, so that addresses depend on what a thread itself did and not on the order in
//! which threads run; and a free list per [`SizeClass`]: a freed block is the first to be used again, as allocators in
//! the field do, so that code that relies on an address staying unique shows it. Only the main OS thread of the driver
//! gets here. The tables live in the reserved range too, outside the statics that are restored.

mod scatter;

use std::alloc::Layout;
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::Relaxed};

use super::mapping::{GRANULE, Region, TABLE_BYTES, UNIT};
use super::size_class::SizeClass;

pub use scatter::scatter;

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
    end: usize,
    /// Most bytes that are taken, by all.
    limit: usize,
    taken: usize,
    /// Bytes of the range from which the main thread takes, and others that have used up theirs.
    main: usize,
    /// Bytes of each range behind it, as a binary logarithm: one for each thread but the main one.
    span: u32,
    /// For each range, the end of what was taken from it; 0 if nothing was.
    next: [usize; RANGES],
    /// Ranges from which something was taken, as bits.
    used_ranges: u128,
    /// An entry for each [`UNIT`] of the arena: one more than the requested size where a live block begins, else 0.
    sizes: usize,
    /// A byte for each [`GRANULE`] of the arena: how many of its first bytes are in a block that is not freed.
    in_blocks: usize,
    used: ArenaUse,
    /// Free lists that are not empty, as bits: only these need to be cleared.
    dirty: [u64; SizeClass::COUNT.div_ceil(64)],
    free: [usize; SizeClass::COUNT],
}

/// One for each virtual thread that there may be.
const RANGES: usize = 128;
/// Ranges begin at multiples of it, so that their parts of the tables begin at pages.
const RANGE_ALIGN: usize = 2 << 20;

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
    tables_ref.end = region.end();
    let all = region.end() - region.arena();
    let span = (all / (2 * RANGES)).max(RANGE_ALIGN);
    tables_ref.span = span.ilog2();
    tables_ref.main = all - (RANGES - 1) * (1 << tables_ref.span);
    tables_ref.main -= tables_ref.main % RANGE_ALIGN;
    tables_ref.sizes = region.end();
    tables_ref.in_blocks = region.in_blocks();
    tables_ref.limit = all.min(DEFAULT_LIMIT);
    TABLES.store(tables, Relaxed);
    OWNER.set(true);
    Some(region)
}

/// Sets the most bytes one execution may take.
pub fn set_limit(bytes: usize) {
    with(|tables| tables.limit = bytes.min(tables.end - tables.base));
}

/// Sets what is called, from inside an allocation of code under test, when the limit is reached; it is given the limit
/// in bytes. It need not return: the execution may be left there and then. If it returns, the allocation fails. Called
/// once, before the snapshot.
pub fn set_limit_hook(hook: fn(u64)) {
    LIMIT_HOOK.store((hook as *const ()).expose_provenance(), Relaxed);
}

/// What the present execution has taken so far.
#[must_use]
pub fn in_use() -> ArenaUse {
    with(|tables| ArenaUse {
        taken_bytes: tables.taken as u64,
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
        for range in tables.in_use() {
            let (first, last) = (tables.start(range), tables.next[range]);
            for unit in tables.unit(first)..tables.unit(last) {
                // SAFETY: an entry of a unit that was taken.
                let entry = unsafe { tables.entry(unit).read() };
                if entry != 0 && blocks.len() < blocks.capacity() {
                    blocks.push(LiveBlock {
                        start: tables.base + unit * UNIT,
                        size: entry as usize - 1,
                    });
                }
            }
        }
    });
    blocks
}

/// True if the byte at this address was taken, or is the first one behind what was.
#[inline]
#[must_use]
pub fn is_taken(address: usize) -> bool {
    with(|tables| tables.is_taken(address)).unwrap_or(false)
}

/// The number of the range in which an address of the arena is, and how far from the beginning of the range.
#[inline]
#[must_use]
pub fn place(address: usize) -> (usize, usize) {
    with(|tables| {
        let range = tables.range_of(address);
        (range, address.wrapping_sub(tables.start(range)))
    })
    .unwrap_or_default()
}

/// The block is freed but stays out of use until the arena is emptied.
pub fn retire(block: usize) {
    with(|tables| tables.retire(block));
}

/// The block serves for a layout of another size as it is.
#[inline]
pub fn resize(block: *mut u8, size: usize) {
    with(|tables| {
        if tables.is_taken(block.addr()) {
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

/// A block for code under test in this virtual thread (null if there is none to be had), or `None` if this thread has
/// no arena.
#[inline]
pub fn alloc(thread: usize, layout: Layout, zeroed: bool) -> Option<*mut u8> {
    match with(|tables| tables.alloc(thread, layout, zeroed))? {
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
    fn alloc(&mut self, thread: usize, layout: Layout, zeroed: bool) -> Result<*mut u8, Shortage> {
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
        let start = self
            .take(thread, class)
            .or_else(|| self.take(0, class))
            .ok_or(if class.size > self.end - self.base {
                Shortage::Absurd
            } else {
                Shortage::Limit(self.limit)
            })?;
        self.hand_out(start, layout, class);
        // Everything above `next` is zero.
        Ok(ptr::with_exposed_provenance_mut(start))
    }

    /// Takes a block from the range of a thread, if there is room.
    #[inline]
    fn take(&mut self, thread: usize, class: SizeClass) -> Option<usize> {
        let range = thread % RANGES;
        let mut next = self.next[range];
        if next == 0 {
            next = self.start(range) + RED_ZONE;
            self.used_ranges |= 1 << range;
            self.next[range] = next;
        }
        let start = next.next_multiple_of(class.align);
        let end = start.checked_add(class.size)?;
        let taken = self.taken + (end - next);
        if end > self.start(range) + self.length(range) || taken > self.limit {
            return None;
        }
        self.taken = taken;
        self.next[range] = end;
        Some(start)
    }

    /// Where a range begins.
    #[inline]
    fn start(&self, range: usize) -> usize {
        match range {
            0 => self.base,
            _ => self.base + self.main + ((range - 1) << self.span),
        }
    }

    fn length(&self, range: usize) -> usize {
        match range {
            0 => self.main,
            _ => 1 << self.span,
        }
    }

    /// The range of an address of the arena.
    #[inline]
    fn range_of(&self, address: usize) -> usize {
        match address.wrapping_sub(self.base).checked_sub(self.main) {
            None => 0,
            Some(behind) => (1 + (behind >> self.span)).min(RANGES - 1),
        }
    }

    /// The ranges from which something was taken.
    fn in_use(&self) -> impl Iterator<Item = usize> + use<> {
        let mut left = self.used_ranges;
        std::iter::from_fn(move || {
            let first = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (first < RANGES).then_some(first)
        })
    }

    #[inline]
    fn is_taken(&self, address: usize) -> bool {
        (self.base..self.end).contains(&address) && address <= self.next[self.range_of(address)]
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
        if !self.is_taken(block.addr()) {
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
        self.taken = 0;
        for range in self.in_use() {
            let start = self.start(range);
            let taken = self.next[range] - start;
            let entries = self.entry(self.unit(start)).cast();
            // SAFETY: both parts are mapped and begin at a page, as ranges do. The execution whose blocks they held is
            // over.
            unsafe {
                zero(ptr::with_exposed_provenance_mut(start), taken);
                zero(entries, taken.div_ceil(UNIT) * size_of::<u32>());
            }
            self.next[range] = 0;
        }
        self.used_ranges = 0;
        for (word, bits) in self.dirty.iter_mut().enumerate() {
            while *bits != 0 {
                self.free[word * 64 + bits.trailing_zeros() as usize] = 0;
                *bits &= *bits - 1;
            }
        }
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
