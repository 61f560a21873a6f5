//! Why something of a package cannot be used in a test. Each is shown beside the item that is left out.

use contest_catalog::skipped::Skipped;

/// Why a value cannot be made, a function cannot be called, or a type is not a subject.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Obstacle {
    #[error("takes a type that cannot be made: {0}")]
    CannotMake(String),
    #[error("an array of unknown length `{0}`")]
    ArrayLength(String),
    #[error("`{0}` would have to be made inside other values")]
    TooDeep(String),
    #[error("{ty} is not {bound}")]
    BoundFails { ty: String, bound: String },
    #[error("no type known for `{bounds}`{}", because(.reason.as_deref()))]
    NoTypeFor {
        bounds: String,
        reason: Option<Box<Obstacle>>,
    },
    #[error("no types satisfy its bounds")]
    NoTypes,

    #[error("unsafe fn")]
    Unsafe,
    #[error("#[doc(hidden)]")]
    Hidden,
    #[error("a trait's function without a type")]
    NoSelf,

    #[error("`{0}` has no public path")]
    PrivateType(String),
    #[error("trait `{0}` has no public path")]
    PrivateTrait(String),
    #[error("`{0}` cannot be written")]
    CannotWrite(String),

    #[error("two traits are named `{0}`")]
    SameTraitName(String),
    #[error("trait `{0}` is of another crate")]
    ForeignTrait(String),
    #[error("`{0}` is no trait")]
    NoTrait(String),
    #[error("trait `{0}` is unsafe to implement")]
    UnsafeTrait(String),
    #[error("trait `{0}` has parameters")]
    TraitWithParameters(String),
    #[error("trait `{name}` requires `{supertrait}`")]
    Supertrait { name: String, supertrait: String },
    #[error("`{0}` of the trait cannot be written")]
    TraitMethod(String),

    #[error("not documented")]
    Undocumented,
    #[error("not a type")]
    NoType,
    #[error("without a path")]
    NoPath,
    #[error("alias of a type of std")]
    AliasOfStd,
    #[error("alias of a type whose documentation was not read")]
    AliasOfUnread,

    #[error("the same type as {0}")]
    SameType(String),
    #[error("not Sync")]
    NotSync,
    #[error("not Send")]
    NotSend,
    #[error("borrows from another object")]
    Borrows,
    #[error("nothing in it can change while it is shared")]
    Constant,
    #[error("no operation that takes a shared reference{}", example(.0.as_ref()))]
    NoOperation(Option<Skipped>),
    #[error("no safe method takes a shared reference")]
    NoSharedMethod,
    #[error("no way to make one{}", example(.0.as_ref()))]
    NoConstructor(Option<Skipped>),

    #[error("takes the object in a way that is not supported")]
    Receiver,
    #[error("takes an end of another pair")]
    OtherPair,
}

impl Obstacle {
    /// True if the type could be used, but not by itself.
    pub(crate) fn wants_a_subject(&self) -> bool {
        matches!(
            self,
            Self::NoOperation(_) | Self::NoSharedMethod | Self::NoConstructor(_)
        )
    }
}

fn because(reason: Option<&Obstacle>) -> String {
    reason.map_or_else(String::new, |it| format!(": {it}"))
}

fn example(first: Option<&Skipped>) -> String {
    first.map_or_else(String::new, |it| format!(" ({}: {})", it.item, it.why))
}
