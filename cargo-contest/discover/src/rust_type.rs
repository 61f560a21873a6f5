//! Types as discovery reasons about them: paths are definition paths (`alloc::string::String`), so a type has one name
//! in every crate.

use std::collections::HashMap;

/// Values of generic parameters by name.
pub(crate) type Substitution = HashMap<String, TypeArgument>;

/// A type, with or without free parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RustType {
    /// `u32`, `str`, `never`.
    Primitive(String),
    /// A struct, enum, union or alias that could not be expanded.
    Named {
        /// Definition path.
        path: String,
        /// Arguments, lifetimes included, without trailing defaults.
        arguments: Vec<TypeArgument>,
    },
    /// A generic parameter, `Self` included.
    Parameter(String),
    Tuple(Vec<RustType>),
    Slice(Box<RustType>),
    Array(Box<RustType>, String),
    Reference {
        mutable: bool,
        to: Box<RustType>,
    },
    RawPointer,
    /// `fn(A) -> B`; also what a closure argument becomes.
    Function {
        inputs: Vec<RustType>,
        output: Box<RustType>,
    },
    Dyn(Vec<TraitBound>),
    Impl(Vec<TraitBound>),
    /// `<of as trait_>::name`.
    Projection {
        of: Box<RustType>,
        trait_: Option<Box<TraitBound>>,
        name: String,
    },
    /// Types that the tool does not support (`_`, pattern types, unsafe function pointers).
    Unknown,
}

/// One generic argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TypeArgument {
    /// Any lifetime: they are not distinguished.
    Lifetime,
    Type(RustType),
    Const(String),
}

/// `Trait<Args, Name = Type>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TraitBound {
    /// Definition path of the trait.
    pub(crate) path: String,
    /// For `Fn` traits one tuple.
    pub(crate) arguments: Vec<TypeArgument>,
    /// Associated types that are fixed.
    pub(crate) equalities: Vec<(String, RustType)>,
    /// Associated types that are bounded.
    pub(crate) constraints: Vec<(String, Vec<TraitBound>)>,
}

impl TraitBound {
    pub(crate) fn plain(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            arguments: Vec::new(),
            equalities: Vec::new(),
            constraints: Vec::new(),
        }
    }

    /// Arguments that are types.
    pub(crate) fn types(&self) -> impl Iterator<Item = &RustType> {
        self.arguments.iter().filter_map(TypeArgument::as_type)
    }

    pub(crate) fn substitute(&self, by: &Substitution) -> Self {
        Self {
            path: self.path.clone(),
            arguments: self.arguments.iter().map(|it| it.substitute(by)).collect(),
            equalities: self
                .equalities
                .iter()
                .map(|(name, ty)| (name.clone(), ty.substitute(by)))
                .collect(),
            constraints: self
                .constraints
                .iter()
                .map(|(name, bounds)| {
                    let bounds = bounds.iter().map(|it| it.substitute(by)).collect();
                    (name.clone(), bounds)
                })
                .collect(),
        }
    }

    fn visit(&self, visit: &mut dyn FnMut(&RustType)) {
        self.types().for_each(|it| it.visit(visit));
        self.equalities.iter().for_each(|(_, ty)| ty.visit(visit));
        for (_, bounds) in &self.constraints {
            bounds.iter().for_each(|it| it.visit(visit));
        }
    }

    /// `Fn`, `FnMut`, `FnOnce` or an async form: inputs and output.
    pub(crate) fn as_callable(&self) -> Option<(Vec<RustType>, RustType)> {
        let name = self.path.strip_prefix("core::ops::function::")?;
        if !matches!(name, "Fn" | "FnMut" | "FnOnce") {
            return None;
        }
        let Some(RustType::Tuple(inputs)) = self.types().next() else {
            return None;
        };
        let output = self
            .equalities
            .iter()
            .find(|(name, _)| name == "Output")
            .map_or(RustType::unit(), |(_, ty)| ty.clone());
        Some((inputs.clone(), output))
    }

    /// `'static`-like and `?Sized` bounds are not kept; this is true for the ones that always hold.
    pub(crate) fn is_trivial(&self) -> bool {
        self.path == "core::marker::Sized"
    }
}

impl TypeArgument {
    pub(crate) fn as_type(&self) -> Option<&RustType> {
        match self {
            Self::Type(ty) => Some(ty),
            _ => None,
        }
    }

