//! Types of this process's memory, from its debug information: which field of which type some bytes of a block or of a static are.
//!
//! The type of a block is known if a container of `std` allocated it: `Box::new`, `Arc::new` and `Vec` are compiled once for each type, and debug
//! information names it. If the sizes do not agree, nothing is said.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use gimli::{
    AttributeValue, DebuggingInformationEntry, DwAt, EndianRcSlice, Reader, RunTimeEndian,
    UnitOffset,
};
use object::{Object, ObjectSection};

type Bytes = EndianRcSlice<RunTimeEndian>;
type Entry<'a> = DebuggingInformationEntry<'a, 'a, Bytes>;

/// Crates whose types stand around what is asked for; their fields are not told.
const AROUND: [&str; 4] = ["core", "alloc", "std", "contest"];
/// Containers whose first type parameter is what their blocks hold.
const CONTAINERS: [&str; 6] = [
    "alloc::boxed::Box",
    "alloc::sync::Arc",
    "alloc::rc::Rc",
    "alloc::vec::Vec",
    "alloc::raw_vec::RawVec",
    "alloc::collections::vec_deque::VecDeque",
];
/// Most types that lie within each other; deeper ones are not entered.
const MOST_LEVELS: usize = 64;

/// An entry of the debug information: its unit, and where it is in that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Die {
    unit: usize,
    at: UnitOffset<usize>,
}

/// The debug information of an executable.
pub(crate) struct Types {
    dwarf: gimli::Dwarf<Bytes>,
    units: Vec<gimli::Unit<Bytes>>,
    /// Of units looked at: the types that stand around.
    around: RefCell<HashMap<usize, HashSet<UnitOffset<usize>>>>,
}

impl Types {
    /// Reads an executable; `None` if it has no debug information that can be read.
    pub(crate) fn open(executable: &std::path::Path) -> Option<Self> {
        let file = std::fs::read(executable).ok()?;
        let object = object::File::parse(&*file).ok()?;
        let endian = if object.is_little_endian() {
            RunTimeEndian::Little
        } else {
            RunTimeEndian::Big
        };
        let load = |id: gimli::SectionId| -> Result<Bytes, gimli::Error> {
            let data = object
                .section_by_name(id.name())
                .and_then(|section| section.uncompressed_data().ok())
                .unwrap_or_default();
            Ok(EndianRcSlice::new(Rc::from(&*data), endian))
        };
        let dwarf = gimli::Dwarf::load(load).ok()?;
        let mut units = Vec::new();
        let mut headers = dwarf.units();
        while let Some(header) = headers.next().ok()? {
            units.push(dwarf.unit(header).ok()?);
        }
        Some(Self {
            dwarf,
            units,
            around: RefCell::default(),
        })
    }

    /// The field at `offset`, `size` bytes of it, in a block of `block` bytes that was allocated by calls at these addresses, innermost first:
    /// `Inner.head`.
    pub(crate) fn field(
        &self,
        calls: &[u64],
        block: u64,
        offset: u64,
        size: u64,
    ) -> Option<String> {
        calls
            .iter()
            .find_map(|&call| self.content(call))
            .and_then(|content| {
                let each = self.size(content).filter(|&each| each > 0)?;
                (block.is_multiple_of(each)).then(|| {
                    let path = self.path(content, offset % each, size);
                    let item = (block > each).then(|| format!("[{}]", offset / each));
                    path.named(&item.unwrap_or_default())
                })
            })
    }

    /// The static that these bytes are in, and the field of it: `module::TOTAL.0`.
    pub(crate) fn of_static(&self, address: u64, size: u64) -> Option<String> {
        (0..self.units.len()).find_map(|unit| {
            let mut found = None;
            let mut inside: Vec<(isize, String)> = Vec::new();
            self.walk(unit, |depth, entry| {
                while inside.last().is_some_and(|(outer, _)| *outer >= depth) {
                    inside.pop();
                }
                if entry.tag() == gimli::DW_TAG_namespace {
                    inside.push((depth, self.name(unit, entry).unwrap_or_default()));
                }
                if entry.tag() == gimli::DW_TAG_variable
                    && let Some(start) = self.fixed_address(unit, entry)
                    && start <= address
                    && let Some(content) = self.reference(unit, entry, gimli::DW_AT_type)
                    && address < start + self.size(content).unwrap_or(0)
                {
                    let mut name: Vec<String> =
                        inside.iter().map(|(_, name)| name.clone()).collect();
                    name.extend(self.name(unit, entry));
                    let fields = self.path(content, address - start, size).fields;
                    found = Some(format!("{}{fields}", name.join("::")));
                }
                found.is_none()
            });
            found
        })
    }

