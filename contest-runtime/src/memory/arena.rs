//! The arena of an execution: what code under test allocates, at the same addresses in every execution and every process.
//!
//! A bump pointer with a free list per [`SizeClass`]; a freed block is the first to be used again, as allocators in the field do, so
//! that code that relies on an address staying unique shows it. Only the main OS thread of the driver gets here. The tables live in
//! the reserved range too, outside the statics that are restored.

use std::alloc::Layout;
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::Relaxed};

use super::mapping::{Region, TABLE_BYTES};
use super::size_class::SizeClass;

/// Default of the most bytes one execution may take.
pub const DEFAULT_LIMIT: usize = 1 << 30;
/// Zeroed by hand when the arena is emptied; what lies above is given back to the kernel, and each page of it that is touched again
/// costs a page fault (2 us on a virtual machine; zeroing it costs 0.1 us).
const KEPT_BYTES: usize = 1 << 20;

// Both are set once before the snapshot.
static TABLES: AtomicPtr<Tables> = AtomicPtr::new(ptr::null_mut());
static LIMIT_HOOK: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static OWNER: Cell<bool> = const { Cell::new(false) };
}

/// Blocks whose extent is kept.
const MOST_LOGGED: usize = 120_000;
/// Blocks begin and end at multiples of it.
const UNIT: usize = 16;

/// What the arena did in the present execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArenaUse {
    /// Bytes in blocks that are not freed.
    pub live_bytes: u64,
    /// Bytes taken from the range, freed blocks included; what the limit is about.
    pub taken_bytes: u64,
    /// Blocks handed out.
    pub allocations: u64,
    /// Blocks of earlier executions that were freed in this one (ignored): somebody kept them over the end.
    pub stale_frees: u64,
}

struct Tables {
    base: usize,
    next: usize,
    limit: usize,
    end: usize,
    used: ArenaUse,
    /// Free lists that are not empty, as bits: only these need to be cleared.
    dirty: [u64; SizeClass::COUNT.div_ceil(64)],
    free: [usize; SizeClass::COUNT],
    /// How many blocks were cut from the range since it was empty, and the first of them: start and size in units. A block keeps its size
    /// until the arena is emptied, whoever uses it.
    cut: usize,
    blocks: [(u32, u32); MOST_LOGGED],
}

const _: () = assert!(size_of::<Tables>() <= TABLE_BYTES);

/// Makes the calling thread the owner of the arena. Called once, before the snapshot. `None` if no address range could be reserved.
#[must_use]
pub fn install() -> Option<Region> {
    let region = Region::get()?;
    let tables: *mut Tables = ptr::with_exposed_provenance_mut(region.tables());
    // SAFETY: the range is mapped and zeroed, large enough by the assertion above, and zero is a valid `Tables`.
    let tables_ref = unsafe { &mut *tables };
    tables_ref.base = region.arena();
    tables_ref.next = region.arena();
    tables_ref.end = region.end();
    tables_ref.limit = region.end().min(region.arena() + DEFAULT_LIMIT);
    TABLES.store(tables, Relaxed);
    OWNER.set(true);
    Some(region)
}

/// Sets the most bytes one execution may take.
pub fn set_limit(bytes: usize) {
    with(|tables| tables.limit = tables.end.min(tables.base.saturating_add(bytes)));
}

/// Sets what is called, from inside an allocation of code under test, when the limit is reached; it is given the limit in bytes. It
/// need not return: the execution may be left there and then. If it returns, the allocation fails. Called once, before the snapshot.
pub fn set_limit_hook(hook: fn(u64)) {
    LIMIT_HOOK.store((hook as *const ()).expose_provenance(), Relaxed);
}

/// Where the arena begins.
#[must_use]
pub(super) fn base() -> usize {
    with(|tables| tables.base).unwrap_or_default()
}

/// What the present execution has taken so far.
#[must_use]
pub fn in_use() -> ArenaUse {
    with(|tables| ArenaUse {
        taken_bytes: (tables.next - tables.base) as u64,
        ..tables.used
    })
    .unwrap_or_default()
}

/// Empties the arena; every block in it is gone. Takes time in proportion to what was taken, not to what was reserved.
pub fn reset() {
    with(Tables::reset);
}

/// Calls `look` with each block that is not free, in order of addresses. False if there are more blocks than are kept track of.
pub(super) fn live_blocks(mut look: impl FnMut(usize, &[u8])) -> bool {
    let Some((base, cut, blocks, free)) = with(|tables| {
        let (cut, blocks) = (tables.cut, ptr::from_ref(&tables.blocks));
        (tables.base, cut, blocks, ptr::from_ref(&tables.free))
    }) else {
        return false;
    };
    if cut > MOST_LOGGED {
        return false;
    }
    // SAFETY: the tables are mapped for good, and nobody allocates from the arena meanwhile: code under test does not run.
    let (blocks, free) = unsafe { (&(&*blocks)[..cut], &*free) };
    let mut freed = std::collections::HashSet::new();
    for head in free {
        let mut block = *head;
        while block != 0 && freed.insert(block) {
            // SAFETY: a free block holds the address of the next one in its first word.
            block = unsafe { ptr::with_exposed_provenance::<usize>(block).read() };
        }
    }
    for (start, units) in blocks {
        let start = base + *start as usize * UNIT;
        if !freed.contains(&start) {
            // SAFETY: a block of the arena, mapped; bytes that nobody has written are zero.
            let bytes = unsafe {
                std::slice::from_raw_parts(
                    ptr::with_exposed_provenance::<u8>(start),
                    *units as usize * UNIT,
                )
            };
            look(start, bytes);
        }
    }
    true
}

