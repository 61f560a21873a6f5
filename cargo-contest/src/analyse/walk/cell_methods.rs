//! Methods of atomics and cells.

use super::super::effect::AccessKind;
use super::super::types::Type;
use super::known_methods::Known;
use super::{Value, Walker};

impl Walker<'_> {
    pub(super) fn atomic_method(&mut self, at: Value, name: &str, arguments: &[Value]) -> Known {
        let access = match name {
            "load" | "load_full" | "load_consume" | "fmt" => AccessKind::Read,
            "store" => AccessKind::Write,
            "get_mut" | "into_inner" | "as_ptr" | "as_mut_ptr" => {
                if name.ends_with("ptr") {
                    self.inexact("takes a pointer to an atomic");
                }
                let place = at.place.as_ref().map(|it| it.inside());
                return Ok(Value::at(
                    Type::Reference(true, Box::new(atomic_value(&at.ty))),
                    place,
                ));
            }
            _ => AccessKind::Both,
        };
        for value in arguments {
            self.escape(value);
            self.call_value(value, Vec::new(), false);
        }
        self.access(at.place.as_ref(), access, true);
        let value = atomic_value(&at.ty);
        self.hold(at);
        let ty = if name.starts_with("compare_exchange") || name.contains("update") {
            Type::foreign("Result", vec![value.clone(), value])
        } else {
            value
        };
        Ok(Value::of(ty))
    }

    pub(super) fn cell_method(&mut self, at: Value, name: &str, arguments: &[Value]) -> Known {
        let place = at.place.as_ref().map(|it| it.inside());
        let of = at.ty.argument(0);
        let raw = at.ty.last().contains("Unsafe");
        self.hold(at);
        let kind = match name {
            "get" if raw => return Ok(Value::at(Type::Pointer(Box::new(of)), place)),
            "as_ptr" | "raw_get" => return Ok(Value::at(Type::Pointer(Box::new(of)), place)),
            "borrow" | "borrow_mut" | "try_borrow" | "try_borrow_mut" => {
                let guard = super::super::known_types::guard(of);
                let ty = if name.starts_with("try") {
                    Type::foreign("Result", vec![guard])
                } else {
                    guard
                };
                return Ok(Value::at(ty, place));
            }
            "get_mut" | "into_inner" => {
                return Ok(Value::at(Type::Reference(true, Box::new(of)), place));
            }
            "with" | "with_mut" => {
                let pointer = Value::at(Type::Pointer(Box::new(of)), place);
                let mut result = Value::unknown();
                for value in arguments {
                    if let Some(value) = self.call_value(value, vec![pointer.clone()], true) {
                        result = value;
                    }
                }
                return Ok(result);
            }
            "get" => AccessKind::Read,
            "set" => AccessKind::Write,
            _ => AccessKind::Both,
        };
        for value in arguments {
            self.escape(value);
            self.call_value(value, Vec::new(), false);
        }
        self.access(place.as_ref(), kind, false);
        Ok(Value::at(of, place.filter(|_| kind != AccessKind::Write)))
    }
}

/// What an atomic holds.
fn atomic_value(ty: &Type) -> Type {
    match ty.last() {
        "AtomicPtr" => Type::Pointer(Box::new(ty.argument(0))),
        "AtomicBool" => Type::foreign("bool", Vec::new()),
        "AtomicCell" | "ArcSwap" | "Atomic" => ty.argument(0),
        name => Type::foreign(
            &name.trim_start_matches("Atomic").to_lowercase(),
            Vec::new(),
        ),
    }
}
