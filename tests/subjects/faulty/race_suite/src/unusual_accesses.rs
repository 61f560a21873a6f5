//! Accesses of unusual sizes, places and kinds: wide vectors, volatile, unaligned and packed ones. Each is written once and read by others.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use crate::{Place, Ticket};

#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Lanes([u8; 64]);

macro_rules! of_lanes {
    ($($(#[$attribute:meta])* $name:ident)*) => {$(
        $(#[$attribute])*
        pub struct $name {
            lanes: Place<Lanes>,
            once: Ticket,
        }

        impl $name {
            pub fn new() -> Self {
                Self { lanes: Place::new(Lanes([0; 64])), once: Ticket::default() }
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new()
            }
        }
    )*};
}

of_lanes! {
    /// Sixteen bytes at once.
    Sse
    /// Thirty-two bytes at once; the read meets the second half.
    Avx
    /// A thirty-two byte read, at an odd address.
    AvxRead
    /// Four bytes across the border of two words.
    Unaligned
    /// Device registers and the like.
    Volatile
    /// A field behind a byte.
    Packed
}

#[cfg(target_arch = "x86_64")]
impl Sse {
    pub fn write(&self) {
        if self.once.take() {
            unsafe { _mm_store_si128(self.lanes.at().cast(), _mm_set1_epi8(1)) }; // data-race: Sse
        }
    }

    pub fn read(&self) -> u8 {
        unsafe { self.lanes.at().cast::<u8>().add(15).read() } // data-race: Sse
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx")]
unsafe fn store_wide(to: *mut u8) {
    unsafe { _mm256_store_si256(to.cast(), _mm256_set1_epi8(1)) } // data-race: Avx
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx")]
unsafe fn load_wide(from: *const u8) -> i32 {
    let lanes = unsafe { _mm256_loadu_si256(from.cast()) }; // data-race: AvxRead
    _mm256_extract_epi32(lanes, 7)
}

#[cfg(target_arch = "x86_64")]
impl Avx {
    pub fn write(&self) {
        if self.once.take() {
            unsafe { store_wide(self.lanes.at().cast()) };
        }
    }

    pub fn read(&self) -> u8 {
        unsafe { self.lanes.at().cast::<u8>().add(31).read() } // data-race: Avx
    }
}

#[cfg(target_arch = "x86_64")]
impl AvxRead {
    pub fn write(&self) {
        if self.once.take() {
            unsafe { self.lanes.at().cast::<u8>().add(20).write(1) }; // data-race: AvxRead
        }
    }

    pub fn read(&self) -> i32 {
        unsafe { load_wide(self.lanes.at().cast::<u8>().add(3)) }
    }
}

impl Unaligned {
    pub fn write(&self) {
        if self.once.take() {
            unsafe { self.lanes.at().cast::<u8>().add(6).cast::<u32>().write_unaligned(7) }; // data-race: Unaligned
        }
    }

    pub fn read(&self) -> u8 {
        unsafe { self.lanes.at().cast::<u8>().add(9).read() } // data-race: Unaligned
    }

    /// Beside what is written: no race.
    pub fn beside(&self) -> u8 {
        let bytes = self.lanes.at().cast::<u8>();
        unsafe { bytes.add(5).read() + bytes.add(10).read() }
    }
}

impl Volatile {
    pub fn write(&self) {
        if self.once.take() {
            unsafe { self.lanes.at().cast::<u32>().write_volatile(7) }; // data-race: Volatile
        }
    }

    pub fn read(&self) -> u32 {
        unsafe { self.lanes.at().cast::<u32>().read_volatile() } // data-race: Volatile
    }
}

#[repr(C, packed)]
struct Record {
    tag: u8,
    word: u64,
}

impl Packed {
    pub fn write(&self) {
        if self.once.take() {
            unsafe { (*self.lanes.at().cast::<Record>()).word = 7 }; // data-race: Packed
        }
    }

    pub fn read(&self) -> u64 {
        unsafe { (*self.lanes.at().cast::<Record>()).word } // data-race: Packed
    }

    /// Beside what is written: no race.
    pub fn tag(&self) -> u8 {
        unsafe { (*self.lanes.at().cast::<Record>()).tag }
    }
}
