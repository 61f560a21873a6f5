//! Variables in scope, and expressions that need no others.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, ExprPath, Local, Macro, Pat, PatIdent};

use super::written_call::starts_upper;

/// An expression, and the `let` statements that it needs.
#[derive(Clone, Debug)]
pub(super) struct Closed {
    lets: Vec<String>,
    text: String,
    /// What is shown in place of a variable.
    initial: Option<String>,
}

impl Closed {
    /// As it is compiled.
    pub(super) fn code(&self) -> String {
        match self.lets.as_slice() {
            [] => self.text.clone(),
            lets => format!("{{ {} {} }}", lets.join(" "), self.text),
        }
    }

    /// As it is shown.
    pub(super) fn shown(&self) -> &str {
        self.initial.as_deref().unwrap_or(&self.text)
    }
}

/// A variable that is bound once.
#[derive(Clone, Debug)]
struct Binding {
    /// Its `let`, and those before it that it needs.
    lets: Vec<String>,
    initial: String,
}

/// What is known of a variable.
#[derive(Clone, Debug, Default)]
struct Variable {
    /// Its value, if that is known.
    binding: Option<Binding>,
    /// Names of types where it is made.
    made_of: BTreeSet<String>,
}

/// Variables by name, the innermost scope last.
#[derive(Default)]
pub(super) struct Scopes(Vec<BTreeMap<String, Variable>>);

impl Scopes {
    pub(super) fn begin(&mut self) {
        self.0.push(BTreeMap::new());
    }

    pub(super) fn end(&mut self) {
        self.0.pop();
    }

    /// Notes the variables of a `let`.
    pub(super) fn bind(&mut self, local: &Local) {
        self.hide(&local.pat);
        let name = match &local.pat {
            Pat::Ident(it) => it,
            Pat::Type(it) => match &*it.pat {
                Pat::Ident(it) => it,
                _ => return,
            },
            _ => return,
        };
        let Some(initial) = local.init.as_ref().filter(|it| it.diverge.is_none()) else {
            return;
        };
        let is_constant = name.mutability.is_none() && name.by_ref.is_none();
        let closed = self.closed(&initial.expr).filter(|_| is_constant);
        let binding = closed.and_then(|closed| {
            let mut lets = closed.lets.clone();
            lets.push(local.span().source_text()?);
            let initial = closed.shown().to_owned();
            Some(Binding { lets, initial })
        });
        let made_of = self.made_of(&initial.expr);
        if let Some(scope) = self.0.last_mut() {
            scope.insert(name.ident.to_string(), Variable { binding, made_of });
        }
    }

    /// Names of types where a value is made: those in the expression, and those of its variables.
    pub(super) fn made_of(&self, expression: &Expr) -> BTreeSet<String> {
        let names = identifiers(expression.to_token_stream());
        let mut found = BTreeSet::new();
        for name in names {
            if starts_upper(&name) {
                found.insert(name);
            } else if let Some(variable) = self.variable(&name) {
                found.extend(variable.made_of.iter().cloned());
            }
        }
        found
    }

    fn variable(&self, name: &str) -> Option<&Variable> {
        self.0.iter().rev().find_map(|scope| scope.get(name))
    }

    /// Notes that the values of these variables are not known.
    pub(super) fn hide(&mut self, pattern: &Pat) {
        let names = bound_in(|it| it.visit_pat(pattern));
        if let Some(scope) = self.0.last_mut() {
            scope.extend(names.into_iter().map(|it| (it, Variable::default())));
        }
    }

    /// The expression with what it needs; `None` if that is not known.
    pub(super) fn closed(&self, expression: &Expr) -> Option<Closed> {
        let mut needs = Needs {
            inside: bound_in(|it| it.visit_expr(expression)),
            ..Needs::default()
        };
        needs.visit_expr(expression);
        if needs.more {
            return None;
        }
        let mut lets: Vec<String> = Vec::new();
        for name in &needs.variables {
            for it in &self.variable(name)?.binding.as_ref()?.lets {
                if !lets.contains(it) {
                    lets.push(it.clone());
                }
            }
        }
        let text = expression.span().source_text()?;
        let binding = self.variable(&text).and_then(|it| it.binding.as_ref());
        let initial = binding.map(|it| it.initial.clone());
        Some(Closed {
            lets,
            text,
            initial,
        })
    }
}

/// What an expression needs from around it.
#[derive(Default)]
struct Needs {
    /// Names that it binds itself.
    inside: BTreeSet<String>,
    variables: BTreeSet<String>,
    /// More than variables.
    more: bool,
}

impl<'ast> Visit<'ast> for Needs {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        match expression {
            Expr::Await(_) | Expr::Try(_) | Expr::Return(_) | Expr::Unsafe(_) | Expr::Yield(_) => {
                self.more = true;
            }
            Expr::Call(call) => {
                // A name of one segment in front of arguments is mostly a function's.
                let is_function =
                    matches!(&*call.func, Expr::Path(it) if it.path.get_ident().is_some());
                if !is_function {
                    self.visit_expr(&call.func);
                }
                call.args.iter().for_each(|it| self.visit_expr(it));
            }
            _ => visit::visit_expr(self, expression),
        }
    }

    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        let segments = &path.path.segments;
        let names: Vec<String> = segments.iter().map(|it| it.ident.to_string()).collect();
        self.more |= matches!(&*names[0], "self" | "super" | "Self");
        if let [name] = names.as_slice()
            && name.starts_with(|it: char| it.is_lowercase() || it == '_')
            && !self.inside.contains(name)
        {
            self.variables.insert(name.clone());
        }
        visit::visit_expr_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        type Items = syn::punctuated::Punctuated<Expr, syn::Token![,]>;
        let items = call.parse_body_with(Items::parse_terminated);
        match items {
            Ok(items) if call.path.is_ident("vec") => {
                items.iter().for_each(|it| self.visit_expr(it))
            }
            _ => self.more = true,
        }
    }
}

/// Names that patterns bind.
fn bound_in(visit: impl FnOnce(&mut Bound)) -> BTreeSet<String> {
    let mut bound = Bound::default();
    visit(&mut bound);
    bound.0
}

#[derive(Default)]
struct Bound(BTreeSet<String>);

impl<'ast> Visit<'ast> for Bound {
    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        self.0.insert(pattern.ident.to_string());
        visit::visit_pat_ident(self, pattern);
    }
}

/// Names in a piece of code.
pub(super) fn identifiers(code: TokenStream) -> BTreeSet<String> {
    fn add(tokens: TokenStream, names: &mut BTreeSet<String>) {
        for token in tokens {
            match token {
                TokenTree::Ident(it) => drop(names.insert(it.to_string())),
                TokenTree::Group(it) => add(it.stream(), names),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
    let mut names = BTreeSet::new();
    add(code, &mut names);
    names
}
