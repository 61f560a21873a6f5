//! Methods that are polled by hand: `fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>>`.
//!
//! A call of such an operation polls until it is ready, as `poll_fn` does, so it is the future of a call like others.
//! If it is pending, the object wakes the waker of the newest poll only, in whichever thread that was, so operations
//! that poll are for one thread of a test.

use super::calls::{Call, identifier};
use super::pinned::pinned_object;
use super::rust_type::{RustType, TypeArgument};
use super::signature::Signature;
use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::Passed;

/// What follows `poll_fn` in drivers and in texts.
const CONTEXT: &str = "context";

/// A method that takes a `Context` and returns a `Poll`.
pub(super) struct Polled {
    /// The method without the context and without the type around its output.
    pub(super) signature: Signature,
    /// Which input after the receiver the context is.
    context: usize,
}

impl Polled {
    /// The method as one that is polled; `None` if it is not.
    pub(super) fn of(method: &Signature) -> Option<Self> {
        if !method.is_method() || method.is_async {
            return None;
        }
        let output = named(&method.output, "core::task::poll::Poll")?;
        let mut inputs = method.inputs.iter().skip(1);
        let context = inputs.position(|(_, ty)| is_context(ty))?;
        let mut signature = method.clone();
        signature.inputs.remove(context + 1);
        signature.output = output.clone();
        Some(Self { signature, context })
    }

    /// A future that polls until it is ready. Values that the method takes are cloned for each poll. `pinned`: the
    /// method takes its object in a `Pin`.
    pub(super) fn expression(&self, call: &Call, is_trait: bool, pinned: bool) -> Expression {
        let holes = call.holes().zip(&call.arguments);
        let mut arguments: Vec<Expression> = holes
            .map(|(hole, argument)| match argument.passed {
                Passed::Value => {
                    Expression::call("std::clone::Clone::clone", [hole.between("&", "")])
                }
                _ => hole,
            })
            .collect();
        arguments.insert(self.context, CONTEXT.into());
        let polled = if is_trait || pinned {
            let object = match pinned {
                true => pinned_object(),
                false => Expression::Object,
            };
            Expression::call(&call.path, std::iter::once(object).chain(arguments))
        } else {
            let name = format!("{}{}", identifier(&self.signature.name), call.turbofish);
            Expression::Object.method(name, arguments)
        };
        poll_fn("std::future::poll_fn", polled)
    }

    /// The call in reports.
    pub(super) fn text(&self, call: &Call) -> Expression {
        let mut arguments: Vec<Expression> = call.holes().collect();
        arguments.insert(self.context, CONTEXT.into());
        poll_fn(
            "poll_fn",
            Expression::Object.method(&self.signature.name, arguments),
        )
    }
}

fn poll_fn(function: &str, polled: Expression) -> Expression {
    polled.between(format!("{function}(|{CONTEXT}| "), ")")
}

fn is_context(ty: &RustType) -> bool {
    matches!(ty, RustType::Reference { mutable: true, to } if to.path() == "core::task::wake::Context")
}

/// What the type with this path is around.
fn named<'a>(ty: &'a RustType, of: &str) -> Option<&'a RustType> {
    match ty {
        RustType::Named { path, arguments } if path == of => {
            arguments.iter().find_map(TypeArgument::as_type)
        }
        _ => None,
    }
}
