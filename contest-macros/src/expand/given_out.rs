//! Numbers that an object gives out, like the id of a ticket, and that its other methods take. What a call does with
//! one that is still being made says nothing: no caller has it yet.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{GenericArgument, PathArguments, ReturnType, Type};

use crate::ast::{Method, Passed};

const INTEGERS: [&str; 12] = [
    "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize",
];

/// The field of the method's contract with its arguments that are such numbers, if it has any.
pub(super) fn given_out(
    method: &Method,
    all: &[Method],
    runtime: &TokenStream,
) -> Option<TokenStream> {
    let arguments = method.arguments.iter().enumerate();
    let integers = arguments.filter_map(|(place, it)| Some((place, integer(&it.passed)?)));
    let tables = integers.filter_map(|(place, ty)| {
        let giving = all.iter().filter(|it| gives(it, &ty));
        let names: Vec<String> = giving.map(|it| it.signature.ident.to_string()).collect();
        let place = u8::try_from(place).ok().filter(|_| !names.is_empty())?;
        Some(quote! {
            #runtime::macro_support::subject::GivenOut { argument: #place, by: &[#(#names),*] }
        })
    });
    let tables: Vec<TokenStream> = tables.collect();
    (!tables.is_empty()).then(|| quote!(given_out: &[#(#tables),*],))
}

/// The type of an argument, if it is an integer.
fn integer(passed: &Passed) -> Option<String> {
    let Passed::Value(Type::Path(ty)) = passed else {
        return None;
    };
    let name = ty.path.get_ident()?.to_string();
    INTEGERS.contains(&name.as_str()).then_some(name)
}

/// True if the method returns such a number, alone or in a type of `std`, and takes none.
fn gives(method: &Method, ty: &str) -> bool {
    let ReturnType::Type(_, returned) = &method.signature.output else {
        return false;
    };
    let mut arguments = method.arguments.iter();
    let takes = arguments.any(|it| integer(&it.passed).as_deref() == Some(ty));
    method.receiver.is_some() && !takes && holds(returned, ty)
}

/// True if a value of the type is or holds a number of this one. The second argument of a `Result` is an error.
fn holds(of: &Type, ty: &str) -> bool {
    match of {
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else {
                return false;
            };
            let PathArguments::AngleBracketed(arguments) = &last.arguments else {
                return last.ident == ty;
            };
            let most = if last.ident == "Result" {
                1
            } else {
                usize::MAX
            };
            let mut types = arguments.args.iter().take(most);
            types.any(|it| matches!(it, GenericArgument::Type(inner) if holds(inner, ty)))
        }
        Type::Tuple(tuple) => tuple.elems.iter().any(|it| holds(it, ty)),
        _ => false,
    }
}
