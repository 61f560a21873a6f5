//! Methods that are polled by hand: `fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>>`.
//!
//! A call of such an operation polls until it is ready, as `poll_fn` does, so it is the future of a call like others.
//! If it is pending, the object wakes the waker of the newest poll only, in whichever thread that was, so operations
//! that poll are for one thread of a test.

use super::calls::{Call, identifier};
use super::expression::Expression;
use super::rust_type::{RustType, TypeArgument};
use super::signature::Signature;
use super::subject_catalog::Passed;

/// What follows `poll_fn` in drivers and in texts.
const CONTEXT: &str = "context";

/// A method that takes a `Context` and returns a `Poll`.
pub(super) struct Polled {
    /// The method without the context and without the types around its receiver and its output.
    pub(super) signature: Signature,
    /// Which input after the receiver the context is.
    context: usize,
    /// The receiver is `Pin<&mut Self>`.
    is_pinned: bool,
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
        let receiver = &mut signature.inputs[0].1;
        let pinned = named(receiver, "core::pin::Pin").cloned();
        let is_pinned = pinned.is_some();
        if let Some(inner) = pinned {
            *receiver = inner;
        }
        Some(Self {
            signature,
            context,
            is_pinned,
        })
    }

    /// True if it can be called on a value that is not pinned only if its type is `Unpin`.
    pub(super) fn is_pinned(&self) -> bool {
        self.is_pinned
    }

    /// A future that polls until it is ready. Values that the method takes are cloned for each poll.
    pub(super) fn expression(&self, call: &Call, is_trait: bool) -> Expression {
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
        let polled = if is_trait || self.is_pinned {
            let object = match self.is_pinned {
                true => Expression::Object.between("std::pin::Pin::new(&mut *", ")"),
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
