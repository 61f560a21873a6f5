//! What each method of an annotated `impl` is.

use syn::spanned::Spanned;
use syn::{Ident, Result, Safety};

use super::Errors;
use crate::ast::{Argument, Method, OperationsArguments, Passed, Receiver, Returned};

/// What an associated function or method is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Constructor(Returned),
    Operation,
    /// Cannot be one, and why.
    LeftOut(&'static str),
    /// Neither, and not expected to be.
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
    if matches!(method.signature.safety, Safety::Unsafe(_)) {
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
    if matches!(method.signature.safety, Safety::Unsafe(_)) {
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

/// True if an annotation makes it an operation although it is private.
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
