//! How a method reaches a part of an object that is filled: as it is, behind a pointer, behind a lock.

use crate::rust_type::RustType;
use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::Taken;

/// The name of a part, while it is filled.
pub(super) const MADE: &str = "made";

const POINTERS: [&str; 3] = ["alloc::sync::Arc", "alloc::boxed::Box", "alloc::rc::Rc"];

/// How a lock gives its guard.
#[derive(Clone, Copy, Debug)]
enum Guard {
    /// At once.
    Plain,
    /// In a `Result`.
    Unwrapped,
    /// In a future.
    Awaited,
}

/// Locks by their paths, with the method that gives access for changes.
const LOCKS: [(&str, &str, Guard); 8] = [
    ("std::sync::poison::mutex::Mutex", "lock", Guard::Unwrapped),
    (
        "std::sync::poison::rwlock::RwLock",
        "write",
        Guard::Unwrapped,
    ),
    ("tokio::sync::mutex::Mutex", "lock", Guard::Awaited),
    ("tokio::sync::rwlock::RwLock", "write", Guard::Awaited),
    ("async_lock::mutex::Mutex", "lock", Guard::Awaited),
    ("async_lock::rwlock::RwLock", "write", Guard::Awaited),
    ("lock_api::mutex::Mutex", "lock", Guard::Plain),
    ("lock_api::rwlock::RwLock", "write", Guard::Plain),
];

/// Where a part is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    behind_pointer: bool,
    lock: Option<(&'static str, Guard)>,
}

impl Access {
    /// How a method reaches what is in a value of this type, and the type of that.
    pub(super) fn of(given: &RustType) -> (Self, &RustType) {
        let pointer = POINTERS.contains(&given.path());
        let pointed = given.argument(0).filter(|_| pointer);
        let inside = pointed.unwrap_or(given);
        let lock = LOCKS.iter().find(|(path, ..)| *path == inside.path());
        let access = Self {
            behind_pointer: pointer,
            lock: lock.map(|&(_, method, guard)| (method, guard)),
        };
        // The last argument: that of lock_api comes after the kind of lock.
        let locked = lock.and_then(|_| inside.argument(1).or(inside.argument(0)));
        (access, locked.unwrap_or(inside))
    }

    /// What is bound, before its name.
    pub(super) fn binding(self, taken: Taken) -> &'static str {
        let is_changed = taken == Taken::MutableReference && self.lock.is_none();
        if is_changed { "let mut " } else { "let " }
    }

    /// What a method takes the part by, as it is compiled; `None` if it cannot. And how that is shown before the name
    /// of the method.
    pub(super) fn receiver(self, taken: Taken) -> Option<(Expression, String)> {
        let reference = match taken {
            Taken::Reference => "&",
            Taken::MutableReference => "&mut ",
            _ => return None,
        };
        let Some((method, guard)) = self.lock else {
            let star = if self.behind_pointer { "*" } else { "" };
            let reached = taken == Taken::Reference || !self.behind_pointer;
            let receiver = format!("{reference}{star}{MADE}").into();
            return reached.then_some((receiver, MADE.to_owned()));
        };
        let locked = Expression::from(MADE).method(method, []);
        let (locked, shown) = match guard {
            Guard::Plain => (locked, ""),
            Guard::Unwrapped => (locked.method("unwrap", []), ".unwrap()"),
            Guard::Awaited => (locked.awaited(), ".await"),
        };
        let receiver = locked.between(format!("{reference}*"), "");
        Some((receiver, format!("{MADE}.{method}(){shown}")))
    }
}
