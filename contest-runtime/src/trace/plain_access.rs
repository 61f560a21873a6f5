//! Accesses to memory that are not operations of a drop-in type.

use super::event::ThreadIndex;
use super::race::Place;

/// A field of an annotated type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Field {
    /// Name of the type.
    pub owner: &'static str,
    /// Name of the field.
    pub name: &'static str,
}

impl std::fmt::Display for Field {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.owner, self.name)
    }
}

/// One such access. Those that repeat another by the same thread, with no synchronisation between, may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainAccess {
    /// Who.
    pub thread: ThreadIndex,
    /// Visible operations of the execution before it.
    pub step: u32,
    /// Where in the program.
    pub place: Place,
    /// True for a write.
    pub writes: bool,
    /// Names the location within the execution; no meaning beyond.
    pub location: usize,
    /// The field, if an annotation reported it; such accesses are not held against each other for races.
    pub field: Option<Field>,
}

/// The plain accesses of an execution in order. Empty unless cells of drop-in types or the memory layer reported any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlainAccesses {
    /// In order of execution.
    pub list: Vec<PlainAccess>,
    /// Further ones, not kept.
    pub dropped: u64,
}

/// Most that are kept of an execution.
#[cfg(feature = "explore")]
const MOST: usize = 100_000;

#[cfg(feature = "explore")]
impl PlainAccesses {
    /// True if what is behind locks is seen by its own accesses. Those that annotations report are some of them, not all.
    pub(crate) fn tell_contents(&self) -> bool {
        self.list.iter().any(|access| access.field.is_none())
    }

    /// Adds one, or counts it if there are too many.
    pub(crate) fn push(&mut self, access: PlainAccess) {
        if self.list.len() < MOST {
            self.list.push(access);
        } else {
            self.dropped += 1;
        }
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.dropped = 0;
    }
}
