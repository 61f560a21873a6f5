//! Methods of types of other crates: locks, atomics, cells, channels, `Option` and `Result`, containers and iterators.

use super::super::effect::{AccessKind, Effect, Mode};
use super::super::known_types::{Kind, element, kind, poisons, protected};
use super::super::place::Place;
use super::super::types::Type;
use super::{Value, Walker};

/// Methods of containers that only look.
const LOOKING: &[&str] = &[
    "len",
    "is_empty",
    "capacity",
    "get",
    "contains",
    "contains_key",
    "first",
    "last",
    "front",
    "back",
    "peek",
    "iter",
    "keys",
    "values",
    "get_key_value",
    "as_slice",
    "as_str",
    "as_bytes",
    "as_ptr",
    "as_deref",
    "as_ref",
    "to_vec",
    "to_string",
    "chars",
    "bytes",
    "lines",
    "split",
    "trim",
    "starts_with",
    "ends_with",
    "find",
    "position",
    "any",
    "all",
    "count",
    "sum",
    "min",
    "max",
    "min_by_key",
    "max_by_key",
    "fold",
    "map",
    "filter",
    "filter_map",
    "flat_map",
    "flatten",
    "for_each",
    "enumerate",
    "zip",
    "rev",
    "skip",
    "take_while",
    "skip_while",
    "chain",
    "cloned",
    "copied",
    "collect",
    "join",
    "concat",
    "binary_search",
    "binary_search_by",
    "binary_search_by_key",
    "windows",
    "chunks",
    "is_some",
    "is_none",
    "is_ok",
    "is_err",
    "range",
    "nth",
    "step_by",
    "inspect",
    "peekable",
    "cycle",
    "is_disjoint",
    "is_subset",
    "difference",
    "intersection",
    "union",
    "get_unchecked",
    "last_key_value",
    "first_key_value",
    "start",
    "end",
    "to_owned",
    "partition",
    "unzip",
    "product",
    "by_ref",
    "size_hint",
    "into_iter",
    "as_any",
    "load",
];

/// Names that are common on values of std and say little about the type.
pub(super) fn is_common(name: &str) -> bool {
    LOOKING.contains(&name)
        || matches!(
            name,
            "push"
                | "pop"
                | "insert"
                | "remove"
                | "clear"
                | "push_back"
                | "push_front"
                | "pop_back"
                | "pop_front"
                | "next"
                | "extend"
                | "drain"
                | "retain"
                | "append"
                | "truncate"
                | "sort"
                | "entry"
                | "or_insert"
                | "or_insert_with"
                | "or_default"
                | "and_modify"
                | "iter_mut"
                | "get_mut"
                | "take"
                | "replace"
                | "unwrap"
                | "expect"
                | "unwrap_or"
                | "unwrap_or_else"
                | "unwrap_or_default"
                | "ok"
                | "err"
                | "map_err"
                | "and_then"
                | "or_else"
                | "ok_or"
                | "ok_or_else"
                | "is_some_and"
                | "wrapping_add"
                | "wrapping_sub"
                | "saturating_sub"
                | "saturating_add"
                | "checked_add"
                | "checked_sub"
                | "leading_zeros"
                | "trailing_zeros"
                | "count_ones"
                | "pow"
                | "abs"
                | "as_mut"
                | "swap"
                | "reserve"
                | "resize"
                | "is_power_of_two"
                | "next_power_of_two"
                | "rotate_left"
                | "elapsed"
                | "as_nanos"
                | "as_secs"
                | "as_millis"
                | "duration_since"
                | "checked_mul"
                | "write_str"
                | "write_fmt"
                | "field"
                | "finish"
                | "debug_struct"
                | "debug_tuple"
                | "pad"
                | "unwrap_unchecked"
                | "id"
                | "type_id"
                | "cast"
                | "is_null"
        )
}

type Known = Result<Value, Box<Value>>;

