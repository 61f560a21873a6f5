//! Accesses to memory that are not operations of a drop-in type.

use super::event::ThreadIndex;
use super::frame::Origin;
use super::race::Place;

/// A field of an annotated type, or of a type that is known from debug information.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Field {
    /// Name of the type.
    pub owner: &'static str,
    /// Name of the field, with those of types in it: `pairs[].1`. Empty if all of the owner is meant.
    pub name: &'static str,
}

impl std::fmt::Display for Field {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.owner)?;
        if self.name.is_empty() {
            return Ok(());
        }
        write!(f, ".{}", self.name)
    }
}

/// An access by compiled code, symbolised from debug information. Each value exists once in a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AccessSymbols {
    /// Source file of the innermost function of the code under test; its name if the file is not known.
    pub file: &'static str,
    /// Line there, counting from 1; 0 if it is not known.
    pub line: u32,
    /// Column, likewise.
    pub column: u32,
    /// What was accessed. If the field is not known, `owner` describes the location:
    /// `bytes 8..16 of a block allocated at src/lib.rs:10:5`.
    pub field: Field,
    /// The origin of the code that made the access.
    pub origin: Origin,
    /// The field is one of a type of the code under test.
    pub known: bool,
}

impl AccessSymbols {
    /// True for accesses by the code under test of fields of its types: these distinguish the behaviours of calls.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.known && self.origin == Origin::UnderTest
    }
}

/// One such access. Those that repeat another by the same thread, with no synchronisation between, may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainAccess {
    /// The thread.
    pub thread: ThreadIndex,
    /// Visible operations of the execution before it.
    pub step: u32,
    /// Where in the program.
    pub place: Place,
    /// True for a write.
    pub writes: bool,
    /// Names the location within the execution; no meaning beyond.
    pub location: usize,
    /// Number of bytes; 0 if it is not known.
    pub size: usize,
    /// The field, if an annotation reported it; such accesses are not held against each other for races.
    pub field: Option<Field>,
    /// The access symbolised, in executions whose accesses are symbolised.
    pub symbols: Option<&'static AccessSymbols>,
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
    /// True if the data behind locks has plain accesses of its own here. Accesses that annotations report do not count,
    /// because they are incomplete.
    pub fn cover_contents(&self) -> bool {
        self.list.iter().any(|access| access.field.is_none())
    }

    /// Adds one, or counts it if there are too many.
    pub fn push(&mut self, access: PlainAccess) {
        if self.list.len() < MOST {
            self.list.push(access);
        } else {
            self.dropped += 1;
        }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.list.clear();
        self.dropped = 0;
    }
}
