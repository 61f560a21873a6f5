//! Atomic sets: which fields belong together (Vaziri, Tip and Dolby, POPL 2006). Patterns over two locations break the
//! atomicity of a call only if both locations are of one set. By default all are of one; a user may group fields.
//!
//! The engine knows objects by number, not by field. Static analysis knows at which places in the source which field is
//! accessed; an object is of the sets of all places that accessed it in an execution. Deviation: an object that was
//! accessed only where the field is not known (a helper that is given a reference, code of another package) is of every
//! set, so that nothing is left out for it.

use std::collections::HashMap;

use crate::sorted;
use crate::trace::{Event, ExecutionRecord, ObjectId};

/// Most sets: one bit each.
pub const MOST_SETS: usize = 64;

/// Sets of an object of which no access is known.
pub(crate) const EVERY_SET: u64 = u64::MAX;

/// A place in the source that accesses a field, with the sets of that field.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FieldSite {
    /// Source file, as the compiler names it.
    pub file: String,
    /// Line, counting from 1.
    pub line: u32,
    /// Column, counting from 1.
    pub column: u32,
    /// A bit for each set that the field is in.
    pub sets: u64,
}

/// The sets of fields, by the places that access them. The default is that all fields are of one set.
///
/// # Examples
/// ```
/// use contest_data::atomic_sets::{AtomicSets, FieldSite};
///
/// assert!(AtomicSets::default().is_one());
/// let site = FieldSite { file: "src/lib.rs".to_owned(), line: 7, column: 16, sets: 0b10 };
/// assert!(!AtomicSets::new(&[site]).is_one());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(from = "Vec<FieldSite>", into = "Vec<FieldSite>")
)]
pub struct AtomicSets {
    by_file: HashMap<String, HashMap<(u32, u32), u64>>,
}

impl AtomicSets {
    /// Of these places; a place that is there twice is of the sets of both.
    #[must_use]
    pub fn new(sites: &[FieldSite]) -> Self {
        let mut by_file: HashMap<String, HashMap<(u32, u32), u64>> = HashMap::new();
        for site in sites {
            let lines = by_file.entry(site.file.clone()).or_default();
            *lines.entry((site.line, site.column)).or_default() |= site.sets;
        }
        Self { by_file }
    }

    /// True if all fields are of one set.
    #[must_use]
    pub fn is_one(&self) -> bool {
        self.by_file.is_empty()
    }

    /// The places, in the order of the source.
    #[must_use]
    pub fn sites(&self) -> Vec<FieldSite> {
        let mut sites = Vec::new();
        for (file, places) in &self.by_file {
            for (&(line, column), &sets) in places {
                sites.push(FieldSite {
                    file: file.clone(),
                    line,
                    column,
                    sets,
                });
            }
        }
        sorted::sort_by(&mut sites, |a, b| {
            (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column))
        });
        sites
    }

    fn of_site(&self, event: &Event) -> u64 {
        let lines = self.by_file.get(event.location.file());
        let place = (event.location.line(), event.location.column());
        lines
            .and_then(|lines| lines.get(&place))
            .copied()
            .unwrap_or(0)
    }

    /// The sets of the objects of an execution, by number. Empty if all are of one set.
    #[must_use]
    pub fn of_objects(&self, record: &ExecutionRecord) -> ObjectSets {
        let mut sets = Vec::new();
        if !self.is_one() {
            sets.resize(record.objects.len(), 0);
            for event in &record.events {
                if let Some(sets) = sets.get_mut(event.object.0 as usize) {
                    *sets |= self.of_site(event);
                }
            }
        }
        ObjectSets { sets }
    }
}

#[cfg(feature = "serde")]
impl From<Vec<FieldSite>> for AtomicSets {
    fn from(sites: Vec<FieldSite>) -> Self {
        Self::new(&sites)
    }
}

#[cfg(feature = "serde")]
impl From<AtomicSets> for Vec<FieldSite> {
    fn from(sets: AtomicSets) -> Self {
        sets.sites()
    }
}

/// The sets of the objects of one execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectSets {
    sets: Vec<u64>,
}

impl ObjectSets {
    /// The sets of an object; all of them if no field is known for it.
    pub fn of(&self, object: ObjectId) -> u64 {
        match self.sets.get(object.0 as usize) {
            None | Some(0) => EVERY_SET,
            Some(sets) => *sets,
        }
    }

    /// True if the two objects have a set in common.
    pub fn relate(&self, one: ObjectId, other: ObjectId) -> bool {
        self.of(one) & self.of(other) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_of_unknown_fields_are_of_every_set() {
        let sets = ObjectSets {
            sets: vec![0b01, 0b10, 0, 0b11],
        };
        let relate = |one, other| sets.relate(ObjectId(one), ObjectId(other));
        assert!(!relate(0, 1));
        assert!(relate(0, 2) && relate(1, 2), "nothing is known of 2");
        assert!(relate(0, 3) && relate(1, 3), "3 is in both sets");
        assert!(relate(0, 9), "a location beyond the objects");
    }
}
