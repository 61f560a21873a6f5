//! What expressions are, as far as their accesses are concerned.

use proc_macro2::Span;
use syn::{BinOp, Expr};

/// Methods of locks, atomics and channels, which have events of their own; no container of `std` has methods of these
/// names.
pub(super) const OF_LOCKS: [&str; 20] = [
    "lock",
    "try_lock",
    "load",
    "store",
    "fetch_add",
    "fetch_sub",
    "fetch_or",
    "fetch_and",
    "fetch_xor",
    "fetch_max",
    "fetch_min",
    "fetch_update",
    "compare_exchange",
    "compare_exchange_weak",
    "wait",
    "wait_while",
    "notify_one",
    "notify_all",
    "send",
    "recv",
];

pub(super) fn is_place(expression: &Expr) -> bool {
    matches!(
        strip_parentheses(expression),
        Expr::Field(_) | Expr::Index(_) | Expr::Unary(_)
    )
}

/// At the same place in the source, and no concern of lints.
pub(super) fn quiet(span: Span) -> Span {
    Span::mixed_site().located_at(span)
}

pub(super) fn strip_parentheses(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(it) => strip_parentheses(&it.expr),
        Expr::Group(it) => strip_parentheses(&it.expr),
        other => other,
    }
}

/// A `#[cfg(..)]` would be lost.
pub(super) fn has_no_attributes(expression: &Expr) -> bool {
    match expression {
        Expr::Field(it) => it.attrs.is_empty(),
        Expr::MethodCall(it) => it.attrs.is_empty(),
        Expr::Call(it) => it.attrs.is_empty(),
        Expr::Assign(it) => it.attrs.is_empty(),
        Expr::Binary(it) => it.attrs.is_empty(),
        Expr::Reference(it) => it.attrs.is_empty(),
        Expr::Unary(it) => it.attrs.is_empty(),
        Expr::Index(it) => it.attrs.is_empty(),
        _ => true,
    }
}

pub(super) fn is_comparison(operator: &BinOp) -> bool {
    matches!(
        operator,
        BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_)
    )
}

pub(super) fn is_assignment(operator: &BinOp) -> bool {
    matches!(
        operator,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}
