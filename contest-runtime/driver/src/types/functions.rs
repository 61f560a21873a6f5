//! Functions of the executable by address, and what the containers among them hold.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::entries::{Die, Entries};
use contest_data::sorted;

/// Containers whose first type parameter is what their blocks hold.
const CONTAINERS: [&str; 6] = [
    "alloc::boxed::Box",
    "alloc::sync::Arc",
    "alloc::rc::Rc",
    "alloc::vec::Vec",
    "alloc::raw_vec::RawVec",
    "alloc::collections::vec_deque::VecDeque",
];

/// Some of the machine code of a function that is called.
#[derive(Clone, Copy, Debug)]
struct Code {
    begin: u64,
    end: u64,
    function: Die,
}

/// What was looked up so far: the functions of a unit are read when the first of them is looked up, and what is inlined
/// into one of them each time.
#[derive(Debug, Default)]
pub(super) struct Functions {
    /// Machine code of the units, by address: begin, end, unit.
    units: OnceCell<Vec<(u64, u64, usize)>>,
    code: RefCell<HashMap<usize, Rc<[Code]>>>,
    contents: RefCell<HashMap<u64, Option<Die>>>,
}

impl Functions {
    /// What the block holds that a container allocates by a call at this address.
    pub(super) fn content(&self, entries: &Entries, call: u64) -> Option<Die> {
        if let Some(known) = self.contents.borrow().get(&call) {
            return *known;
        }
        let functions = self.at(entries, call);
        let found = functions
            .into_iter()
            .find_map(|function| content_of(entries, function));
        self.contents.borrow_mut().insert(call, found);
        found
    }

    /// The unit that the machine code at an address is of.
    pub(super) fn unit_at(&self, entries: &Entries, address: u64) -> Option<usize> {
        let units = self.units.get_or_init(|| {
            let of_unit = |unit| {
                let ranges = entries.ranges_of_unit(unit).into_iter();
                ranges.map(move |(begin, end)| (begin, end, unit))
            };
            let mut units: Vec<_> = (0..entries.units()).flat_map(of_unit).collect();
            sorted::sort(&mut units);
            units
        });
        let after = units.partition_point(|(begin, ..)| *begin <= address);
        let (_, end, unit) = units[..after].last()?;
        (address < *end).then_some(*unit)
    }

    /// The functions at an address, innermost first.
    fn at(&self, entries: &Entries, address: u64) -> Vec<Die> {
        let Some(unit) = self.unit_at(entries, address) else {
            return Vec::new();
        };
        let code = self.code_of(entries, unit);
        let mut found = Vec::new();
        for of in code.iter() {
            if (of.begin..of.end).contains(&address) {
                entries.walk_below(of.function, |depth, entry| {
                    let inlined = depth == 0 || entry.tag() == gimli::DW_TAG_inlined_subroutine;
                    if inlined && entries.contains(unit, entry, address) {
                        let at = entry.offset();
                        found.push((depth, Die { unit, at }));
                    }
                });
            }
        }
        sorted::sort_by_key(&mut found, |(depth, _)| std::cmp::Reverse(*depth));
        found.into_iter().map(|(_, function)| function).collect()
    }

    fn code_of(&self, entries: &Entries, unit: usize) -> Rc<[Code]> {
        if let Some(known) = self.code.borrow().get(&unit) {
            return Rc::clone(known);
        }
        let mut code = Vec::new();
        entries.walk(unit, |_, entry| {
            if entry.tag() != gimli::DW_TAG_subprogram {
                return;
            }
            let ranges = entries.ranges(unit, entry).into_iter();
            code.extend(ranges.map(|(begin, end)| Code {
                begin,
                end,
                function: Die {
                    unit,
                    at: entry.offset(),
                },
            }));
        });
        let code: Rc<[Code]> = code.into();
        self.code.borrow_mut().insert(unit, Rc::clone(&code));
        code
    }
}

/// The type parameter of a function of a container.
fn content_of(entries: &Entries, mut function: Die) -> Option<Die> {
    let mut content = None;
    let mut is_container = false;
    // Attributes that are given once stand where the function was declared.
    for _ in 0..4 {
        let entry = entries.entry(function)?;
        if let Some(name) = entries.text(function.unit, &entry, gimli::DW_AT_linkage_name) {
            let name = format!("{:#}", rustc_demangle::demangle(&name));
            let name = name.trim_start_matches('<');
            is_container |= CONTAINERS.iter().any(|known| {
                name.strip_prefix(known)
                    .is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric()))
            });
        }
        content = content.or_else(|| {
            let children = entries.children(function, gimli::DW_TAG_template_type_parameter);
            let first = children.first()?;
            let entry = entries.entry(*first)?;
            entries.reference(first.unit, &entry, gimli::DW_AT_type)
        });
        let declared = [gimli::DW_AT_abstract_origin, gimli::DW_AT_specification]
            .into_iter()
            .find_map(|by| entries.reference(function.unit, &entry, by));
        match declared {
            Some(declared) => function = declared,
            None => break,
        }
    }
    content.filter(|_| is_container)
}
