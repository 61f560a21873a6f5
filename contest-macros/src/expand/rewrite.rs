//! Types and paths of `std` become those of the runtime.
//!
//! A type is replaced by a question to the compiler, `<Mutex<T> as Instrument>::As`, and a path in the same way,
//! `<Mutex<_> as Instrument>::As::new`: also in a `const fn`. A call of `new`, `default` or `from` of a type with an
//! unknown name (`Lock::new(..)`) is wrapped in a conversion that does nothing unless its value has a drop-in type;
//! conversions are no constants.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Expr, ExprCall, ExprPath, GenericArgument, GenericParam, Generics, Ident, ImplItemFn, ItemFn,
    Macro, Path, PathArguments, Token, TraitItemFn, Type, parse_quote, parse_quote_spanned,
};

use super::known_names::{
    constructed, function, is_guard, is_in_module, is_inert, is_replaced, module_path,
};

/// Functions that make a lock.
const MAKERS: [&str; 3] = ["new", "default", "from"];

/// Macros whose arguments are expressions.
const EXPRESSION_MACROS: [&str; 17] = [
    "vec",
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "format",
    "print",
    "println",
    "eprint",
    "eprintln",
    "write",
    "writeln",
    "dbg",
    "panic",
    "todo",
];

/// Which names of types the compiler resolves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Resolved {
    /// In fields: all but those that are known to hold no locks.
    All,
    /// In code: those that are known to have a drop-in type. What is not known is most likely something else.
    Known,
}

/// Rewrites what it visits.
pub(super) struct Rewrite<'a> {
    pub(super) runtime: &'a TokenStream,
    pub(super) resolved: Resolved,
    /// Names that are left alone: type parameters, and what the user says.
    names: BTreeSet<String>,
    /// In a constant, a static, a `const fn`.
    constant: bool,
}

impl<'a> Rewrite<'a> {
    pub(super) fn new(runtime: &'a TokenStream, resolved: Resolved, plain: &[Ident]) -> Self {
        Self {
            runtime,
            resolved,
            names: plain.iter().map(ToString::to_string).collect(),
            constant: false,
        }
    }

    /// Leaves type parameters alone.
    pub(super) fn with_generics(mut self, generics: &Generics) -> Self {
        self.add(generics);
        self
    }

    /// Leaves types of these names alone.
    pub(super) fn with_plain(mut self, plain: &[Ident]) -> Self {
        self.names.extend(plain.iter().map(ToString::to_string));
        self
    }

    fn add(&mut self, generics: &Generics) {
        for parameter in &generics.params {
            match parameter {
                GenericParam::Type(it) => self.names.insert(it.ident.to_string()),
                GenericParam::Const(it) => self.names.insert(it.ident.to_string()),
                GenericParam::Lifetime(_) => false,
            };
        }
    }

    /// Inside of an item with generics of its own.
    fn scoped(&mut self, generics: &Generics, constant: bool, visit: impl FnOnce(&mut Self)) {
        let names = self.names.clone();
        let outside = self.constant;
        self.add(generics);
        self.constant |= constant;
        visit(self);
        self.names = names;
        self.constant = outside;
    }

    fn constant(&mut self, visit: impl FnOnce(&mut Self)) {
        self.scoped(&Generics::default(), true, visit);
    }

    /// True if the type of this path is left to the compiler to resolve.
    fn resolves(&self, path: &Path) -> bool {
        let Some(last) = path.segments.last() else {
            return false;
        };
        let name = last.ident.to_string();
        if let Some(module) = module_of(path)
            && is_in_module(&module, &name)
        {
            return true;
        }
        let first = path.segments[0].ident.to_string();
        if self.names.contains(&name)
            || self.names.contains(&first)
            || name == "Self"
            || first == "Self"
        {
            return false;
        }
        match self.resolved {
            Resolved::Known => is_replaced(&name),
            Resolved::All => !is_inert(&name),
        }
    }

