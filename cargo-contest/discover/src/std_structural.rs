//! Traits whose impls for types of `std` follow from a type's parts: `Clone`, `Eq`, `Send`, ...

use super::holds::{Holds, PartBounds};
use super::rust_type::{RustType, TraitBound};
use super::std_paths::ERROR;

/// Short names of traits whose impls follow a type's parts.
pub(super) fn structural(path: &str) -> Option<&'static str> {
    Some(match path {
        "core::clone::Clone" => "Clone",
        "core::marker::Copy" => "Copy",
        "core::cmp::PartialEq" => "PartialEq",
        "core::cmp::Eq" => "Eq",
        "core::cmp::PartialOrd" => "PartialOrd",
        "core::cmp::Ord" => "Ord",
        "core::hash::Hash" => "Hash",
        "core::fmt::Debug" => "Debug",
        "core::default::Default" => "Default",
        "core::marker::Send" => "Send",
        "core::marker::Sync" => "Sync",
        "core::marker::Unpin" | "core::marker::Freeze" | "core::marker::UnsafeUnpin" => "Unpin",
        "core::panic::unwind_safe::UnwindSafe" => "UnwindSafe",
        "core::panic::unwind_safe::RefUnwindSafe" => "RefUnwindSafe",
        _ => return None,
    })
}

/// Structural traits that a type of `std` does not implement, whatever its arguments are.
const LACKS: &[(&str, &str)] = &[
    ("alloc::string::String", "Copy"),
    ("alloc::vec::Vec", "Copy"),
    ("alloc::boxed::Box", "Copy"),
    ("alloc::sync::Arc", "Copy"),
    ("alloc::rc::Rc", "Copy Send Sync"),
    ("alloc::borrow::Cow", "Copy Default"),
    ("core::result::Result", "Default"),
    ("core::num::nonzero::NonZero", "Default"),
    ("core::ops::range::Range", "Copy Ord PartialOrd"),
    (
        "core::ops::range::RangeInclusive",
        "Copy Ord PartialOrd Default",
    ),
    ("core::ops::range::RangeFrom", "Copy Ord PartialOrd Default"),
    (
        "std::collections::hash::map::HashMap",
        "Copy Hash Ord PartialOrd",
    ),
    (
        "std::collections::hash::set::HashSet",
        "Copy Hash Ord PartialOrd",
    ),
    ("alloc::collections::btree::map::BTreeMap", "Copy"),
    ("alloc::collections::btree::set::BTreeSet", "Copy"),
    ("alloc::collections::vec_deque::VecDeque", "Copy"),
    ("std::time::Instant", "Default"),
    ("std::time::SystemTime", "Default"),
    ("std::path::PathBuf", "Copy"),
    ("std::ffi::os_str::OsString", "Copy"),
    (
        "std::hash::random::RandomState",
        "Copy PartialEq Eq Ord PartialOrd Hash",
    ),
    ("core::cell::Cell", "Sync Copy Hash RefUnwindSafe"),
    ("core::cell::RefCell", "Sync Copy Hash RefUnwindSafe"),
    (
        "core::cell::UnsafeCell",
        "Sync Copy Clone Hash Eq PartialEq Ord PartialOrd RefUnwindSafe",
    ),
    (
        "core::cell::once::OnceCell",
        "Sync Copy Hash Ord PartialOrd RefUnwindSafe",
    ),
    (
        "std::sync::poison::mutex::Mutex",
        "Copy Clone PartialEq Eq Ord PartialOrd Hash",
    ),
    (
        "std::sync::poison::rwlock::RwLock",
        "Copy Clone PartialEq Eq Ord PartialOrd Hash",
    ),
    (
        "std::sync::poison::mutex::MutexGuard",
        "Send Copy Clone PartialEq Eq Ord PartialOrd Hash Default",
    ),
    (
        "std::io::error::Error",
        "Copy Clone PartialEq Eq Ord PartialOrd Hash Default",
    ),
    ("core::convert::Infallible", "Default"),
    (
        "core::task::wake::Waker",
        "Copy Default PartialEq Eq Hash Ord PartialOrd",
    ),
    ("std::thread::id::ThreadId", "Default Ord PartialOrd"),
    ("core::any::TypeId", "Default"),
];

/// Types that are shared safely as soon as their content can be sent.
const SYNC_IF_SEND: &[&str] = &["std::sync::poison::mutex::Mutex"];

/// Types that require both of their content.
const BOTH: &[&str] = &[
    "alloc::sync::Arc",
    "alloc::sync::Weak",
    "std::sync::poison::rwlock::RwLock",
];

