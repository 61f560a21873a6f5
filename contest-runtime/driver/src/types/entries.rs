//! Entries of debug information, read one at a time.

use std::cell::OnceCell;
use std::path::PathBuf;
use std::sync::Arc;

use contest_data::sorted;
use gimli::{AttributeValue, DebuggingInformationEntry, DwAt, UnitOffset};

use crate::debug_information::Bytes;

pub(super) type Entry<'a> = DebuggingInformationEntry<'a, 'a, Bytes>;

/// An entry of the debug information: its unit, and where it is in that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Die {
    pub(super) unit: usize,
    pub(super) at: UnitOffset<usize>,
}

/// The debug information of an executable.
pub(super) struct Entries {
    dwarf: Arc<gimli::Dwarf<Bytes>>,
    units: Vec<gimli::Unit<Bytes>>,
    /// Read when the first address is looked up.
    addresses: OnceCell<Addresses>,
}

/// Which addresses are of which unit, statics included, as far as units have a table of them.
#[derive(Debug, Default)]
struct Addresses {
    /// First address, one past the last, unit; in order.
    of_units: Vec<(u64, u64, usize)>,
    /// Units without a table.
    others: Vec<usize>,
}

impl Entries {
    /// Reads the units; `None` if they cannot be read.
    pub(super) fn new(dwarf: Arc<gimli::Dwarf<Bytes>>) -> Option<Self> {
        let mut units = Vec::new();
        let mut headers = dwarf.units();
        while let Some(header) = headers.next().ok()? {
            units.push(dwarf.unit(header).ok()?);
        }
        Some(Self {
            dwarf,
            units,
            addresses: OnceCell::new(),
        })
    }

    /// Number of units.
    pub(super) fn units(&self) -> usize {
        self.units.len()
    }

    /// The crate that a unit is of, unless it was compiled incrementally: `bank` of `src/lib.rs/@/bank.d1f0-cgu.3`.
    pub(super) fn crate_of_unit(&self, unit: usize) -> Option<String> {
        let (_, name) = self.root_of_unit(unit)?;
        Some(name)
    }

    /// The same, and before it the source file with the root of the crate.
    pub(super) fn root_of_unit(&self, unit: usize) -> Option<(PathBuf, String)> {
        let unit = &self.units[unit];
        let name = unit.name.as_ref()?.to_string_lossy();
        let (file, part) = name.rsplit_once("/@/")?;
        let (name, _) = part.split_once('.')?;
        let directory = unit.comp_dir.map(|it| it.to_string_lossy().into_owned());
        let root = PathBuf::from(directory.unwrap_or_default()).join(file);
        Some((root, name.to_owned()))
    }

    /// The units that a static at this address may be of.
    pub(super) fn units_of_static(&self, address: u64) -> Vec<usize> {
        let addresses = self.addresses.get_or_init(|| self.read_addresses());
        let known = &addresses.of_units;
        let after = known.partition_point(|(begin, ..)| *begin <= address);
        match known[..after].last() {
            Some((_, end, unit)) if address < *end => vec![*unit],
            _ => addresses.others.clone(),
        }
    }

    fn read_addresses(&self) -> Addresses {
        let mut read = Addresses::default();
        let mut has_table = vec![false; self.units.len()];
        let mut tables = self.dwarf.debug_aranges.headers();
        while let Ok(Some(table)) = tables.next() {
            let of = table.debug_info_offset().into();
            let is_of = |it: &gimli::Unit<Bytes>| it.header.offset() == of;
            let Some(unit) = self.units.iter().position(is_of) else {
                continue;
            };
            has_table[unit] = true;
            let mut ranges = table.entries();
            while let Ok(Some(range)) = ranges.next() {
                let begin = range.address();
                read.of_units.push((begin, begin + range.length(), unit));
            }
        }
        sorted::sort(&mut read.of_units);
        read.others = (0..self.units.len())
            .filter(|unit| !has_table[*unit])
            .collect();
        read
    }

    /// The machine code of a unit: first address of each part and one past its last.
    pub(super) fn ranges_of_unit(&self, unit: usize) -> Vec<(u64, u64)> {
        let ranges = self.dwarf.unit_ranges(&self.units[unit]);
        ranges.map(all).unwrap_or_default()
    }

    /// The same of an entry.
    pub(super) fn ranges(&self, unit: usize, entry: &Entry<'_>) -> Vec<(u64, u64)> {
        let ranges = self.dwarf.die_ranges(&self.units[unit], entry);
        ranges.map(all).unwrap_or_default()
    }

    /// True if this machine code is that of an entry.
    pub(super) fn contains(&self, unit: usize, entry: &Entry<'_>, address: u64) -> bool {
        let ranges = self.ranges(unit, entry);
        let mut ranges = ranges.iter();
        ranges.any(|(begin, end)| (*begin..*end).contains(&address))
    }

