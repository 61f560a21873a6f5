//! Reads and writes of fields in bodies are reported, if the type that has the field is annotated: `inner.head += 1`
//! becomes `done(inner.head += 1, note_field!(Update; inner, head;))`.
//!
//! Only what the syntax shows is reported, and only where the report changes nothing about moves, borrows and the life
//! of temporaries. Not reported: fields in patterns, in most macros, through references and pointers to fields, in
//! constants, and in closures those of variables from outside, which a report would capture whole. The contents of an
//! `UnsafeCell` are reported as fields are, and held against each other for data races: `*self.value.get() += 1`.

mod cell;
mod expressions;
mod noted;
mod place;

use std::cell::Cell;
use std::collections::BTreeSet;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, Expr, ExprClosure, ExprMethodCall, Ident, ImplItemFn, Item, ItemFn, Macro, Pat, Stmt,
    Token, TraitItemFn, UnOp, parse_quote, parse_quote_spanned,
};

use cell::{CellPlace, Pointers};
use expressions::{
    OF_LOCKS, has_no_attributes, is_assignment, is_comparison, is_place, quiet, strip_parentheses,
};
use noted::{Access, Names, Noted};
use place::{Place, Value};

/// The runtime within a function that reports something: a path that begins with `::` means another thing in edition
/// 2015, and reports must be made of tokens of the function, which are of its crate's edition.
const ALIAS: &str = "__contest";

/// Adds reports to what it visits.
pub(super) struct FieldAccesses<'a> {
    runtime: &'a TokenStream,
    /// Something was reported in this function.
    noted: Cell<bool>,
    /// In a closure: its own parameters, the only variables whose fields are reported.
    closure: Option<BTreeSet<String>>,
    /// Of the function, outside its closures.
    pointers: Pointers,
}

impl<'a> FieldAccesses<'a> {
    pub(super) fn new(runtime: &'a TokenStream) -> Self {
        Self {
            runtime,
            noted: Cell::new(false),
            closure: None,
            pointers: Pointers::default(),
        }
    }

