//! The calls of a file with the arguments that can be understood alone.

use std::collections::BTreeMap;

use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Block, Expr, ExprCall, ExprClosure, ExprMethodCall, ExprTry, ImplItemFn, Item,
    ItemFn, ItemMod, Local, Macro, Token,
};

use super::bindings::{Closed, Scopes, identifiers};
use super::outside;
use super::written_call::{CallIdiom, Receiver, Written};

type Arguments = Punctuated<Expr, Token![,]>;

/// Which functions of a file are read.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Part {
    All,
    TestsOnly,
}

/// Longer arguments are rather tests of their own.
const LONGEST: usize = 300;

/// Calls in a file, by the name of the function.
pub(super) fn calls(
    parsed: &syn::File,
    file: &str,
    krate: &str,
    part: Part,
) -> Vec<(String, CallIdiom)> {
    let mut collector = Collector {
        file,
        part,
        inside_test: false,
        uses: uses(parsed, krate),
        scopes: Scopes::default(),
        is_unwrapped: false,
        should_panic: false,
        found: Vec::new(),
    };
    collector.visit_file(parsed);
    collector.found
}

struct Collector<'a> {
    file: &'a str,
    part: Part,
    inside_test: bool,
    uses: Uses,
    scopes: Scopes,
    /// The next call is unwrapped.
    is_unwrapped: bool,
    /// What is unwrapped may be wrong.
    should_panic: bool,
    found: Vec<(String, CallIdiom)>,
}

impl Collector<'_> {
    fn call(
        &mut self,
        name: String,
        of: Receiver,
        arguments: &Arguments,
        is_unwrapped: bool,
        line: usize,
    ) {
        let arguments: Vec<_> = arguments.iter().map(|it| self.argument(it)).collect();
        if arguments.iter().any(Option::is_some) {
            let location = match self.file {
                // Its lines are those of the example.
                "documentation" | "README.md" => self.file.to_owned(),
                file => format!("{file}:{line}"),
            };
            let call = CallIdiom {
                of,
                arguments,
                is_unwrapped,
                location,
            };
            self.found.push((name, call));
        }
    }

    /// The argument, if it needs nothing around it but `use` and `let`.
    fn argument(&self, argument: &Expr) -> Option<Written> {
        let (reference, value) = match argument {
            Expr::Reference(it) if it.mutability.is_some() => ("&mut ", &*it.expr),
            Expr::Reference(it) => ("&", &*it.expr),
            other => ("", other),
        };
        let closed: Closed = self.scopes.closed(value)?;
        let code = closed.code();
        if !outside::is_free_of(&code, &|name| self.uses.path_of(name)) {
            return None;
        }
        let names = identifiers(code.parse().unwrap_or_default());
        let mut expression = String::new();
        for (name, path) in &self.uses.names {
            if names.contains(name) {
                expression.push_str(&format!("use {path}; "));
            }
        }
        let known = |path: &&String| outside::may_be_in_scope(path);
        for path in self.uses.globs.iter().filter(known) {
            expression.push_str(&format!("use {path}::*; "));
        }
        expression.push_str(&code);
        (code.len() <= LONGEST).then(|| Written {
            text: format!("{reference}{}", closed.shown()),
            expression,
            reference,
            literal: text_literal(value),
        })
    }

    /// Notes that a call whose result this is will be unwrapped.
    fn note_unwrapped(&mut self, result: &Expr) {
        let result = match result {
            Expr::Await(it) => &*it.base,
            it => it,
        };
        let is_call = matches!(result, Expr::Call(_) | Expr::MethodCall(_));
        self.is_unwrapped = is_call && !self.should_panic;
    }

    fn inside(&mut self, is_test: bool, visit: impl FnOnce(&mut Self)) {
        let before = self.inside_test;
        self.inside_test |= is_test;
        visit(self);
        self.inside_test = before;
    }

    fn is_read(&self) -> bool {
        self.part == Part::All || self.inside_test
    }
}

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        self.inside(is_test(&module.attrs), |it| {
            visit::visit_item_mod(it, module)
        });
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        let panics = function
            .attrs
            .iter()
            .any(|it| it.path().is_ident("should_panic"));
        let before = std::mem::replace(&mut self.should_panic, panics);
        self.inside(is_test(&function.attrs), |it| {
            if it.is_read() {
                visit::visit_item_fn(it, function);
            }
        });
        self.should_panic = before;
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        if self.is_read() {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_block(&mut self, block: &'ast Block) {
        self.scopes.begin();
        visit::visit_block(self, block);
        self.scopes.end();
    }

    fn visit_local(&mut self, local: &'ast Local) {
        visit::visit_local(self, local);
        self.scopes.bind(local);
    }

    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        self.scopes.begin();
        for input in &closure.inputs {
            self.scopes.hide(input);
        }
        visit::visit_expr_closure(self, closure);
        self.scopes.end();
    }

    /// Tests call most of what they call inside `assert!` and `assert_eq!`.
    fn visit_macro(&mut self, called: &'ast Macro) {
        let arguments = Arguments::parse_terminated;
        for argument in called.parse_body_with(arguments).iter().flatten() {
            // What is parsed here does not live as long as the file.
            Visit::visit_expr(self, argument);
        }
    }

    fn visit_expr_try(&mut self, tried: &'ast ExprTry) {
        self.note_unwrapped(&tried.expr);
        visit::visit_expr_try(self, tried);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        let is_unwrapped = std::mem::take(&mut self.is_unwrapped);
        visit::visit_expr_call(self, call);
        if let Expr::Path(path) = &*call.func
            && path.qself.is_none()
        {
            let mut segments = path.path.segments.iter().rev();
            let name = segments.next().map(|it| it.ident.to_string());
            let of = segments
                .next()
                .map_or(Receiver::Nothing, |it| Receiver::Path(it.ident.to_string()));
            let line = call.span().start().line;
            let name = name.unwrap_or_default();
            self.call(name, of, &call.args, is_unwrapped, line);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        let is_unwrapped = std::mem::take(&mut self.is_unwrapped);
        if call.method == "unwrap" || call.method == "expect" {
            self.note_unwrapped(&call.receiver);
        }
        visit::visit_expr_method_call(self, call);
        let line = call.method.span().start().line;
        let of = Receiver::Value(self.scopes.made_of(&call.receiver));
        self.call(call.method.to_string(), of, &call.args, is_unwrapped, line);
    }
}

