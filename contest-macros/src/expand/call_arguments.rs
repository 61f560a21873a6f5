//! Arguments of a call: what can stand for each, how it is made, and how it is passed.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use syn::{Ident, parse_quote};

use crate::ast::{Argument, Method, Passed};

/// What can stand for each argument, as the table has it.
pub(super) fn argument_table(method: &Method, runtime: &TokenStream) -> Vec<TokenStream> {
    let of = |argument: &Argument| {
        let choices = match given(method, &argument.name) {
            Some(Given::Values(values)) => {
                let texts = values.iter().map(|value| text_of(value));
                quote!(&[#(#texts),*])
            }
            Some(Given::With(path)) => {
                let texts = (0..3_usize).map(|choice| {
                    let choice = Literal::usize_unsuffixed(choice);
                    text_of(&parse_quote!(#path(#choice)))
                });
                quote!(&[#(#texts),*])
            }
            None => match &argument.passed {
                Passed::Value(made) | Passed::Reference(made) | Passed::MutableReference(made) => {
                    quote!(<#made as #runtime::Values>::TEXTS)
                }
                _ => {
                    return quote!(#runtime::macro_support::subject::Argument {
                        choices: &["a", "b"],
                        object: true,
                        of_future: false,
                        of_texts: false,
                    });
                }
            },
        };
        quote!(#runtime::macro_support::subject::Argument { choices: #choices, object: false, of_future: false, of_texts: false })
    };
    method.arguments.iter().map(of).collect()
}

/// `let a0 = ..;`, by the choice of the call.
pub(super) fn bind(method: &Method, runtime: &TokenStream) -> Vec<TokenStream> {
    let of = |(index, argument): (usize, &Argument)| {
        let name = format_ident!("a{index}");
        let slot = format_ident!("slot{index}");
        if is_object(&argument.passed) && given(method, &argument.name).is_none() {
            return quote! {
                let #slot = #runtime::macro_support::object::<Self>(call, usize::from(call.choice(#index)));
            };
        }
        let (mutable, made) = match &argument.passed {
            Passed::Value(made) | Passed::Reference(made) => (None, Some(made)),
            Passed::MutableReference(made) => (Some(quote!(mut)), Some(made)),
            _ => (None, None),
        };
        let ascription = match (made, given(method, &argument.name)) {
            (Some(made), None) => Some(quote!(: #made)),
            _ => None,
        };
        let value = match given(method, &argument.name) {
            Some(Given::Values(values)) => {
                let (first, others) = (values[0], &values[1..]);
                if others.is_empty() {
                    quote!(#first)
                } else {
                    let others = others.iter().enumerate().map(|(number, value)| {
                        let number = u8::try_from(number + 1).unwrap_or(u8::MAX);
                        quote!(#number => #value)
                    });
                    quote!(match call.choice(#index) { #(#others,)* _ => #first })
                }
            }
            Some(Given::With(path)) => quote!(#path(usize::from(call.choice(#index)))),
            None => {
                let made = made.map(|made| quote!(#made));
                quote!(<#made as #runtime::Values>::value(usize::from(call.choice(#index))))
            }
        };
        quote!(let #mutable #name #ascription = #value;)
    };
    method.arguments.iter().enumerate().map(of).collect()
}

/// What the annotation gives for an argument.
pub(super) enum Given<'m> {
    Values(Vec<&'m syn::Expr>),
    With(&'m syn::Path),
}

pub(super) fn given<'m>(method: &'m Method, name: &Ident) -> Option<Given<'m>> {
    let values = method
        .helpers
        .values
        .iter()
        .find(|(given, _)| given == name);
    if let Some((_, list)) = values {
        return Some(Given::Values(list.elems.iter().collect()));
    }
    let with = method
        .helpers
        .with
        .iter()
        .find(|(given, _)| given == name)?;
    Some(Given::With(&with.1))
}

pub(super) fn is_object(passed: &Passed) -> bool {
    matches!(
        passed,
        Passed::Object | Passed::ObjectArc | Passed::ObjectArcReference
    )
}

/// The bound arguments as they are passed.
pub(super) fn pass(method: &Method) -> Vec<TokenStream> {
    let of = |(index, argument): (usize, &Argument)| {
        let name = format_ident!("a{index}");
        let slot = format_ident!("slot{index}");
        let is_given = given(method, &argument.name).is_some();
        match &argument.passed {
            Passed::Object if !is_given => quote!(&**#slot),
            Passed::ObjectArc if !is_given => quote!(std::sync::Arc::clone(&#slot)),
            Passed::ObjectArcReference if !is_given => quote!(&*#slot),
            Passed::Reference(_) if !is_given => quote!(&#name),
            Passed::MutableReference(_) if !is_given => quote!(&mut #name),
            _ => quote!(#name),
        }
    };
    method.arguments.iter().enumerate().map(of).collect()
}

/// `{0}, &{1}`
pub(super) fn argument_texts(method: &Method) -> String {
    let of = |(index, argument): (usize, &Argument)| {
        let front = match &argument.passed {
            _ if given(method, &argument.name).is_some() => "",
            Passed::Reference(_) | Passed::Object | Passed::ObjectArcReference => "&",
            Passed::MutableReference(_) => "&mut ",
            _ => "",
        };
        format!("{front}{{{index}}}")
    };
    let texts: Vec<String> = method.arguments.iter().enumerate().map(of).collect();
    texts.join(", ")
}

/// An expression as written in source code.
fn text_of(value: &syn::Expr) -> String {
    let text = quote!(#value).to_string();
    text.replace(" :: ", "::")
        .replace(" (", "(")
        .replace("( ", "(")
        .replace(" )", ")")
        .replace(" ,", ",")
        .replace(" .", ".")
        .replace("& ", "&")
        .replace(" !", "!")
        .replace("| |", "||")
}
