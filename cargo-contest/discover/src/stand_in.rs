//! A type that the driver declares: its name, and the traits it implements.

use super::holds::Holds;
use super::rust_type::RustType;
use super::std_paths::is_std;
use contest_catalog::expression::Expression;

/// A declared type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StandIn {
    /// Name of the type in the driver; also its path in discovery's types.
    pub(crate) name: String,
    pub(crate) trait_path: String,
    /// Supertraits that it implements too.
    pub(crate) also: Vec<String>,
    pub(crate) associated: Vec<(String, RustType)>,
    pub(crate) source: Expression,
    /// Traits that most stand-ins implement and this one does not.
    pub(crate) lacks: &'static [&'static str],
    /// Constants of the type that do not do all as is expected of them.
    pub(crate) modes: Vec<String>,
}

/// The stand-in that is `Send` and not `Sync`: a type of the engine, which sees two threads use it at once.
pub(crate) const UNSHARED: &str = "Unshared";

/// The stand-in that is `Sync` and not `Send`: a type of the engine, which sees one thread drop what another one made.
pub(crate) const UNSENT: &str = "Unsent";

/// How the names of other stand-ins begin.
pub(crate) const PREFIX: &str = "StandIn";

/// How the names of stand-ins begin that carry an [`UNSENT`].
pub(crate) const CARRIES: &str = "UnsentIn";

/// A type without a size.
pub(crate) const ZST: &str = "Zst";

/// A type with a larger alignment than allocators give by themselves.
pub(crate) const ALIGNED: &str = "Aligned";

/// A future, with a type argument for its output: ready at once, or when another thread has woken it.
pub(crate) const LATER: &str = "Later";

/// True if a word is a name that only discovery declares.
#[must_use]
pub(super) fn is_declared(word: &str) -> bool {
    let known = [UNSHARED, UNSENT, ZST, ALIGNED, LATER];
    known.contains(&word) || [PREFIX, CARRIES].iter().any(|it| word.starts_with(it))
}

/// Traits that each stand-in derives or implements automatically.
pub(super) const ALWAYS: &[&str] = &[
    "core::clone::Clone",
    "core::marker::Copy",
    "core::fmt::Debug",
    "core::default::Default",
    "core::cmp::PartialEq",
    "core::cmp::Eq",
    "core::cmp::PartialOrd",
    "core::cmp::Ord",
    "core::hash::Hash",
    "core::marker::Send",
    "core::marker::Sync",
    "core::marker::Unpin",
    "core::panic::unwind_safe::UnwindSafe",
    "core::panic::unwind_safe::RefUnwindSafe",
    "core::any::Any",
];

impl StandIn {
    pub(crate) fn holds(&self, trait_: &str) -> Holds {
        let has = self.trait_path == trait_
            || self.also.iter().any(|it| it == trait_)
            || ALWAYS.contains(&trait_);
        (has && !self.lacks.contains(&trait_)).into()
    }

    pub(crate) fn associated(&self, name: &str) -> Option<RustType> {
        let (_, ty) = self.associated.iter().find(|(own, _)| own == name)?;
        Some(ty.clone())
    }
}

/// True for traits that stand-ins are made for.
pub(crate) fn may_stand_in(path: &str) -> bool {
    !is_std(path)
}
