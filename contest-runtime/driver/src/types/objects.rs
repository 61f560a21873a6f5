//! The fields that objects are: locks, atomics, channels; and pointers that lead to them.
//!
//! Unlike a plain access, which is named as deep as types go, an object has the name of the innermost field of the
//! package's own types: what is in a lock of a dependency is that lock to its user.

use contest_engine::memory::{ObjectField, Sought};

use super::crates::{Crates, is_crate_of_tool};
use super::entries::{Die, Entries};
use super::path::{MOST_LEVELS, member};

/// The way to an object.
#[derive(Debug, Default)]
struct Way {
    /// The first type on it that is the package's own.
    owner: String,
    /// Fields of that and of types in it that are the package's own.
    fields: String,
    /// Where the last of them begins.
    start: u64,
    /// The same of types of dependencies, as long as none is the package's own.
    foreign_owner: String,
    foreign_fields: String,
    /// Fields of types of dependencies after the last one of the package's own.
    part: Vec<String>,
    /// The number of an item of an array that is in nothing with a name.
    item: Option<u64>,
}

impl Crates {
    /// The field that the object or pointer at an offset of a value of this type is. `item` stands between the type and
    /// its fields, as in `Shard[3].lock`; a static stands in place of the type.
    pub(super) fn object(
        &self,
        entries: &Entries,
        content: Die,
        offset: u64,
        sought: Sought,
        of: Named<'_>,
    ) -> Option<ObjectField> {
        let mut way = Way::default();
        if let Named::Static { name, of_package } = of {
            let owner = if of_package {
                &mut way.owner
            } else {
                &mut way.foreign_owner
            };
            name.clone_into(owner);
        }
        let end = self.follow(entries, content, offset, sought, &mut way);
        if sought == Sought::Pointer && !may_be_pointer(entries, end) {
            return None;
        }
        let item = match of {
            Named::Item(number) => way.item.or(number),
            Named::Static { .. } => None,
        };
        let is_static = matches!(of, Named::Static { .. });
        let of_package = !way.owner.is_empty() && (is_static || !way.fields.is_empty());
        let known = !way.foreign_owner.is_empty() && (is_static || !way.foreign_fields.is_empty());
        let number = item.map(|number| format!("[{number}]")).unwrap_or_default();
        let name = match (of_package, known) {
            (true, _) => format!("{}{number}{}", way.owner, way.fields),
            (false, true) => format!("{}{number}{}", way.foreign_owner, way.foreign_fields),
            (false, false) => String::new(),
        };
        Some(ObjectField {
            name,
            item,
            start: if of_package { way.start } else { offset },
            part: way.part,
            of_package,
        })
    }

    /// Goes into the type as deep as it is known; returns where it ends.
    fn follow(
        &self,
        entries: &Entries,
        content: Die,
        offset: u64,
        sought: Sought,
        way: &mut Way,
    ) -> Die {
        let size = match sought {
            Sought::Object(_) => 1,
            Sought::Pointer => size_of::<usize>() as u64,
        };
        // From the beginning of the innermost type to what is sought.
        let mut within = offset;
        let mut at = content;
        for _ in 0..MOST_LEVELS {
            let Some(entry) = entries.entry(at) else {
                break;
            };
            match entry.tag() {
                gimli::DW_TAG_structure_type => {}
                gimli::DW_TAG_union_type if entries.type_name(at).starts_with("MaybeUninit<") => {}
                gimli::DW_TAG_array_type => {
                    let item = entries.reference(at.unit, &entry, gimli::DW_AT_type);
                    let Some(item) = item else { break };
                    let Some(each) = entries.size(item).filter(|&each| each > 0) else {
                        break;
                    };
                    way.enter_item(within / each, offset - within % each);
                    (at, within) = (item, within % each);
                    continue;
                }
                _ => break,
            }
            if self.is_object(entries, at, sought) {
                break;
            }
            let Some((name, start, next)) = member(entries, at, within, size) else {
                break;
            };
            within -= start;
            if !self.is_wrapper(entries, at) && !self.is_of_tool(entries, at) {
                let of_type = entries.type_name(at);
                let of_type = without_arguments(&of_type);
                let of = match self.of(entries, at) {
                    Some(it) if self.is_dependency(entries, &it) && !is_crate_of_tool(&it) => {
                        Owner::Dependency(format!("{it}::{of_type}"))
                    }
                    Some(_) => Owner::Package(of_type),
                    None if of_type.starts_with('(') => Owner::Tuple,
                    None => Owner::Unnamed,
                };
                way.enter(&of, name.trim_start_matches("__"), offset - within);
            }
            at = next;
        }
        at
    }

    /// True for the drop-in type of the object that is sought: what the lock protects may begin where it does.
    fn is_object(&self, entries: &Entries, of: Die, sought: Sought) -> bool {
        let Sought::Object(what) = sought else {
            return false;
        };
        self.is_drop_in(entries, of) && without_arguments(&entries.type_name(of)) == what
    }
}

/// The type of a field that is on the way.
#[derive(Debug)]
enum Owner<'a> {
    Package(&'a str),
    /// With its crate.
    Dependency(String),
    /// Belongs to the type that it is in; by itself it has no name.
    Tuple,
    /// A slice and the like.
    Unnamed,
}

impl Way {
    /// Into a field that begins so far from the beginning.
    fn enter(&mut self, of: &Owner<'_>, field: &str, start: u64) {
        let of_package = !self.owner.is_empty() && self.part.is_empty();
        match of {
            Owner::Unnamed => return,
            Owner::Tuple if self.owner.is_empty() && self.foreign_owner.is_empty() => return,
            Owner::Package(owner) if self.owner.is_empty() => (*owner).clone_into(&mut self.owner),
            Owner::Dependency(owner) if self.owner.is_empty() && self.foreign_owner.is_empty() => {
                owner.clone_into(&mut self.foreign_owner);
            }
            _ => {}
        }
        if matches!(of, Owner::Package(_)) || matches!(of, Owner::Tuple) && of_package {
            self.fields.push_str(&format!(".{field}"));
            self.start = start;
            self.part.clear();
            return;
        }
        if self.owner.is_empty() {
            self.foreign_fields.push_str(&format!(".{field}"));
        }
        self.part.push(field.to_owned());
    }

    /// Into an item of an array.
    fn enter_item(&mut self, number: u64, start: u64) {
        if !self.owner.is_empty() && self.part.is_empty() {
            self.fields.push_str(&format!("[{number}]"));
            self.start = start;
        } else if self.owner.is_empty() && !self.foreign_owner.is_empty() {
            self.foreign_fields.push_str(&format!("[{number}]"));
        } else if self.owner.is_empty() {
            self.item = Some(number);
        }
    }
}

/// What a value belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Named<'a> {
    /// A block: its number among several values in it.
    Item(Option<u64>),
    /// A static.
    Static { name: &'a str, of_package: bool },
}

/// A pointer, or an enum that may hold one.
fn may_be_pointer(entries: &Entries, of: Die) -> bool {
    let Some(entry) = entries.entry(of) else {
        return false;
    };
    match entry.tag() {
        gimli::DW_TAG_pointer_type => true,
        gimli::DW_TAG_structure_type => {
            !entries.children(of, gimli::DW_TAG_variant_part).is_empty()
        }
        _ => false,
    }
}

/// `Registry` of `Registry<u32>`.
fn without_arguments(name: &str) -> &str {
    name.split_once('<').map_or(name, |(name, _)| name)
}
