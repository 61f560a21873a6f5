//! What makes no sense is refused here, where it is written, with what would make sense.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Error, Expr, Ident, Item, ItemFn, Lit, Result};

use crate::ast::{
    Argument, FieldHelpers, Method, OperationsArguments, Passed, Receiver, Returned, TestArguments,
};

/// Adds up errors, so that all are seen at once.
#[derive(Default)]
struct Errors(Option<Error>);

impl Errors {
    fn add(&mut self, span: proc_macro2::Span, message: impl std::fmt::Display) {
        let error = Error::new(span, message);
        match &mut self.0 {
            None => self.0 = Some(error),
            Some(all) => all.combine(error),
        }
    }

    fn result(self) -> Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}

/// What `#[contest::shared]` can be on.
pub(crate) fn shared_item(item: &Item) -> Result<()> {
    let what = match item {
        Item::Struct(_)
        | Item::Enum(_)
        | Item::Fn(_)
        | Item::Impl(_)
        | Item::Static(_)
        | Item::Const(_)
        | Item::Type(_)
        | Item::Trait(_) => return Ok(()),
        Item::Mod(module) if module.content.is_some() => return Ok(()),
        Item::Mod(_) => "a module in a file of its own: annotate the items in it",
        Item::Union(_) => "a union: what it holds cannot be told",
        Item::Macro(_) => "a macro: annotate what it expands to, inside of the macro",
        Item::Use(_) => "a `use`: annotate the items that use the names",
        _ => "this item",
    };
    Err(Error::new(
        item.span(),
        format!(
            "`#[contest::shared]` cannot be on {what}; it can be on a `struct`, `enum`, `fn`, `impl`, `static`, `const`, `type`, `trait` or inline \
             `mod`"
        ),
    ))
}

pub(crate) fn fields(helpers: &[FieldHelpers]) -> Result<()> {
    let mut errors = Errors::default();
    for helpers in helpers {
        if let (Some(span), false) = (helpers.plain, helpers.plain_names.is_empty()) {
            errors.add(
                span,
                "`plain` leaves the whole field as it is; `plain(Name, ..)` beside it says nothing",
            );
        }
    }
    errors.result()
}

/// What an associated function or method is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Constructor(Returned),
    Operation,
    /// Cannot be one, and why.
    LeftOut(&'static str),
    /// Nobody expects it to be one.
    Nothing,
}

/// The role of each method.
pub(crate) fn roles(methods: &[Method], arguments: &OperationsArguments) -> Result<Vec<Role>> {
    let mut errors = Errors::default();
    if let (Some(part), false) = (&arguments.part, arguments.parts.is_empty()) {
        errors.add(
            part.span(),
            "an `impl` that is a part cannot have parts; name all of them at the one without `part`",
        );
    }
    let roles = methods
        .iter()
        .map(|method| role(method, &mut errors))
        .collect();
    errors.result()?;
    Ok(roles)
}

fn role(method: &Method, errors: &mut Errors) -> Role {
    let helpers = &method.helpers;
    contradictions(method, errors);
    if helpers.skip.is_some() {
        return Role::Nothing;
    }
    let Some(receiver) = method.receiver else {
        return constructor(method, errors);
    };
    if let Some(span) = helpers.constructor {
        errors.add(
            span,
            "a constructor makes the object; this method takes it as its receiver",
        );
        return Role::Nothing;
    }
    let wanted = method.public || is_marked(method);
    if !wanted {
        return Role::Nothing;
    }
    if receiver == Receiver::Other {
        if let Some(span) = helpers.operation.or(helpers.invariant).or(helpers.observe) {
            errors.add(
                span,
                "an operation takes `&self`, `&mut self`, `self: Arc<Self>` or `self: &Arc<Self>`: other threads have the object too",
            );
        }
        return Role::LeftOut("takes the object away from the other threads");
    }
    if receiver == Receiver::Exclusive
        && let Some(span) = helpers.observe.or(helpers.invariant)
    {
        errors.add(span, "what only looks takes `&self`");
    }
    if method.signature.unsafety.is_some() {
        if let Some(span) = helpers.operation {
            errors.add(
                span,
                "an `unsafe` method cannot be called at random: its conditions would have to hold",
            );
        }
        return Role::LeftOut("is `unsafe`");
    }
    if let Some(span) = helpers.invariant.or(helpers.observe)
        && method
            .arguments
            .iter()
            .any(|it| value_of(method, &it.name).is_none())
        && !method.arguments.is_empty()
        && helpers.invariant.is_some()
    {
        errors.add(
            span,
            "an invariant is checked on its own: give values for its arguments, or leave them out",
        );
    }
    arguments_have_values(method, errors);
    Role::Operation
}

