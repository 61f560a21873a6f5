//! Segments of an ELF executable, from the loader.

use std::io;
use std::path::PathBuf;

use super::{Segment, Segments};

/// The file of the executable, also where another one has taken its name meanwhile.
pub(super) fn path() -> io::Result<PathBuf> {
    Ok(PathBuf::from("/proc/self/exe"))
}

/// The writable segments.
pub(super) fn find() -> Segments {
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
