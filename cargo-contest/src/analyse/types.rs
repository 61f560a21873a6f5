//! Types as the analysis sees them: enough to find methods, fields and locks. What cannot be told is [`Type::Unknown`].

use std::sync::Arc;

/// A name of something: `queue::Bounded`, or of another crate `std::sync::Mutex`.
pub(crate) type Name = Arc<str>;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    /// As written; resolved when all modules are known.
    Written(Vec<Name>, Vec<Type>),
    /// Declared in the package.
    Own(Name, Vec<Type>),
    /// Declared elsewhere, or primitive.
    Foreign(Name, Vec<Type>),
    /// `&T`, `&mut T`.
    Reference(bool, Box<Type>),
    /// `*const T`, `*mut T`.
    Pointer(Box<Type>),
    /// `(A, B)`.
    Tuple(Vec<Type>),
    /// `[T]`, `[T; N]`.
    Sequence(Box<Type>),
    /// A generic parameter.
    Parameter(Name),
    /// `dyn A + B`, `impl A`: paths of the traits.
    Traits(Vec<Type>),
    /// Something that is called: `fn()`, `impl Fn()`, a parameter with such a bound; with what it returns.
    Callable(Box<Type>),
    /// A closure of the function that is walked, by number.
    Closure(u32),
    /// `Self`, until the impl is known.
    Itself,
    /// Not known.
    Unknown,
}

impl Type {
    /// The unit type.
    pub(crate) fn unit() -> Self {
        Self::Tuple(Vec::new())
    }

    /// A type of another crate, by path.
    pub(crate) fn foreign(path: &str, arguments: Vec<Self>) -> Self {
        Self::Foreign(path.into(), arguments)
    }

    /// Last segment of its path.
    pub(crate) fn last(&self) -> &str {
        match self {
            Self::Own(path, _) | Self::Foreign(path, _) => last_segment(path),
            Self::Written(segments, _) => segments.last().map_or("", |it| it),
            _ => "",
        }
    }

    /// Its n-th type argument.
    pub(crate) fn argument(&self, n: usize) -> Self {
        match self {
            Self::Own(_, arguments) | Self::Foreign(_, arguments) | Self::Written(_, arguments) => {
                arguments.get(n).cloned().unwrap_or(Self::Unknown)
            }
            _ => Self::Unknown,
        }
    }

    /// The type itself, without references around it.
    pub(crate) fn referent(&self) -> &Self {
        let mut ty = self;
        while let Self::Reference(_, to) = ty {
            ty = to;
        }
        ty
    }

    /// True for types whose values are copied: nothing is moved out of a variable of such a type.
    pub(crate) fn is_copy(&self) -> bool {
        match self {
            Self::Reference(false, _) | Self::Pointer(_) => true,
            Self::Foreign(path, arguments) => arguments.is_empty() && is_primitive(path),
            Self::Tuple(types) => types.iter().all(Self::is_copy),
            _ => false,
        }
    }

    /// The same type with `Self` and generic parameters replaced.
    pub(crate) fn substitute(&self, of_self: Option<&Self>, parameters: &[(Name, Self)]) -> Self {
        let all = |types: &[Self]| -> Vec<Self> {
            types
                .iter()
                .map(|it| it.substitute(of_self, parameters))
                .collect()
        };
        let one = |ty: &Self| Box::new(ty.substitute(of_self, parameters));
        match self {
            Self::Itself => of_self.cloned().unwrap_or(Self::Itself),
            Self::Parameter(name) => parameters
                .iter()
                .find(|(it, _)| it == name)
                .map_or_else(|| self.clone(), |(_, ty)| ty.clone()),
            Self::Written(path, arguments) => Self::Written(path.clone(), all(arguments)),
            Self::Own(path, arguments) => Self::Own(path.clone(), all(arguments)),
            Self::Foreign(path, arguments) => Self::Foreign(path.clone(), all(arguments)),
            Self::Reference(mutable, to) => Self::Reference(*mutable, one(to)),
            Self::Pointer(to) => Self::Pointer(one(to)),
            Self::Tuple(types) => Self::Tuple(all(types)),
            Self::Sequence(of) => Self::Sequence(one(of)),
            Self::Traits(traits) => Self::Traits(all(traits)),
            Self::Callable(output) => Self::Callable(one(output)),
            Self::Closure(_) | Self::Unknown => self.clone(),
        }
    }
}

