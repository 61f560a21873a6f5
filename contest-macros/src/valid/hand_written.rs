//! Hand-written tests and their arguments.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Error, Expr, Item, ItemFn, Lit, Result};

use super::Errors;
use crate::ast::TestArguments;

/// What `#[contest::test]` can be on.
pub(crate) fn test_function(item: Item) -> Result<ItemFn> {
    let Item::Fn(function) = item else {
        return Err(Error::new(
            item.span(),
            "`#[contest::test]` is for functions",
        ));
    };
    let mut errors = Errors::default();
    let signature = &function.sig;
    if !signature.inputs.is_empty() {
        errors.add(signature.inputs.span(), "a test has no arguments");
    }
    if !signature.generics.params.is_empty() {
        errors.add(
            signature.generics.params.span(),
            "a test has no type parameters",
        );
    }
    if let Some(keyword) = &signature.asyncness {
        errors.add(
            keyword.span(),
            "a test is no `async fn`; run futures with `contest::future::block_on`",
        );
    }
    if let Some(twice) = function.attrs.iter().find(|it| it.path().is_ident("test")) {
        errors.add(
            twice.span(),
            "`#[contest::test]` makes it a test already; take `#[test]` away",
        );
    }
    errors.result()?;
    Ok(function)
}

/// Calls of the builder for the arguments of `#[contest::test]`.
pub(crate) fn test_arguments(
    arguments: &TestArguments,
    runtime: &TokenStream,
) -> Result<Vec<TokenStream>> {
    let mut errors = Errors::default();
    let mut calls = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    for argument in &arguments.0 {
        let (name, value) = (&argument.name, &argument.value);
        let text = name.to_string();
        if seen.contains(&text) {
            errors.add(argument.span(), format!("`{text}` is given twice"));
        }
        seen.push(text.clone());
        match (text.as_str(), value) {
            ("exhaustive" | "allow_no_decisions", None) => calls.push(quote!(.#name())),
            ("exhaustive" | "allow_no_decisions", Some(value)) => {
                errors.add(value.span(), format!("`{text}` takes no value"));
            }
            ("seed" | "max_executions" | "preemption_bound" | "max_steps" | "strategy", Some(value)) => {
                calls.push(quote!(.#name(#value)));
            }
            ("budget", Some(value)) => match milliseconds(value) {
                Some(milliseconds) => calls.push(
                    quote!(.budget(#runtime::annotated::milliseconds(#milliseconds))),
                ),
                None => errors.add(value.span(), "a time is written as `\"500ms\"` or `\"2s\"`"),
            },
            ("seed" | "max_executions" | "preemption_bound" | "max_steps" | "strategy" | "budget", None) => {
                errors.add(argument.span(), format!("`{text}` needs a value: `{text} = ..`"));
            }
            _ => errors.add(
                argument.span(),
                "`#[contest::test]` takes `exhaustive`, `strategy = \"..\"`, `seed = ..`, `budget = \"500ms\"`, `max_executions = ..`, \
                 `preemption_bound = ..`, `max_steps = ..` and `allow_no_decisions`",
            ),
        }
    }
    errors.result()?;
    Ok(calls)
}

fn milliseconds(value: &Expr) -> Option<u64> {
    let Expr::Lit(literal) = value else {
        return None;
    };
    let Lit::Str(text) = &literal.lit else {
        return None;
    };
    let text = text.value();
    let text = text.trim();
    if let Some(number) = text.strip_suffix("ms") {
        return number.trim().parse().ok();
    }
    let number: u64 = text.strip_suffix('s')?.trim().parse().ok()?;
    number.checked_mul(1000)
}
