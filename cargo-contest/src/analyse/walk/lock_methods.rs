//! Methods of locks, condition variables and things that are initialised once.

use super::super::effect::{AccessKind, Effect, Mode};
use super::super::known_types::{Kind, poisons, protected};
use super::super::types::Type;
use super::known_methods::Known;
use super::{Value, Walker};

impl Walker<'_> {
    pub(super) fn lock_method(&mut self, what: Kind, at: Value, name: &str) -> Known {
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

    pub(super) fn condvar_method(&mut self, at: Value, name: &str, arguments: &[Value]) -> Known {
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

    pub(super) fn once_method(&mut self, at: Value, name: &str, arguments: &[Value]) -> Known {
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
}
