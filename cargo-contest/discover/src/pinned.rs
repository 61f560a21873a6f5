//! Methods that take their object as `Pin<&mut Self>`: what is `Unpin` needs no pinning.

use super::rust_type::{RustType, TypeArgument};
use super::signature::Signature;
use contest_catalog::expression::Expression;

/// The method with `&mut Self` in place of `Pin<&mut Self>`; `None` if it takes its object otherwise.
pub(super) fn unpinned(method: &Signature) -> Option<Signature> {
    let (_, receiver) = method.inputs.first().filter(|_| method.is_method())?;
    let inner = match receiver {
        RustType::Named { path, arguments } if path == "core::pin::Pin" => {
            arguments.iter().find_map(TypeArgument::as_type)?
        }
        _ => return None,
    };
    if !matches!(inner, RustType::Reference { mutable: true, .. }) {
        return None;
    }
    let mut unpinned = method.clone();
    unpinned.inputs[0].1 = inner.clone();
    Some(unpinned)
}

/// The object, as such a method takes it.
pub(super) fn pinned_object() -> Expression {
    Expression::Object.between("std::pin::Pin::new(&mut *", ")")
}
