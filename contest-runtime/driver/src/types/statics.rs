//! Statics of the executable by address.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::crates::is_wrapper_crate;
use super::entries::{Die, Entries};

/// A static.
#[derive(Debug)]
pub(super) struct Static {
    pub(super) start: u64,
    end: u64,
    /// `module::TOTAL`.
    pub(super) name: String,
    pub(super) content: Die,
    /// It is one of the standard library or of the engine.
    pub(super) in_wrapper_crate: bool,
}

impl Static {
    pub(super) fn contains(&self, address: u64) -> bool {
        (self.start..self.end).contains(&address)
    }
}

/// Statics by unit. A unit is read as a whole when its first static is looked up.
#[derive(Debug, Default)]
pub(super) struct Statics(RefCell<HashMap<usize, Vec<Rc<Static>>>>);

impl Statics {
    /// The static at an address, if it is in one of these units.
    pub(super) fn at(
        &self,
        entries: &Entries,
        address: u64,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Option<Rc<Static>> {
        let mut known = self.0.borrow_mut();
        let units = entries.units_of_static(address).into_iter();
        units.filter(|unit| is_wanted(*unit)).find_map(|unit| {
            let statics = known.entry(unit);
            let statics = statics.or_insert_with(|| statics_of(entries, unit));
            statics.iter().find(|it| it.contains(address)).cloned()
        })
    }
}

fn statics_of(entries: &Entries, unit: usize) -> Vec<Rc<Static>> {
    let mut found = Vec::new();
    let mut inside: Vec<(isize, String)> = Vec::new();
    entries.walk(unit, |depth, entry| {
        while inside.last().is_some_and(|(outer, _)| *outer >= depth) {
            inside.pop();
        }
        if entry.tag() == gimli::DW_TAG_namespace {
            inside.push((depth, entries.name(unit, entry).unwrap_or_default()));
        }
        if entry.tag() == gimli::DW_TAG_variable
            && let Some(start) = entries.fixed_address(unit, entry)
            && let Some(content) = entries.reference(unit, entry, gimli::DW_AT_type)
            && let Some(size) = entries.size(content)
        {
            let mut name: Vec<&str> = inside.iter().map(|(_, name)| name.as_str()).collect();
            let in_wrapper_crate = name.first().is_some_and(|of| is_wrapper_crate(of));
            let own = entries.name(unit, entry);
            name.extend(own.as_deref());
            found.push(Rc::new(Static {
                start,
                end: start + size,
                name: name.join("::"),
                content,
                in_wrapper_crate,
            }));
        }
    });
    found
}