/// True for names of what makes a value of a text, and the same text.
fn converts(name: &syn::Ident) -> bool {
    const NAMES: [&str; 7] = [
        "from",
        "new",
        "Some",
        "into",
        "to_string",
        "to_owned",
        "as_ref",
    ];
    NAMES.iter().any(|it| name == it)
}

/// The text that an expression is, or is converted from.
fn text_literal(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Lit(it) => match &it.lit {
            syn::Lit::Str(text) => Some(text.to_token_stream().to_string()),
            _ => None,
        },
        Expr::Reference(it) => text_literal(&it.expr),
        Expr::MethodCall(it) if it.args.is_empty() && converts(&it.method) => {
            text_literal(&it.receiver)
        }
        Expr::Call(it) if it.args.len() == 1 => match &*it.func {
            Expr::Path(path)
                if path
                    .path
                    .segments
                    .last()
                    .is_some_and(|it| converts(&it.ident)) =>
            {
                text_literal(&it.args[0])
            }
            _ => None,
        },
        _ => None,
    }
}

/// `#[test]`, `#[tokio::test]`, `#[cfg(test)]`.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|it| {
        let last = it.path().segments.last();
        let name = last.map(|it| it.ident.to_string()).unwrap_or_default();
        let arguments = it.meta.to_token_stream().to_string();
        name == "test" || name == "cfg" && arguments.replace(' ', "") == "cfg(test)"
    })
}

/// Paths that a file gives other names, those of `std` and of the crate itself.
#[derive(Default)]
struct Uses {
    /// The name in the file, and what `use` names.
    names: BTreeMap<String, String>,
    /// Modules whose items are all in scope.
    globs: Vec<String>,
}

fn uses(file: &syn::File, krate: &str) -> Uses {
    struct Found<'a>(Uses, &'a str);
    impl<'ast> Visit<'ast> for Found<'_> {
        fn visit_item(&mut self, item: &'ast Item) {
            if let Item::Use(it) = item {
                self.0.tree("", &it.tree, self.1);
            }
            visit::visit_item(self, item);
        }
    }
    let mut found = Found(Uses::default(), krate);
    found.visit_file(file);
    found.0
}

impl Uses {
    /// What a name of the file means, if a `use` says so.
    fn path_of(&self, name: &str) -> Option<String> {
        let path = self.names.get(name)?;
        Some(path.split(" as ").next().unwrap_or(path).to_owned())
    }

    fn tree(&mut self, before: &str, tree: &syn::UseTree, krate: &str) {
        let joined = |name: &syn::Ident| {
            let name = if before.is_empty() && name == "crate" {
                krate.to_owned()
            } else {
                name.to_string()
            };
            match before {
                "" => name,
                _ => format!("{before}::{name}"),
            }
        };
        let is_known = |path: &str| {
            let root = path.split("::").next().unwrap_or_default();
            root == krate || ["std", "core", "alloc"].contains(&root)
        };
        match tree {
            syn::UseTree::Path(it) => self.tree(&joined(&it.ident), &it.tree, krate),
            syn::UseTree::Group(it) => {
                for item in &it.items {
                    self.tree(before, item, krate);
                }
            }
            syn::UseTree::Name(it) if is_known(before) && it.ident != "self" => {
                self.names.insert(it.ident.to_string(), joined(&it.ident));
            }
            syn::UseTree::Rename(it) if is_known(before) => {
                let path = format!("{} as {}", joined(&it.ident), it.rename);
                self.names.insert(it.rename.to_string(), path);
            }
            syn::UseTree::Name(it) if it.ident == "self" && is_known(before) => {
                let name = before.rsplit("::").next().unwrap_or_default();
                self.names.insert(name.to_owned(), before.to_owned());
            }
            syn::UseTree::Glob(_) if is_known(before) && before != krate => {
                self.globs.push(before.to_owned());
            }
            _ => {}
        }
    }
}
