//! Method calls: which method it is, found by the receiver's type through references, guards and `Deref`.

use super::super::effect::{AccessKind, Effect, Mode};
use super::super::index::Receiver;
use super::super::known_types::wrapped;
use super::super::place::{Place, Root};
use super::super::types::{Type, convert, is_primitive, plain};
use super::calls::is_std;
use super::{Value, Walker};

/// Methods that traits of std give to nearly every type; derived, they only look at the value.
pub(super) const UNIVERSAL: &[&str] = &[
    "clone",
    "eq",
    "ne",
    "cmp",
    "partial_cmp",
    "lt",
    "le",
    "gt",
    "ge",
    "hash",
    "fmt",
    "default",
    "into",
    "from",
    "try_into",
    "as_ref",
    "borrow",
    "to_owned",
    "to_string",
    "type_id",
    "borrow_mut",
    "as_mut",
    "min",
    "max",
];

impl Walker<'_> {
    pub(super) fn method_call(&mut self, call: &syn::ExprMethodCall) -> Value {
        let receiver = self.expression(&call.receiver);
        let arguments = self.arguments(&call.args);
        self.at_line(call.method.span());
        let turbofish = call
            .turbofish
            .as_ref()
            .and_then(|it| match it.args.first() {
                Some(syn::GenericArgument::Type(ty)) => {
                    Some(self.resolved(&convert(ty, &self.function.generics)))
                }
                _ => None,
            });
        self.method_on(receiver, &plain(&call.method), arguments, turbofish)
    }

    pub(super) fn method_on(
        &mut self,
        receiver: Value,
        name: &str,
        arguments: Vec<Value>,
        turbofish: Option<Type>,
    ) -> Value {
        self.deeper(Value::unknown(), |walker| {
            walker.method_inside(receiver, name, arguments, turbofish)
        })
    }

    fn method_inside(
        &mut self,
        receiver: Value,
        name: &str,
        arguments: Vec<Value>,
        turbofish: Option<Type>,
    ) -> Value {
        let mut at = receiver;
        for _ in 0..10 {
            match at.ty.clone() {
                Type::Own(path, _) => {
                    let callees = self.index.methods_of(&path, name);
                    if !callees.is_empty() {
                        return self.own_method(at, &callees, arguments);
                    }
                    if self.index.deref_target(&at.ty).is_some() {
                        at = self.hold(at);
                        at = self.deref_own(&at);
                        continue;
                    }
                    return self.method_not_found(at, name, arguments);
                }
                Type::Reference(_, to) => {
                    // `clone` of a reference to a type that clones, else of the reference itself.
                    at = Value { ty: *to, ..at };
                }
                Type::Pointer(to) => return self.pointer_method(at, *to, name, arguments),
                Type::Parameter(_) | Type::Traits(_) => {
                    let ty = at.ty.clone();
                    if name == "clone" {
                        self.read(&at);
                        return Value {
                            is_place: false,
                            variable: None,
                            tokens: Vec::new(),
                            ..at
                        };
                    }
                    let at = self.hold(at);
                    let mut all = vec![at];
                    all.extend(arguments);
                    return self.call_bounds(&ty, name, all);
                }
                Type::Callable(_) | Type::Closure(_) => {
                    if matches!(name, "call" | "call_once" | "call_mut")
                        && let Some(value) = self.call_value(&at, arguments, true)
                    {
                        return value;
                    }
                    return at;
                }
                Type::Unknown | Type::Written(..) | Type::Itself => {
                    return self.unknown_receiver(at, name, arguments);
                }
                Type::Tuple(_) => return self.universal(at, name),
                Type::Sequence(_) | Type::Foreign(..) => {
                    match self.known_method(at, name, &arguments, turbofish.as_ref()) {
                        Ok(value) => {
                            self.drop_unused(&value, &arguments);
                            return value;
                        }
                        Err(back) => match wrapped(&back.ty) {
                            Some(inner) => {
                                at = self.hold(*back);
                                at = Value { ty: inner, ..at };
                            }
                            None => return self.foreign_method(*back, name, arguments),
                        },
                    }
                }
            }
        }
        self.unknown_receiver(
            Value {
                ty: Type::Unknown,
                ..at
            },
            name,
            arguments,
        )
    }

    /// Guards that were given to a method and are not in its result end here.
    fn drop_unused(&mut self, result: &Value, arguments: &[Value]) {
        for token in arguments.iter().flat_map(|it| &it.tokens) {
            if !result.tokens.contains(token) {
                self.emit(Effect::Drop(*token));
            }
        }
    }

    fn own_method(&mut self, mut receiver: Value, callees: &[u32], arguments: Vec<Value>) -> Value {
        let by_value = callees
            .iter()
            .any(|it| self.index.functions[*it as usize].receiver == Receiver::Value);
        let ty = receiver.ty.clone();
        if by_value {
            self.take(&mut receiver);
        } else {
            receiver = self.hold(receiver);
            receiver.tokens = Vec::new();
        }
        let mut all = vec![receiver];
        all.extend(arguments);
        self.call_own(callees, all, &ty)
    }

    /// The type is of the package, the method is not: derived, of a trait of another crate, or made by a macro.
    fn method_not_found(&mut self, at: Value, name: &str, arguments: Vec<Value>) -> Value {
        if UNIVERSAL.contains(&name) {
            return self.universal(at, name);
        }
        let Type::Own(path, _) = &at.ty else {
            return Value::unknown();
        };
        let next = self.index.methods_of(path, "next");
        if !next.is_empty() {
            // Adapters of an iterator of the package.
            let at = self.hold(at);
            let item = self.call_own(&next, vec![at.clone()], &at.ty.clone());
            let item = Value {
                ty: super::super::known_types::element(&item.ty),
                ..item
            };
            let mut result = Value::at(Type::foreign("Iter", vec![item.ty.clone()]), item.place);
            for value in &arguments {
                if let Some(value) = self.call_value(value, vec![item.clone()], false) {
                    result.ty = Type::foreign("Iter", vec![value.ty]);
                }
            }
            return result;
        }
        if let Some(callees) = self.index.blanket.get(name).cloned() {
            self.inexact(&format!(
                "calls `{name}`, which an impl for any type may be"
            ));
            return self.own_method(at, &callees, arguments);
        }
        let text = format!(
            "calls `{}::{name}`, which is not in the sources that were read",
            at.ty.last()
        );
        let at = self.hold(at);
        let mut all = vec![at];
        all.extend(arguments);
        self.unknown(text, &all)
    }

    fn universal(&mut self, at: Value, name: &str) -> Value {
        self.read(&at);
        self.derived(&at, name);
        match name {
            "clone" | "to_owned" => {
                let keeps = self.index.may_change_while_shared(&at.ty);
                let place = if keeps { at.place } else { None };
                self.hold(at.clone());
                Value::at(at.ty, place)
            }
            "eq" | "ne" | "lt" | "le" | "gt" | "ge" => Value::of(Type::foreign("bool", Vec::new())),
            "as_ref" | "borrow" | "borrow_mut" | "as_mut" => {
                let at = self.hold(at);
                Value {
                    is_place: false,
                    ty: Type::Unknown,
                    ..at
                }
            }
            _ => {
                self.hold(at);
                Value::unknown()
            }
        }
    }

    /// A derived method runs those of the fields.
    fn derived(&mut self, at: &Value, name: &str) {
        let name = match name {
            "ne" => "eq",
            "lt" | "le" | "gt" | "ge" => "partial_cmp",
            "to_owned" => "clone",
            "to_string" => "fmt",
            name => name,
        };
        for (path, function) in self.index.derived(&at.ty, name) {
            let place = at.place.map(|start| {
                path.iter().fold(start, |place, (owner, field)| {
                    place.step(self.index.names.field(owner, field))
                })
            });
            let of = self.index.functions[function as usize].self_type.clone();
            let value = Value::at(of.unwrap_or(Type::Unknown), place);
            self.call_own(&[function], vec![value], &Type::Unknown);
        }
    }

    fn pointer_method(&mut self, at: Value, to: Type, name: &str, arguments: Vec<Value>) -> Value {
        let place = || match &at.place {
            Some(place) => *place,
            None => self.index.names.unknown(to.referent().last()).inside(),
        };
        match name {
            "is_null" | "addr" | "cast_const" | "cast_mut" | "is_aligned" | "offset_from"
            | "eq" => {
                let keeps = name.starts_with("cast");
                Value {
                    is_place: false,
                    ty: if keeps {
                        at.ty.clone()
                    } else {
                        Type::foreign("usize", Vec::new())
                    },
                    ..at
                }
            }
            "add" | "sub" | "offset" | "wrapping_add" | "wrapping_sub" | "byte_add"
            | "map_addr" | "with_addr" | "clone" => Value {
                is_place: false,
                ..at
            },
            "cast" => Value {
                ty: Type::Pointer(Box::new(Type::Unknown)),
                is_place: false,
                ..at
            },
            "as_ref" | "as_mut" => {
                if at.place.is_none() {
                    self.inexact("follows a raw pointer whose target is not known");
                }
                let ty = Type::foreign(
                    "Option",
                    vec![Type::Reference(name == "as_mut", Box::new(to.clone()))],
                );
                Value::at(ty, Some(place()))
            }
            "read" | "read_volatile" | "read_unaligned" => {
                let place = place();
                self.raw(&at, &place, AccessKind::Read);
                Value::at(to.clone(), Some(place))
            }
            "write"
            | "write_volatile"
            | "write_bytes"
            | "drop_in_place"
            | "replace"
            | "swap"
            | "copy_from"
            | "copy_from_nonoverlapping" => {
                for value in &arguments {
                    self.escape(value);
                }
                let place = place();
                self.raw(&at, &place, AccessKind::Both);
                Value::at(to.clone(), None)
            }
            _ => {
                let mut all = vec![Value::at(to.clone(), Some(place()))];
                all.extend(arguments);
                self.unknown(format!("calls `{name}` on a raw pointer"), &all)
            }
        }
    }

    fn raw(&mut self, at: &Value, place: &Place, kind: AccessKind) {
        if at.place.is_none() {
            self.inexact("follows a raw pointer whose target is not known");
        }
        self.access(Some(place), kind, matches!(place.root, Root::Unknown(_)));
    }

    /// A method of a type of another crate that is in no table.
    fn foreign_method(&mut self, at: Value, name: &str, arguments: Vec<Value>) -> Value {
        let Type::Foreign(path, _) = at.ty.clone() else {
            return Value::unknown();
        };
        if is_primitive(&path) {
            self.read(&at);
            return if UNIVERSAL.contains(&name) || name.len() > 2 {
                Value::of(at.ty)
            } else {
                Value::unknown()
            };
        }
        if at.ty.last() == "Scope" && name == "spawn" {
            return self.spawn(&arguments);
        }
        if at.ty.last() == "Builder" && name.starts_with("spawn") {
            return self.spawn(&arguments);
        }
        if UNIVERSAL.contains(&name) {
            return self.universal(at, name);
        }
        let at = self.hold(at);
        if is_std(&path) {
            self.access(at.place.as_ref(), AccessKind::Both, false);
            for value in &arguments {
                self.escape(value);
                self.call_value(value, vec![Value::at(Type::Unknown, at.place)], false);
            }
            return Value::at(Type::Unknown, at.place);
        }
        let mut reaching: Vec<Value> = Vec::new();
        let plain = !self.reaches(&at);
        reaching.push(at);
        reaching.extend(arguments);
        let closures = reaching
            .iter()
            .any(|it| matches!(it.ty, Type::Closure(_) | Type::Callable(_)));
        if plain && !closures && !reaching.iter().any(|it| self.reaches(it)) {
            return Value::unknown();
        }
        self.unknown(
            format!(
                "calls `{}::{name}` of another crate",
                super::super::types::last_segment(&path)
            ),
            &reaching,
        )
    }

    /// A method of something whose type was not found out.
    fn unknown_receiver(&mut self, at: Value, name: &str, arguments: Vec<Value>) -> Value {
        let at = self.hold(at);
        let local = match &at.place {
            None => true,
            Some(Place {
                root: Root::Local(number),
                ..
            }) => !self.escaped.contains(number) && !self.reaches(&at),
            Some(_) => false,
        };
        if UNIVERSAL.contains(&name) {
            return self.universal(at, name);
        }
        if matches!(name, "lock" | "read" | "write") && arguments.is_empty() {
            let lock = at.place.unwrap_or_else(Place::anything);
            let mode = if name == "read" {
                Mode::Read
            } else {
                Mode::Exclusive
            };
            self.inexact(&format!(
                "takes a lock by `{name}` of a value whose type is not known"
            ));
            return self.acquire(&lock, mode, true, Type::Unknown, false);
        }
        // With a known lock, cell or container the tables would have had it; a method of the package may be meant.
        if let Some(callees) = self.index.by_name.get(name).cloned()
            && !(local && super::container_methods::is_common(name))
        {
            let callees: Vec<u32> = callees
                .into_iter()
                .filter(|it| self.index.functions[*it as usize].has_body)
                .take(6)
                .collect();
            if !callees.is_empty() {
                self.inexact(&format!(
                    "calls `{name}` of a value whose type is not known"
                ));
                return self.own_method(at, &callees, arguments);
            }
        }
        if super::container_methods::is_common(name) || local {
            let result = self.container_method(&at, name, &arguments, None);
            return result.unwrap_or_else(|| {
                for value in &arguments {
                    self.call_value(value, Vec::new(), false);
                }
                let place = at.place.filter(|_| !local);
                Value::at(Type::Unknown, place)
            });
        }
        let mut all = vec![at];
        all.extend(arguments);
        self.unknown(
            format!("calls `{name}` of a value whose type is not known"),
            &all,
        )
    }

    /// Takes a lock; the value is its guard, in a `Result` if the lock can be poisoned.
    pub(super) fn acquire(
        &mut self,
        lock: &Place,
        mode: Mode,
        blocking: bool,
        of: Type,
        poisons: bool,
    ) -> Value {
        let token = self.token();
        let lock = self.seen(lock);
        let inside = lock.inside();
        let line = self.line;
        self.emit(Effect::Acquire {
            lock,
            mode,
            blocking,
            token,
            line,
        });
        let guard = super::super::known_types::guard(of);
        let ty = match (blocking, poisons) {
            (true, true) => Type::foreign("std::sync::LockResult", vec![guard]),
            (true, false) => guard,
            (false, true) => Type::foreign("std::sync::TryLockResult", vec![guard]),
            (false, false) => Type::foreign("Option", vec![guard]),
        };
        Value::at(ty, Some(inside)).owning(vec![token])
    }
}
