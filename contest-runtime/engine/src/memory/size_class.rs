//! Size classes of the [`arena`](super::arena): which free list serves a layout, and how large and aligned its blocks
//! are.
//!
//! Three families. Blocks aligned to 16 or less: steps of 16 bytes up to 1 KiB, then four steps per doubling (at most a
//! quarter is wasted). Larger alignments: powers of two, aligned to themselves up to a page. Alignments above a page:
//! powers of two, aligned to themselves.

use std::alloc::Layout;

/// Which free list, and what its blocks look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SizeClass {
    /// Number of the free list, below [`SizeClass::COUNT`].
    pub index: usize,
    /// Size of its blocks in bytes, a multiple of 16.
    pub size: usize,
    /// Alignment of its blocks.
    pub align: usize,
}

const QUANTUM: usize = 16;
const SMALL: usize = 1024;
const SMALL_CLASSES: usize = SMALL / QUANTUM;
const PAGE: usize = 4096;
/// Largest block, as a power of two: 2^40 bytes, more than any arena.
const LARGEST: u32 = 40;
const LARGE_CLASSES: usize = (LARGEST as usize - 10) * 4;
const ALIGNED: usize = SMALL_CLASSES + LARGE_CLASSES;
const PAGE_ALIGNED: usize = ALIGNED + LARGEST as usize + 1;

impl SizeClass {
    /// How many free lists there are.
    pub(super) const COUNT: usize = PAGE_ALIGNED + LARGEST as usize + 1;

    /// The class of a layout; `None` if no block can be that large.
    #[inline]
    #[must_use]
    pub(super) fn of(layout: Layout) -> Option<Self> {
        let size = layout.size();
        if layout.align() > QUANTUM {
            return Self::aligned(size, layout.align());
        }
        if size <= SMALL {
            let steps = size.div_ceil(QUANTUM).max(1);
            return Some(Self {
                index: steps - 1,
                size: steps * QUANTUM,
                align: QUANTUM,
            });
        }
        if size > 1 << LARGEST {
            return None;
        }
        // Between 2^k (exclusive) and 2^(k+1): quarters of 2^k.
        let k = (size - 1).ilog2();
        let quarter = 1usize << (k - 2);
        let quarters = (size - (1 << k)).div_ceil(quarter);
        Some(Self {
            index: SMALL_CLASSES + (k as usize - 10) * 4 + quarters - 1,
            size: (1 << k) + quarters * quarter,
            align: QUANTUM,
        })
    }

    fn aligned(size: usize, align: usize) -> Option<Self> {
        if size > 1 << LARGEST || align > 1 << LARGEST {
            return None;
        }
        let size = size.max(align).next_power_of_two();
        let log = size.ilog2() as usize;
        Some(if align <= PAGE {
            Self {
                index: ALIGNED + log,
                size,
                align: size.min(PAGE),
            }
        } else {
            Self {
                index: PAGE_ALIGNED + log,
                size,
                align: size,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(size: usize, align: usize) -> Layout {
        Layout::from_size_align(size, align).unwrap()
    }

    #[test]
    fn every_block_is_large_and_aligned_enough_for_its_layout() {
        for align in (0..=20).map(|log| 1usize << log) {
            for size in (0..=5000).chain((12..39).flat_map(|log| {
                let n = 1usize << log;
                [n - 1, n, n + 1, n + n / 4, n + n / 4 + 1]
            })) {
                let class = SizeClass::of(layout(size, align)).unwrap();
                assert!(
                    class.size >= size && class.size > 0,
                    "{size} {align} {class:?}"
                );
                assert!(
                    class.align >= align && class.align.is_power_of_two(),
                    "{class:?}"
                );
                assert!(
                    class.size.is_multiple_of(QUANTUM) && class.index < SizeClass::COUNT,
                    "{class:?}"
                );
            }
        }
    }

    #[test]
    fn layouts_of_one_class_get_blocks_of_one_size() {
        let mut seen = std::collections::BTreeMap::new();
        for align in (0..=14).map(|log| 1usize << log) {
            for size in (0..=70_000).step_by(7) {
                let class = SizeClass::of(layout(size, align)).unwrap();
                let known = seen.entry(class.index).or_insert(class);
                assert_eq!(*known, class);
            }
        }
    }

    #[test]
    fn at_most_a_quarter_of_a_large_block_is_wasted() {
        for size in (1025..200_000).step_by(13) {
            let class = SizeClass::of(layout(size, 8)).unwrap();
            assert!(class.size - size <= size / 4, "{size} {class:?}");
        }
    }

    #[test]
    fn a_block_larger_than_any_arena_has_no_class() {
        assert_eq!(SizeClass::of(layout((1 << 40) + 1, 8)), None);
        assert_eq!(SizeClass::of(layout((1 << 40) + 1, 64)), None);
        assert!(SizeClass::of(layout(1 << 40, 8)).is_some());
    }
}
