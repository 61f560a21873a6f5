//! The random numbers of one purpose of one seed.

use contest_data::rng::Rng;

/// A stream of numbers.
#[derive(Clone, Debug)]
pub(crate) struct RandomSource(Rng);

impl RandomSource {
    /// The stream of this seed and this purpose.
    #[must_use]
    pub(crate) fn new(seed: u64, purpose: u64) -> Self {
        Self(Rng::new(seed ^ purpose.wrapping_mul(0xA076_1D64_78BD_642F)).fork())
    }

    /// A number below `bound`; 0 if `bound` is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound as u32) as usize
    }

    /// True once in `n` times.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of the elements.
    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }
}