    /// Bytes of a value of the type.
    pub(super) fn size(&self, of: Die) -> Option<u64> {
        let entry = self.entry(of)?;
        let size = entry.attr_value(gimli::DW_AT_byte_size).ok()?;
        if let Some(size) = size.and_then(|size| size.udata_value()) {
            return Some(size);
        }
        match entry.tag() {
            gimli::DW_TAG_array_type => {
                let item = self.reference(of.unit, &entry, gimli::DW_AT_type)?;
                let range = *self.children(of, gimli::DW_TAG_subrange_type).first()?;
                let count = self.entry(range)?.attr_value(gimli::DW_AT_count).ok()??;
                Some(self.size(item)? * count.udata_value()?)
            }
            gimli::DW_TAG_pointer_type => Some(size_of::<usize>() as u64),
            _ => None,
        }
    }

    pub(super) fn type_name(&self, of: Die) -> String {
        self.entry(of)
            .and_then(|entry| self.name(of.unit, &entry))
            .unwrap_or_default()
    }

    pub(super) fn name(&self, unit: usize, entry: &Entry<'_>) -> Option<String> {
        self.text(unit, entry, gimli::DW_AT_name)
    }

    pub(super) fn text(&self, unit: usize, entry: &Entry<'_>, attribute: DwAt) -> Option<String> {
        let value = entry.attr_value(attribute).ok()??;
        let text = self.dwarf.attr_string(&self.units[unit], value).ok()?;
        Some(text.to_string_lossy().into_owned())
    }

    pub(super) fn entry(&self, of: Die) -> Option<Entry<'_>> {
        self.units[of.unit].entry(of.at).ok()
    }

    /// The entry that an attribute names.
    pub(super) fn reference(&self, unit: usize, entry: &Entry<'_>, attribute: DwAt) -> Option<Die> {
        match entry.attr_value(attribute).ok()?? {
            AttributeValue::UnitRef(at) => Some(Die { unit, at }),
            AttributeValue::DebugInfoRef(at) => {
                (self.units.iter().enumerate()).find_map(|(unit, known)| {
                    let at = at.to_unit_offset(&known.header)?;
                    Some(Die { unit, at })
                })
            }
            _ => None,
        }
    }

    pub(super) fn children(&self, of: Die, tag: gimli::DwTag) -> Vec<Die> {
        let mut found = Vec::new();
        let Ok(mut tree) = self.units[of.unit].entries_tree(Some(of.at)) else {
            return found;
        };
        let Ok(root) = tree.root() else { return found };
        let mut children = root.children();
        while let Ok(Some(child)) = children.next() {
            if child.entry().tag() == tag {
                found.push(Die {
                    unit: of.unit,
                    at: child.entry().offset(),
                });
            }
        }
        found
    }

    /// The address of a variable that has one all the time.
    pub(super) fn fixed_address(&self, unit: usize, entry: &Entry<'_>) -> Option<u64> {
        let AttributeValue::Exprloc(place) = entry.attr_value(gimli::DW_AT_location).ok()?? else {
            return None;
        };
        let mut operations = place.operations(self.units[unit].encoding());
        match operations.next().ok()?? {
            gimli::Operation::Address { address } => Some(address),
            _ => None,
        }
    }

    /// The source file that declares an entry.
    pub(super) fn declared_in(&self, unit: usize, entry: &Entry<'_>) -> Option<String> {
        let AttributeValue::FileIndex(number) = entry.attr_value(gimli::DW_AT_decl_file).ok()??
        else {
            return None;
        };
        let unit = &self.units[unit];
        let header = unit.line_program.as_ref()?.header();
        let file = header.file(number)?;
        let mut path = PathBuf::new();
        if let Some(directory) = unit.comp_dir {
            path.push(&*directory.to_string_lossy());
        }
        if file.directory_index() != 0
            && let Some(directory) = file.directory(header)
        {
            let directory = self.dwarf.attr_string(unit, directory).ok()?;
            path.push(&*directory.to_string_lossy());
        }
        let name = self.dwarf.attr_string(unit, file.path_name()).ok()?;
        path.push(&*name.to_string_lossy());
        path.into_os_string().into_string().ok()
    }

    /// Visits all entries of a unit with their depth.
    pub(super) fn walk(&self, unit: usize, mut visit: impl FnMut(isize, &Entry<'_>)) {
        let mut entries = self.units[unit].entries();
        let mut depth = 0;
        while let Ok(Some((deeper, entry))) = entries.next_dfs() {
            depth += deeper;
            visit(depth, entry);
        }
    }

    /// Visits an entry and all below it with their depth, which is 0 for itself.
    pub(super) fn walk_below(&self, of: Die, mut visit: impl FnMut(isize, &Entry<'_>)) {
        let Ok(mut entries) = self.units[of.unit].entries_at_offset(of.at) else {
            return;
        };
        let mut depth = 0;
        while let Ok(Some((deeper, entry))) = entries.next_dfs() {
            depth += deeper;
            if depth <= 0 && entry.offset() != of.at {
                return;
            }
            visit(depth, entry);
        }
    }
}

fn all(mut ranges: gimli::RangeIter<Bytes>) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    while let Ok(Some(range)) = ranges.next() {
        if range.begin < range.end {
            found.push((range.begin, range.end));
        }
    }
    found
}
