//! Debug information and symbols of an executable, mapped into memory from its file.

use std::path::Path;
use std::sync::Arc;

use gimli::{Dwarf, EndianSlice, SectionId};
use object::read::elf::ElfFile64;
use object::{Object, ObjectSection, SymbolMap, SymbolMapName};

use crate::process::map_file;

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
        let object =
            ElfFile64::<object::NativeEndian, _>::parse(map_file(executable).ok()?).ok()?;
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
