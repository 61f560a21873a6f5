//! Calls of functions of other crates that mean something: handles, guards, threads, and those that are given something shared.

use super::super::effect::{AccessKind, Effect};
use super::super::known_types::{Kind, kind, protected};
use super::super::place::Place;
use super::super::types::{Type, last_segment};
use super::calls::is_std;
use super::scopes::ScopeKind;
use super::{Value, Walker};

impl Walker<'_> {
    /// A function of another crate.
    pub(super) fn call_foreign(
        &mut self,
        path: &str,
        generics: Vec<Type>,
        arguments: Vec<Value>,
    ) -> Value {
        let name = last_segment(path).to_string();
        let owner = path.rsplit_once("::").map_or("", |(it, _)| it);
        let owner_name = last_segment(owner).to_string();
        let first = arguments.first().cloned();
        match (owner_name.as_str(), name.as_str()) {
            (_, "drop") if matches!(owner_name.as_str(), "" | "mem") => {
                return self.drop_value(arguments);
            }
            (_, "forget") | ("ManuallyDrop", "new") => {
                let Some(value) = first else {
                    return Value::unit();
                };
                for token in &value.tokens {
                    self.emit(Effect::Forget(*token));
                }
                if !value.tokens.is_empty() {
                    self.inexact("keeps a lock by forgetting its guard");
                }
                return if name == "forget" {
                    Value::unit()
                } else {
                    Value {
                        tokens: Vec::new(),
                        ..value
                    }
                };
            }
            ("mem", "replace" | "swap" | "take") => {
                for value in arguments.iter().take(if name == "swap" { 2 } else { 1 }) {
                    self.access(value.place.as_ref(), AccessKind::Both, false);
                }
                let Some(value) = first else {
                    return Value::unknown();
                };
                for other in &arguments[1..] {
                    self.escape(other);
                }
                return Value {
                    is_place: false,
                    variable: None,
                    ty: value.ty.referent().clone(),
                    ..value
                };
            }
            (_, "Some" | "Ok" | "Err" | "Ready") => {
                let Some(value) = first else {
                    return Value::unknown();
                };
                let holder = if name == "Some" { "Option" } else { "Result" };
                let mut types = vec![value.ty.clone()];
                if name == "Err" {
                    types.insert(0, Type::Unknown);
                }
                return Value {
                    ty: Type::foreign(holder, types),
                    is_place: false,
                    ..value
                };
            }
            ("Arc" | "Rc", "clone" | "downgrade") => {
                let Some(value) = first else {
                    return Value::unknown();
                };
                return Value {
                    ty: value.ty.referent().clone(),
                    is_place: false,
                    variable: None,
                    ..value
                };
            }
            (
                "Arc" | "Rc" | "Weak",
                "ptr_eq" | "strong_count" | "weak_count" | "as_ptr" | "into_raw" | "from_raw",
            ) => {
                let ty = match (name.as_str(), &first) {
                    ("as_ptr" | "into_raw", Some(value)) => {
                        Type::Pointer(Box::new(value.ty.referent().argument(0)))
                    }
                    _ => Type::Unknown,
                };
                return Value::at(ty, first.and_then(|it| it.place));
            }
            (
                "Box" | "Arc" | "Rc" | "Pin" | "CachePadded" | "NonNull" | "Weak" | "Cow",
                "new" | "pin" | "from" | "new_unchecked" | "leak" | "from_raw" | "into_raw"
                | "into_inner" | "into_pin" | "try_unwrap" | "get_mut" | "as_mut" | "as_ref",
            ) => {
                let Some(value) = first else {
                    return Value::of(Type::foreign(owner, generics));
                };
                let ty = match name.as_str() {
                    "leak" => Type::Reference(true, Box::new(value.ty.argument(0))),
                    "into_raw" => Type::Pointer(Box::new(value.ty.argument(0))),
                    "from_raw" => match &value.ty {
                        Type::Pointer(to) => Type::foreign(owner, vec![(**to).clone()]),
                        _ => Type::foreign(owner, vec![Type::Unknown]),
                    },
                    "into_inner" => value.ty.argument(0),
                    "get_mut" | "as_mut" | "as_ref" | "try_unwrap" => {
                        Type::foreign("Option", vec![value.ty.referent().argument(0)])
                    }
                    _ => Type::foreign(owner, vec![value.ty.clone()]),
                };
                let made_here =
                    value.place.is_none() && matches!(name.as_str(), "new" | "pin" | "from");
                let place = if made_here {
                    Some(self.local())
                } else {
                    value.place
                };
                return Value {
                    ty,
                    place,
                    is_place: false,
                    variable: None,
                    ..value
                };
            }
            (_, "spawn" | "spawn_unchecked" | "spawn_blocking")
                if matches!(owner_name.as_str(), "thread" | "Builder" | "task") =>
            {
                return self.spawn(&arguments);
            }
            ("thread", "scope") => {
                for value in &arguments {
                    self.call_value(
                        value,
                        vec![Value::of(Type::foreign("std::thread::Scope", Vec::new()))],
                        true,
                    );
                }
                return Value::unknown();
            }
            ("thread", "park" | "park_timeout") => {
                self.wait_for(Some(&self.index.names.unknown("Thread")));
                return Value::unit();
            }
            ("thread", "current") => {
                return Value::at(
                    Type::foreign("std::thread::Thread", Vec::new()),
                    Some(self.index.names.unknown("Thread")),
                );
            }
            (
                "thread" | "hint",
                "sleep" | "yield_now" | "spin_loop" | "panicking" | "black_box",
            ) => return Value::of(Type::foreign("bool", Vec::new())),
            ("process", "exit" | "abort") | ("panic", "panic_any" | "resume_unwind") => {
                self.emit(Effect::Diverge);
                self.dead = true;
                return Value::unknown();
            }
            ("atomic", "fence" | "compiler_fence") => return Value::unit(),
            ("from_fn" | "panic", "catch_unwind") => {}
            _ => {}
        }
        // `Mutex::lock(&m)`, `MutexGuard::map(g, f)`, `Iterator::next(&mut it)`.
        let owner_type = Type::foreign(owner, generics.clone());
        if let Some(first) = first.clone() {
            match kind(&owner_type) {
                Some(Kind::Guard) => {
                    return self.guard_function(
                        &name,
                        first,
                        arguments.into_iter().skip(1).collect(),
                    );
                }
                Some(_) if !is_constructor(&name) => {
                    return self.method_on(
                        first,
                        &name,
                        arguments.into_iter().skip(1).collect(),
                        None,
                    );
                }
                None if owner_name.starts_with(char::is_uppercase) && !is_constructor(&name) => {
                    return self.method_on(
                        first,
                        &name,
                        arguments.into_iter().skip(1).collect(),
                        None,
                    );
                }
                _ => {}
            }
        }
        if owner_name.starts_with(char::is_uppercase)
            || matches!(owner_name.as_str(), "mpsc" | "channel")
        {
            return self.made_elsewhere(owner, &name, generics, arguments);
        }
        self.other_function(path, arguments)
    }

    /// A value of a type of another crate is made.
    pub(super) fn made_elsewhere(
        &mut self,
        owner: &str,
        name: &str,
        mut generics: Vec<Type>,
        arguments: Vec<Value>,
    ) -> Value {
        let holder = Type::foreign(owner, Vec::new());
        let holds = matches!(
            kind(&holder),
            Some(
                Kind::Mutex
                    | Kind::RwLock
                    | Kind::Reentrant
                    | Kind::Cell
                    | Kind::OnceCell
                    | Kind::Atomic
                    | Kind::Wrapper
            )
        );
        if holds && generics.is_empty() {
            generics.extend(arguments.first().map(|it| it.ty.clone()));
        }
        let mut tokens = Vec::new();
        let mut reaching = Vec::new();
        for value in arguments {
            tokens.extend(value.tokens.iter().copied());
            if matches!(value.ty, Type::Closure(_) | Type::Callable(_)) || self.reaches(&value) {
                reaching.push(value);
            }
        }
        let place = self.local();
        if is_std(owner) || kind(&holder).is_some() {
            let inside = reaching.iter().find_map(|it| it.place);
            for value in &reaching {
                self.call_value(value, Vec::new(), false);
            }
            return Value::at(Type::foreign(owner, generics), inside.or(Some(place)))
                .owning(tokens);
        }
        let ty = Type::foreign(owner, generics);
        if reaching.is_empty() {
            return Value::at(ty, Some(place)).owning(tokens);
        }
        let value = self.unknown(
            format!("calls `{}::{name}` of another crate", last_segment(owner)),
            &reaching,
        );
        Value { ty, ..value }.owning(tokens)
    }

    /// A free function of another crate.
    pub(super) fn other_function(&mut self, path: &str, arguments: Vec<Value>) -> Value {
        let mut reaching = Vec::new();
        let mut tokens = Vec::new();
        for value in &arguments {
            tokens.extend(value.tokens.iter().copied());
            if matches!(value.ty, Type::Closure(_) | Type::Callable(_))
                || !value.functions.is_empty()
                || self.reaches(value)
            {
                reaching.push(value.clone());
            }
        }
        let place = reaching.iter().find_map(|it| it.place);
        let value = if is_std(path) {
            for value in &reaching {
                if self.call_value(value, Vec::new(), false).is_none() {
                    self.access(value.place.as_ref(), AccessKind::Both, false);
                }
                self.escape(value);
            }
            Value::at(Type::Unknown, place)
        } else if reaching.is_empty() {
            Value::unknown()
        } else {
            self.unknown(format!("calls `{path}` of another crate"), &reaching)
        };
        for token in tokens {
            self.emit(Effect::Drop(token));
        }
        value
    }

    pub(super) fn drop_value(&mut self, arguments: Vec<Value>) -> Value {
        // `operand` has moved them already: what they own ends here.
        self.push(ScopeKind::Temporaries);
        for value in arguments {
            self.hold(Value {
                is_place: false,
                variable: None,
                ..value
            });
        }
        self.pop();
        Value::unit()
    }

    /// Associated functions of guards: `MutexGuard::map(guard, …)`.
    pub(super) fn guard_function(&mut self, name: &str, guard: Value, rest: Vec<Value>) -> Value {
        match name {
            "map" | "try_map" | "filter_map" | "map_split" => {
                let of = protected(&guard.ty);
                let mut inner = Value::at(Type::Reference(true, Box::new(of)), guard.place);
                for value in &rest {
                    if let Some(result) = self.call_value(value, vec![inner.clone()], true) {
                        inner = result;
                    }
                }
                let of = inner.ty.referent().clone();
                Value::at(
                    super::super::known_types::guard(of),
                    inner.place.or(guard.place),
                )
                .owning(guard.tokens)
            }
            "downgrade" | "downgrade_to_upgradable" | "upgrade" | "with_upgraded" | "leak" => {
                if name != "downgrade" {
                    self.inexact("changes how a lock is held");
                }
                guard
            }
            "unlock_fair" | "unlock" => {
                for token in guard.tokens {
                    self.emit(Effect::Drop(token));
                }
                Value::unit()
            }
            "unlocked" | "unlocked_fair" | "bump" => {
                // Given back and taken again: what was read before may have changed.
                let tokens = self.guards_of(&guard);
                let condvar = guard.place.unwrap_or_else(Place::anything);
                let line = self.line;
                self.emit(Effect::Wait {
                    condvar,
                    tokens,
                    line,
                });
                for value in &rest {
                    self.call_value(value, Vec::new(), true);
                }
                Value::unit()
            }
            _ => self.method_on(guard, name, rest, None),
        }
    }
}

fn is_constructor(name: &str) -> bool {
    name == "new"
        || name.starts_with("with_")
        || matches!(
            name,
            "default"
                | "from"
                | "const_new"
                | "from_iter"
                | "bounded"
                | "unbounded"
                | "channel"
                | "sync_channel"
                | "null"
                | "null_mut"
                | "empty"
                | "once"
        )
}