/// What stands after the last `::`.
pub(crate) fn last_segment(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// Numbers, `bool`, `char`, `str`.
pub(crate) fn is_primitive(path: &str) -> bool {
    matches!(
        path,
        "bool"
            | "char"
            | "str"
            | "u8"
            | "u16"
            | "u32"
            | "u64"
            | "u128"
            | "usize"
            | "i8"
            | "i16"
            | "i32"
            | "i64"
            | "i128"
            | "isize"
            | "f32"
            | "f64"
            | "Duration"
            | "std::time::Duration"
            | "core::time::Duration"
            | "Ordering"
    )
}

/// Reads a type as written. `generics` are the names of parameters in scope; `calls` those whose bound is `Fn`, `FnMut` or `FnOnce`.
pub(crate) fn convert(ty: &syn::Type, generics: &Generics) -> Type {
    match ty {
        syn::Type::Path(path) if path.qself.is_none() => convert_path(&path.path, generics),
        syn::Type::Path(_) | syn::Type::Macro(_) | syn::Type::Infer(_) => Type::Unknown,
        syn::Type::Reference(it) => Type::Reference(
            it.mutability.is_some(),
            Box::new(convert(&it.elem, generics)),
        ),
        syn::Type::Ptr(it) => Type::Pointer(Box::new(convert(&it.elem, generics))),
        syn::Type::Tuple(it) => {
            Type::Tuple(it.elems.iter().map(|it| convert(it, generics)).collect())
        }
        syn::Type::Slice(it) => Type::Sequence(Box::new(convert(&it.elem, generics))),
        syn::Type::Array(it) => Type::Sequence(Box::new(convert(&it.elem, generics))),
        syn::Type::Paren(it) => convert(&it.elem, generics),
        syn::Type::Group(it) => convert(&it.elem, generics),
        syn::Type::BareFn(it) => Type::Callable(Box::new(output(&it.output, generics))),
        syn::Type::TraitObject(it) => convert_bounds(it.bounds.iter(), generics),
        syn::Type::ImplTrait(it) => convert_bounds(it.bounds.iter(), generics),
        _ => Type::Unknown,
    }
}

/// What a function returns.
pub(crate) fn output(ty: &syn::ReturnType, generics: &Generics) -> Type {
    match ty {
        syn::ReturnType::Default => Type::unit(),
        syn::ReturnType::Type(_, ty) => convert(ty, generics),
    }
}

/// A path with type arguments on its last segment.
pub(crate) fn convert_path(path: &syn::Path, generics: &Generics) -> Type {
    let arguments = path
        .segments
        .last()
        .map_or_else(Vec::new, |it| convert_arguments(&it.arguments, generics));
    if let Some(name) = path.get_ident_like() {
        if name == "Self" {
            return Type::Itself;
        }
        if let Some(output) = generics
            .calls
            .iter()
            .find(|(it, _)| **it == *name)
            .map(|(_, output)| output)
        {
            return Type::Callable(Box::new(output.clone()));
        }
        if generics.names.iter().any(|it| **it == *name) {
            return Type::Parameter(name.as_str().into());
        }
    }
    let mut segments: Vec<Name> = Vec::with_capacity(path.segments.len() + 1);
    if path.leading_colon.is_some() {
        segments.push("".into());
    }
    segments.extend(path.segments.iter().map(|it| Name::from(plain(&it.ident))));
    Type::Written(segments, arguments)
}

/// Type arguments in angle brackets.
pub(crate) fn convert_arguments(arguments: &syn::PathArguments, generics: &Generics) -> Vec<Type> {
    match arguments {
        syn::PathArguments::AngleBracketed(it) => it
            .args
            .iter()
            .filter_map(|it| match it {
                syn::GenericArgument::Type(ty) => Some(convert(ty, generics)),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// An identifier without `r#`.
pub(crate) fn plain(ident: &syn::Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#").map_or(text.clone(), str::to_string)
}

trait OneSegment {
    fn get_ident_like(&self) -> Option<String>;
}

impl OneSegment for syn::Path {
    fn get_ident_like(&self) -> Option<String> {
        match (self.leading_colon, self.segments.len()) {
            (None, 1) => Some(plain(&self.segments[0].ident)),
            _ => None,
        }
    }
}

fn convert_bounds<'a>(
    bounds: impl Iterator<Item = &'a syn::TypeParamBound>,
    generics: &Generics,
) -> Type {
    let mut traits = Vec::new();
    for bound in bounds {
        if let syn::TypeParamBound::Trait(bound) = bound {
            if let Some(output) = called(bound, generics) {
                return Type::Callable(Box::new(output));
            }
            traits.push(convert_path(&bound.path, generics));
        }
    }
    Type::Traits(traits)
}

/// The output if the bound is `Fn(…) -> T` or one of its kin.
fn called(bound: &syn::TraitBound, generics: &Generics) -> Option<Type> {
    let last = bound.path.segments.last()?;
    if !matches!(
        last.ident.to_string().as_str(),
        "Fn" | "FnMut" | "FnOnce" | "AsyncFn" | "AsyncFnMut" | "AsyncFnOnce"
    ) {
        return None;
    }
    match &last.arguments {
        syn::PathArguments::Parenthesized(it) => Some(output(&it.output, generics)),
        _ => Some(Type::Unknown),
    }
}

/// Generic parameters in scope, with their bounds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Generics {
    /// Names of type parameters.
    pub(crate) names: Vec<Name>,
    /// Those that are called, with what they return.
    pub(crate) calls: Vec<(Name, Type)>,
    /// Traits each of them implements, as written.
    pub(crate) bounds: Vec<(Name, Type)>,
}

impl Generics {
    /// Those in scope and those of an item in it.
    pub(crate) fn with(&self, generics: &syn::Generics) -> Self {
        let mut all = self.clone();
        all.names.extend(
            generics
                .type_params()
                .map(|it| Name::from(plain(&it.ident))),
        );
        let mut bounds: Vec<(String, &syn::TypeParamBound)> = Vec::new();
        for parameter in generics.type_params() {
            bounds.extend(
                parameter
                    .bounds
                    .iter()
                    .map(|it| (plain(&parameter.ident), it)),
            );
        }
        for predicate in generics.where_clause.iter().flat_map(|it| &it.predicates) {
            if let syn::WherePredicate::Type(predicate) = predicate
                && let syn::Type::Path(path) = &predicate.bounded_ty
                && let Some(name) = path.path.get_ident()
            {
                bounds.extend(predicate.bounds.iter().map(|it| (plain(name), it)));
            }
        }
        for (name, bound) in bounds {
            if let syn::TypeParamBound::Trait(bound) = bound {
                if let Some(output) = called(bound, &all) {
                    all.calls.push((name.as_str().into(), output));
                } else {
                    let path = convert_path(&bound.path, &all);
                    all.bounds.push((name.as_str().into(), path));
                }
            }
        }
        all
    }
}