    /// What the block holds that a container allocates by a call at this address.
    fn content(&self, call: u64) -> Option<Die> {
        let unit = (0..self.units.len()).find(|&unit| {
            let ranges = self.dwarf.unit_ranges(&self.units[unit]);
            ranges.is_ok_and(|ranges| contains(ranges, call))
        })?;
        self.functions(unit, call)
            .into_iter()
            .find_map(|function| self.content_of(function))
    }

    /// The functions at an address, innermost first.
    fn functions(&self, unit: usize, address: u64) -> Vec<Die> {
        let mut functions = Vec::new();
        let mut outermost = None;
        self.walk(unit, |depth, entry| {
            if outermost.is_some_and(|outermost| depth <= outermost) {
                return false;
            }
            let wanted = match entry.tag() {
                gimli::DW_TAG_subprogram => true,
                gimli::DW_TAG_inlined_subroutine => outermost.is_some(),
                _ => false,
            };
            let here = || {
                let ranges = self.dwarf.die_ranges(&self.units[unit], entry);
                ranges.is_ok_and(|ranges| contains(ranges, address))
            };
            if wanted && here() {
                outermost = outermost.or(Some(depth));
                functions.push(Die {
                    unit,
                    at: entry.offset(),
                });
            }
            true
        });
        functions.reverse();
        functions
    }