    /// `Mutex::new` as `<Mutex<_> as Instrument>::As::new`, `thread::spawn` as `::contest::thread::spawn`.
    fn path(&self, path: &ExprPath) -> Option<Expr> {
        if path.qself.is_some() || path.path.segments.len() < 2 {
            return None;
        }
        let last = path.path.segments.last()?.clone();
        let name = last.ident.to_string();
        let mut owner = path.path.clone();
        owner.segments.pop();
        let owner_segment = owner.segments.pop()?;
        let owner_name = owner_segment.ident.to_string();
        let attributes = &path.attrs;
        let runtime = self.runtime;
        if function(&owner_name, &name).is_some() && !is_own(&path.path) {
            let module = module_path(&owner_name)
                .iter()
                .map(|part| Ident::new(part, owner_segment.ident.span()));
            return Some(parse_quote!(#(#attributes)* #runtime #(::#module)* ::#last));
        }
        owner.segments.push(owner_segment.clone());
        if let Some(module) = module_of(&owner)
            && is_in_module(&module, &owner_name)
        {
            return Some(parse_quote!(#(#attributes)* <#owner as #runtime::Instrument>::As::#last));
        }
        if self.names.contains(&owner_name) {
            return None;
        }
        let given = matches!(owner_segment.arguments, PathArguments::AngleBracketed(_));
        let arity = constructed(&owner_name);
        let guard = is_guard(&owner_name);
        if arity.is_none()
            && !guard
            && !(given && MAKERS.contains(&name.as_str()) && self.may_be_alias(&owner_name))
        {
            return None;
        }
        let holes = (0..arity.unwrap_or(0)).map(|_| quote!(_));
        let owner: Path = if guard && !given {
            parse_quote!(#owner<'_, _>)
        } else if given || arity == Some(0) {
            // Written with a turbofish; in a type there is none.
            let mut owner = owner;
            if let Some(segment) = owner.segments.last_mut()
                && let PathArguments::AngleBracketed(arguments) = &mut segment.arguments
            {
                arguments.colon2_token = None;
            }
            owner
        } else {
            parse_quote!(#owner<#(#holes),*>)
        };
        Some(parse_quote!(#(#attributes)* <#owner as #runtime::Instrument>::As::#last))
    }

    fn may_be_alias(&self, name: &str) -> bool {
        name.starts_with(char::is_uppercase)
            && name != "Self"
            && !is_inert(name)
            && !self.names.contains(name)
            && !TRAITS.contains(&name)
    }

    /// True for `Lock::new(..)`: of an unknown type, and not in a constant.
    fn may_make_lock(&self, call: &ExprCall) -> bool {
        let Expr::Path(path) = &*call.func else {
            return false;
        };
        let segments = &path.path.segments;
        if self.constant || path.qself.is_some() || segments.len() < 2 {
            return false;
        }
        let owner = segments[segments.len() - 2].ident.to_string();
        let name = segments[segments.len() - 1].ident.to_string();
        MAKERS.contains(&name.as_str())
            && self.path(path).is_none()
            && self.may_be_alias(&owner)
            && constructed(&owner).is_none()
    }
}

/// Traits whose functions are generic in their result: the type of their values is inferred from its use.
const TRAITS: [&str; 6] = [
    "Default",
    "From",
    "Into",
    "TryFrom",
    "FromIterator",
    "Iterator",
];

/// The module that the last segment of a path is in, if it is written and not one of the crate's own.
fn module_of(path: &Path) -> Option<String> {
    let segments = &path.segments;
    if segments.len() < 2 || is_own(path) {
        return None;
    }
    Some(segments[segments.len() - 2].ident.to_string())
}

fn is_own(path: &Path) -> bool {
    path.segments.first().is_some_and(|first| {
        first.ident == "crate" || first.ident == "self" || first.ident == "super"
    })
}

impl VisitMut for Rewrite<'_> {
    fn visit_type_mut(&mut self, visited: &mut Type) {
        // What is inside first: `Mutex<Vec<Inner>>`.
        visit_mut::visit_type_mut(self, visited);
        if let Type::Path(path) = visited
            && path.qself.is_none()
            && self.resolves(&path.path)
        {
            let runtime = self.runtime;
            // What is wrong with the type is wrong there.
            let span = path.span();
            *visited = parse_quote_spanned!(span=> <#path as #runtime::Instrument>::As);
        }
    }

    /// Bounds, `dyn` and `impl` name traits; their arguments are not types of values.
    fn visit_trait_bound_mut(&mut self, _: &mut syn::TraitBound) {}

    fn visit_generic_argument_mut(&mut self, argument: &mut GenericArgument) {
        match argument {
            GenericArgument::Const(value) => self.constant(|this| this.visit_expr_mut(value)),
            other => visit_mut::visit_generic_argument_mut(self, other),
        }
    }

    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        if let Expr::Path(path) = expression
            && let Some(replaced) = self.path(path)
        {
            *expression = replaced;
            return;
        }
        let wraps = match expression {
            Expr::Call(call) => self.may_make_lock(call),
            _ => false,
        };
        if let Expr::Const(block) = expression {
            self.constant(|this| visit_mut::visit_expr_const_mut(this, block));
            return;
        }
        visit_mut::visit_expr_mut(self, expression);
        if wraps {
            let runtime = self.runtime;
            *expression = parse_quote!(#runtime::instrumented!(#expression));
        }
    }

    fn visit_macro_mut(&mut self, called: &mut Macro) {
        let Some(last) = called.path.segments.last() else {
            return;
        };
        if !EXPRESSION_MACROS.contains(&last.ident.to_string().as_str()) {
            return;
        }
        let list = Punctuated::<Expr, Token![,]>::parse_terminated;
        if let Ok(mut expressions) = list.parse2(called.tokens.clone()) {
            for expression in &mut expressions {
                self.visit_expr_mut(expression);
            }
            called.tokens = expressions.into_token_stream();
        }
    }

    fn visit_impl_item_fn_mut(&mut self, function: &mut ImplItemFn) {
        let generics = function.sig.generics.clone();
        self.scoped(&generics, function.sig.constness.is_some(), |this| {
            visit_mut::visit_impl_item_fn_mut(this, function);
        });
    }

    fn visit_trait_item_fn_mut(&mut self, function: &mut TraitItemFn) {
        let generics = function.sig.generics.clone();
        self.scoped(&generics, false, |this| {
            visit_mut::visit_trait_item_fn_mut(this, function);
        });
    }

    fn visit_item_fn_mut(&mut self, function: &mut ItemFn) {
        let generics = function.sig.generics.clone();
        self.scoped(&generics, function.sig.constness.is_some(), |this| {
            visit_mut::visit_item_fn_mut(this, function);
        });
    }

    fn visit_item_const_mut(&mut self, item: &mut syn::ItemConst) {
        self.constant(|this| visit_mut::visit_item_const_mut(this, item));
    }

    fn visit_impl_item_const_mut(&mut self, item: &mut syn::ImplItemConst) {
        self.constant(|this| visit_mut::visit_impl_item_const_mut(this, item));
    }

    fn visit_item_static_mut(&mut self, item: &mut syn::ItemStatic) {
        self.constant(|this| visit_mut::visit_item_static_mut(this, item));
    }

    fn visit_item_impl_mut(&mut self, item: &mut syn::ItemImpl) {
        let generics = item.generics.clone();
        self.scoped(&generics, false, |this| {
            for member in &mut item.items {
                this.visit_impl_item_mut(member);
            }
        });
    }

    fn visit_item_struct_mut(&mut self, item: &mut syn::ItemStruct) {
        let generics = item.generics.clone();
        self.scoped(&generics, false, |this| {
            this.visit_fields_mut(&mut item.fields)
        });
    }

    fn visit_item_enum_mut(&mut self, item: &mut syn::ItemEnum) {
        let generics = item.generics.clone();
        self.scoped(&generics, false, |this| {
            for variant in &mut item.variants {
                this.visit_fields_mut(&mut variant.fields);
            }
        });
    }

    // Array lengths are constants.
    fn visit_type_array_mut(&mut self, array: &mut syn::TypeArray) {
        self.visit_type_mut(&mut array.elem);
        self.constant(|this| this.visit_expr_mut(&mut array.len));
    }
}
