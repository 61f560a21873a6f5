//! The state that an execution has left in memory, to tell whether two sequences of calls lead to the same one, where
//! `Debug` does not say.
//!
//! It is made of everything: every block of the arena that is not free, and every piece of static and thread-local data
//! that is not as it was in the snapshot, each with its address. Addresses are as deterministic as the rest, so they
//! need no renaming; and as nothing is looked for by following pointers, none can be overlooked that is tagged,
//! compressed or kept as a number. Equal therefore means equal: calls find the same bytes at the same places, and code
//! that gets the same does the same.
//!
//! Unequal may mean nothing: padding, room to grow, blocks that are leaked and the harness's own blocks are in it too.
//! Free blocks are not: after equal states the next allocation may get different addresses, and code that depends on
//! addresses may then behave differently.
//!
//! What lies elsewhere is not seen: memory of C libraries, files, what the kernel maps on request. A word that could be
//! an address of such memory makes the state unknown, and so does a descriptor that was opened. What the engine keeps
//! beside the objects is the caller's to exclude.

use std::hash::Hasher;
use std::ops::Range;
use std::ptr;

use super::arena;
use super::statics::StaticData;
use contest_data::fold_hash::FoldHash;

/// Where kernels put what programs map, and stacks: the upper part of the addresses that a program can have. How many
/// those are depends on the processor and on how the kernel was built; a stack has one of the highest.
fn mapped() -> Range<usize> {
    let local = 0_u8;
    let here = (&raw const local).addr();
    let end = here.next_power_of_two();
    let last_part = end / 8 * 7..end;
    // Emulators put programs lower.
    if last_part.contains(&here) {
        last_part
    } else {
        end / 2..end
    }
}

/// Largest final state that is hashed, in bytes: hashing a larger one costs more than it saves.
const MOST_FINAL_BYTES: u64 = 64 << 10;

/// A hash of all that the execution has left. What lies on the stacks of its threads is gone: words that point there
/// are numbers like others. Optimised code leaves them in padding, which is copied with the value around it.
pub(super) fn of_memory(
    statics: &StaticData,
    stacks: &[Range<usize>],
) -> Result<u64, &'static str> {
    hash(statics, stacks, |_| false)
}

/// As [`of_memory`], of a state in which faulty code may still use what is freed: then free blocks, whose bytes are not
/// in the hash, count too, and the state is unknown. Only small states are looked at.
pub(super) fn final_of_memory(statics: &StaticData) -> Result<u64, &'static str> {
    if arena::in_use().live_bytes > MOST_FINAL_BYTES {
        return Err("there is more memory than is looked at after every execution");
    }
    hash(statics, &[], |word| {
        let address = word & ADDRESS;
        arena::is_taken(address) && !arena::is_in_block(address, 1)
    })
}

/// Hashes everything; unknown if a word leads to memory that is not under control, `stacks` left out, or `dangles`, and
/// where a descriptor was opened: what is in a pipe, a socket or a file is not in memory.
fn hash(
    statics: &StaticData,
    stacks: &[Range<usize>],
    dangles: impl Fn(usize) -> bool,
) -> Result<u64, &'static str> {
    if super::descriptors::any_opened() {
        return Err("the kernel has a part of it: a descriptor was opened");
    }
    let mut hasher = FoldHash::default();
    let (heap, mapped) = (system_heap(), mapped());
    let (mut outside, mut freed) = (false, false);
    let all = arena::look_at_blocks(|start, bytes| {
        hasher.write_usize(start);
        hasher.write(bytes);
        for word in words(bytes) {
            outside |= heap.contains(&word)
                || mapped.contains(&word)
                    && !stacks.iter().any(|stack| stack.contains(&word))
                    && !statics.contains(word)
                    && is_mapped(word);
            freed |= dangles(word);
        }
    });
    if !all {
        return Err("there are more blocks of memory than are looked at");
    }
    statics.changed(|start, bytes| {
        hasher.write_usize(start);
        hasher.write(bytes);
        freed |= words(bytes).any(&dangles);
    });
    match (outside, freed) {
        (true, _) => Err("something may point to memory that is not under control"),
        (_, true) => Err("something may point to memory that was freed"),
        (false, false) => Ok(hasher.finish()),
    }
}

/// The bits of an address; code may keep marks in the others.
const ADDRESS: usize = (1 << 48) - 1;

/// The words of a block, which is aligned.
fn words(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let chunks = bytes.as_chunks::<{ size_of::<usize>() }>().0;
    chunks.iter().map(|chunk| usize::from_ne_bytes(*chunk))
}

/// True if something is at the address: a word of which a part is padding may look like an address and be none.
fn is_mapped(address: usize) -> bool {
    // SAFETY: a question to the C library.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    let mut resident = 0_u8;
    let page = ptr::without_provenance_mut(address / bytes * bytes);
    // SAFETY: asks for one page whether it is there, and has room for the answer.
    unsafe { libc::mincore(page, 1, (&raw mut resident).cast()) == 0 }
}

/// What the C library's allocator has of the data segment.
fn system_heap() -> Range<usize> {
    let (start, length) = super::static_range::static_range();
    // SAFETY: an increment of 0 returns the end of the segment and does not move it.
    let end = unsafe { libc::sbrk(0) }.addr();
    start + length..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_maps_is_where_it_is_looked_for() {
        let large = vec![0_u8; 64 << 20];
        let address = large.as_ptr().addr();
        assert!(
            mapped().contains(&address),
            "{address:#x} in {:#x?}",
            mapped()
        );
        assert!(is_mapped(address + 5000));
        assert!(!mapped().contains(&super::super::mapping::ADDRESSES[0]));
    }
}
