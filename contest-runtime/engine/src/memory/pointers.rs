//! Words of memory that hold one of some addresses.

use std::collections::HashSet;
use std::ptr;

/// Calls `found` with the address of each word in the range that holds one of these, and with what it holds.
///
/// # Safety
/// The range is readable memory, and no thread writes to it meanwhile.
pub(crate) unsafe fn pointers_to(
    targets: &HashSet<usize>,
    (start, length): (usize, usize),
    mut found: impl FnMut(usize, usize),
) {
    let mut at = start.next_multiple_of(size_of::<usize>());
    while at + size_of::<usize>() <= start + length {
        // SAFETY: `at` is aligned, and the word lies in the range, which the caller guarantees to be readable. Any bits
        // are a valid `usize`.
        let word = unsafe { ptr::with_exposed_provenance::<usize>(at).read_volatile() };
        if targets.contains(&word) {
            found(at, word);
        }
        at += size_of::<usize>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_hold_one_of_the_addresses_are_found() {
        let words = [7_usize, 0x1000, 0x1001, 0x2000];
        let start = words.as_ptr().expose_provenance();
        let targets = HashSet::from([0x1000, 0x2000]);
        let mut seen = Vec::new();
        let word = size_of::<usize>();
        // SAFETY: the bytes of an array that no thread writes to; a word that is there in part is not read.
        unsafe {
            let bytes = (start + 1, 3 * word);
            pointers_to(&targets, bytes, |at, held| seen.push((at - start, held)));
        }
        assert_eq!(seen, [(word, 0x1000)]);
    }
}