/// Whether the trait holds for a primitive, composed or `std` type.
pub(super) fn structural_holds(
    solver: &dyn PartBounds,
    ty: &RustType,
    name: &str,
    path: &str,
    depth: usize,
) -> Holds {
    let part = |it: &RustType| solver.holds_at(it, &TraitBound::plain(path), depth + 1);
    let all = |items: &[RustType]| items.iter().fold(Holds::Yes, |all, it| all.and(part(it)));
    match ty {
        RustType::Primitive(primitive) => Holds::from(match primitive.as_str() {
            "str" => !matches!(name, "Clone" | "Copy" | "Default"),
            "f32" | "f64" => !matches!(name, "Eq" | "Ord" | "Hash"),
            "never" => name != "Default",
            _ => true,
        }),
        RustType::Tuple(items) => all(items),
        RustType::Array(item, _) => part(item),
        RustType::Slice(item) => match name {
            "Clone" | "Copy" | "Default" => Holds::No,
            _ => part(item),
        },
        RustType::Reference { mutable, to, .. } => match (name, mutable) {
            ("Clone" | "Copy" | "Unpin", false) | ("Unpin", true) => Holds::Yes,
            ("Clone" | "Copy", true) => Holds::No,
            ("Default", _) => {
                Holds::from(matches!(&**to, RustType::Slice(_) | RustType::Primitive(_)))
            }
            ("Send", false) => {
                solver.holds_at(to, &TraitBound::plain("core::marker::Sync"), depth + 1)
            }
            ("UnwindSafe", false) => solver.holds_at(
                to,
                &TraitBound::plain("core::panic::unwind_safe::RefUnwindSafe"),
                depth + 1,
            ),
            _ => part(to),
        },
        RustType::Function { .. } => Holds::from(name != "Default"),
        RustType::RawPointer => Holds::from(!matches!(name, "Send" | "Sync" | "Default")),
        RustType::Dyn(bounds) => {
            let named = bounds.iter().any(|it| it.path == path);
            let error = name == "Debug" && bounds.iter().any(|it| it.path == ERROR);
            Holds::from(named || error || name == "Unpin")
        }
        RustType::Impl(_) => Holds::Maybe,
        RustType::Named {
            path: own,
            arguments,
        } => {
            if let Some((_, lacking)) = LACKS.iter().find(|(it, _)| it == own)
                && lacking.split(' ').any(|it| it == name)
            {
                return Holds::No;
            }
            let parts: Vec<RustType> = arguments
                .iter()
                .filter_map(|it| it.as_type().cloned())
                .collect();
            match own.as_str() {
                "alloc::sync::Arc" | "alloc::rc::Rc" if matches!(name, "Clone" | "Unpin") => {
                    Holds::Yes
                }
                "core::option::Option" | "alloc::vec::Vec" if name == "Default" => Holds::Yes,
                "core::marker::PhantomData" if !matches!(name, "Send" | "Sync") => Holds::Yes,
                _ if name == "Default"
                    && (own.starts_with("std::collections")
                        || own.starts_with("alloc::collections")) =>
                {
                    Holds::Yes
                }
                _ if matches!(name, "UnwindSafe" | "RefUnwindSafe") => Holds::Yes,
                own if name == "Sync" && SYNC_IF_SEND.contains(&own) => {
                    let send = TraitBound::plain("core::marker::Send");
                    parts.iter().fold(Holds::Yes, |all, it| {
                        all.and(solver.holds_at(it, &send, depth + 1))
                    })
                }
                own if matches!(name, "Send" | "Sync") && BOTH.contains(&own) => {
                    let both = ["core::marker::Send", "core::marker::Sync"].map(TraitBound::plain);
                    parts.iter().fold(Holds::Yes, |found, it| {
                        both.iter().fold(found, |found, bound| {
                            found.and(solver.holds_at(it, bound, depth + 1))
                        })
                    })
                }
                own if own.starts_with("core::sync::atomic::") => Holds::from(matches!(
                    name,
                    "Debug" | "Default" | "Send" | "Sync" | "Unpin"
                )),
                _ => {
                    let of_parts = all(&parts);
                    let known = LACKS.iter().any(|(it, _)| it == own)
                        || matches!(
                            own.as_str(),
                            "core::option::Option" | "core::time::Duration" | "core::fmt::Error"
                        );
                    if known || matches!(name, "Send" | "Sync" | "Unpin") {
                        of_parts
                    } else {
                        of_parts.and(Holds::Maybe)
                    }
                }
            }
        }
        RustType::Parameter(_) | RustType::Projection { .. } | RustType::Unknown => Holds::Maybe,
    }
}
