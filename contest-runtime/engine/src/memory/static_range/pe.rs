//! Sections of a PE executable, from its headers in memory: "PE Format", Microsoft, sections "COFF File Header" and
//! "Section Table".

use std::io;
use std::path::PathBuf;
use std::ptr::NonNull;

use super::{Segment, Segments};

/// Offset of the file header's own offset, in the header that programs for MS-DOS have.
const TO_FILE_HEADER: usize = 0x3c;
/// Bytes of the signature and of the file header.
const FILE_HEADER: usize = 24;
/// Bytes of an entry of the section table.
const SECTION: usize = 40;
/// `IMAGE_SCN_MEM_WRITE`.
const WRITABLE: u32 = 0x8000_0000;

unsafe extern "system" {
    fn GetModuleHandleW(name: *const u16) -> *mut u8;
}

/// The file of the executable.
pub(super) fn path() -> io::Result<PathBuf> {
    std::env::current_exe()
}

/// The writable sections.
pub(super) fn find() -> Segments {
    let mut segments = Segments::default();
    // SAFETY: without a name it is the executable, which is never unloaded.
    let Some(image) = NonNull::new(unsafe { GetModuleHandleW(std::ptr::null()) }) else {
        return segments;
    };
    let word = |at: usize| {
        // SAFETY: the loader keeps the headers of the executable mapped; all offsets come from them.
        u32::from_le(unsafe { image.as_ptr().add(at).cast::<u32>().read_unaligned() })
    };
    let file_header = word(TO_FILE_HEADER) as usize;
    let sections = (word(file_header + 4) >> 16) as usize;
    let optional_header = (word(file_header + 20) & 0xffff) as usize;
    let table = file_header + FILE_HEADER + optional_header;
    let writable = (0..sections)
        .map(|index| table + index * SECTION)
        .filter(|section| word(section + 36) & WRITABLE != 0);
    for (section, place) in writable.zip(&mut segments.found) {
        let length = word(section + 8) as usize;
        *place = Some(Segment {
            start: image.addr().get() + word(section + 12) as usize,
            length,
            from_file: length.min(word(section + 16) as usize),
            offset: u64::from(word(section + 20)),
        });
    }
    segments
}
