//! Places behind the pointer of an `UnsafeCell`: `*self.value.get()`, `(*self.slots[i].get()).head`.
//!
//! What `get` is called on is computed once more for the report, so it is a place, and an index in it is plain. A
//! variable that holds such a pointer, `let value = self.value.get();`, stands for the call.

use std::collections::BTreeMap;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprCall, ExprMethodCall, Local, Pat, PatIdent, UnOp, parse_quote};

use super::expressions::strip_parentheses;

/// What methods of a pointer do to what it leads to.
const READING: [&str; 4] = ["read", "read_volatile", "read_unaligned", "as_ref"];
const WRITING: [&str; 7] = [
    "write",
    "write_volatile",
    "write_unaligned",
    "write_bytes",
    "replace",
    "as_mut",
    "drop_in_place",
];

/// A place behind a pointer.
pub(super) struct CellPlace {
    /// What `get` is called on.
    pub(super) on: Expr,
    /// The place, without variables that stand for the call.
    pub(super) place: Expr,
    /// An element of it is accessed.
    pub(super) is_element: bool,
    pub(super) span: Span,
}

/// Variables that hold the pointer of a cell, and what `get` was called on.
#[derive(Default)]
pub(super) struct Pointers(BTreeMap<String, Expr>);

impl Pointers {
    /// Those of a function. A name that is bound twice is none: it may be another variable.
    pub(super) fn of(block: &Block) -> Self {
        let mut found = Found::default();
        found.visit_block(block);
        let Found { bound, held } = found;
        let once = |name: &str| bound.get(name).is_none_or(|times| *times <= 1);
        let held = held
            .into_iter()
            .filter(|(name, on)| once(name) && root(on).is_some_and(|root| once(&root)));
        Self(held.collect())
    }

    /// The place behind a pointer, and what a method or a function of pointers does to it.
    fn behind(&self, pointer: &Expr) -> Option<CellPlace> {
        let on = match strip_parentheses(pointer) {
            Expr::Path(path) => self.0.get(&path.path.get_ident()?.to_string())?.clone(),
            other => called_on(other)?.clone(),
        };
        Some(CellPlace {
            place: parse_quote!(*#on.get()),
            on,
            is_element: false,
            span: pointer.span(),
        })
    }

    /// The place that is an expression.
    pub(super) fn place(&self, expression: &Expr) -> Option<CellPlace> {
        let span = expression.span();
        match strip_parentheses(expression) {
            Expr::Unary(it) if matches!(it.op, UnOp::Deref(_)) => {
                self.behind(&it.expr).map(|it| CellPlace { span, ..it })
            }
            Expr::Field(it) => {
                let base = self.place(&it.base)?;
                let (inner, member) = (&base.place, &it.member);
                let place = parse_quote!((#inner).#member);
                Some(CellPlace {
                    place,
                    span,
                    ..base
                })
            }
            Expr::Index(it) if is_plain(&it.index) => {
                let base = self.place(&it.expr)?;
                let (inner, index) = (&base.place, &it.index);
                Some(CellPlace {
                    place: parse_quote!((#inner)[#index]),
                    is_element: true,
                    span,
                    ..base
                })
            }
            _ => None,
        }
    }

    /// `self.value.get().read()`: the place, and whether it is written.
    pub(super) fn method(&self, call: &ExprMethodCall) -> Option<(CellPlace, bool)> {
        let writes = writes(&call.method.to_string())?;
        Some((self.behind(&call.receiver)?, writes))
    }

    /// `ptr::read(self.value.get())`: the same.
    pub(super) fn function(&self, call: &ExprCall) -> Option<(CellPlace, bool)> {
        let Expr::Path(path) = &*call.func else {
            return None;
        };
        let mut segments = path.path.segments.iter().rev();
        let writes = writes(&segments.next()?.ident.to_string())?;
        let is_of_pointers = segments.next().is_some_and(|it| it.ident == "ptr");
        let place = self.behind(call.args.first()?)?;
        is_of_pointers.then_some((place, writes))
    }
}

fn writes(name: &str) -> Option<bool> {
    match name {
        _ if READING.contains(&name) => Some(false),
        _ if WRITING.contains(&name) => Some(true),
        _ => None,
    }
}

/// What `get` is called on without arguments, if that is a place.
fn called_on(expression: &Expr) -> Option<&Expr> {
    match strip_parentheses(expression) {
        Expr::MethodCall(it)
            if it.method == "get" && it.args.is_empty() && it.turbofish.is_none() =>
        {
            root(&it.receiver).map(|_| &*it.receiver)
        }
        _ => None,
    }
}

/// The variable that a place is reached from. Nothing in the place does anything else than to find it.
fn root(expression: &Expr) -> Option<String> {
    match strip_parentheses(expression) {
        Expr::Path(it) => it.path.get_ident().map(ToString::to_string),
        Expr::Field(it) => root(&it.base),
        Expr::Index(it) if is_plain(&it.index) => root(&it.expr),
        Expr::Unary(it) if matches!(it.op, UnOp::Deref(_)) => root(&it.expr),
        _ => None,
    }
}

/// An index of numbers, fields and variables.
fn is_plain(index: &Expr) -> bool {
    match strip_parentheses(index) {
        Expr::Lit(_) => true,
        Expr::Path(it) => it.path.segments.len() == 1,
        Expr::Field(it) => is_plain(&it.base),
        Expr::Cast(it) => is_plain(&it.expr),
        Expr::Binary(it) => is_plain(&it.left) && is_plain(&it.right),
        _ => false,
    }
}

/// Names that a function binds, how often, and pointers that it keeps.
#[derive(Default)]
struct Found {
    bound: BTreeMap<String, usize>,
    held: BTreeMap<String, Expr>,
}

impl Visit<'_> for Found {
    fn visit_pat_ident(&mut self, pattern: &PatIdent) {
        *self.bound.entry(pattern.ident.to_string()).or_default() += 1;
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_local(&mut self, local: &Local) {
        visit::visit_local(self, local);
        let mut pattern = &local.pat;
        if let Pat::Type(typed) = pattern {
            pattern = &typed.pat;
        }
        let (Pat::Ident(name), Some(init)) = (pattern, &local.init) else {
            return;
        };
        let is_fixed = name.mutability.is_none() && name.by_ref.is_none();
        // An index may be another one later.
        if let Some(on) = called_on(&init.expr)
            && is_fixed
            && !has_index(on)
        {
            self.held.insert(name.ident.to_string(), on.clone());
        }
    }

    /// Other functions.
    fn visit_item(&mut self, _: &syn::Item) {}
}

fn has_index(place: &Expr) -> bool {
    match strip_parentheses(place) {
        Expr::Index(_) => true,
        Expr::Field(it) => has_index(&it.base),
        Expr::Unary(it) => has_index(&it.expr),
        _ => false,
    }
}
