//! Methods of an annotated `impl`, as operations see them.

use syn::{
    FnArg, GenericArgument, Ident, ImplItem, ItemImpl, Pat, PathArguments, ReceiverKind, Result,
    ReturnType, Signature, Type, Visibility,
};

use super::helper::{MethodHelpers, take_method_helpers};

/// A method.
pub(crate) struct Method {
    pub(crate) signature: Signature,
    pub(crate) public: bool,
    pub(crate) helpers: MethodHelpers,
    /// `None` for an associated function.
    pub(crate) receiver: Option<Receiver>,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) returned: Returned,
}

/// How it takes the object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Receiver {
    Shared,
    Exclusive,
    Arc,
    ArcReference,
    /// By value, pinned, in a box: no operation.
    Other,
}

pub(crate) struct Argument {
    /// `argument1` if it is a pattern.
    pub(crate) name: Ident,
    pub(crate) passed: Passed,
}

/// How an argument is passed, and the type of the value that has to be made.
pub(crate) enum Passed {
    Value(Type),
    Reference(Type),
    MutableReference(Type),
    /// `&Self`
    Object,
    /// `Arc<Self>`
    ObjectArc,
    /// `&Arc<Self>`
    ObjectArcReference,
    /// `impl Trait`, or of a type parameter of the method: only with values.
    Opaque,
}

/// What an associated function returns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Returned {
    Itself,
    ItselfInArc,
    /// In an `Option` or a `Result`.
    Perhaps,
    PerhapsInArc,
    Other,
    Nothing,
}

/// The methods of the `impl`; their helpers are removed from it.
pub(crate) fn methods(item: &mut ItemImpl) -> Result<Vec<Method>> {
    let in_trait = item.trait_.is_some();
    let subject = Subject::of(&item.self_ty);
    let mut found = Vec::new();
    let mut errors: Option<syn::Error> = None;
    for member in &mut item.items {
        let ImplItem::Fn(function) = member else {
            continue;
        };
        match take_method_helpers(&mut function.attrs) {
            Ok(helpers) => found.push(Method {
                public: in_trait || !matches!(function.vis, Visibility::Inherited),
                receiver: function.sig.receiver().map(receiver),
                arguments: arguments(&function.sig, &subject),
                returned: returned(&function.sig.output, &subject),
                signature: function.sig.clone(),
                helpers,
            }),
            Err(error) => match &mut errors {
                None => errors = Some(error),
                Some(all) => all.combine(error),
            },
        }
    }
    errors.map_or(Ok(found), Err)
}

/// The type of the `impl`, and its name.
struct Subject {
    whole: Type,
}

impl Subject {
    fn of(itself: &Type) -> Self {
        Self {
            whole: itself.clone(),
        }
    }

    fn is(&self, other: &Type) -> bool {
        matches!(other, Type::Path(path) if path.qself.is_none() && path.path.is_ident("Self"))
            || *other == self.whole
    }
}

fn receiver(receiver: &syn::Receiver) -> Receiver {
    let is_self = |it: &Type| matches!(it, Type::Path(path) if path.qself.is_none() && path.path.is_ident("Self"));
    let ty = match &receiver.kind {
        ReceiverKind::Reference(_, _, None) => return Receiver::Shared,
        ReceiverKind::Reference(_, _, Some(_)) => return Receiver::Exclusive,
        ReceiverKind::Typed(_, ty) => ty,
        _ => return Receiver::Other,
    };
    match &**ty {
        Type::Reference(reference) if is_self(&reference.elem) => match reference.mutability {
            None => Receiver::Shared,
            Some(_) => Receiver::Exclusive,
        },
        Type::Reference(reference) if reference.mutability.is_none() => {
            match inside(&reference.elem, "Arc") {
                Some(inner) if is_self(inner) => Receiver::ArcReference,
                _ => Receiver::Other,
            }
        }
        other => match inside(other, "Arc") {
            Some(inner) if is_self(inner) => Receiver::Arc,
            _ => Receiver::Other,
        },
    }
}

/// `T` of `Name<T, ..>`.
fn inside<'t>(outer: &'t Type, name: &str) -> Option<&'t Type> {
    let Type::Path(path) = outer else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    if last.ident != name {
        return None;
    }
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(inner) => Some(inner),
        _ => None,
    })
}

fn arguments(signature: &Signature, subject: &Subject) -> Vec<Argument> {
    let opaque: Vec<&Ident> = signature
        .generics
        .type_params()
        .map(|it| &it.ident)
        .collect();
    let typed = signature.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(typed),
        FnArg::Receiver(_) => None,
    });
    typed
        .enumerate()
        .map(|(number, typed)| {
            let name = match &*typed.pat {
                Pat::Ident(name) => name.ident.clone(),
                other => Ident::new(
                    &format!("argument{number}"),
                    syn::spanned::Spanned::span(other),
                ),
            };
            Argument {
                passed: passed(&typed.ty, subject, &opaque),
                name,
            }
        })
        .collect()
}

fn passed(given: &Type, subject: &Subject, opaque: &[&Ident]) -> Passed {
    match given {
        Type::ImplTrait(_) => Passed::Opaque,
        Type::Path(path)
            if path.qself.is_none() && opaque.iter().any(|name| path.path.is_ident(*name)) =>
        {
            Passed::Opaque
        }
        Type::Reference(reference) => {
            let inner = &*reference.elem;
            if reference.mutability.is_some() {
                return match passed(inner, subject, opaque) {
                    Passed::Value(inner) => Passed::MutableReference(inner),
                    _ => Passed::Opaque,
                };
            }
            if subject.is(inner) {
                return Passed::Object;
            }
            if inside(inner, "Arc").is_some_and(|inner| subject.is(inner)) {
                return Passed::ObjectArcReference;
            }
            match inner {
                Type::ImplTrait(_) | Type::TraitObject(_) => Passed::Opaque,
                Type::Path(path) if path.path.is_ident("str") => {
                    Passed::Reference(syn::parse_quote!(::std::string::String))
                }
                Type::Path(path) if opaque.iter().any(|name| path.path.is_ident(*name)) => {
                    Passed::Opaque
                }
                Type::Slice(slice) => {
                    let element = &slice.elem;
                    Passed::Reference(syn::parse_quote!(::std::vec::Vec<#element>))
                }
                other => Passed::Reference(other.clone()),
            }
        }
        other if inside(other, "Arc").is_some_and(|inner| subject.is(inner)) => Passed::ObjectArc,
        other => Passed::Value(other.clone()),
    }
}

fn returned(output: &ReturnType, subject: &Subject) -> Returned {
    let ReturnType::Type(_, output) = output else {
        return Returned::Nothing;
    };
    let in_arc = |it: &Type| inside(it, "Arc").is_some_and(|inner| subject.is(inner));
    if subject.is(output) {
        return Returned::Itself;
    }
    if in_arc(output) {
        return Returned::ItselfInArc;
    }
    match inside(output, "Option").or_else(|| inside(output, "Result")) {
        Some(inner) if subject.is(inner) => Returned::Perhaps,
        Some(inner) if in_arc(inner) => Returned::PerhapsInArc,
        _ => match &**output {
            Type::Tuple(tuple) if tuple.elems.is_empty() => Returned::Nothing,
            _ => Returned::Other,
        },
    }
}
