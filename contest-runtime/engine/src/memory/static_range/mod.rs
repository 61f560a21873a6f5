//! Where the executable's own writable static data is, and what it was when the program began.

#[cfg_attr(windows, path = "pe.rs")]
#[cfg_attr(not(windows), path = "elf.rs")]
mod executable;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::OnceLock;

/// A writable segment of the executable.
#[derive(Clone, Copy, Debug)]
struct Segment {
    start: usize,
    length: usize,
    /// Bytes that come from the file; the rest begins as zeros.
    from_file: usize,
    offset: u64,
}

#[derive(Debug, Default)]
struct Segments {
    found: [Option<Segment>; 8],
}

static SEGMENTS: OnceLock<Segments> = OnceLock::new();

/// Start and length of the part of the address space that holds the writable statics of the executable; of length 0 if
/// the loader does not tell.
pub(crate) fn static_range() -> (usize, usize) {
    let segments = &SEGMENTS.get_or_init(executable::find).found;
    let start = segments.iter().flatten().map(|one| one.start).min();
    let end = segments.iter().flatten().map(|one| one.start + one.length);
    match (start, end.max()) {
        (Some(start), Some(end)) => (start, end - start),
        _ => (0, 0),
    }
}

/// True if the bytes at this address are what the executable's file has there: nothing has changed them since the
/// program began. False also for addresses in them, which the loader puts in.
pub(crate) fn is_pristine(address: usize, bytes: &[u8]) -> bool {
    let segments = &SEGMENTS.get_or_init(executable::find).found;
    let inside =
        |one: &&Segment| address >= one.start && address + bytes.len() <= one.start + one.length;
    let Some(segment) = segments.iter().flatten().find(inside) else {
        return false;
    };
    let at = address - segment.start;
    let from_file = segment.from_file.saturating_sub(at).min(bytes.len());
    let mut original = vec![0; bytes.len()];
    if from_file > 0 {
        let read = executable::path()
            .and_then(File::open)
            .and_then(|mut file| {
                file.seek(SeekFrom::Start(segment.offset + at as u64))?;
                file.read_exact(&mut original[..from_file])
            });
        if read.is_err() {
            return false;
        }
    }
    original == bytes
}

#[cfg(test)]
mod tests {
    use super::{is_pristine, static_range};
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    static ZERO: AtomicU64 = AtomicU64::new(0);
    static SEVEN: AtomicU64 = AtomicU64::new(7);

    #[test]
    #[cfg_attr(miri, ignore = "reads the headers of the executable")]
    fn statics_are_inside_and_the_file_knows_their_first_values() {
        let (start, length) = static_range();
        for (value, at) in [(0_u64, &ZERO), (7, &SEVEN)] {
            let address = std::ptr::from_ref(at).addr();
            assert!((start..start + length).contains(&address));
            assert!(is_pristine(address, &at.load(Relaxed).to_ne_bytes()));
            assert!(!is_pristine(address, &(value + 1).to_ne_bytes()));
        }
        let local = AtomicU64::new(0);
        assert!(!(start..start + length).contains(&std::ptr::from_ref(&local).addr()));
    }
}
