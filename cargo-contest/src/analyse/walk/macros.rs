//! Macros in bodies: those of std are known, those of the package are expanded, others are looked into.

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, Token};

use super::super::effect::{AccessKind, Effect};
use super::super::source_tree::macro_name;
use super::super::types::Type;
use super::scopes::ScopeKind;
use super::{Value, Walker};

/// Expansions in one body.
const MOST_EXPANSIONS: usize = 400;
/// Expansions inside each other.
const DEEPEST_EXPANSION: usize = 48;

impl Walker<'_> {
    pub(super) fn macro_statement(&mut self, call: &syn::StmtMacro, last: bool) -> Value {
        let name = macro_name(&call.mac);
        self.at_line(call.mac.path.span());
        if let Some(statements) = self.expand(&call.mac, &name) {
            // Names that the macro was given are declared for the statements after it.
            return self.in_expansion(|walker| {
                if last || call.semi_token.is_none() {
                    walker.statements(&statements)
                } else {
                    walker.push(ScopeKind::Temporaries);
                    let value = walker.statements(&statements);
                    walker.hold(value);
                    walker.pop();
                    Value::unit()
                }
            });
        }
        if last {
            return self.macro_known(&call.mac, &name);
        }
        self.push(ScopeKind::Temporaries);
        let value = self.macro_known(&call.mac, &name);
        self.hold(value);
        self.pop();
        Value::unit()
    }

    pub(super) fn macro_expression(&mut self, mac: &syn::Macro) -> Value {
        let name = macro_name(mac);
        self.at_line(mac.path.span());
        match self.expand(mac, &name) {
            Some(statements) => self.in_expansion(|walker| match statements.as_slice() {
                [syn::Stmt::Expr(expression, None)] => walker.expression(expression),
                statements => {
                    walker.push(ScopeKind::Block);
                    let value = walker.statements(statements);
                    walker.pop();
                    value
                }
            }),
            None => self.macro_known(mac, &name),
        }
    }

    fn in_expansion(&mut self, walk: impl FnOnce(&mut Self) -> Value) -> Value {
        self.expansions += 1;
        let value = walk(self);
        self.expansions -= 1;
        value
    }

    /// The statements a macro of the package becomes.
    fn expand(&mut self, mac: &syn::Macro, name: &str) -> Option<Vec<syn::Stmt>> {
        let rules = self.macros.get(name)?;
        self.count += 20;
        if self.expansions > DEEPEST_EXPANSION || self.count > MOST_EXPANSIONS * 100 {
            self.inexact(&format!("macro `{name}!` is expanded too often"));
            return None;
        }
        let tokens = rules.expand(&mac.tokens, mac.path.span())?;
        match syn::Block::parse_within.parse2(tokens) {
            Ok(statements) => Some(statements),
            Err(_) => {
                self.inexact(&format!(
                    "macro `{name}!` expands to something that cannot be parsed"
                ));
                None
            }
        }
    }

    fn macro_known(&mut self, mac: &syn::Macro, name: &str) -> Value {
        match name {
            "println" | "print" | "eprintln" | "eprint" | "format" | "format_args" | "write"
            | "writeln" | "concat" | "stringify" | "line" | "file" | "column" | "module_path"
            | "env" | "option_env" | "include_str" | "include_bytes" | "compile_error" | "cfg" => {
                self.format(&mac.tokens);
                match name {
                    "format" => Value::of(Type::foreign("String", Vec::new())),
                    "write" | "writeln" => Value::of(Type::foreign("Result", vec![Type::unit()])),
                    "cfg" => Value::of(Type::foreign("bool", Vec::new())),
                    _ => Value::unit(),
                }
            }
            "trace" | "debug" | "info" | "warn" | "error" | "log" => {
                self.format(&mac.tokens);
                Value::unit()
            }
            "assert" | "debug_assert" => {
                let mut expressions = expressions(&mac.tokens).unwrap_or_default().into_iter();
                if let Some(condition) = expressions.next() {
                    self.condition(&condition);
                }
                for message in expressions {
                    self.shown(&message);
                }
                Value::unit()
            }
            "assert_eq" | "assert_ne" | "debug_assert_eq" | "debug_assert_ne" => {
                self.push(ScopeKind::Temporaries);
                for expression in expressions(&mac.tokens).unwrap_or_default() {
                    self.shown(&expression);
                }
                self.pop();
                Value::unit()
            }
            "panic" | "unreachable" | "todo" | "unimplemented" => {
                self.push(ScopeKind::Temporaries);
                self.format(&mac.tokens);
                self.pop();
                self.emit(Effect::Diverge);
                self.dead = true;
                Value::unknown()
            }
            "vec" => {
                if let Some(values) = expressions(&mac.tokens) {
                    let values: Vec<Value> = values.iter().map(|it| self.operand(it)).collect();
                    let ty = values.first().map_or(Type::Unknown, |it| it.ty.clone());
                    let place = values.iter().find_map(|it| it.place);
                    return Value::at(Type::foreign("Vec", vec![ty]), place);
                }
                let pair = |input: syn::parse::ParseStream<'_>| {
                    let value: Expr = input.parse()?;
                    input.parse::<Token![;]>()?;
                    Ok((value, input.parse::<Expr>()?))
                };
                match pair.parse2(mac.tokens.clone()) {
                    Ok((value, count)) => {
                        let value = self.operand(&value);
                        self.condition(&count);
                        Value::at(Type::foreign("Vec", vec![value.ty]), value.place)
                    }
                    Err(_) => Value::of(Type::foreign("Vec", vec![Type::Unknown])),
                }
            }
            "matches" => self.matches(mac),
            "dbg" => {
                let mut value = Value::unit();
                for expression in expressions(&mac.tokens).unwrap_or_default() {
                    value = self.operand(&expression);
                }
                value
            }
            "ready" | "try" | "pin" | "addr_of" | "addr_of_mut" => {
                let Some(first) = expressions(&mac.tokens)
                    .unwrap_or_default()
                    .into_iter()
                    .next()
                else {
                    return Value::unknown();
                };
                let value = self.expression(&first);
                let ty = match name {
                    "pin" => Type::Reference(true, Box::new(value.ty.clone())),
                    "addr_of" | "addr_of_mut" => Type::Pointer(Box::new(value.ty.clone())),
                    _ => super::super::known_types::element(&value.ty),
                };
                let value = self.hold(value);
                Value {
                    ty,
                    is_place: false,
                    variable: None,
                    ..value
                }
            }
            "thread_local" | "macro_rules" | "static_assertions" => Value::unit(),
            _ => self.macro_unknown(mac, name),
        }
    }

    fn matches(&mut self, mac: &syn::Macro) -> Value {
        let parts = |input: syn::parse::ParseStream<'_>| {
            let value: Expr = input.parse()?;
            input.parse::<Token![,]>()?;
            let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
            let guard = if input.parse::<Option<Token![if]>>()?.is_some() {
                Some(input.parse::<Expr>()?)
            } else {
                None
            };
            input.parse::<Option<Token![,]>>()?;
            Ok((value, pattern, guard))
        };
        if let Ok((value, pattern, guard)) = parts.parse2(mac.tokens.clone()) {
            let value = self.expression(&value);
            self.read(&value);
            let value = self.hold(value);
            self.push(ScopeKind::Block);
            self.bind(
                &pattern,
                Value {
                    variable: None,
                    is_place: true,
                    tokens: Vec::new(),
                    ..value
                },
            );
            if let Some(guard) = guard {
                self.condition(&guard);
            }
            self.pop();
        } else {
            self.inexact("has a `matches!` that cannot be parsed");
        }
        Value::of(Type::foreign("bool", Vec::new()))
    }

    /// Arguments of a formatting macro: they are looked at.
    fn format(&mut self, tokens: &TokenStream) {
        for expression in expressions(tokens).unwrap_or_default() {
            self.shown(&expression);
        }
    }

    fn shown(&mut self, expression: &Expr) {
        if let Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(text),
            ..
        }) = expression
        {
            self.named_in(&text.value());
            return;
        }
        let expression = match expression {
            Expr::Assign(it) => &it.right,
            other => other,
        };
        let value = self.expression(expression);
        self.read(&value);
        let value = self.hold(value);
        self.formatted(&value);
    }

    /// `"{name}"`.
    fn named_in(&mut self, text: &str) {
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            rest = &rest[open + 1..];
            if let Some(after) = rest.strip_prefix('{') {
                rest = after;
                continue;
            }
            let name: String = rest
                .chars()
                .take_while(|it| it.is_alphanumeric() || *it == '_')
                .collect();
            if let Some(number) = self.variable(&name) {
                let variable = self.variables[number].clone();
                let value = Value {
                    is_place: true,
                    ..Value::at(variable.ty, variable.place)
                };
                self.read(&value);
                self.formatted(&value);
            }
        }
    }

    /// `Debug` or `Display` of a type of the package is code of the package.
    fn formatted(&mut self, value: &Value) {
        let mut ty = value.ty.clone();
        while let Some(inner) = super::super::known_types::wrapped(&ty) {
            ty = inner;
        }
        if let Type::Own(path, _) = &ty {
            let callees = self.index.methods_of(path, "fmt");
            if !callees.is_empty() {
                let value = Value {
                    ty: ty.clone(),
                    is_place: true,
                    tokens: Vec::new(),
                    ..value.clone()
                };
                self.call_own(&callees, vec![value], &ty);
            }
        }
    }

    /// Anybody's macro: its arguments as expressions, if they are; else every field that is named may be used in any way.
    fn macro_unknown(&mut self, mac: &syn::Macro, name: &str) -> Value {
        let why = format!("calls the macro `{name}!`, which is not expanded");
        if let Some(arguments) = expressions(&mac.tokens) {
            let values: Vec<Value> = arguments
                .iter()
                .map(|it| {
                    let value = self.expression(it);
                    self.read(&value);
                    self.hold(value)
                })
                .collect();
            return self.unknown(why, &values);
        }
        let mut paths = Vec::new();
        field_paths(&mac.tokens, &mut paths);
        let mut values = Vec::new();
        for path in paths {
            if let Ok(expression) = syn::parse_str::<Expr>(&path) {
                let value = self.expression(&expression);
                self.access(value.place.as_ref(), AccessKind::Both, false);
                values.push(self.hold(value));
            }
        }
        self.unknown(why, &values)
    }
}

fn expressions(tokens: &TokenStream) -> Option<Vec<Expr>> {
    Punctuated::<Expr, Token![,]>::parse_terminated
        .parse2(tokens.clone())
        .ok()
        .map(|it| it.into_iter().collect())
}

/// Everything that looks like `self.a.b` in tokens that are not understood.
fn field_paths(tokens: &TokenStream, paths: &mut Vec<String>) {
    let mut current: Option<String> = None;
    let mut dot = false;
    for tree in tokens.clone() {
        match tree {
            TokenTree::Ident(it) if it == "self" => current = Some("self".to_string()),
            TokenTree::Ident(it) => match &mut current {
                Some(path) if dot => {
                    path.push('.');
                    path.push_str(&it.to_string());
                }
                _ => paths.extend(current.take()),
            },
            TokenTree::Punct(it) if it.as_char() == '.' => {
                dot = true;
                continue;
            }
            TokenTree::Group(it) => {
                paths.extend(current.take());
                field_paths(&it.stream(), paths);
            }
            _ => paths.extend(current.take()),
        }
        dot = false;
    }
    paths.extend(current);
}
