//! The crates that types are from.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use gimli::UnitOffset;

use super::entries::{Die, Entries};

/// Crates whose types only wrap the user's; their fields are not named.
const WRAPPER_CRATES: [&str; 7] = [
    "core",
    "alloc",
    "std",
    "hashbrown",
    "contest_std",
    "lock_api",
    "parking_lot",
];
/// The crate of drop-in types.
const DROP_IN_CRATE: &str = "contest_std";
/// Crates of the tool.
const CRATES_OF_TOOL: [&str; 6] = [
    "contest",
    "contest_campaign",
    "contest_data",
    "contest_driver",
    "contest_engine",
    "contest_search",
];
/// The types of generated drivers that stand for something of a user: the flag of an object's caller.
const OF_CALLER: [&str; 2] = ["CallersFlag", "TasksFlag"];
/// How the names of generated drivers begin.
const GENERATED: &str = "contest_driver_";

/// True for the crates whose fields are not named.
pub(super) fn is_wrapper_crate(crate_name: &str) -> bool {
    WRAPPER_CRATES.contains(&crate_name)
}

/// True for the crates of the tool, and those that it generates.
pub(super) fn is_crate_of_tool(crate_name: &str) -> bool {
    CRATES_OF_TOOL.contains(&crate_name) || crate_name.starts_with(GENERATED)
}

/// True for a unit of one of the tool's own crates.
pub(super) fn is_unit_of_tool(entries: &Entries, unit: usize) -> bool {
    let of = entries.crate_of_unit(unit);
    of.is_some_and(|it| CRATES_OF_TOOL.contains(&it.as_str()))
}

/// True for a unit that is neither of the tool nor of `std`: those have much debug information, and reading it takes
/// long.
pub(super) fn is_unit_beside_tool(entries: &Entries, unit: usize) -> bool {
    let of = entries.crate_of_unit(unit);
    of.is_none_or(|it| !is_wrapper_crate(&it)) && !is_unit_of_tool(entries, unit)
}

/// Crates of the types of a unit.
type OfTypes = HashMap<UnitOffset<usize>, Rc<str>>;

/// The crates of the types of the units read so far.
pub(super) struct Crates {
    /// By unit.
    of_types: RefCell<HashMap<usize, OfTypes>>,
    /// Whether a source file is that of a dependency.
    is_of_dependency: fn(&str) -> bool,
    declared: RefCell<Declared>,
}

/// Whether crates are dependencies, as far as units were read to find out.
#[derive(Default)]
struct Declared {
    /// Units that were not read so far; `None` before the first one is.
    left: Option<VecDeque<usize>>,
    by_crate: HashMap<String, bool>,
}

impl Crates {
    /// `is_of_dependency` says whether a source file is that of a dependency.
    pub(super) fn new(is_of_dependency: fn(&str) -> bool) -> Self {
        Self {
            of_types: RefCell::default(),
            is_of_dependency,
            declared: RefCell::default(),
        }
    }

    /// The crate of a type; `None` for tuples and other types that are of no crate.
    pub(super) fn of(&self, entries: &Entries, of: Die) -> Option<Rc<str>> {
        let mut known = self.of_types.borrow_mut();
        let types = known.entry(of.unit).or_insert_with(|| {
            let mut types = HashMap::new();
            let mut top: Option<Rc<str>> = None;
            entries.walk(of.unit, |depth, entry| match entry.tag() {
                gimli::DW_TAG_namespace if depth == 1 => {
                    top = entries.name(of.unit, entry).map(Rc::from);
                }
                _ if depth == 1 => top = None,
                gimli::DW_TAG_structure_type | gimli::DW_TAG_union_type => {
                    if let Some(top) = &top {
                        types.insert(entry.offset(), Rc::clone(top));
                    }
                }
                _ => {}
            });
            types
        });
        types.get(&of.at).cloned()
    }

    /// True for a type of the tool that reports do not name.
    pub(super) fn is_of_tool(&self, entries: &Entries, of: Die) -> bool {
        self.of(entries, of).is_some_and(|it| is_crate_of_tool(&it))
            && !OF_CALLER.contains(&entries.type_name(of).as_str())
    }

    /// True for a type whose fields are not named.
    pub(super) fn is_wrapper(&self, entries: &Entries, of: Die) -> bool {
        self.of(entries, of).is_some_and(|it| is_wrapper_crate(&it))
    }

    /// True for a type that stands in for one of `std`.
    pub(super) fn is_drop_in(&self, entries: &Entries, of: Die) -> bool {
        self.of(entries, of).as_deref() == Some(DROP_IN_CRATE)
    }

    /// True for a crate that is neither the package under test nor one beside it. A crate is where its root is, by the
    /// name of one of its units, or else where its functions are; one without any is taken for the package's own.
    pub(super) fn is_dependency(&self, entries: &Entries, crate_name: &str) -> bool {
        if is_wrapper_crate(crate_name) {
            return true;
        }
        let Declared { left, by_crate } = &mut *self.declared.borrow_mut();
        let left = left.get_or_insert_with(|| {
            let units = (0..entries.units()).filter(|unit| is_unit_beside_tool(entries, *unit));
            // Those without a name, which are compiled incrementally, first.
            let mut left = VecDeque::new();
            for unit in units {
                match entries.root_of_unit(unit) {
                    Some((root, name)) => {
                        by_crate.insert(name, (self.is_of_dependency)(&root.to_string_lossy()));
                        left.push_back(unit);
                    }
                    None => left.push_front(unit),
                }
            }
            left
        });
        while !by_crate.contains_key(crate_name)
            && let Some(unit) = left.pop_front()
        {
            self.read_declared(entries, unit, by_crate);
        }
        by_crate.get(crate_name).copied().unwrap_or_default()
    }

    /// Adds the crates that have functions in this unit.
    fn read_declared(&self, entries: &Entries, unit: usize, by_crate: &mut HashMap<String, bool>) {
        let mut top = None;
        entries.walk(unit, |depth, entry| match entry.tag() {
            gimli::DW_TAG_namespace if depth == 1 => top = entries.name(unit, entry),
            _ if depth == 1 => top = None,
            gimli::DW_TAG_subprogram => {
                if let Some(name) = top.as_ref().filter(|name| !by_crate.contains_key(*name))
                    && let Some(file) = entries.declared_in(unit, entry)
                {
                    by_crate.insert(name.clone(), (self.is_of_dependency)(&file));
                }
            }
            _ => {}
        });
    }
}
