//! Debug information and symbols of an executable, mapped into memory from its file.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::Arc;

use gimli::{Dwarf, EndianSlice, SectionId};
use object::read::elf::ElfFile64;
use object::{Object, ObjectSection, SymbolMap, SymbolMapName};

/// The file stays mapped for the rest of the process.
pub(crate) type Bytes = EndianSlice<'static, gimli::NativeEndian>;

/// What an executable says of its machine code.
pub(crate) struct DebugInformation {
    pub(crate) dwarf: Arc<Dwarf<Bytes>>,
    /// Functions by address.
    pub(crate) symbols: SymbolMap<SymbolMapName<'static>>,
}

impl DebugInformation {
    /// Maps an executable of this kind of machine; `None` if it cannot be read.
    ///
    /// Sections must not be compressed: the tool has the linker leave them as they are.
    pub(crate) fn open(executable: &Path) -> Option<Self> {
        let object = ElfFile64::<object::NativeEndian, _>::parse(mapped(executable)?).ok()?;
        let section = |id: SectionId| -> Result<Bytes, gimli::Error> {
            let section = object.section_by_name(id.name());
            let data = section.and_then(|section| section.uncompressed_data().ok());
            let data: &'static [u8] = match data.unwrap_or_default() {
                std::borrow::Cow::Borrowed(data) => data,
                std::borrow::Cow::Owned(data) => data.leak(),
            };
            Ok(EndianSlice::new(data, gimli::NativeEndian))
        };
        let mut dwarf = Dwarf::load(section).ok()?;
        dwarf.populate_abbreviations_cache(gimli::AbbreviationsCacheStrategy::Duplicates);
        Some(Self {
            dwarf: Arc::new(dwarf),
            symbols: object.symbol_map(),
        })
    }
}

/// The contents of a file.
fn mapped(path: &Path) -> Option<&'static [u8]> {
    let file = File::open(path).ok()?;
    let length = usize::try_from(file.metadata().ok()?.len()).ok()?;
    // SAFETY: the kernel chooses a free place. The mapping is private and never removed.
    let start = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            length,
            libc::PROT_READ,
            libc::MAP_PRIVATE,
            file.as_raw_fd(),
            0,
        )
    };
    if start == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: `length` bytes are mapped there for good. They do not change: an executable that runs cannot be written,
    // and the tool replaces files instead of writing to them.
    Some(unsafe { std::slice::from_raw_parts(start.cast_const().cast(), length) })
}
