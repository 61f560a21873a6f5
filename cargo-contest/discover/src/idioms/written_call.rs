//! A call as somebody wrote it.

use std::collections::BTreeSet;

use crate::signature::{Owner, Signature};
use crate::std_paths::last_segment;

/// A call, without its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CallIdiom {
    /// What stands before its name.
    pub(super) of: Receiver,
    /// Arguments that need nothing but what is said with them; `None` for others.
    pub(super) arguments: Vec<Option<Written>>,
    /// What it returns is unwrapped, so the arguments are right ones.
    pub(super) is_unwrapped: bool,
    /// `tests/pool.rs:12`
    pub(super) location: String,
}

/// What a call stands behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Receiver {
    /// `pool.get(…)`, with the names of types where `pool` is made.
    Value(BTreeSet<String>),
    /// `Pool::get(…)`, `a::get(…)`: the segment before the name.
    Path(String),
    /// `get(…)`
    Nothing,
}

/// An argument as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// For reports.
    pub(crate) text: String,
    /// With the `use` and `let` it needs, without a `&` in front.
    pub(crate) expression: String,
    /// What stood in front: nothing, `&` or `&mut `.
    pub(crate) reference: &'static str,
    /// The text that it is, as source: that of `"a"`, `"a".into()` or `Name::from("a")`.
    pub(super) literal: Option<String>,
}

impl Receiver {
    /// True if this may be a call of the function, by all that can be seen without types.
    pub(super) fn is_of(&self, function: &Signature) -> bool {
        match (self, &function.owner) {
            (Self::Value(made_of), Owner::Inherent(owner)) => {
                function.is_method() && made_of.contains(last_segment(owner.path()))
            }
            (Self::Value(_), _) => false,
            (_, _) if function.is_method() => false,
            (Self::Path(before), Owner::Inherent(owner)) => before == last_segment(owner.path()),
            (Self::Path(before), Owner::Free(_)) => !starts_upper(before),
            (Self::Nothing, owner) => matches!(owner, Owner::Free(_)),
            (Self::Path(_), Owner::Trait(_)) => false,
        }
    }
}

pub(super) fn starts_upper(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}
