//! The way into a type, to the field that some bytes of a value are.

use super::crates::Crates;
use super::entries::{Die, Entries};

/// Most types that lie within each other; deeper ones are not entered.
pub(super) const MOST_LEVELS: usize = 64;

/// A way into a type.
#[derive(Debug, Default)]
pub(super) struct Path {
    /// The type that it began with.
    whole: String,
    /// The first type on the way that is no wrapper; empty if there is none.
    pub(super) owner: String,
    /// Fields of it and of types in it: `.value.0[3]`.
    pub(super) fields: String,
}

impl Path {
    pub(super) fn named(&self, item: &str) -> String {
        let owner = if self.owner.is_empty() {
            &self.whole
        } else {
            &self.owner
        };
        format!("{owner}{item}{}", self.fields)
    }

    /// The fields with the numbers of items left away: `value.0[]`. All items of an array are one.
    pub(super) fn of_any_item(&self) -> String {
        let mut text = String::new();
        let mut in_brackets = false;
        for next in self.fields.trim_start_matches('.').chars() {
            in_brackets = in_brackets && next != ']';
            if !in_brackets {
                text.push(next);
            }
            in_brackets |= next == '[';
        }
        text
    }
}

impl Crates {
    /// Goes into the type as deep as the bytes are within one field.
    pub(super) fn path(&self, entries: &Entries, content: Die, mut offset: u64, size: u64) -> Path {
        let mut path = Path {
            whole: entries.type_name(content),
            ..Path::default()
        };
        let mut at = content;
        for _ in 0..MOST_LEVELS {
            let Some(entry) = entries.entry(at) else {
                break;
            };
            let name = entries.type_name(at);
            let within = match entry.tag() {
                gimli::DW_TAG_structure_type => true,
                // The only unions in which one field is what everybody means.
                gimli::DW_TAG_union_type => name.starts_with("MaybeUninit<"),
                gimli::DW_TAG_array_type => {
                    let Some(item) = entries.reference(at.unit, &entry, gimli::DW_AT_type) else {
                        break;
                    };
                    let Some(each) = entries.size(item).filter(|&each| each > 0) else {
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
            if !within {
                break;
            }
            let Some((name, start, content)) = member(entries, at, offset, size) else {
                break;
            };
            if !self.is_wrapper(entries, at) {
                if path.owner.is_empty() {
                    path.owner = entries.type_name(at);
                }
                path.fields.push('.');
                path.fields.push_str(name.trim_start_matches("__"));
            }
            (at, offset) = (content, offset - start);
        }
        path
    }
}

/// The member of a type that these bytes are in: its name, where it begins, its type.
pub(super) fn member(
    entries: &Entries,
    of: Die,
    offset: u64,
    size: u64,
) -> Option<(String, u64, Die)> {
    let members = entries.children(of, gimli::DW_TAG_member).into_iter();
    members
        .filter_map(|member| {
            let entry = entries.entry(member)?;
            let start = entry
                .attr_value(gimli::DW_AT_data_member_location)
                .ok()?
                .map_or(Some(0), |value| value.udata_value())?;
            let content = entries.reference(member.unit, &entry, gimli::DW_AT_type)?;
            let end = start + entries.size(content)?;
            (start <= offset && offset + size <= end).then(|| {
                let name = entries.name(member.unit, &entry).unwrap_or_default();
                (name, start, content)
            })
        })
        .next()
}
