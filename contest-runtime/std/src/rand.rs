//! Random numbers under control: inside an execution they are made from a seed that is part of the schedule, so that a
//! replay draws the same.
//!
//! Strategies that sample draw a new seed for every execution. An exhaustive search cannot try all numbers: it runs
//! every interleaving with one seed, and then does not call itself exhaustive. Outside executions the numbers are those
//! of the operating system.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// The random number generator of the running thread.
///
/// ```
/// let dice = contest::rand::thread_rng().below(6) + 1;
/// assert!((1..=6).contains(&dice));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ThreadRng {}

/// The random number generator of the running thread. Every thread has a stream of its own.
#[must_use]
pub fn thread_rng() -> ThreadRng {
    ThreadRng {}
}

impl ThreadRng {
    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        #[cfg(feature = "explore")]
        if let Some(active) = contest_engine::execution::active() {
            return active.random_bits();
        }
        // Every `RandomState` has keys of its own.
        RandomState::new().build_hasher().finish()
    }

    /// The next 32 bits.
    pub fn next_u32(&mut self) -> u32 {
        (self.next_u64() >> 32) as u32
    }

    /// A number below `bound`, all nearly equally likely.
    ///
    /// # Panics
    /// If `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "there is no number below 0");
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// Fills `bytes` with random bytes.
    pub fn fill_bytes(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next_u64().to_le_bytes()[..chunk.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::thread_rng;

    #[test]
    fn outside_an_execution_numbers_differ() {
        let mut rng = thread_rng();
        let mut bytes = [0; 20];
        rng.fill_bytes(&mut bytes);
        assert_ne!(rng.next_u64(), rng.next_u64());
        assert_ne!(bytes, [0; 20]);
        assert_eq!(rng.below(1), 0);
    }
}
