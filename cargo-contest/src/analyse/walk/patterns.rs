//! Patterns: names for parts of a value, and who owns its guards then.

use syn::Pat;

use super::super::effect::AccessKind;
use super::super::known_types::{Kind, element, kind, wrapped};
use super::super::resolve::Resolved;
use super::super::types::{Name, Type, convert_path, plain};
use super::{Value, Walker};

impl Walker<'_> {
    /// Binds the names of a pattern.
    pub(super) fn bind(&mut self, pattern: &Pat, value: Value) {
        self.deeper((), |walker| walker.bind_inside(pattern, value));
    }

    fn bind_inside(&mut self, pattern: &Pat, mut value: Value) {
        match pattern {
            Pat::Ident(it) => {
                if self.is_constant(&plain(&it.ident)) && it.subpat.is_none() {
                    self.read(&value);
                    self.hold(value);
                    return;
                }
                if it.by_ref.is_some() {
                    let value = self.extend(value);
                    let ty = Type::Reference(it.mutability.is_some(), Box::new(value.ty.clone()));
                    self.declare(&plain(&it.ident), Value::at(ty, value.place));
                    return;
                }
                self.take(&mut value);
                if let Some((_, inner)) = &it.subpat {
                    self.bind(
                        inner,
                        Value {
                            tokens: Vec::new(),
                            is_place: true,
                            variable: None,
                            ..value.clone()
                        },
                    );
                }
                self.declare(&plain(&it.ident), value);
            }
            Pat::Wild(_) | Pat::Rest(_) => {
                // Nothing is bound: a temporary lives to the end of its statement, a place is not touched.
                self.hold(value);
            }
            Pat::Paren(it) => self.bind(&it.pat, value),
            Pat::Type(it) => {
                if value.ty == Type::Unknown {
                    value.ty = self.type_of(&it.ty);
                }
                self.bind(&it.pat, value);
            }
            Pat::Reference(it) => {
                let ty = match &value.ty {
                    Type::Reference(_, to) => (**to).clone(),
                    _ => Type::Unknown,
                };
                self.read(&Value {
                    is_place: true,
                    ..Value::at(ty.clone(), value.place)
                });
                self.bind(&it.pat, Value { ty, ..value });
            }
            Pat::Tuple(it) => {
                let ty = value.ty.referent().clone();
                let parts = it.elems.iter().enumerate().map(|(n, pattern)| {
                    let part = match &ty {
                        Type::Tuple(types) => types.get(n).cloned().unwrap_or(Type::Unknown),
                        _ => Type::Unknown,
                    };
                    (pattern, "".into(), n.to_string(), part)
                });
                self.bind_parts(parts.collect(), value);
            }
            Pat::TupleStruct(it) => self.bind_tuple_struct(it, value),
            Pat::Struct(it) => {
                let (owner, of) = self.pattern_type(&it.path, &value.ty);
                let mut parts = Vec::new();
                for field in &it.fields {
                    let name = match &field.member {
                        syn::Member::Named(it) => plain(it),
                        syn::Member::Unnamed(it) => it.index.to_string(),
                    };
                    let part = self
                        .index
                        .field(&of, &name)
                        .map_or(Type::Unknown, |(_, ty)| ty);
                    parts.push((&*field.pat, owner.clone(), name, part));
                }
                self.bind_parts(parts, value);
            }
            Pat::Slice(it) => {
                let part = element(&value.ty);
                let place = value.place.as_ref().map(|it| it.element());
                for pattern in &it.elems {
                    self.bind(
                        pattern,
                        Value {
                            is_place: true,
                            ..Value::at(part.clone(), place)
                        },
                    );
                }
            }
            Pat::Or(it) => {
                self.read(&value);
                // The names are the same in every case.
                let mut cases = it.cases.iter();
                let named = cases
                    .clone()
                    .find(|it| has_names(it))
                    .or_else(|| cases.next());
                if let Some(case) = named {
                    self.bind(case, value);
                }
            }
            Pat::Lit(_) | Pat::Range(_) | Pat::Path(_) | Pat::Const(_) => {
                self.access(
                    value.place.as_ref().filter(|_| value.is_place),
                    AccessKind::Read,
                    false,
                );
                self.hold(value);
            }
            _ => {
                self.inexact("has a pattern that is not understood");
                self.hold(value);
            }
        }
    }

    fn bind_tuple_struct(&mut self, it: &syn::PatTupleStruct, value: Value) {
        let last = it
            .path
            .segments
            .last()
            .map(|it| plain(&it.ident))
            .unwrap_or_default();
        let mut scrutinee = value.ty.clone();
        while let Some(inner) = wrapped(&scrutinee) {
            if kind(&scrutinee) == Some(Kind::Guard) && matches!(inner, Type::Unknown) {
                break;
            }
            scrutinee = inner;
        }
        if matches!(
            last.as_str(),
            "Some" | "Ok" | "Ready" | "Err" | "Continue" | "Break"
        ) && !matches!(scrutinee, Type::Own(..))
        {
            let part = if last == "Err" {
                error(&scrutinee)
            } else {
                element(&scrutinee)
            };
            // A failed `try_lock` gave no guard; a poisoned lock gave one.
            let value = Value { ty: part, ..value };
            if let Some(inner) = it.elems.first() {
                self.bind(inner, value);
            }
            return;
        }
        let (owner, of) = self.pattern_type(&it.path, &value.ty);
        let parts = it
            .elems
            .iter()
            .enumerate()
            .map(|(n, pattern)| {
                let name = n.to_string();
                let part = self
                    .index
                    .field(&of, &name)
                    .map_or(Type::Unknown, |(_, ty)| ty);
                (pattern, owner.clone(), name, part)
            })
            .collect();
        self.bind_parts(parts, value);
    }

    /// Binds parts of a value; its guards go to the part that can hold them, else to the first that binds a name.
    fn bind_parts(&mut self, parts: Vec<(&Pat, Name, String, Type)>, value: Value) {
        let guards = self.guards_of(&value);
        let holder = if guards.is_empty() {
            None
        } else {
            let holds = |ty: &Type| mentions_guard(ty);
            parts
                .iter()
                .position(|(pattern, _, _, ty)| has_names(pattern) && holds(ty))
                .or_else(|| parts.iter().position(|(pattern, ..)| has_names(pattern)))
        };
        let borrowed = Value {
            tokens: Vec::new(),
            variable: None,
            is_place: true,
            ..value.clone()
        };
        let mut whole = Some(value);
        for (n, (pattern, owner, name, ty)) in parts.into_iter().enumerate() {
            if matches!(pattern, Pat::Rest(_)) {
                continue;
            }
            let place = borrowed
                .place
                .as_ref()
                .map(|it| it.step(self.index.names.field(&owner, &name)));
            if holder == Some(n)
                && let Some(whole) = whole.take()
            {
                self.bind(pattern, Value { ty, place, ..whole });
            } else {
                self.bind(
                    pattern,
                    Value {
                        ty,
                        place,
                        ..borrowed.clone()
                    },
                );
            }
        }
        if let Some(rest) = whole {
            self.hold(rest);
        }
    }

    /// The struct or variant a pattern names: who declares its fields, and the type to look them up in.
    fn pattern_type(&mut self, path: &syn::Path, value: &Type) -> (Name, Type) {
        let arguments = match value.referent() {
            Type::Own(_, arguments) => arguments.clone(),
            _ => Vec::new(),
        };
        let segments: Vec<Name> = path
            .segments
            .iter()
            .map(|it| plain(&it.ident).into())
            .collect();
        let path = if &*segments[0] == "Self" {
            match (self.self_type(), segments.get(1)) {
                (Type::Own(path, _), Some(variant)) => Some(format!("{path}::{variant}").into()),
                (Type::Own(path, _), None) => Some(path),
                _ => None,
            }
        } else {
            let written = convert_path(path, &self.function.generics);
            match self.resolved(&written) {
                Type::Own(path, _) => Some(path),
                _ => None,
            }
        };
        match path {
            Some(path) => (path.clone(), Type::Own(path, arguments)),
            None => ("".into(), Type::Unknown),
        }
    }

    /// A lone name may be a constant or a unit variant.
    fn is_constant(&self, name: &str) -> bool {
        if name == "None" {
            return true;
        }
        if !name.starts_with(char::is_uppercase) {
            return false;
        }
        match self.index.resolve(&self.function.module, &[name.into()]) {
            Some(Resolved::Own(path)) => {
                self.index.constants.contains_key(&path)
                    || self.index.variants.contains_key(&path)
                    || self.index.structs.contains_key(&path)
            }
            _ => name
                .chars()
                .all(|it| it.is_uppercase() || it.is_numeric() || it == '_'),
        }
    }
}