    fn function(&mut self, block: &mut Block) {
        let outside = self.noted.replace(false);
        let pointers = std::mem::replace(&mut self.pointers, Pointers::of(block));
        self.visit_block_mut(block);
        self.pointers = pointers;
        if self.noted.replace(outside) {
            let runtime = self.runtime;
            let alias = Ident::new(ALIAS, Span::call_site());
            block.stmts.insert(0, parse_quote!(use #runtime as #alias;));
        }
    }

    fn place(&self, expression: &Expr) -> Option<Noted> {
        if let Some(place) = self.pointers.place(expression) {
            return Some(Noted::Cell(Box::new(place)));
        }
        let place = Place::of(expression)?;
        let known = self.closure.as_ref();
        known
            .is_none_or(|names| names.contains(&place.root))
            .then_some(Noted::Field(place))
    }

    /// The report, in full at the place in the source: its first token decides the location that is reported.
    fn note_of(
        &self,
        reported: &TokenStream,
        name: &str,
        access: &Access,
        span: Span,
    ) -> TokenStream {
        self.noted.set(true);
        let runtime = Ident::new(ALIAS, span);
        let name = Ident::new(name, span);
        let access = match access {
            Access::Read => quote_spanned!(span=> Read),
            Access::Write => quote_spanned!(span=> Write),
            Access::Update => quote_spanned!(span=> Update),
            Access::Method(name) => quote_spanned!(span=> Method(#name)),
            Access::Event => quote_spanned!(span=> Event),
        };
        quote_spanned!(span=> #runtime::#name!(#runtime::macro_support::fields::Access::#access; #reported))
    }

    fn note(&self, noted: &Noted, access: &Access) -> TokenStream {
        let span = noted.span();
        match noted {
            Noted::Field(place) => {
                let fields = place.fields.iter();
                let fields = fields.map(|(base, field)| quote_spanned!(span=> #base, #field;));
                self.note_of(
                    &quote_spanned!(span=> #(#fields)*),
                    "note_field",
                    access,
                    span,
                )
            }
            Noted::Cell(cell) => {
                let CellPlace { on, place, .. } = &**cell;
                // A method of an element says nothing about a write of it.
                let access = match access {
                    Access::Method(_) if cell.is_element => &Access::Read,
                    access => access,
                };
                self.note_of(
                    &quote_spanned!(span=> #on; #place),
                    "note_cell",
                    access,
                    span,
                )
            }
        }
    }

    /// `seen(note, expression)`
    fn seen(&self, place: &Noted, access: &Access, expression: &mut Expr) {
        let runtime = self.runtime;
        let note = self.note(place, access);
        let quiet = quiet(place.span());
        *expression =
            parse_quote_spanned!(quiet=> #runtime::macro_support::fields::seen(#note, #expression));
    }

    /// `done(expression, note)`
    fn done(&self, place: &Noted, access: &Access, expression: &mut Expr) {
        let runtime = self.runtime;
        let note = self.note(place, access);
        let quiet = quiet(place.span());
        *expression =
            parse_quote_spanned!(quiet=> #runtime::macro_support::fields::done(#expression, #note));
    }

    /// Where a value is used: copied or moved out of the place.
    fn value(&mut self, expression: &mut Expr) {
        match self.place(expression) {
            Some(place) if has_no_attributes(expression) => {
                self.inside(expression);
                self.seen(&place, &Access::Read, expression);
            }
            _ => self.visit_expr_mut(expression),
        }
    }

    /// Where the place itself is used and not changed: as an operand of a comparison or of `format!`.
    fn looked_at(&mut self, expression: &mut Expr) {
        match self.place(expression) {
            Some(place) if has_no_attributes(expression) => {
                self.inside(expression);
                let quiet = quiet(place.span());
                let mut reference: Expr = parse_quote_spanned!(quiet=> &#expression);
                self.seen(&place, &Access::Read, &mut reference);
                *expression = parse_quote_spanned!(quiet=> *#reference);
            }
            _ => self.visit_expr_mut(expression),
        }
    }

    /// Where nothing can be put around the place: only what is computed in it is visited.
    fn inside(&mut self, expression: &mut Expr) {
        match expression {
            Expr::Field(it) => self.inside(&mut it.base),
            Expr::Paren(it) => self.inside(&mut it.expr),
            Expr::Group(it) => self.inside(&mut it.expr),
            Expr::Unary(it) if matches!(it.op, UnOp::Deref(_)) => self.inside(&mut it.expr),
            Expr::Index(it) => {
                self.inside(&mut it.expr);
                self.value(&mut it.index);
            }
            Expr::Path(_) => {}
            other => self.visit_expr_mut(other),
        }
    }

    /// A field of a value: `self.lock().head`. The value goes through a function that looks at it.
    fn of_value(&mut self, expression: &mut Expr, access: &Access) {
        let runtime = self.runtime;
        let Some(Value { value, field }) = Value::of(expression) else {
            self.inside(expression);
            return;
        };
        // That of the source: reports in it have none.
        let span = value.span();
        self.visit_expr_mut(value);
        let quiet = quiet(span);
        let it = quote_spanned!(quiet=> it);
        let fields = quote_spanned!(quiet=> *#it, #field;);
        let note = self.note_of(&fields, "note_field", access, span);
        *value = parse_quote_spanned!(quiet=> #runtime::macro_support::fields::through(#value, |#it| #note));
    }

    /// Where the place is changed or called on, and nothing can be put around the place itself.
    fn around(&mut self, target: &mut Expr, access: &Access) -> Option<Noted> {
        let place = self.place(target);
        if place.is_some() {
            self.inside(target);
        } else {
            self.of_value(target, access);
        }
        place
    }

    fn method_call(&mut self, call: &mut ExprMethodCall) -> Option<(Noted, Access)> {
        for argument in &mut call.args {
            self.value(argument);
        }
        let name = call.method.to_string();
        if OF_LOCKS.contains(&name.as_str()) {
            let field = Place::of(&call.receiver).is_some();
            let place = self.place(&call.receiver).filter(|_| field);
            self.inside(&mut call.receiver);
            return Some((place?, Access::Event));
        }
        if let Some((place, writes)) = self.pointers.method(call) {
            self.visit_expr_mut(&mut call.receiver);
            return Some((Noted::Cell(Box::new(place)), Access::of_pointer(writes)));
        }
        let access = Access::Method(name);
        if !is_place(&call.receiver) {
            self.visit_expr_mut(&mut call.receiver);
            return None;
        }
        // `self.a[i].lock()` says nothing about a write of `a`.
        let access = match strip_parentheses(&call.receiver) {
            Expr::Field(_) => access,
            receiver if self.pointers.place(receiver).is_some() => access,
            _ => Access::Read,
        };
        let place = self.around(&mut call.receiver, &access)?;
        Some((place, access))
    }

    fn macro_call(&mut self, called: &mut Macro) {
        let Some(last) = called.path.segments.last() else {
            return;
        };
        let name = last.ident.to_string();
        let first = match name.as_str() {
            "assert_eq" | "assert_ne" | "debug_assert_eq" | "debug_assert_ne" => 0,
            "assert" | "debug_assert" | "format" | "print" | "println" | "eprint" | "eprintln"
            | "panic" => 1,
            "write" | "writeln" => 2,
            _ => return,
        };
        let list = Punctuated::<Expr, Token![,]>::parse_terminated;
        let Ok(mut expressions) = list.parse2(called.tokens.clone()) else {
            return;
        };
        for (index, expression) in expressions.iter_mut().enumerate() {
            match expression {
                Expr::Assign(named) => self.looked_at(&mut named.right),
                other if index >= first => self.looked_at(other),
                other if name.ends_with("assert") => self.value(other),
                _ => {}
            }
        }
        called.tokens = expressions.into_token_stream();
    }

    /// The report that goes before a statement which begins with the use of a place, and nothing can be put around
    /// that.
    fn before(&self, statement: &Stmt) -> Option<Stmt> {
        let used = match statement {
            Stmt::Local(local) if local.attrs.is_empty() && !matches!(local.pat, Pat::Wild(_)) => {
                &*local.init.as_ref()?.expr
            }
            Stmt::Expr(Expr::Match(it), _) if it.attrs.is_empty() => &*it.expr,
            Stmt::Expr(Expr::If(it), _) if it.attrs.is_empty() => match &*it.cond {
                Expr::Let(it) => &*it.expr,
                _ => return None,
            },
            Stmt::Expr(it, None) => it,
            _ => return None,
        };
        if !has_no_attributes(used) {
            return None;
        }
        let place = self.place(used)?;
        let note = self.note(&place, &Access::Read);
        Some(parse_quote_spanned!(place.span()=> #note;))
    }
}

impl VisitMut for FieldAccesses<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let statements = std::mem::take(&mut block.stmts);
        for mut statement in statements {
            let note = self.before(&statement);
            match &mut statement {
                Stmt::Expr(it, _) if note.is_some() && self.place(it).is_some() => self.inside(it),
                other => self.visit_stmt_mut(other),
            }
            block.stmts.extend(note);
            block.stmts.push(statement);
        }
    }

    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        if !has_no_attributes(expression) {
            return;
        }
        match expression {
            // One of several places: `(a, b) = (b, a)`.
            Expr::Assign(it) if !is_place(&it.left) => self.value(&mut it.right),
            Expr::Assign(it) => {
                self.value(&mut it.right);
                if let Some(place) = self.around(&mut it.left, &Access::Write) {
                    let access = match place.ends_in_reference() {
                        true => Access::Read,
                        false => Access::Write,
                    };
                    self.done(&place, &access, expression);
                }
            }
            Expr::Binary(it) if is_assignment(&it.op) => {
                self.value(&mut it.right);
                if let Some(place) = self.around(&mut it.left, &Access::Update) {
                    let access = match place.ends_in_reference() {
                        true => Access::Read,
                        false => Access::Update,
                    };
                    self.done(&place, &access, expression);
                }
            }
            Expr::Binary(it) if is_comparison(&it.op) => {
                self.looked_at(&mut it.left);
                self.looked_at(&mut it.right);
            }
            Expr::Binary(it) => {
                self.value(&mut it.left);
                self.value(&mut it.right);
            }
            Expr::Unary(it) if !matches!(it.op, UnOp::Deref(_)) => self.value(&mut it.expr),
            Expr::Reference(it) => {
                let access = match it.mutability {
                    Some(_) => Access::Write,
                    None => Access::Read,
                };
                if let Some(place) = self.around(&mut it.expr, &access) {
                    let access = if place.ends_in_reference() {
                        Access::Read
                    } else {
                        access
                    };
                    self.seen(&place, &access, expression);
                }
            }
            Expr::MethodCall(it) => {
                if let Some((place, access)) = self.method_call(it) {
                    self.seen(&place, &access, expression);
                }
            }
            Expr::Call(it) => {
                let through_pointer = self.pointers.function(it);
                if !matches!(&*it.func, Expr::Path(_)) {
                    self.inside(&mut it.func);
                }
                it.args.iter_mut().for_each(|it| self.value(it));
                if let Some((place, writes)) = through_pointer {
                    self.seen(
                        &Noted::Cell(Box::new(place)),
                        &Access::of_pointer(writes),
                        expression,
                    );
                }
            }
            Expr::Field(_) | Expr::Index(_) | Expr::Unary(_) => {
                self.of_value(expression, &Access::Read)
            }
            Expr::Let(it) => self.inside(&mut it.expr),
            Expr::Match(it) => {
                self.inside(&mut it.expr);
                for arm in &mut it.arms {
                    if let Pat::Guard(it) = &mut arm.pat {
                        self.value(&mut it.guard);
                    }
                    self.value(&mut arm.body);
                }
            }
            Expr::If(it) => {
                self.value(&mut it.cond);
                self.visit_block_mut(&mut it.then_branch);
                if let Some((_, other)) = &mut it.else_branch {
                    self.visit_expr_mut(other);
                }
            }
            Expr::While(it) => {
                self.value(&mut it.cond);
                self.visit_block_mut(&mut it.body);
            }
            Expr::ForLoop(it) => {
                self.value(&mut it.expr);
                self.visit_block_mut(&mut it.body);
            }
            Expr::Return(syn::ExprReturn { expr: Some(it), .. })
            | Expr::Break(syn::ExprBreak { expr: Some(it), .. }) => self.value(it),
            Expr::Cast(it) => self.value(&mut it.expr),
            Expr::Paren(it) => self.value(&mut it.expr),
            Expr::Group(it) => self.value(&mut it.expr),
            Expr::Try(it) => self.value(&mut it.expr),
            Expr::Tuple(it) => it.elems.iter_mut().for_each(|it| self.value(it)),
            Expr::Array(it) => it.elems.iter_mut().for_each(|it| self.value(it)),
            Expr::Range(it) => {
                it.start.iter_mut().for_each(|it| self.value(it));
                it.end.iter_mut().for_each(|it| self.value(it));
            }
            // `Inner { head }` needs its name.
            Expr::Struct(it) => {
                for field in &mut it.fields {
                    if field.colon_token.is_some() {
                        self.value(&mut field.expr);
                    }
                }
            }
            // Their bodies capture what they name.
            Expr::Async(_) | Expr::Const(_) | Expr::RawAddr(_) => {}
            other => visit_mut::visit_expr_mut(self, other),
        }
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut ExprClosure) {
        let mut names = Names(BTreeSet::new());
        for input in &mut closure.inputs.clone() {
            names.visit_pat_mut(input);
        }
        let outside = self.closure.replace(names.0);
        // A report of what a variable from outside stands for would capture that.
        let pointers = std::mem::take(&mut self.pointers);
        self.value(&mut closure.body);
        self.pointers = pointers;
        self.closure = outside;
    }

    fn visit_macro_mut(&mut self, called: &mut Macro) {
        self.macro_call(called);
    }

    fn visit_impl_item_fn_mut(&mut self, function: &mut ImplItemFn) {
        if function.sig.constness.is_none() {
            self.function(&mut function.block);
        }
    }

    fn visit_trait_item_fn_mut(&mut self, function: &mut TraitItemFn) {
        if let Some(block) = &mut function.default {
            self.function(block);
        }
    }

    fn visit_item_fn_mut(&mut self, function: &mut ItemFn) {
        if function.sig.constness.is_none() {
            self.function(&mut function.block);
        }
    }

    // Items with code of their own.
    fn visit_item_mut(&mut self, item: &mut Item) {
        if matches!(
            item,
            Item::Fn(_) | Item::Impl(_) | Item::Trait(_) | Item::Mod(_)
        ) {
            let outside = self.closure.take();
            visit_mut::visit_item_mut(self, item);
            self.closure = outside;
        }
    }

    // Constants.
    fn visit_type_mut(&mut self, _: &mut syn::Type) {}
    fn visit_generics_mut(&mut self, _: &mut syn::Generics) {}
    fn visit_generic_argument_mut(&mut self, _: &mut syn::GenericArgument) {}
    fn visit_pat_mut(&mut self, _: &mut Pat) {}
    fn visit_impl_item_const_mut(&mut self, _: &mut syn::ImplItemConst) {}
    fn visit_trait_item_const_mut(&mut self, _: &mut syn::TraitItemConst) {}
}
