//! Whether types satisfy bounds: the answer, and the interface to what finds it.

use super::rust_type::{RustType, TraitBound};

/// Answer to a question about a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Holds {
    No,
    Maybe,
    Yes,
}

impl Holds {
    pub(crate) fn and(self, other: Self) -> Self {
        self.min(other)
    }
}

impl From<bool> for Holds {
    fn from(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }
}

/// Answers questions about the parts of a type, which what is known of `std` leads to.
pub(super) trait PartBounds {
    /// Whether a part satisfies a bound. `depth` counts the bounds that led there.
    fn holds_at(&self, ty: &RustType, bound: &TraitBound, depth: usize) -> Holds;

    /// What iterating over a value gives.
    fn item_of_iterable(&self, ty: &RustType) -> Option<RustType>;
}