    fn substitute(&self, by: &Substitution) -> Self {
        match self {
            Self::Type(ty) => Self::Type(ty.substitute(by)),
            Self::Const(name) => by.get(name).unwrap_or(self).clone(),
            Self::Lifetime => self.clone(),
        }
    }
}

impl RustType {
    pub(crate) fn primitive(name: &str) -> Self {
        Self::Primitive(name.to_owned())
    }

    pub(crate) fn unit() -> Self {
        Self::Tuple(Vec::new())
    }

    pub(crate) fn named(path: &str, arguments: impl IntoIterator<Item = RustType>) -> Self {
        Self::Named {
            path: path.to_owned(),
            arguments: arguments.into_iter().map(TypeArgument::Type).collect(),
        }
    }

    pub(crate) fn string() -> Self {
        Self::named("alloc::string::String", [])
    }

    pub(crate) fn reference(to: RustType) -> Self {
        Self::Reference {
            mutable: false,
            to: Box::new(to),
        }
    }

    /// Definition path and arguments of a named type.
    pub(crate) fn as_named(&self) -> Option<(&str, &[TypeArgument])> {
        match self {
            Self::Named { path, arguments } => Some((path, arguments)),
            _ => None,
        }
    }

    /// The path of a named type, else an empty string.
    pub(crate) fn path(&self) -> &str {
        self.as_named().map_or("", |(path, _)| path)
    }

    /// Type argument number `index`, lifetimes and constants not counted.
    pub(crate) fn argument(&self, index: usize) -> Option<&RustType> {
        let (_, arguments) = self.as_named()?;
        arguments
            .iter()
            .filter_map(TypeArgument::as_type)
            .nth(index)
    }

    pub(crate) fn is_unit(&self) -> bool {
        matches!(self, Self::Tuple(items) if items.is_empty())
    }

    /// True if no generic parameter, projection or unknown part is left.
    pub(crate) fn is_closed(&self) -> bool {
        let mut closed = true;
        self.visit(&mut |it| {
            closed &= !matches!(
                it,
                Self::Parameter(_) | Self::Projection { .. } | Self::Unknown
            );
        });
        closed
    }

    /// True if `name` occurs.
    pub(crate) fn mentions(&self, name: &str) -> bool {
        let mut found = false;
        self.visit(&mut |it| found |= matches!(it, Self::Parameter(own) if own == name));
        found
    }

    /// True if `part` is the type or a part of it.
    pub(crate) fn contains(&self, part: &RustType) -> bool {
        let mut found = false;
        self.visit(&mut |it| found |= it == part);
        found
    }

    /// Visits this type and its parts, outermost first.
    pub(crate) fn visit(&self, visit: &mut dyn FnMut(&RustType)) {
        visit(self);
        match self {
            Self::Named { arguments, .. } => {
                for argument in arguments.iter().filter_map(TypeArgument::as_type) {
                    argument.visit(visit);
                }
            }
            Self::Tuple(items) => items.iter().for_each(|it| it.visit(visit)),
            Self::Slice(item) | Self::Array(item, _) => item.visit(visit),
            Self::Reference { to, .. } => to.visit(visit),
            Self::Function { inputs, output } => {
                inputs.iter().for_each(|it| it.visit(visit));
                output.visit(visit);
            }
            Self::Dyn(bounds) | Self::Impl(bounds) => {
                bounds.iter().for_each(|it| it.visit(visit));
            }
            Self::Projection { of, trait_, .. } => {
                of.visit(visit);
                if let Some(bound) = trait_ {
                    bound.visit(visit);
                }
            }
            Self::Primitive(_) | Self::Parameter(_) | Self::RawPointer | Self::Unknown => {}
        }
    }