impl Walker<'_> {
    /// A method of a type that is known; `Err` gives the receiver back.
    pub(super) fn known_method(
        &mut self,
        at: Value,
        name: &str,
        arguments: &[Value],
        turbofish: Option<&Type>,
    ) -> Known {
        let Some(what) = kind(&at.ty) else {
            return Err(Box::new(at));
        };
        match what {
            Kind::Mutex | Kind::RwLock | Kind::Reentrant => self.lock_method(what, at, name),
            Kind::Condvar => self.condvar_method(at, name, arguments),
            Kind::Once | Kind::OnceCell => self.once_method(at, name, arguments),
            Kind::Atomic => self.atomic_method(at, name, arguments),
            Kind::Cell => self.cell_method(at, name, arguments),
            Kind::Sender
            | Kind::Receiver
            | Kind::Waiting
            | Kind::Thread
            | Kind::JoinHandle
            | Kind::Shared => self.meeting_method(what, at, name, arguments),
            Kind::Guard => Err(Box::new(at)),
            Kind::ThreadLocal => {
                let own = Value::at(
                    Type::Reference(false, Box::new(at.ty.argument(0))),
                    Some(Place::of(super::super::place::Root::Local(0))),
                );
                let mut result = Value::unknown();
                for value in arguments {
                    if let Some(value) = self.call_value(value, vec![own.clone()], true) {
                        result = value;
                    }
                }
                Ok(result)
            }
            Kind::Wrapper => self.wrapper_method(at, name),
            Kind::Maybe => self.maybe_method(at, name, arguments),
            Kind::Container => {
                let at = self.hold(at);
                match self.container_method(&at, name, arguments, turbofish) {
                    Some(value) => Ok(value),
                    None => Ok(Value::unknown()),
                }
            }
        }
    }

    fn lock_method(&mut self, what: Kind, at: Value, name: &str) -> Known {
        if let Type::Foreign(_, arguments) = &at.ty
            && let [Type::Own(..), _] = arguments.as_slice()
        {
            // `lock_api::Mutex<RawMutex, T>`: that it is a lock is for the tests to show.
            self.inexact("uses a lock that this package implements");
        }
        let (mode, blocking) = match (what, name) {
            (
                Kind::Mutex,
                "lock" | "blocking_lock" | "lock_arc" | "lock_owned" | "lock_blocking",
            ) => (Mode::Exclusive, true),
            (
                Kind::Mutex,
                "try_lock" | "try_lock_arc" | "try_lock_for" | "try_lock_until" | "try_lock_owned",
            ) => (Mode::Exclusive, false),
            (Kind::Reentrant, "lock" | "lock_arc") => (Mode::Reentrant, true),
            (Kind::Reentrant, "try_lock" | "try_lock_for" | "try_lock_until") => {
                (Mode::Reentrant, false)
            }
            (
                Kind::RwLock,
                "read" | "read_arc" | "blocking_read" | "read_recursive" | "upgradable_read"
                | "read_owned",
            ) => (Mode::Read, true),
            (Kind::RwLock, "write" | "write_arc" | "blocking_write" | "write_owned") => {
                (Mode::Exclusive, true)
            }
            (
                Kind::RwLock,
                "try_read"
                | "try_read_for"
                | "try_read_until"
                | "try_upgradable_read"
                | "try_read_recursive",
            ) => (Mode::Read, false),
            (Kind::RwLock, "try_write" | "try_write_for" | "try_write_until") => {
                (Mode::Exclusive, false)
            }
            (_, "get_mut" | "into_inner" | "get_ref") => {
                let of = protected(&at.ty);
                let place = at.place.as_ref().map(|it| it.inside());
                let poisons = poisons(&at.ty);
                self.hold(at);
                let ty = Type::Reference(true, Box::new(of));
                let ty = if poisons {
                    Type::foreign("Result", vec![ty])
                } else {
                    ty
                };
                return Ok(Value::at(ty, place));
            }
            (
                _,
                "is_locked" | "is_poisoned" | "is_locked_exclusive" | "is_owned_by_current_thread",
            ) => {
                self.access(at.place.as_ref(), AccessKind::Read, true);
                self.hold(at);
                return Ok(Value::of(Type::foreign("bool", Vec::new())));
            }
            (_, "clear_poison") => {
                self.access(at.place.as_ref(), AccessKind::Write, true);
                return Ok(Value::unit());
            }
            (_, name) => {
                let at = self.hold(at);
                return Ok(self.unknown(format!("calls `{name}` of a lock"), &[at]));
            }
        };
        let lock = at
            .place
            .unwrap_or_else(|| self.index.names.unknown(at.ty.last()));
        let (of, poisons) = (protected(&at.ty), poisons(&at.ty));
        self.hold(at);
        Ok(self.acquire(&lock, mode, blocking, of, poisons))
    }

    fn condvar_method(&mut self, at: Value, name: &str, arguments: &[Value]) -> Known {
        let condvar = at
            .place
            .unwrap_or_else(|| self.index.names.unknown("Condvar"));
        let poisons = poisons(&at.ty);
        self.hold(at);
        match name {
            "notify_one" | "notify_all" => {
                self.access(Some(&condvar), AccessKind::Write, true);
                Ok(Value::unit())
            }
            name if name.starts_with("wait") => {
                let Some(guard) = arguments.first() else {
                    return Ok(Value::unknown());
                };
                let tokens = self.guards_of(guard);
                let line = self.line;
                let condvar = self.seen(&condvar);
                self.emit(Effect::Wait {
                    condvar,
                    tokens,
                    line,
                });
                for value in &arguments[1..] {
                    // The condition of `wait_while` looks at what the guard protects.
                    let inner = Value::at(
                        Type::Reference(true, Box::new(protected(guard.ty.referent()))),
                        guard.place,
                    );
                    self.call_value(value, vec![inner], false);
                }
                if !poisons {
                    return Ok(Value::of(Type::foreign("bool", Vec::new())));
                }
                let ty = if name.contains("timeout") {
                    Type::Tuple(vec![
                        guard.ty.clone(),
                        Type::foreign("std::sync::WaitTimeoutResult", Vec::new()),
                    ])
                } else {
                    guard.ty.clone()
                };
                let place = if name.contains("timeout") {
                    None
                } else {
                    guard.place
                };
                let value = Value::at(
                    Type::foreign("std::sync::LockResult", vec![ty]),
                    place.or(guard.place),
                );
                Ok(value.owning(guard.tokens.clone()))
            }
            name => Ok(self.unknown(format!("calls `{name}` of a condition variable"), &[])),
        }
    }

    fn once_method(&mut self, at: Value, name: &str, arguments: &[Value]) -> Known {
        let place = at.place;
        let inside = place.as_ref().map(|it| it.inside());
        let of = at.ty.argument(0);
        let reference = |mutable: bool| Type::Reference(mutable, Box::new(of.clone()));
        let lazy = matches!(at.ty.last(), "LazyLock" | "Lazy" | "LazyCell");
        match name {
            "call_once" | "call_once_force" | "get_or_init" | "get_or_try_init"
            | "get_mut_or_init" | "force" | "wait" => {
                let object = place.unwrap_or_else(|| self.index.names.unknown("Once"));
                // Others wait while the closure runs: as if it was a lock.
                let token = self.token();
                let (lock, line) = (self.seen(&object), self.line);
                self.emit(Effect::Acquire {
                    lock,
                    mode: Mode::Exclusive,
                    blocking: true,
                    token,
                    line,
                });
                for value in arguments {
                    self.call_value(value, Vec::new(), false);
                }
                self.emit(Effect::Drop(token));
                self.access(Some(&object), AccessKind::Both, true);
                let ty = if name.contains("try") {
                    Type::foreign("Result", vec![reference(false)])
                } else {
                    reference(false)
                };
                Ok(Value::at(ty, inside))
            }
            "set" | "try_insert" => {
                for value in arguments {
                    self.escape(value);
                }
                self.wait_for(place.as_ref());
                Ok(Value::of(Type::foreign("Result", vec![Type::unit()])))
            }
            "get" if !lazy => {
                self.access(place.as_ref(), AccessKind::Read, true);
                Ok(Value::at(
                    Type::foreign("Option", vec![reference(false)]),
                    inside,
                ))
            }
            "is_completed" | "is_initialized" => {
                self.access(place.as_ref(), AccessKind::Read, true);
                Ok(Value::of(Type::foreign("bool", Vec::new())))
            }
            "get_mut" | "take" | "into_inner" if !lazy => Ok(Value::at(
                Type::foreign("Option", vec![reference(true)]),
                inside,
            )),
            _ if lazy => {
                self.wait_for(place.as_ref());
                Err(Box::new(at))
            }
            _ => Ok(Value::unknown()),
        }
    }

    fn atomic_method(&mut self, at: Value, name: &str, arguments: &[Value]) -> Known {
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

    fn cell_method(&mut self, at: Value, name: &str, arguments: &[Value]) -> Known {
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

    /// Channels, barriers, threads, shared containers.
    fn meeting_method(&mut self, what: Kind, at: Value, name: &str, arguments: &[Value]) -> Known {
        let place = at.place.or_else(|| {
            matches!(what, Kind::Thread | Kind::JoinHandle)
                .then(|| self.index.names.unknown(at.ty.last()))
        });
        for value in arguments {
            self.escape(value);
            self.call_value(value, Vec::new(), false);
        }
        let ty = at.ty.clone();
        let item = ty.argument(0);
        let unbounded = matches!(&ty, Type::Foreign(path, _) if path.starts_with("std::") && path.ends_with("::Sender"))
            || ty.last().starts_with("Unbounded");
        self.hold(at);
        if name == "clone" {
            return Ok(Value::at(ty, place));
        }
        match what {
            Kind::Sender => {
                self.channel(
                    place.as_ref(),
                    !name.starts_with("try") && name.contains("send") && !unbounded,
                );
                Ok(Value::of(Type::foreign("Result", vec![Type::unit()])))
            }
            Kind::Receiver => {
                self.channel(
                    place.as_ref(),
                    !name.starts_with("try") && name != "len" && name != "is_empty",
                );
                let ty = match name {
                    "iter" | "try_iter" | "into_iter" => Type::foreign("Iter", vec![item]),
                    _ => Type::foreign("Result", vec![item]),
                };
                Ok(Value::of(ty))
            }
            Kind::Waiting => {
                self.channel(
                    place.as_ref(),
                    !name.starts_with("try")
                        && !name.starts_with("add")
                        && !name.starts_with("notify")
                        && !name.contains("permits"),
                );
                Ok(Value::unknown())
            }
            Kind::Thread => {
                if name == "unpark" {
                    self.access(place.as_ref(), AccessKind::Write, true);
                }
                Ok(Value::unknown())
            }
            Kind::JoinHandle => {
                match name {
                    "join" => self.wait_for(place.as_ref()),
                    "thread" => {
                        return Ok(Value::at(
                            Type::foreign("std::thread::Thread", Vec::new()),
                            Some(self.index.names.unknown("Thread")),
                        ));
                    }
                    _ => self.access(place.as_ref(), AccessKind::Read, true),
                }
                Ok(Value::of(Type::foreign("Result", vec![item])))
            }
            _ => {
                let looks = LOOKING.contains(&name) || name == "is_full";
                self.access(
                    place.as_ref(),
                    if looks {
                        AccessKind::Read
                    } else {
                        AccessKind::Both
                    },
                    true,
                );
                if matches!(ty.last(), "DashMap" | "DashSet") {
                    self.inexact(&format!(
                        "calls `{}::{name}`, which holds a lock inside",
                        ty.last()
                    ));
                }
                Ok(Value::at(
                    Type::foreign("Option", vec![item]),
                    place.map(|it| it.element()),
                ))
            }
        }
    }

    fn wrapper_method(&mut self, at: Value, name: &str) -> Known {
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
    fn maybe_method(&mut self, mut at: Value, name: &str, arguments: &[Value]) -> Known {
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

    /// Containers, strings and iterators; what is not listed changes them.
    pub(super) fn container_method(
        &mut self,
        at: &Value,
        name: &str,
        arguments: &[Value],
        turbofish: Option<&Type>,
    ) -> Option<Value> {
        let item = element(&at.ty);
        let looks = LOOKING.contains(&name)
            || (super::methods::UNIVERSAL.contains(&name) && !name.ends_with("mut"));
        let is_iterator = matches!(
            at.ty.last(),
            "Iter" | "IterMut" | "IntoIter" | "Drain" | "Range" | "Peekable" | "Chars"
        );
        if !is_iterator {
            self.access(
                at.place.as_ref(),
                if looks {
                    AccessKind::Read
                } else {
                    AccessKind::Both
                },
                false,
            );
        }
        let inside = at.place.as_ref().map(|it| it.element());
        let given = Value::at(item.clone(), inside);
        let mut mapped = None;
        let mut tokens = Vec::new();
        for value in arguments {
            tokens.extend(value.tokens.iter().copied());
            if !looks {
                self.escape(value);
            }
            let arguments = if name == "fold" {
                vec![Value::unknown(), given.clone()]
            } else {
                vec![given.clone(), given.clone()]
            };
            if let Some(value) = self.call_value(value, arguments, false) {
                mapped = Some(value);
            }
        }
        let reference = |mutable: bool| Type::Reference(mutable, Box::new(item.clone()));
        let iterator = |ty: Type| Type::foreign("Iter", vec![ty]);
        let option = |ty: Type| Type::foreign("Option", vec![ty]);
        let number = || Type::foreign("usize", Vec::new());
        let value = match name {
            "len" | "capacity" | "count" | "position" => Value::of(number()),
            "is_empty" | "contains" | "contains_key" | "any" | "all" | "starts_with"
            | "ends_with" => Value::of(Type::foreign("bool", Vec::new())),
            "get" | "first" | "last" | "front" | "back" | "peek" | "find" | "max_by_key"
            | "min_by_key" | "nth"
                if !is_iterator =>
            {
                Value::at(option(reference(false)), inside)
            }
            "get_mut" | "first_mut" | "last_mut" | "front_mut" | "back_mut" | "peek_mut" => {
                Value::at(option(reference(true)), inside)
            }
            "next" | "next_back" | "find" | "last" | "nth" | "max_by_key" | "min_by_key"
            | "max" | "min" => Value::at(option(item), inside),
            "pop" | "pop_front" | "pop_back" | "remove" | "insert" | "swap_remove" | "take"
            | "replace" => Value::at(option(item), inside),
            "iter" | "values" => Value::at(iterator(reference(false)), at.place),
            "iter_mut" | "values_mut" => Value::at(iterator(reference(true)), at.place),
            "into_iter" | "drain" | "into_values" => Value::at(iterator(item), at.place),
            "entry" => Value::at(Type::foreign("Entry", vec![item]), at.place),
            "or_insert" | "or_insert_with" | "or_default" | "or_insert_with_key" => {
                Value::at(reference(true), inside)
            }
            "map" | "filter_map" | "flat_map" => {
                let mapped = mapped.unwrap_or_else(Value::unknown);
                let ty = if name == "map" {
                    mapped.ty.clone()
                } else {
                    element(&mapped.ty)
                };
                Value::at(iterator(ty), mapped.place)
            }
            "cloned" | "copied" => Value::at(iterator(item.referent().clone()), at.place),
            "enumerate" => Value::at(iterator(Type::Tuple(vec![number(), item])), at.place),
            "zip" => {
                let with = arguments
                    .first()
                    .map_or(Type::Unknown, |it| element(&it.ty));
                Value::at(iterator(Type::Tuple(vec![item, with])), at.place)
            }
            "filter" | "rev" | "skip" | "take_while" | "skip_while" | "chain" | "inspect"
            | "peekable" | "step_by" | "by_ref" | "cycle" | "and_modify" => {
                Value::at(at.ty.clone(), at.place)
            }
            "collect" => {
                let ty = match turbofish {
                    Some(ty @ Type::Foreign(path, _)) if ty.argument(0) == Type::Unknown => {
                        Type::foreign(path, vec![item])
                    }
                    Some(ty) => ty.clone(),
                    None => Type::foreign("Vec", vec![item]),
                };
                Value::at(ty, at.place)
            }
            "clone" | "to_vec" | "to_owned" => {
                let ty = at.ty.clone();
                let place = at.place.filter(|_| self.index.may_change_while_shared(&ty));
                Value::at(ty, place)
            }
            "as_slice" | "as_str" | "as_bytes" | "as_mut_slice" | "trim" | "as_ref" | "as_mut"
            | "range" | "chunks" | "windows" | "split_at" | "lines" | "split" | "chars"
            | "bytes" => Value::at(at.ty.clone(), at.place),
            "as_ptr" | "as_mut_ptr" => Value::at(Type::Pointer(Box::new(item)), inside),
            "fold" | "sum" | "product" | "for_each" => {
                Value::at(mapped.map_or(Type::Unknown, |it| it.ty), None)
            }
            "join" | "to_string" | "concat" => Value::of(Type::foreign("String", Vec::new())),
            _ => Value::at(Type::Unknown, at.place),
        };
        for token in tokens {
            // A guard that goes into a container is held as long as the container.
            if !looks {
                self.inexact("stores a guard");
                self.emit(Effect::Forget(token));
            }
        }
        Some(value)
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