    /// The type parameter of a function of a container.
    fn content_of(&self, mut function: Die) -> Option<Die> {
        let mut content = None;
        let mut is_container = false;
        // What is told once is told where the function was declared.
        for _ in 0..4 {
            let entry = self.entry(function)?;
            if let Some(name) = self.text(function.unit, &entry, gimli::DW_AT_linkage_name) {
                let name = format!("{:#}", rustc_demangle::demangle(&name));
                let name = name.trim_start_matches('<');
                is_container |= CONTAINERS.iter().any(|known| {
                    name.strip_prefix(known)
                        .is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric()))
                });
            }
            content = content.or_else(|| {
                let children = self.children(function, gimli::DW_TAG_template_type_parameter);
                let first = children.first()?;
                let entry = self.entry(*first)?;
                self.reference(first.unit, &entry, gimli::DW_AT_type)
            });
            let declared = [gimli::DW_AT_abstract_origin, gimli::DW_AT_specification]
                .into_iter()
                .find_map(|by| self.reference(function.unit, &entry, by));
            match declared {
                Some(declared) => function = declared,
                None => break,
            }
        }
        content.filter(|_| is_container)
    }

    /// Goes into the type as deep as the bytes are within one field.
    fn path(&self, content: Die, mut offset: u64, size: u64) -> Path {
        let mut path = Path {
            whole: self.type_name(content),
            ..Path::default()
        };
        let mut at = content;
        for _ in 0..MOST_LEVELS {
            let Some(entry) = self.entry(at) else { break };
            let name = self.type_name(at);
            let within = match entry.tag() {
                gimli::DW_TAG_structure_type => true,
                // The only unions in which one field is what everybody means.
                gimli::DW_TAG_union_type => name.starts_with("MaybeUninit<"),
                gimli::DW_TAG_array_type => {
                    let Some(item) = self.reference(at.unit, &entry, gimli::DW_AT_type) else {
                        break;
                    };
                    let Some(each) = self.size(item).filter(|&each| each > 0) else {
                        break;
                    };
                    if offset % each + size > each {
                        break;
                    }
                    if !path.owner.is_empty() {
                        path.fields.push_str(&format!("[{}]", offset / each));
                    }
                    (at, offset) = (item, offset % each);
                    continue;
                }
                _ => false,
            };
            let member = self
                .children(at, gimli::DW_TAG_member)
                .into_iter()
                .filter_map(|member| {
                    let entry = self.entry(member)?;
                    let start = entry
                        .attr_value(gimli::DW_AT_data_member_location)
                        .ok()?
                        .map_or(Some(0), |value| value.udata_value())?;
                    let content = self.reference(member.unit, &entry, gimli::DW_AT_type)?;
                    let end = start + self.size(content)?;
                    (start <= offset && offset + size <= end)
                        .then(|| (self.name(member.unit, &entry), start, content))
                })
                .next();
            let Some((name, start, content)) = member.filter(|_| within) else {
                break;
            };
            if !self.stands_around(at) {
                if path.owner.is_empty() {
                    path.owner = self.type_name(at);
                }
                let name = name.unwrap_or_default();
                path.fields.push('.');
                path.fields.push_str(name.trim_start_matches("__"));
            }
            (at, offset) = (content, offset - start);
        }
        path
    }

    /// Bytes of a value of the type.
    fn size(&self, of: Die) -> Option<u64> {
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

    /// True for types of `std` and of the engine.
    fn stands_around(&self, of: Die) -> bool {
        let mut known = self.around.borrow_mut();
        let around = known.entry(of.unit).or_insert_with(|| {
            let mut around = HashSet::new();
            let mut top = None;
            self.walk(of.unit, |depth, entry| {
                match entry.tag() {
                    gimli::DW_TAG_namespace if depth == 1 => {
                        let name = self.name(of.unit, entry).unwrap_or_default();
                        top = Some(AROUND.contains(&name.as_str()));
                    }
                    _ if depth == 1 => top = None,
                    gimli::DW_TAG_structure_type | gimli::DW_TAG_union_type
                        if top == Some(true) =>
                    {
                        around.insert(entry.offset());
                    }
                    _ => {}
                }
                true
            });
            around
        });
        around.contains(&of.at)
    }

    fn type_name(&self, of: Die) -> String {
        self.entry(of)
            .and_then(|entry| self.name(of.unit, &entry))
            .unwrap_or_default()
    }

    fn name(&self, unit: usize, entry: &Entry<'_>) -> Option<String> {
        self.text(unit, entry, gimli::DW_AT_name)
    }

    fn text(&self, unit: usize, entry: &Entry<'_>, attribute: DwAt) -> Option<String> {
        let value = entry.attr_value(attribute).ok()??;
        let text = self.dwarf.attr_string(&self.units[unit], value).ok()?;
        Some(text.to_string_lossy().ok()?.into_owned())
    }

    fn entry(&self, of: Die) -> Option<Entry<'_>> {
        self.units[of.unit].entry(of.at).ok()
    }

    /// The entry that an attribute names.
    fn reference(&self, unit: usize, entry: &Entry<'_>, attribute: DwAt) -> Option<Die> {
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

    fn children(&self, of: Die, tag: gimli::DwTag) -> Vec<Die> {
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
    fn fixed_address(&self, unit: usize, entry: &Entry<'_>) -> Option<u64> {
        let AttributeValue::Exprloc(place) = entry.attr_value(gimli::DW_AT_location).ok()?? else {
            return None;
        };
        let mut operations = place.operations(self.units[unit].encoding());
        match operations.next().ok()?? {
            gimli::Operation::Address { address } => Some(address),
            _ => None,
        }
    }

    /// Visits all entries of a unit with their depth, as long as the visitor wants more.
    fn walk(&self, unit: usize, mut visit: impl FnMut(isize, &Entry<'_>) -> bool) {
        let mut entries = self.units[unit].entries();
        let mut depth = 0;
        while let Ok(Some((deeper, entry))) = entries.next_dfs() {
            depth += deeper;
            if !visit(depth, entry) {
                break;
            }
        }
    }
}

fn contains(mut ranges: gimli::RangeIter<Bytes>, address: u64) -> bool {
    while let Ok(Some(range)) = ranges.next() {
        if (range.begin..range.end).contains(&address) {
            return true;
        }
    }
    false
}

/// A way into a type.
#[derive(Debug, Default)]
struct Path {
    /// The type that it began with.
    whole: String,
    /// The first type on the way that is not one of `std`; empty if there is none.
    owner: String,
    /// Fields of it and of types in it: `.value.0[3]`.
    fields: String,
}

impl Path {
    fn named(&self, item: &str) -> String {
        let owner = if self.owner.is_empty() {
            &self.whole
        } else {
            &self.owner
        };
        format!("{owner}{item}{}", self.fields)
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use object::ObjectSymbol;

    use super::*;

    const PROGRAM: &str = r#"
        use std::cell::UnsafeCell;
        use std::sync::Arc;

        #[derive(Default)]
        #[repr(C)]
        pub struct Inner {
            head: UnsafeCell<u64>,
            pairs: [(u16, u16); 3],
        }

        pub mod of_module {
            pub struct Shared(pub super::Inner);
            unsafe impl Sync for Shared {}

            #[unsafe(no_mangle)]
            pub static SHARED: Shared = Shared(super::Inner {
                head: std::cell::UnsafeCell::new(1),
                pairs: [(0, 0); 3],
            });
        }

        #[inline(never)]
        pub fn make_it() -> Arc<Inner> {
            Arc::new(Inner::default())
        }

        fn main() {
            let head = unsafe { *of_module::SHARED.0.head.get() };
            println!("{} {head}", make_it().pairs[0].0);
        }
    "#;

    /// The program's types, and where some of its symbols are.
    fn compiled(arguments: &[&str]) -> (Types, Vec<(String, u64, u64)>) {
        let directory = std::env::temp_dir().join(format!(
            "contest-types-{}-{}",
            std::process::id(),
            arguments.len()
        ));
        std::fs::create_dir_all(&directory).unwrap();
        let source = directory.join("program.rs");
        std::fs::write(&source, PROGRAM).unwrap();
        let executable = directory.join("program");
        let compiled = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
            .args(["--edition", "2024", "-g", "-o"])
            .arg(&executable)
            .arg(&source)
            .args(arguments)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "{said}");
        let types = Types::open(&executable).unwrap();
        let file = std::fs::read(&executable).unwrap();
        let object = object::File::parse(&*file).unwrap();
        let symbols = object
            .symbols()
            .filter_map(|symbol| {
                let name = symbol.name().ok()?;
                let made = name.contains("Arc") && name.contains("3new");
                let named = made || name == "SHARED" || name.contains("make_it");
                named.then(|| (name.to_owned(), symbol.address(), symbol.size()))
            })
            .collect();
        std::fs::remove_dir_all(&directory).unwrap();
        (types, symbols)
    }

    #[test]
    fn bytes_of_a_static_are_told_as_its_field() {
        let (types, symbols) = compiled(&[]);
        let of = |symbol: &&(String, u64, u64)| symbol.0 == "SHARED";
        let start = symbols.iter().find(of).unwrap().1;
        let at = |offset, size| types.of_static(start + offset, size).unwrap();
        assert_eq!(at(0, 8), "program::of_module::SHARED.0.head");
        assert_eq!(at(8 + 4 + 2, 2), "program::of_module::SHARED.0.pairs[1].1");
        // More than one field.
        assert_eq!(at(8, 8), "program::of_module::SHARED.0.pairs");
        assert_eq!(types.of_static(1, 8), None);
    }

    #[test]
    fn a_block_of_an_arc_is_told_by_the_type_in_it_if_the_sizes_agree() {
        for arguments in [&[][..], &["-C", "opt-level=1"]] {
            let (types, symbols) = compiled(arguments);
            // One of these addresses is that of the call that allocates.
            let mut calls = symbols
                .iter()
                .flat_map(|(_, start, size)| (*start..start + size).step_by(8));
            let size = 16 + 8 + 12 + 4;
            let told = |call, block| types.field(&[call], block, 16, 8);
            let found = calls.find(|&call| told(call, size).as_deref() == Some("Inner.head"));
            let found = found.expect("an address in the function that allocates");
            assert_eq!(told(found, size + 3), None);
        }
    }
}
