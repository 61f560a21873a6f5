//! Closures as arguments. They capture nothing, so each is a `fn` pointer: all alternatives of an argument have one
//! type, and it satisfies `Fn*`, `Clone`, `Send` and `'static`.

use std::borrow::Cow;

use super::holds::Holds;
use super::obstacle::Obstacle;
use super::render::source;
use super::request::{MAX_CHOICES, PartValues, Request, cannot_make, choice};
use super::rust_type::RustType;
use super::stand_in::UNSENT;
use super::std_traits::is_integer;
use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::ArgumentChoice;

/// Bodies for a closure from `inputs` to `output`.
///
/// # Errors
/// Says which type cannot be returned.
pub(crate) fn closure_choices(
    parts: &dyn PartValues,
    inputs: &[RustType],
    output: &RustType,
    request: Request<'_>,
) -> Result<Vec<ArgumentChoice>, Obstacle> {
    let pointer = RustType::Function {
        inputs: inputs.to_vec(),
        output: Box::new(output.clone()),
    };
    let written = source(parts.solver().library, &pointer)?;
    let mut bodies = bodies(parts, inputs, output, request)?;
    bodies.truncate(MAX_CHOICES);
    let finish = |body: Body| {
        let parameters: Vec<Cow<'static, str>> = (0..inputs.len())
            .map(|it| if body.uses == Some(it) { "x" } else { "_" }.into())
            .collect();
        choice(
            format!("|{}| {}", parameters.join(", "), body.text),
            Expression::Closure {
                parameters,
                body: Box::new(body.expression),
                pointer: written.clone(),
                counted: request.counts,
            },
        )
    };
    Ok(bodies.into_iter().map(finish).collect())
}

struct Body {
    text: String,
    expression: Expression,
    /// The input it uses, named `x`.
    uses: Option<usize>,
}

fn bodies(
    parts: &dyn PartValues,
    inputs: &[RustType],
    output: &RustType,
    request: Request<'_>,
) -> Result<Vec<Body>, Obstacle> {
    let mut bodies = Vec::new();
    if output.is_unit() {
        for (index, input) in inputs.iter().enumerate() {
            if let RustType::Reference {
                mutable: true, to, ..
            } = input
            {
                bodies.extend(modifying(parts, index, to, request));
            }
        }
        bodies.push(Body {
            text: "()".to_owned(),
            expression: "".into(),
            uses: None,
        });
        return Ok(bodies);
    }
    for (index, input) in inputs.iter().enumerate() {
        bodies.extend(using(parts, index, input, output));
    }
    let output_borrows = matches!(output, RustType::Reference { .. });
    if output_borrows && !bodies.is_empty() {
        return Ok(bodies);
    }
    let inner = Request {
        counts: false,
        constructs: None,
        ..request
    };
    match parts.values(output, inner) {
        Ok(values) => {
            for value in values {
                bodies.push(Body {
                    text: value.text,
                    expression: value.expression,
                    uses: None,
                });
            }
        }
        Err(why) if bodies.is_empty() => return Err(why),
        Err(_) => {}
    }
    if bodies.is_empty() {
        return Err(cannot_make(output));
    }
    Ok(bodies)
}

/// Changes what a `&mut` input points to.
fn modifying(
    parts: &dyn PartValues,
    index: usize,
    to: &RustType,
    request: Request<'_>,
) -> Vec<Body> {
    let body = |text: &str, expression: Expression| Body {
        text: text.to_owned(),
        expression,
        uses: Some(index),
    };
    if is_integer(to) {
        return vec![body("*x += 1", "*x = x.wrapping_add(1);".into())];
    }
    let inner = Request {
        counts: false,
        constructs: None,
        ..request
    };
    let values = parts.values(to, inner).unwrap_or_default();
    let assign = |it: &ArgumentChoice| {
        body(
            &format!("*x = {}", it.text),
            it.expression.clone().between("*x = ", ";"),
        )
    };
    values.iter().take(2).map(assign).collect()
}

/// Makes the output from an input.
fn using(parts: &dyn PartValues, index: usize, input: &RustType, output: &RustType) -> Vec<Body> {
    let body = |text: &str| Body {
        text: text.to_owned(),
        expression: text.into(),
        uses: Some(index),
    };
    let is_clone =
        |ty: &RustType| parts.solver().implements(ty, "core::clone::Clone") == Holds::Yes;
    if input == output {
        let mut found = vec![body("x")];
        if is_integer(output) {
            found.insert(
                0,
                Body {
                    text: "x + 1".to_owned(),
                    expression: "x.wrapping_add(1)".into(),
                    uses: Some(index),
                },
            );
        }
        return found;
    }
    match input {
        RustType::Reference { to, .. } if **to == *output && is_integer(output) => vec![Body {
            text: "*x + 1".to_owned(),
            expression: "x.wrapping_add(1)".into(),
            uses: Some(index),
        }],
        RustType::Reference { to, .. } if **to == *output && is_clone(output) => {
            vec![body("(*x).clone()")]
        }
        RustType::Reference {
            mutable: true, to, ..
        } => match output {
            RustType::Reference {
                mutable: false,
                to: wanted,
                ..
            } if wanted == to => {
                vec![body("&*x")]
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// A closure of the same type that captures what is made `before`, and does something `first`; `None` if its type
/// cannot be written as that of a closure.
pub(super) fn typed_closure(
    closure: &Expression,
    before: Expression,
    first: Expression,
) -> Option<Expression> {
    let Expression::Closure {
        parameters,
        body,
        pointer,
        ..
    } = closure
    else {
        return None;
    };
    let signature = pointer.strip_prefix("fn(")?;
    Some(Expression::Sequence(vec![
        format!("{{ fn typed<F: Fn({signature}>(f: F) -> F {{ f }} ").into(),
        before,
        format!("typed(move |{}| {{ ", parameters.join(", ")).into(),
        first,
        (**body).clone(),
        " }) }".into(),
    ]))
}

/// The closure as one that captures a probe.
pub(super) fn capturing(closure: &Expression) -> Option<Expression> {
    let before = format!("let probe = {UNSENT}::new(); ").into();
    typed_closure(closure, before, "let _ = &probe; ".into())
}
