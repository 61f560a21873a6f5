//! Where the executable's own writable static data is, and what it was when the program began.

use std::fs::File;
use std::os::unix::fs::FileExt;
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
    let segments = &SEGMENTS.get_or_init(find).found;
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
    let segments = &SEGMENTS.get_or_init(find).found;
    let inside =
        |one: &&Segment| address >= one.start && address + bytes.len() <= one.start + one.length;
    let Some(segment) = segments.iter().flatten().find(inside) else {
        return false;
    };
    let at = address - segment.start;
    let from_file = segment.from_file.saturating_sub(at).min(bytes.len());
    let mut original = vec![0; bytes.len()];
    if from_file > 0 {
        let read = File::open("/proc/self/exe").and_then(|file| {
            file.read_exact_at(&mut original[..from_file], segment.offset + at as u64)
        });
        if read.is_err() {
            return false;
        }
    }
    original == bytes
}

fn find() -> Segments {
    let mut segments = Segments::default();
    // SAFETY: the callback gets the pointer given here, for the duration of the call.
    unsafe { libc::dl_iterate_phdr(Some(read_executable), (&raw mut segments).cast()) };
    segments
}

unsafe extern "C" fn read_executable(
    info: *mut libc::dl_phdr_info,
    _size: libc::size_t,
    segments: *mut libc::c_void,
) -> libc::c_int {
    // SAFETY: the loader passes a valid description, and our own pointer back.
    let (info, segments) = unsafe { (&*info, &mut *segments.cast::<Segments>()) };
    // SAFETY: the loader's array of program headers.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let writable = headers
        .iter()
        .filter(|header| header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_W != 0);
    for (header, place) in writable.zip(&mut segments.found) {
        *place = Some(Segment {
            start: (info.dlpi_addr + header.p_vaddr) as usize,
            length: header.p_memsz as usize,
            from_file: header.p_filesz as usize,
            offset: header.p_offset,
        });
    }
    // The executable comes first, and stopping there keeps it so.
    1
}

#[cfg(test)]
mod tests {
    use super::{is_pristine, static_range};
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    static ZERO: AtomicU64 = AtomicU64::new(0);
    static SEVEN: AtomicU64 = AtomicU64::new(7);

    #[test]
    #[cfg_attr(miri, ignore = "reads the program headers of the executable")]
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
