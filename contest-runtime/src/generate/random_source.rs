//! Random numbers from a seed (SplitMix64). Written here because the same seed must give the same tests in every later version, which
//! no library promises.

/// A stream of numbers.
#[derive(Clone, Debug)]
pub struct RandomSource(u64);

impl RandomSource {
    /// The stream of this seed and this purpose.
    #[must_use]
    pub fn new(seed: u64, purpose: u64) -> Self {
        let mut source = Self(seed ^ purpose.wrapping_mul(0xA076_1D64_78BD_642F));
        source.next();
        source
    }

    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`; 0 if `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let wide = u128::from(self.next()) * bound as u128;
        (wide >> 64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of the elements.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }
}
