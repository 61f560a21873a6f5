//! Other places for small blocks, so that an execution shows what depends on addresses.

use std::alloc::Layout;
use std::ptr;

use super::super::size_class::SizeClass;
use super::{RED_ZONE, Tables, with};
use contest_data::rng::Rng;

/// Of each class of up to so many bytes ...
const LARGEST_SCATTERED: usize = 512;
/// ... so many blocks lie in another order, if at all.
const SCATTERED: usize = 8;

/// Has small blocks of the execution that begins lie in another order than they are allocated in.
pub fn scatter(places: u64) {
    with(|tables| tables.scatter(places));
}

impl Tables {
    /// Puts blocks of each small class into its free list, in an order that this number decides.
    fn scatter(&mut self, places: u64) {
        let mut rng = Rng::new(places);
        let shift = RED_ZONE * (1 + rng.below(64) as usize);
        for size in std::iter::once(shift).chain((RED_ZONE..=LARGEST_SCATTERED).step_by(RED_ZONE)) {
            let layout = Layout::from_size_align(size, RED_ZONE);
            let Some(class) = layout.ok().and_then(SizeClass::of) else {
                continue;
            };
            let mut blocks = [0; SCATTERED];
            for block in &mut blocks {
                let Some(start) = self.take(0, class) else {
                    return;
                };
                *block = start;
            }
            for last in (1..SCATTERED).rev() {
                blocks.swap(last, rng.below(last as u32 + 1) as usize);
            }
            for block in blocks {
                let place: *mut usize = ptr::with_exposed_provenance_mut(block);
                // SAFETY: in the arena, aligned, and taken here: it is in no block that was handed out.
                unsafe { place.write(self.free[class.index]) };
                self.free[class.index] = block;
            }
            self.dirty[class.index / 64] |= 1 << (class.index % 64);
        }
    }
}