/// A block for code under test (null if there is none to be had), or `None` if this thread has no arena.
#[inline]
pub(super) fn alloc(layout: Layout, zeroed: bool) -> Option<*mut u8> {
    match with(|tables| tables.alloc(layout, zeroed))? {
        Ok(block) => Some(block),
        Err(shortage) => Some(no_block(shortage)),
    }
}

/// True if a block for one layout serves for the other as it is.
#[inline]
pub(super) fn same_class(a: Layout, b: Layout) -> bool {
    SizeClass::of(a) == SizeClass::of(b)
}

/// Takes a block back. On a thread that does not own the arena the block stays where it is until the arena is emptied.
///
/// # Safety
/// The block came from [`alloc`] with this layout, and nobody uses it any more.
#[inline]
pub(super) unsafe fn dealloc(block: *mut u8, layout: Layout) {
    // SAFETY: as for this function.
    with(|tables| unsafe { tables.dealloc(block, layout) });
}

#[inline]
fn with<R>(f: impl FnOnce(&mut Tables) -> R) -> Option<R> {
    if !OWNER.get() {
        return None;
    }
    // SAFETY: this thread called `install`, so the pointer is set and the tables are mapped for good. No other thread gets here, and
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
        crate::protocol::black_box::memory_limit(bytes as u64);
    }
    ptr::null_mut()
}

impl Tables {
    #[inline]
    fn alloc(&mut self, layout: Layout, zeroed: bool) -> Result<*mut u8, Shortage> {
        let class = SizeClass::of(layout).ok_or(Shortage::Absurd)?;
        let head = self.free[class.index];
        if head != 0 {
            let block: *mut u8 = ptr::with_exposed_provenance_mut(head);
            // SAFETY: a free block holds the address of the next one in its first word; it is at least 16 bytes and aligned to 16.
            self.free[class.index] = unsafe { block.cast::<usize>().read() };
            if zeroed {
                // SAFETY: the block has at least `layout.size()` bytes.
                unsafe { block.write_bytes(0, layout.size()) };
            }
            self.used.live_bytes += class.size as u64;
            self.used.allocations += 1;
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
        if let Some(block) = self.blocks.get_mut(self.cut) {
            let units = |bytes: usize| u32::try_from(bytes / UNIT).unwrap_or(u32::MAX);
            *block = (units(start - self.base), units(class.size));
        }
        self.cut += 1;
        self.used.live_bytes += class.size as u64;
        self.used.allocations += 1;
        // Everything above `next` is zero.
        Ok(ptr::with_exposed_provenance_mut(start))
    }

    #[inline]
    unsafe fn dealloc(&mut self, block: *mut u8, layout: Layout) {
        let Some(class) = SizeClass::of(layout) else {
            return;
        };
        if block.addr() >= self.next {
            self.used.stale_frees += 1;
            return;
        }
        // SAFETY: nobody uses the block any more (caller); at least 16 bytes, aligned to 16.
        unsafe { block.cast::<usize>().write(self.free[class.index]) };
        self.free[class.index] = block.addr();
        self.dirty[class.index / 64] |= 1 << (class.index % 64);
        self.used.live_bytes = self.used.live_bytes.saturating_sub(class.size as u64);
    }

    fn reset(&mut self) {
        self.used = ArenaUse::default();
        let taken = self.next - self.base;
        if taken == 0 {
            return;
        }
        let kept = taken.min(KEPT_BYTES);
        let start: *mut u8 = ptr::with_exposed_provenance_mut(self.base);
        // SAFETY: the range is mapped, and by the caller's promise nobody uses a block of it any more.
        unsafe { start.write_bytes(0, kept) };
        if taken > kept {
            // SAFETY: as above; the range begins at a page and reads as zero afterwards.
            let done =
                unsafe { libc::madvise(start.add(kept).cast(), taken - kept, libc::MADV_DONTNEED) };
            if done != 0 {
                // SAFETY: as above.
                unsafe { start.add(kept).write_bytes(0, taken - kept) };
            }
        }
        for (word, bits) in self.dirty.iter_mut().enumerate() {
            while *bits != 0 {
                self.free[word * 64 + bits.trailing_zeros() as usize] = 0;
                *bits &= *bits - 1;
            }
        }
        self.next = self.base;
        self.cut = 0;
    }
}