    pub(crate) fn substitute(&self, by: &Substitution) -> Self {
        let boxed = |it: &RustType| Box::new(it.substitute(by));
        let all = |items: &[RustType]| items.iter().map(|it| it.substitute(by)).collect::<Vec<_>>();
        let bounds =
            |items: &[TraitBound]| items.iter().map(|it| it.substitute(by)).collect::<Vec<_>>();
        match self {
            Self::Parameter(name) => match by.get(name) {
                Some(TypeArgument::Type(ty)) => ty.clone(),
                _ => self.clone(),
            },
            Self::Named { path, arguments } => Self::Named {
                path: path.clone(),
                arguments: arguments.iter().map(|it| it.substitute(by)).collect(),
            },
            Self::Tuple(items) => Self::Tuple(all(items)),
            Self::Slice(item) => Self::Slice(boxed(item)),
            Self::Array(item, length) => {
                let length = match by.get(length) {
                    Some(TypeArgument::Const(value)) => value.clone(),
                    _ => length.clone(),
                };
                Self::Array(boxed(item), length)
            }
            Self::Reference { mutable, to } => Self::Reference {
                mutable: *mutable,
                to: boxed(to),
            },
            Self::Function { inputs, output } => Self::Function {
                inputs: all(inputs),
                output: boxed(output),
            },
            Self::Dyn(items) => Self::Dyn(bounds(items)),
            Self::Impl(items) => Self::Impl(bounds(items)),
            Self::Projection { of, trait_, name } => Self::Projection {
                of: boxed(of),
                trait_: trait_.as_ref().map(|it| Box::new(it.substitute(by))),
                name: name.clone(),
            },
            Self::Primitive(_) | Self::RawPointer | Self::Unknown => self.clone(),
        }
    }
}

/// Finds values for the parameters of `pattern` that make it equal to `closed`, adding them to `bound`.
/// Only names in `free` are parameters to solve for; a projection in the pattern matches anything.
pub(crate) fn bind(
    pattern: &RustType,
    closed: &RustType,
    free: &[String],
    bound: &mut Substitution,
) -> bool {
    let pairs = |left: &[RustType], right: &[RustType], bound: &mut Substitution| {
        left.len() == right.len() && left.iter().zip(right).all(|(l, r)| bind(l, r, free, bound))
    };
    match (pattern, closed) {
        (RustType::Parameter(name), _) if free.contains(name) => match bound.get(name) {
            Some(TypeArgument::Type(known)) => known == closed,
            Some(_) => false,
            None => {
                bound.insert(name.clone(), TypeArgument::Type(closed.clone()));
                true
            }
        },
        (RustType::Projection { .. }, _) => true,
        (
            RustType::Named {
                path: left,
                arguments: ours,
            },
            RustType::Named {
                path: right,
                arguments: theirs,
            },
        ) => left == right && bind_arguments(ours, theirs, free, bound),
        (RustType::Tuple(left), RustType::Tuple(right)) => pairs(left, right, bound),
        (RustType::Slice(left), RustType::Slice(right)) => bind(left, right, free, bound),
        (RustType::Array(left, length), RustType::Array(right, known)) => {
            bind(left, right, free, bound) && bind_const(length, known, free, bound)
        }
        (
            RustType::Reference {
                mutable: left,
                to: ours,
                ..
            },
            RustType::Reference {
                mutable: right,
                to: theirs,
                ..
            },
        ) => left == right && bind(ours, theirs, free, bound),
        (
            RustType::Function { inputs, output },
            RustType::Function {
                inputs: known,
                output: known_output,
            },
        ) => pairs(inputs, known, bound) && bind(output, known_output, free, bound),
        _ => pattern == closed,
    }
}

/// As [`bind`], for argument lists; lifetimes match each other, missing trailing arguments match nothing.
pub(crate) fn bind_arguments(
    pattern: &[TypeArgument],
    closed: &[TypeArgument],
    free: &[String],
    bound: &mut Substitution,
) -> bool {
    let skip = |it: &&TypeArgument| !matches!(it, TypeArgument::Lifetime);
    let mut ours = pattern.iter().filter(skip);
    let mut theirs = closed.iter().filter(skip);
    loop {
        match (ours.next(), theirs.next()) {
            (None, None) => return true,
            (Some(TypeArgument::Type(left)), Some(TypeArgument::Type(right))) => {
                if !bind(left, right, free, bound) {
                    return false;
                }
            }
            (Some(TypeArgument::Const(left)), Some(TypeArgument::Const(right))) => {
                if !bind_const(left, right, free, bound) {
                    return false;
                }
            }
            _ => return false,
        }
    }
}

fn bind_const(pattern: &str, known: &str, free: &[String], bound: &mut Substitution) -> bool {
    if !free.iter().any(|it| it == pattern) {
        return pattern == known;
    }
    match bound.get(pattern) {
        Some(TypeArgument::Const(earlier)) => earlier == known,
        Some(_) => false,
        None => {
            bound.insert(pattern.to_owned(), TypeArgument::Const(known.to_owned()));
            true
        }
    }
}
