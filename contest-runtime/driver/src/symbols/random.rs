//! Random bytes: the same in every execution, unless it has another draw by its circumstances or its schedule.

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use contest_data::rng::Rng;
use contest_engine::execution::Active;

use super::call::controlled;

/// Position in the stream of random bytes. A static on purpose: it starts again in every execution.
static RANDOM: AtomicU64 = AtomicU64::new(0);

/// Devices of the kernel that random bytes are read from.
const DEVICES: [&CStr; 2] = [c"/dev/urandom", c"/dev/random"];
/// Descriptors of a higher number are not looked at.
const MOST: usize = 1024;
/// Descriptors of these devices that code under test has, bit by bit. A static on purpose, likewise.
static DESCRIPTORS: [AtomicU64; MOST / 64] = [const { AtomicU64::new(0) }; MOST / 64];

fn place(descriptor: c_int) -> Option<(&'static AtomicU64, u64)> {
    let number = usize::try_from(descriptor).ok()?;
    Some((DESCRIPTORS.get(number / 64)?, 1 << (number % 64)))
}

/// Code under test has opened this file: what is read from it is random, or is not any more.
pub(super) fn note_opened(path: &CStr, descriptor: c_int) {
    if let Some((word, bit)) = place(descriptor) {
        if controlled().is_some() && DEVICES.contains(&path) {
            word.fetch_or(bit, Relaxed);
        } else {
            word.fetch_and(!bit, Relaxed);
        }
    }
}

/// True if code under test reads random bytes from this descriptor.
pub(super) fn is_random(descriptor: c_int) -> bool {
    place(descriptor).is_some_and(|(word, bit)| word.load(Relaxed) & bit != 0)
        && controlled().is_some()
}

/// The descriptor is closed.
pub(super) fn forget(descriptor: c_int) {
    if let Some((word, bit)) = place(descriptor) {
        word.fetch_and(!bit, Relaxed);
    }
}

/// The same bytes in every process and, because its state is a static, in every execution.
///
/// # Safety
/// As for `getrandom(2)`.
pub unsafe fn getrandom(buffer: *mut c_void, length: usize, _flags: c_uint) -> isize {
    let length = length.min(isize::MAX as usize);
    let draws = controlled().map_or(0, Active::draw);
    let buffer: *mut u8 = buffer.cast();
    for start in (0..length).step_by(8) {
        let word = Rng::at(draws, RANDOM.fetch_add(1, Relaxed)).to_le_bytes();
        let count = (length - start).min(8);
        // SAFETY: the caller gives `length` bytes to write to.
        unsafe {
            buffer
                .add(start)
                .copy_from_nonoverlapping(word.as_ptr(), count)
        };
    }
    length as isize
}
