//! Types of this process's memory, from its debug information: which field of which type some bytes of a block or of a
//! static are.
//!
//! The type of a block is known if a container of `std` allocated it: `Box::new`, `Arc::new` and `Vec` are compiled
//! once for each type, and debug information names it. If the sizes do not agree, nothing is said.

mod crates;
mod entries;
mod functions;
mod objects;
mod path;
mod statics;

use std::cell::RefCell;
use std::rc::Rc;

use contest_engine::memory::{Content, FieldName, ObjectField, Sought};

use crate::debug_information::DebugInformation;
use crates::{Crates, is_crate_of_tool, is_unit_beside_tool, is_unit_of_tool};
use entries::{Die, Entries};
use functions::Functions;
use objects::Named;
use statics::{Static, Statics};

/// The debug information of an executable, as far as it is about types.
pub(crate) struct Types {
    entries: Entries,
    functions: Functions,
    crates: Crates,
    statics: Statics,
    /// Types that were handed out by number.
    numbered: RefCell<Vec<Die>>,
}

impl Types {
    /// Of an executable; `None` if its debug information cannot be read. `is_of_dependency` says whether a source file
    /// is that of a dependency.
    pub(crate) fn of(
        executable: &DebugInformation,
        is_of_dependency: fn(&str) -> bool,
    ) -> Option<Self> {
        Some(Self {
            entries: Entries::new(executable.dwarf.clone())?,
            functions: Functions::default(),
            crates: Crates::new(is_of_dependency),
            statics: Statics::default(),
            numbered: RefCell::default(),
        })
    }

    /// The field at `offset`, `size` bytes of it, in a block of `block` bytes that was allocated by calls at these
    /// addresses, innermost first: `Inner.head`.
    pub(crate) fn field(
        &self,
        calls: &[u64],
        block: u64,
        offset: u64,
        size: u64,
    ) -> Option<String> {
        let content = self.type_in(calls)?;
        let each = self.entries.size(content).filter(|&each| each > 0)?;
        block.is_multiple_of(each).then(|| {
            let path = (self.crates).path(&self.entries, content, offset % each, size);
            let item = (block > each).then(|| format!("[{}]", offset / each));
            path.named(&item.unwrap_or_default())
        })
    }

    /// What blocks hold that are allocated by calls at these addresses, innermost first.
    pub(crate) fn content(&self, calls: &[u64]) -> Option<Content> {
        let content = self.type_in(calls)?;
        let size = self.entries.size(content).filter(|&each| each > 0)?;
        let mut numbered = self.numbered.borrow_mut();
        let known = numbered.iter().position(|known| *known == content);
        let number = known.unwrap_or_else(|| {
            numbered.push(content);
            numbered.len() - 1
        });
        Some(Content { number, size })
    }

    /// True if the machine code at this address is in a unit of one of the tool's own crates.
    pub(crate) fn is_unit_of_tool(&self, address: u64) -> bool {
        let unit = self.functions.unit_at(&self.entries, address);
        unit.is_some_and(|unit| is_unit_of_tool(&self.entries, unit))
    }

    /// The field of a value of this type that these bytes are.
    pub(crate) fn field_of(&self, content: usize, offset: u64, size: u64) -> Option<FieldName> {
        let content = *self.numbered.borrow().get(content)?;
        let path = self.crates.path(&self.entries, content, offset, size);
        (!path.owner.is_empty()).then(|| FieldName {
            name: path.of_any_item(),
            owner: path.owner,
        })
    }

    /// The static that these bytes are in, and the field of it: `module::TOTAL.0`.
    pub(crate) fn of_static(&self, address: u64, size: u64) -> Option<String> {
        let of = self.statics.at(&self.entries, address, |_| true)?;
        let fields = self.within(&of, address, size).fields;
        Some(format!("{}{fields}", of.name))
    }

    /// The same, unless it is one of the standard library or of the engine.
    pub(crate) fn field_of_static(&self, address: u64, size: u64) -> Option<FieldName> {
        let of = self.static_beside_tool(address)?;
        (!of.in_wrapper_crate).then(|| FieldName {
            owner: of.name.clone(),
            name: self.within(&of, address, size).of_any_item(),
        })
    }

    /// The field of a block with this content that the object or pointer at an offset is.
    pub(crate) fn object_in_block(
        &self,
        content: Content,
        block: u64,
        offset: u64,
        sought: Sought,
    ) -> Option<ObjectField> {
        let of = *self.numbered.borrow().get(content.number)?;
        if !block.is_multiple_of(content.size) {
            return None;
        }
        let (number, within) = (offset / content.size, offset % content.size);
        let item = Named::Item((block > content.size).then_some(number));
        let found = self
            .crates
            .object(&self.entries, of, within, sought, item)?;
        Some(ObjectField {
            start: found.start + number * content.size,
            ..found
        })
    }

    /// The static at this address, and the field of it that the object or pointer there is; not those of the standard
    /// library or of the tool.
    pub(crate) fn object_in_static(&self, address: u64, sought: Sought) -> Option<ObjectField> {
        let of = self.static_beside_tool(address)?;
        let crate_name = of.name.split("::").next().unwrap_or_default();
        if of.in_wrapper_crate || is_crate_of_tool(crate_name) {
            return None;
        }
        let named = Named::Static {
            name: &of.name,
            of_package: !self.crates.is_dependency(&self.entries, crate_name),
        };
        let offset = address - of.start;
        (self.crates).object(&self.entries, of.content, offset, sought, named)
    }

    /// The static at this address, unless its unit is of the tool or of `std`.
    fn static_beside_tool(&self, address: u64) -> Option<Rc<Static>> {
        let is_beside = |unit| is_unit_beside_tool(&self.entries, unit);
        self.statics.at(&self.entries, address, is_beside)
    }

    /// The field of a static that these bytes are.
    fn within(&self, of: &Static, address: u64, size: u64) -> path::Path {
        let offset = address - of.start;
        (self.crates).path(&self.entries, of.content, offset, size)
    }

    fn type_in(&self, calls: &[u64]) -> Option<Die> {
        let mut calls = calls.iter();
        calls.find_map(|&call| self.functions.content(&self.entries, call))
    }
}

#[cfg(test)]
mod tests;