/// What `Err` holds.
fn error(ty: &Type) -> Type {
    match ty.last() {
        // Of a poisoned lock: the guard is inside.
        "LockResult" => Type::foreign("std::sync::PoisonError", vec![ty.argument(0)]),
        "TryLockResult" => Type::foreign("std::sync::TryLockError", vec![ty.argument(0)]),
        _ => ty.argument(1),
    }
}

pub(super) fn mentions_guard(ty: &Type) -> bool {
    match ty {
        Type::Foreign(_, arguments) => {
            kind(ty) == Some(Kind::Guard) || arguments.iter().any(mentions_guard)
        }
        Type::Tuple(types) => types.iter().any(mentions_guard),
        Type::Own(path, arguments) => {
            path.ends_with("Guard") || arguments.iter().any(mentions_guard)
        }
        _ => false,
    }
}

/// True if the pattern binds something.
fn has_names(pattern: &Pat) -> bool {
    match pattern {
        Pat::Ident(it) => it.by_ref.is_none() && it.ident != "None",
        Pat::Paren(it) => has_names(&it.pat),
        Pat::Type(it) => has_names(&it.pat),
        Pat::Reference(it) => has_names(&it.pat),
        Pat::Tuple(it) => it.elems.iter().any(has_names),
        Pat::TupleStruct(it) => it.elems.iter().any(has_names),
        Pat::Struct(it) => it.fields.iter().any(|it| has_names(&it.pat)),
        Pat::Slice(it) => it.elems.iter().any(has_names),
        Pat::Or(it) => it.cases.iter().any(has_names),
        _ => false,
    }
}
