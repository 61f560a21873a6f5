//! Places that fields are part of: `inner.slots[i]`, `self.head`.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, ExprField, Member, UnOp};

/// A place that is reached from a variable without a call.
pub(super) struct Place {
    /// The variable.
    pub(super) root: String,
    /// What each field is taken of, and its name, innermost struct first: of `self.inner.head` first
    /// `(self.inner, head)`.
    pub(super) fields: Vec<(Expr, Member)>,
    /// The last step goes through a reference, a box or a pointer that the field is.
    pub(super) ends_in_reference: bool,
    pub(super) span: Span,
}

impl Place {
    pub(super) fn of(expression: &Expr) -> Option<Self> {
        let mut fields = Vec::new();
        let mut ends_in_reference = false;
        let mut at = expression;
        loop {
            match at {
                Expr::Field(field) => {
                    fields.push(((*field.base).clone(), field.member.clone()));
                    at = &field.base;
                }
                // What comes after an index is a part of another field, and an index must not be computed twice.
                Expr::Index(index) => {
                    fields.clear();
                    ends_in_reference = false;
                    at = &index.expr;
                }
                Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => {
                    ends_in_reference |= fields.is_empty();
                    at = &unary.expr;
                }
                Expr::Paren(inside) => at = &inside.expr,
                Expr::Group(inside) => at = &inside.expr,
                Expr::Path(path) => {
                    let root = path.path.get_ident()?.to_string();
                    // Constants have no place.
                    let is_variable = root.starts_with(|it: char| it.is_lowercase() || it == '_');
                    return (is_variable && !fields.is_empty()).then(|| Self {
                        root,
                        fields,
                        ends_in_reference,
                        span: expression.span(),
                    });
                }
                _ => return None,
            }
        }
    }
}

/// A field of what a call returned.
pub(super) struct Value<'e> {
    pub(super) value: &'e mut Expr,
    pub(super) field: Member,
}

impl<'e> Value<'e> {
    pub(super) fn of(expression: &'e mut Expr) -> Option<Self> {
        match expression {
            Expr::Field(ExprField { base, member, .. }) => {
                if matches!(**base, Expr::MethodCall(_) | Expr::Call(_) | Expr::Try(_)) {
                    return Some(Self {
                        field: member.clone(),
                        value: base,
                    });
                }
                Self::of(base)
            }
            _ => None,
        }
    }
}
