//! A hasher for what is compared by its hash after every execution: outcomes, final states, texts of values.
//!
//! Each step multiplies 64 by 64 bits and folds the product's halves together, as in Wang Yi's wyhash (2019): every bit
//! of the input reaches every bit of the hash, unlike in multiply-and-rotate hashes, at a few cycles per 16 bytes.
//! Hashes mean nothing outside the process. There are no keys: nothing here is chosen by an adversary.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

// Odd, with as many ones as zeros in every byte but one (wyhash's secret).
const FIRST: u64 = 0xA076_1D64_78BD_642F;
const SECOND: u64 = 0xE703_7ED1_A0B4_28DB;

/// See the module.
#[derive(Clone, Copy, Debug, Default)]
pub struct FoldHash(u64);

impl FoldHash {
    #[inline]
    fn add(&mut self, one: u64, other: u64) {
        let product = u128::from(self.0 ^ one ^ FIRST) * u128::from(other ^ SECOND);
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
}

impl Hasher for FoldHash {
    #[inline]
    fn finish(&self) -> u64 {
        let mut last = *self;
        last.add(0, 0);
        last.0
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (pairs, rest) = bytes.as_chunks::<16>();
        for pair in pairs {
            let word = u128::from_le_bytes(*pair);
            self.add(word as u64, (word >> 64) as u64);
        }
        // Also of an empty slice: the length keeps apart what only its division into slices distinguishes.
        let mut last = [0; 16];
        last[..rest.len()].copy_from_slice(rest);
        let word = u128::from_le_bytes(last);
        self.add(word as u64, (word >> 64) as u64);
        self.write_usize(bytes.len());
    }

    #[inline]
    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }

    #[inline]
    fn write_u16(&mut self, number: u16) {
        self.write_u64(u64::from(number));
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.add(number, 0);
    }

    #[inline]
    fn write_u128(&mut self, number: u128) {
        self.add(number as u64, (number >> 64) as u64);
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}

/// A map with this hasher.
pub type FoldMap<K, V> = HashMap<K, V, BuildHasherDefault<FoldHash>>;
/// A set with this hasher.
pub type FoldSet<K> = HashSet<K, BuildHasherDefault<FoldHash>>;

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::Hash;

    fn hash(value: impl Hash) -> u64 {
        let mut hasher = FoldHash::default();
        value.hash(&mut hasher);
        hasher.finish()
    }

    #[test]
    fn neighbours_order_and_division_into_slices_are_distinguished() {
        let mut seen = FoldSet::default();
        for number in 0..10_000_u64 {
            assert!(seen.insert(hash(number)));
            assert!(seen.insert(hash(number << 48 | 1 << 40)));
            assert!(seen.insert(hash((number, 7_u64))));
            assert!(seen.insert(hash(number.to_string())));
        }
        assert_ne!(hash((1_u64, 2_u64)), hash((2_u64, 1_u64)));
        assert_ne!(hash(("ab", "c")), hash(("a", "bc")));
        assert_ne!(hash([0_u8; 16].as_slice()), hash([0_u8; 17].as_slice()));
        assert_ne!(hash(0_u64), hash((0_u64, 0_u64)));
    }

    #[test]
    fn every_bit_of_a_long_text_counts() {
        let text = [0x5A_u8; 100];
        let mut seen = FoldSet::default();
        for bit in 0..800 {
            let mut changed = text;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(seen.insert(hash(changed.as_slice())));
        }
        // What one bit changes is about half of the bits.
        let differing: u32 = (0..64_u64)
            .map(|bit| (hash(1_u64 << bit) ^ hash(0_u64)).count_ones())
            .sum();
        assert!((64 * 24..64 * 40).contains(&differing), "{differing}");
    }
}
