//! SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014). Our own because
//! schedules and generated tests of a seed must never change with a library's version.

/// Seed of everything random, if none is given.
pub const DEFAULT_SEED: u64 = 1;

/// What the state grows by with each number.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// A small generator of random numbers.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The generator of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The 64 bits that the generator of this seed gives after so many others.
    #[must_use]
    pub fn at(seed: u64, position: u64) -> u64 {
        Self(seed.wrapping_add(position.wrapping_mul(STEP))).bits()
    }

    /// The next 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which must not be 0. The bias is below 2^-32 for bounds below 2^32.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        (((self.bits() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// As `below(2) == 1`.
    #[inline]
    pub fn coin(&mut self) -> bool {
        self.bits() >> 63 != 0
    }

    /// True once in `n`.
    pub fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    /// A generator whose numbers do not depend on how many are drawn from this one.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        Self(self.bits())
    }
}
