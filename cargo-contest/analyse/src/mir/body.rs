//! What functions are made of in MIR: blocks of statements that end in a terminator.

use super::ty::{Name, Type};

/// A variable or temporary of a function; 0 is what it returns, its parameters follow.
pub(crate) type Local = u32;
/// Number of a block.
pub(crate) type BlockId = u32;

/// One step from a place to a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Projection {
    Deref,
    /// A field by number, with its type.
    Field(u32, Type),
    /// Taken to be a variant of an enum.
    Variant(Name),
    /// An element, whichever.
    Element,
}

impl Projection {
    /// The type of what it leads to.
    pub(crate) fn of(&self, ty: &Type) -> Type {
        match (self, ty) {
            (Self::Deref, Type::Reference(_, to) | Type::Pointer(_, to)) => (**to).clone(),
            (Self::Deref, Type::Named(_, arguments)) if ty.last() == "Box" => {
                arguments.first().unwrap_or(ty).clone()
            }
            (Self::Deref | Self::Variant(_), ty) => ty.clone(),
            (Self::Field(_, ty), _) => ty.clone(),
            (Self::Element, Type::Slice(of)) => (**of).clone(),
            (Self::Element, _) => Type::Opaque("".into()),
        }
    }
}

/// A place: a local and the steps from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlaceExpression {
    pub(crate) local: Local,
    pub(crate) projections: Vec<Projection>,
}

impl PlaceExpression {
    /// The local itself, or a part of it that is stored in it.
    pub(crate) fn is_stored_locally(&self) -> bool {
        !self.projections.contains(&Projection::Deref)
    }
}

/// Something that is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Copy(PlaceExpression),
    Move(PlaceExpression),
    /// The address of a static, by its path; true if it may be written through it.
    Static(Name, bool),
    /// The value of a constant, with its type if the text says it.
    Constant(Option<Type>),
}

/// What is assigned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A value as it is, or converted; all that is read to form it.
    Of(Vec<Operand>),
    /// A number made into a pointer.
    FromNumber(Operand),
    /// The address of a place.
    Address(PlaceExpression),
    /// Something that is stored with a place: which variant it is, its length.
    About(PlaceExpression),
    /// A struct, tuple, array, enum or closure; a field may have a name.
    Aggregate(Vec<(Option<Name>, Operand)>, AggregateKind),
}

/// What an aggregate makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AggregateKind {
    Tuple,
    Array,
    /// A declared type, by its path with the variant.
    Declared(Name),
    Closure,
}

/// A place in the source: line and column, counting from 1; 0 if it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Statement {
    Assign(PlaceExpression, Value),
    /// What a form that is not known says.
    Unknown(String),
}

/// The end of a block. Ways that a panic takes are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Terminator {
    Goto(Vec<BlockId>),
    /// Goes on by the value of an operand: at the block of that value, or at the one without a value.
    Switch(Operand, Vec<(Option<u128>, BlockId)>),
    Return,
    /// Panics, or cannot be reached.
    Diverge,
    Drop(PlaceExpression, BlockId),
    Call(Call),
    Unknown(String, Vec<BlockId>),
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) callee: Callee,
    pub(crate) arguments: Vec<Operand>,
    pub(crate) result: PlaceExpression,
    /// `None` if it never returns.
    pub(crate) next: Option<BlockId>,
    /// Where the name of the function stands: what `Location::caller` reports.
    pub(crate) named_at: Position,
}

/// What is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Callee {
    /// A function pointer.
    Pointer(Operand),
    /// A function or method by path, without type arguments.
    Path(CalleePath),
}

/// The path of a callee: `<S as a::Trait<B>>::method::<C>` or `a::S::<B>::method::<C>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CalleePath {
    /// The type of `<S as Trait>` or `<S>`.
    pub(crate) self_type: Option<Type>,
    /// The trait of `<S as Trait>`.
    pub(crate) trait_: Option<Name>,
    /// Everything before the function's own name; empty behind `<S as Trait>`.
    pub(crate) owner: Name,
    /// The function's own name.
    pub(crate) name: Name,
    /// Type arguments of all segments.
    pub(crate) arguments: Vec<Type>,
}

/// A statement or terminator with its place in the source.
pub(crate) type At<T> = (T, Position);

/// One basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) statements: Vec<At<Statement>>,
    pub(crate) terminator: At<Terminator>,
    /// Runs only while a panic unwinds.
    pub(crate) cleanup: bool,
}
