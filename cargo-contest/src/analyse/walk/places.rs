//! Expressions that name a place: paths, fields, elements, what a pointer or a handle leads to.

use syn::{Expr, Member};

use super::super::effect::{AccessKind, Effect};
use super::super::known_types::{Kind, element, kind, wrapped};
use super::super::place::{Place, Root};
use super::super::resolve::Resolved;
use super::super::types::{Name, Type, plain};
use super::{Value, Walker};

impl Walker<'_> {
    pub(super) fn path(&mut self, expression: &syn::ExprPath) -> Value {
        if let Some(name) = expression.path.get_ident()
            && let Some(number) = self.variable(&plain(name))
        {
            let variable = self.variables[number].clone();
            return Value {
                ty: variable.ty,
                place: variable.place,
                tokens: Vec::new(),
                is_place: true,
                variable: Some(number),
                functions: variable.functions,
            };
        }
        let segments: Vec<Name> = expression
            .path
            .segments
            .iter()
            .map(|it| plain(&it.ident).into())
            .collect();
        let resolved = if &*segments[0] == "Self" {
            None
        } else {
            self.index.resolve(&self.function.module, &segments)
        };
        match resolved {
            Some(Resolved::Own(path)) => {
                if let Some((_, it)) = self.index.statics.get(&path) {
                    let place = if it.thread_local {
                        Place::of(Root::Local(0))
                    } else {
                        Place::of(Root::Static(self.index.names.path(&path)))
                    };
                    if it.mutable {
                        let place = place.inside();
                        return Value {
                            is_place: true,
                            ..Value::at(it.ty.clone(), Some(place))
                        };
                    }
                    let ty = if it.thread_local {
                        Type::foreign("std::thread::LocalKey", vec![it.ty.clone()])
                    } else {
                        it.ty.clone()
                    };
                    return Value {
                        is_place: true,
                        ..Value::at(ty, Some(place))
                    };
                }
                if let Some((_, ty)) = self.index.constants.get(&path) {
                    return Value::of(ty.clone());
                }
                if self.index.structs.contains_key(&path) {
                    return Value::of(Type::Own(path, Vec::new()));
                }
                if let Some(functions) = self.index.free.get(&path) {
                    return Value {
                        functions: functions.clone(),
                        ..Value::unknown()
                    };
                }
                if let Some((owner, name)) = path.rsplit_once("::") {
                    if self.index.variants.contains_key(&path) {
                        return Value::of(Type::Own(owner.into(), Vec::new()));
                    }
                    return Value {
                        functions: self.index.methods_of(&owner.into(), name),
                        ..Value::unknown()
                    };
                }
                Value::unknown()
            }
            Some(Resolved::Foreign(path)) if &*path == "None" => {
                Value::of(Type::foreign("Option", vec![Type::Unknown]))
            }
            None if &*segments[0] == "Self" => {
                let of_self = self.self_type();
                match (&of_self, segments.get(1)) {
                    (Type::Own(path, _), Some(name)) => {
                        let variant: Name = format!("{path}::{name}").into();
                        if self.index.variants.contains_key(&variant) {
                            return Value::of(of_self);
                        }
                        Value {
                            functions: self.index.methods_of(path, name),
                            ..Value::unknown()
                        }
                    }
                    _ => Value::of(of_self),
                }
            }
            _ => Value::unknown(),
        }
    }

    /// `*value`.
    pub(super) fn dereference(&mut self, value: Value) -> Value {
        let ty = match &value.ty {
            Type::Pointer(to) => return self.through_pointer(&value, to),
            ty => match wrapped(ty) {
                Some(to) => {
                    self.first_use_of_lazy(&value);
                    to
                }
                None => return self.deref_own(&value),
            },
        };
        Value {
            is_place: true,
            variable: None,
            ..Value::at(ty, value.place)
        }
    }

    /// What a raw pointer points to: the place it came from if that is known, else some object of the type.
    pub(super) fn through_pointer(&mut self, value: &Value, to: &Type) -> Value {
        let place = match &value.place {
            Some(place) => Some(*place),
            None => {
                self.inexact("follows a raw pointer whose target is not known");
                Some(self.index.names.unknown(to.referent().last()).inside())
            }
        };
        Value {
            is_place: true,
            ..Value::at(to.clone(), place)
        }
    }

    pub(super) fn first_use_of_lazy(&mut self, value: &Value) {
        if kind(value.ty.referent()) == Some(Kind::OnceCell)
            && let Some(place) = &value.place
        {
            let (object, line) = (self.seen(place), self.line);
            self.emit(Effect::Block { object, line });
            self.access(value.place.as_ref(), AccessKind::Both, true);
        }
    }

    /// Calls `Deref::deref` of a type of the package.
    pub(super) fn deref_own(&mut self, value: &Value) -> Value {
        let Some(target) = self.index.deref_target(value.ty.referent()) else {
            return Value {
                is_place: true,
                variable: None,
                ty: Type::Unknown,
                ..value.clone()
            };
        };
        let Type::Own(path, _) = value.ty.referent() else {
            return Value::unknown();
        };
        let callees = self.index.methods_of(path, "deref");
        let called = self.call_own(&callees, vec![value.clone()], value.ty.referent());
        Value {
            is_place: true,
            ..Value::at(target, called.place).owning(called.tokens)
        }
    }

    /// A field, looked for through references, guards and the like.
    pub(super) fn field(&mut self, base: Value, member: &Member) -> Value {
        let name = match member {
            Member::Named(it) => {
                self.at_line(it.span());
                plain(it)
            }
            Member::Unnamed(it) => it.index.to_string(),
        };
        let mut value = base;
        for _ in 0..8 {
            if let Some((owner, ty)) = self.index.field(&value.ty, &name) {
                let place = value
                    .place
                    .as_ref()
                    .map(|it| it.step(self.index.names.field(&owner, &name)));
                return Value {
                    is_place: true,
                    ..Value::at(ty, place)
                };
            }
            match &value.ty {
                Type::Own(..) if self.index.deref_target(&value.ty).is_some() => {
                    value = self.deref_own(&value)
                }
                Type::Pointer(_) => break,
                ty => match wrapped(ty) {
                    Some(inner) if inner != Type::Unknown => value = Value { ty: inner, ..value },
                    _ => break,
                },
            }
        }
        let place = value
            .place
            .as_ref()
            .map(|it| it.step(self.index.names.field("", &name)));
        Value {
            is_place: true,
            ..Value::at(Type::Unknown, place)
        }
    }

    /// `base[index]`.
    pub(super) fn index_into(&mut self, base: Value, index: &Expr) -> Value {
        let at = self.looked_at(index);
        let mut value = base;
        for _ in 0..6 {
            if let Type::Own(path, _) = value.ty.clone() {
                let callees = self.index.methods_of(&path, "index");
                if !callees.is_empty() {
                    let result = self.call_own(&callees, vec![value.clone(), at], &value.ty);
                    let ty = match result.ty {
                        Type::Reference(_, to) => *to,
                        ty => ty,
                    };
                    return Value {
                        is_place: true,
                        ..Value::at(ty, result.place)
                    };
                }
                if self.index.deref_target(&value.ty).is_some() {
                    value = self.deref_own(&value);
                    continue;
                }
                break;
            }
            match wrapped(&value.ty) {
                Some(inner) => value = Value { ty: inner, ..value },
                None => break,
            }
        }
        let ty = if at.ty.last() == "Range" {
            value.ty.clone()
        } else {
            element(&value.ty)
        };
        let place = value.place.as_ref().map(|it| it.element());
        Value {
            is_place: true,
            ..Value::at(ty, place)
        }
    }
}
