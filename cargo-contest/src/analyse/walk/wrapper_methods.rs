//! Methods of handles, `Option` and `Result`.

use super::super::effect::{AccessKind, Effect};
use super::super::known_types::{Kind, element, kind};
use super::super::types::Type;
use super::known_methods::Known;
use super::{Value, Walker};

impl Walker<'_> {
    pub(super) fn wrapper_method(&mut self, at: Value, name: &str) -> Known {
        let handle = matches!(at.ty.last(), "Arc" | "Rc" | "Weak");
        match name {
            "clone" if handle => {
                self.read(&at);
                let value = Value {
                    tokens: Vec::new(),
                    is_place: false,
                    variable: None,
                    ..at.clone()
                };
                self.hold(at);
                Ok(value)
            }
            "upgrade" if at.ty.last() == "Weak" => {
                let inner = Type::foreign("std::sync::Arc", vec![at.ty.argument(0)]);
                Ok(Value::at(Type::foreign("Option", vec![inner]), at.place))
            }
            "as_ref" | "deref" | "as_mut" | "deref_mut" | "get_ref" | "get_mut" | "as_deref"
            | "borrow"
                if at.ty.last() != "Weak" =>
            {
                let at = self.hold(at);
                let of = at.ty.argument(0);
                // What `as_ref` gives depends on what is inside; `Pin<&T>` and `Box<T>` give the inside itself.
                if kind(&of) == Some(Kind::Maybe) {
                    return Err(Box::new(Value { ty: of, ..at }));
                }
                Ok(Value::at(
                    Type::Reference(name.contains("mut"), Box::new(of)),
                    at.place,
                ))
            }
            "strong_count" | "weak_count" | "as_ptr" | "ptr_eq" => Ok(Value::at(
                Type::Pointer(Box::new(at.ty.argument(0))),
                at.place,
            )),
            _ if at.ty.last() == "Weak" => Ok(Value::unknown()),
            _ => Err(Box::new(at)),
        }
    }

    /// `Option`, `Result` and errors that carry a guard. Most of their methods take the value and hand its guard on.
    pub(super) fn maybe_method(&mut self, mut at: Value, name: &str, arguments: &[Value]) -> Known {
        let inner = element(&at.ty);
        let other = at.ty.argument(1);
        let option = |ty: Type| Type::foreign("Option", vec![ty]);
        match name {
            "is_some" | "is_none" | "is_ok" | "is_err" | "is_ready" | "is_pending" => {
                self.read(&at);
                self.hold(at);
                return Ok(Value::of(Type::foreign("bool", Vec::new())));
            }
            "as_ref" | "as_mut" | "as_deref" | "as_deref_mut" | "iter" | "iter_mut" | "get_ref"
            | "as_pin_mut" | "as_pin_ref" => {
                self.read(&at);
                let at = self.hold(at);
                let deref = name.contains("deref");
                let to = if deref {
                    super::super::known_types::wrapped(&inner).unwrap_or(inner)
                } else {
                    inner
                };
                let reference = Type::Reference(name.contains("mut"), Box::new(to));
                return Ok(Value {
                    ty: if name == "get_ref" {
                        reference
                    } else {
                        option(reference)
                    },
                    is_place: false,
                    ..at
                });
            }
            "take" | "replace" | "insert" | "get_or_insert" | "get_or_insert_with" | "take_if"
                if at.is_place || at.place.is_some() =>
            {
                for value in arguments {
                    self.escape(value);
                    self.call_value(value, Vec::new(), false);
                }
                self.access(at.place.as_ref(), AccessKind::Both, false);
                let mut taken = at.clone();
                self.take(&mut taken);
                let ty = if name.contains("insert") {
                    Type::Reference(true, Box::new(inner))
                } else {
                    at.ty.clone()
                };
                return Ok(Value {
                    ty,
                    is_place: false,
                    variable: None,
                    ..taken
                });
            }
            "clone" | "cloned" | "copied" => {
                self.read(&at);
                let ty = match (name, &inner) {
                    ("cloned" | "copied", Type::Reference(_, to)) => option((**to).clone()),
                    _ => at.ty.clone(),
                };
                let keeps = self.index.may_change_while_shared(&ty);
                let place = at.place.filter(|_| keeps);
                self.read(&Value {
                    is_place: true,
                    ..at.clone()
                });
                self.hold(at);
                return Ok(Value::at(ty, place));
            }
            _ => {}
        }
        self.read(&at);
        self.take(&mut at);
        let whole = Value {
            ty: inner.clone(),
            is_place: false,
            tokens: Vec::new(),
            ..at.clone()
        };
        let result = |ty: Type, at: Value| Value {
            ty,
            is_place: false,
            ..at
        };
        Ok(match name {
            "unwrap" | "expect" | "unwrap_unchecked" | "unwrap_or_default" | "into_inner"
            | "unwrap_or" | "expect_ok" => result(inner, at),
            "unwrap_err" | "expect_err" | "err" => result(other, at),
            "ok" => result(option(inner), at),
            "ok_or" | "transpose" | "or" | "xor" | "flatten" | "map_err" | "ok_or_else"
            | "or_else" | "inspect" | "inspect_err" | "filter" => {
                let failure = Value {
                    ty: Type::foreign("std::sync::PoisonError", vec![inner.clone()]),
                    ..whole.clone()
                };
                for value in arguments {
                    let given = if matches!(name, "filter" | "inspect") {
                        whole.clone()
                    } else {
                        failure.clone()
                    };
                    self.call_value(value, vec![given], false);
                }
                let ty = match name {
                    "flatten" => inner,
                    "ok_or" | "ok_or_else" => Type::foreign("Result", vec![inner]),
                    _ => at.ty.clone(),
                };
                result(ty, at)
            }
            "unwrap_or_else" => {
                // Of a poisoned lock the error holds the guard.
                let failure = Value {
                    ty: Type::foreign("std::sync::PoisonError", vec![inner.clone()]),
                    ..whole
                };
                for value in arguments {
                    self.call_value(value, vec![failure.clone()], false);
                }
                result(inner, at)
            }
            "map" | "and_then" | "map_or" | "map_or_else" | "is_some_and" | "is_ok_and"
            | "is_none_or" | "then" => {
                let mut mapped = Value::unknown();
                let tokens = at.tokens.clone();
                for value in arguments {
                    // The closure is given the value, guards and all.
                    let given = Value {
                        tokens: tokens.clone(),
                        ..whole.clone()
                    };
                    if let Some(value) = self.call_value(value, vec![given], false) {
                        mapped = value;
                    }
                }
                let ty = if name == "map" {
                    Type::foreign(at.ty.last(), vec![mapped.ty.clone(), other])
                } else {
                    mapped.ty.clone()
                };
                for token in tokens {
                    if !mapped.tokens.contains(&token) {
                        self.emit(Effect::Drop(token));
                    }
                }
                Value {
                    ty,
                    is_place: false,
                    variable: None,
                    ..mapped
                }
            }
            _ => {
                for value in arguments {
                    self.call_value(value, vec![whole.clone()], false);
                }
                result(Type::Unknown, at)
            }
        })
    }
}