fn constructor(method: &Method, errors: &mut Errors) -> Role {
    let helpers = &method.helpers;
    let name = method.signature.ident.span();
    for span in [
        helpers.operation,
        helpers.observe,
        helpers.invariant,
        helpers.weak,
        helpers.may_panic,
        helpers.blocking,
    ]
    .into_iter()
    .flatten()
    {
        errors.add(
            span,
            "this is for methods with a receiver; an associated function can be a `constructor` or nothing",
        );
    }
    let made = matches!(
        method.returned,
        Returned::Itself | Returned::ItselfInArc | Returned::Perhaps | Returned::PerhapsInArc
    );
    if !made {
        if let Some(span) = helpers.constructor {
            errors.add(
                span,
                "a constructor returns `Self`, `Arc<Self>`, or one of them in an `Option` or a `Result`",
            );
        }
        return Role::Nothing;
    }
    if !(method.public || is_marked(method)) {
        return Role::Nothing;
    }
    if method.signature.asyncness.is_some() {
        if helpers.constructor.is_some() {
            errors.add(name, "a constructor cannot be `async`");
        }
        return Role::LeftOut("is an `async` constructor");
    }
    if method.signature.unsafety.is_some() {
        return Role::LeftOut("is `unsafe`");
    }
    if let Some(argument) = method.arguments.iter().find(|it| {
        matches!(
            it.passed,
            Passed::Object | Passed::ObjectArc | Passed::ObjectArcReference
        )
    }) {
        if helpers.constructor.is_some() {
            errors.add(
                argument.name.span(),
                "a constructor is called when there is no other object yet",
            );
        }
        return Role::LeftOut("makes an object out of another one");
    }
    arguments_have_values(method, errors);
    Role::Constructor(method.returned)
}

/// True if an annotation asks for it although it is private.
fn is_marked(method: &Method) -> bool {
    let helpers = &method.helpers;
    let marks = [
        helpers.constructor,
        helpers.operation,
        helpers.observe,
        helpers.invariant,
        helpers.weak,
        helpers.may_panic,
        helpers.blocking,
    ];
    marks.iter().any(Option::is_some) || !helpers.values.is_empty() || !helpers.with.is_empty()
}

fn contradictions(method: &Method, errors: &mut Errors) {
    let helpers = &method.helpers;
    if let Some(span) = helpers.skip
        && is_marked(method)
    {
        errors.add(
            span,
            "`skip` leaves the method out; then there is nothing else to say about it",
        );
    }
    if let (Some(span), Some(_)) = (helpers.constructor, helpers.operation) {
        errors.add(span, "a constructor is no operation");
    }
    if let (Some(_), Some(span)) = (helpers.invariant, helpers.may_panic) {
        errors.add(
            span,
            "an invariant that panics is a bug: `may_panic` contradicts it",
        );
    }
    if let (Some(_), Some(span)) = (helpers.invariant.or(helpers.observe), helpers.blocking) {
        errors.add(
            span,
            "what only looks must not wait: `blocking` contradicts it",
        );
    }
    let names: Vec<String> = method
        .arguments
        .iter()
        .map(|argument| argument.name.to_string())
        .collect();
    let mut said: Vec<String> = Vec::new();
    let values = helpers.values.iter().map(|(name, list)| (name, Some(list)));
    let with = helpers.with.iter().map(|(name, _)| (name, None));
    for (name, list) in values.chain(with) {
        let text = name.to_string();
        if !names.contains(&text) {
            let there = if names.is_empty() {
                "it has none".to_owned()
            } else {
                format!("there are: {}", names.join(", "))
            };
            errors.add(
                name.span(),
                format!("there is no argument `{text}`; {there}"),
            );
        }
        if said.contains(&text) {
            errors.add(
                name.span(),
                format!("values for `{text}` are given twice; give all of them in one list"),
            );
        }
        said.push(text);
        if let Some(list) = list {
            if list.elems.is_empty() {
                errors.add(list.span(), "give one value at least");
            }
            if list.elems.len() > 200 {
                errors.add(
                    list.span(),
                    "give a few values, not more than 200: each multiplies the tests",
                );
            }
        }
    }
}

fn value_of<'m>(method: &'m Method, name: &Ident) -> Option<&'m Ident> {
    let values = method.helpers.values.iter().map(|(name, _)| name);
    let with = method.helpers.with.iter().map(|(name, _)| name);
    values.chain(with).find(|given| *given == name)
}

fn arguments_have_values(method: &Method, errors: &mut Errors) {
    for Argument { name, passed } in &method.arguments {
        if matches!(passed, Passed::Opaque) && value_of(method, name).is_none() {
            errors.add(
                name.span(),
                format!(
                    "no values of its type can be made up: give some, `#[contest(values({name} = [..]))]`, or leave the method out, \
                     `#[contest(skip)]`"
                ),
            );
        }
    }
}

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

/// What `#[contest::operations]` can be on.
pub(crate) fn operations_item(item: Item) -> Result<syn::ItemImpl> {
    const WHERE: &str =
        "`#[contest::operations]` is for an `impl` of a type or of a trait for a type";
    let Item::Impl(item) = item else {
        return Err(Error::new(
            item.span(),
            format!("{WHERE}; on the type itself write `#[contest::shared]`"),
        ));
    };
    if !matches!(*item.self_ty, syn::Type::Path(_)) {
        return Err(Error::new(item.self_ty.span(), WHERE));
    }
    Ok(item)
}
