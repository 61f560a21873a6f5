//! Which types of `std` implement which of its traits: what rustdoc does not tell about a crate's dependencies.

use super::rust_type::{RustType, TraitBound};
use super::solver::{Holds, Solver};

/// Short names of traits whose impls follow a type's parts.
fn structural(path: &str) -> Option<&'static str> {
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

/// Structural traits that a type of `std` lacks whatever its arguments are.
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
/// Types that need both of their content.
const BOTH: &[&str] = &[
    "alloc::sync::Arc",
    "alloc::sync::Weak",
    "std::sync::poison::rwlock::RwLock",
];

/// Whether a primitive, composed or `std` type satisfies a bound of `std`; `None` if the trait is not known.
pub(crate) fn std_holds(
    solver: &Solver<'_>,
    ty: &RustType,
    bound: &TraitBound,
    depth: usize,
) -> Option<Holds> {
    if let Some(name) = structural(&bound.path) {
        if (name == "PartialEq" || name == "PartialOrd")
            && let Some(other) = bound.types().next()
            && other != ty
        {
            return Some(Holds::Maybe);
        }
        return Some(structural_holds(solver, ty, name, &bound.path, depth));
    }
    named_trait(solver, ty, bound, depth)
}

fn structural_holds(
    solver: &Solver<'_>,
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

const ERROR: &str = "core::error::Error";

const INTEGERS: &[&str] = &[
    "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
];

pub(crate) fn is_integer(ty: &RustType) -> bool {
    matches!(ty, RustType::Primitive(name) if INTEGERS.contains(&name.as_str()))
}

pub(crate) fn is_number(ty: &RustType) -> bool {
    is_integer(ty) || matches!(ty, RustType::Primitive(name) if name == "f32" || name == "f64")
}

fn is_str(ty: &RustType) -> bool {
    matches!(ty, RustType::Primitive(name) if name == "str")
}

fn is_string(ty: &RustType) -> bool {
    ty.path() == "alloc::string::String"
}

fn is_pointer(path: &str) -> bool {
    matches!(
        path,
        "alloc::boxed::Box" | "alloc::sync::Arc" | "alloc::rc::Rc"
    )
}

fn named_trait(
    solver: &Solver<'_>,
    ty: &RustType,
    bound: &TraitBound,
    depth: usize,
) -> Option<Holds> {
    let argument = bound.types().next();
    let inner = || match ty {
        RustType::Reference { to, .. } => Some(&**to),
        _ if is_pointer(ty.path()) => ty.argument(0),
        _ => None,
    };
    let through =
        |bound: &TraitBound| inner().map_or(Holds::No, |it| solver.holds_at(it, bound, depth + 1));
    let answer = match bound.path.as_str() {
        "core::fmt::Display" | "alloc::string::ToString" => {
            let display = TraitBound::plain("core::fmt::Display");
            match ty {
                RustType::Primitive(_) => Holds::Yes,
                _ if is_string(ty) => Holds::Yes,
                RustType::Named { path, .. }
                    if matches!(
                        path.as_str(),
                        "core::fmt::Error"
                            | "std::io::error::Error"
                            | "core::num::nonzero::NonZero"
                    ) =>
                {
                    Holds::Yes
                }
                _ => through(&display),
            }
        }
        ERROR => Holds::from(matches!(
            ty.path(),
            "core::fmt::Error" | "std::io::error::Error" | "core::convert::Infallible"
        )),
        "core::convert::AsRef" => as_ref(solver, ty, bound, depth),
        "core::borrow::Borrow" | "alloc::borrow::Borrow" => {
            let wanted = argument?;
            Holds::from(
                wanted == ty
                    || (is_string(ty) && is_str(wanted))
                    || matches!(wanted, RustType::Slice(item) if items_of(ty) == Some(&**item))
                    || inner() == Some(wanted),
            )
        }
        "core::convert::From" => from(ty, argument?),
        "core::convert::Into" => {
            let wanted = argument?;
            let bound = TraitBound {
                arguments: vec![super::rust_type::TypeArgument::Type(ty.clone())],
                ..TraitBound::plain("core::convert::From")
            };
            solver.holds_at(wanted, &bound, depth + 1)
        }
        "core::convert::TryFrom" | "core::convert::TryInto" => {
            if argument == Some(ty) {
                Holds::Yes
            } else {
                Holds::Maybe
            }
        }
        "alloc::borrow::ToOwned" => {
            if is_str(ty) || matches!(ty, RustType::Slice(_)) {
                Holds::Yes
            } else {
                solver.holds_at(ty, &TraitBound::plain("core::clone::Clone"), depth + 1)
            }
        }
        "core::any::Any" => Holds::Yes,
        "core::ops::deref::Deref" => {
            Holds::from(inner().is_some() || is_string(ty) || ty.path() == "alloc::vec::Vec")
        }
        "core::iter::traits::collect::IntoIterator" => {
            Holds::from(solver.item_of_iterable(ty).is_some())
        }
        "core::iter::traits::iterator::Iterator" => Holds::from(is_iterator(ty)),
        "core::iter::traits::exact_size::ExactSizeIterator"
        | "core::iter::traits::double_ended::DoubleEndedIterator" => {
            Holds::from(ty.path() == "alloc::vec::into_iter::IntoIter")
        }
        "core::iter::traits::collect::FromIterator" => {
            Holds::from(ty.path() == "alloc::vec::Vec" && ty.argument(0) == argument)
        }
        "core::iter::traits::collect::Extend" => {
            Holds::from(ty.path() == "alloc::vec::Vec" && ty.argument(0) == argument)
        }
        "core::hash::BuildHasher" => Holds::from(ty.path() == super::std_paths::RANDOM_STATE),
        "core::hash::Hasher" => Holds::from(ty.path() == "std::hash::random::DefaultHasher"),
        "core::str::traits::FromStr" => {
            Holds::from(matches!(ty, RustType::Primitive(name) if name != "str") || is_string(ty))
        }
        "core::future::future::Future" => Holds::from(ty.path() == "core::future::ready::Ready"),
        "std::io::Write" => Holds::from(
            ty.path() == "alloc::vec::Vec" && ty.argument(0) == Some(&RustType::primitive("u8")),
        ),
        "core::fmt::Write" => Holds::from(is_string(ty)),
        path if path.starts_with("core::ops::arith::")
            || path.starts_with("core::iter::traits::accum::") =>
        {
            Holds::from(is_number(ty))
        }
        path if path.starts_with("core::ops::bit::") => Holds::from(is_integer(ty)),
        path if path.starts_with("core::fmt::") => match ty {
            RustType::Primitive(_) => Holds::Maybe,
            _ => Holds::No,
        },
        "core::ops::function::Fn"
        | "core::ops::function::FnMut"
        | "core::ops::function::FnOnce" => callable(ty, bound),
        _ => return None,
    };
    Some(answer)
}

fn callable(ty: &RustType, bound: &TraitBound) -> Holds {
    let (RustType::Function { inputs, output }, Some((wanted, wanted_output))) =
        (ty, bound.as_callable())
    else {
        return Holds::No;
    };
    let same = inputs.len() == wanted.len()
        && inputs
            .iter()
            .zip(&wanted)
            .all(|(left, right)| same_type(left, right));
    Holds::from(same && same_type(output, &wanted_output))
}

/// Equal up to lifetimes.
fn same_type(left: &RustType, right: &RustType) -> bool {
    super::rust_type::bind(left, right, &[], &mut super::rust_type::Substitution::new())
}

fn is_iterator(ty: &RustType) -> bool {
    ty.path() == "alloc::vec::into_iter::IntoIter"
        || (ty.path() == "core::ops::range::Range" && ty.argument(0).is_some_and(is_integer))
}

fn items_of(ty: &RustType) -> Option<&RustType> {
    match ty {
        RustType::Array(item, _) | RustType::Slice(item) => Some(&**item),
        _ if ty.path() == "alloc::vec::Vec" => ty.argument(0),
        _ => None,
    }
}

fn as_ref(solver: &Solver<'_>, ty: &RustType, bound: &TraitBound, depth: usize) -> Holds {
    let Some(wanted) = bound.types().next() else {
        return Holds::Maybe;
    };
    let bytes = matches!(wanted, RustType::Slice(item) if **item == RustType::primitive("u8"));
    match ty {
        RustType::Reference { to, .. } => return solver.holds_at(to, bound, depth + 1),
        _ if is_pointer(ty.path()) => {
            return Holds::from(ty.argument(0) == Some(wanted));
        }
        _ => {}
    }
    if is_str(ty) || is_string(ty) {
        let path = wanted.path();
        return Holds::from(
            is_str(wanted)
                || bytes
                || path == "std::path::Path"
                || path == "std::ffi::os_str::OsStr",
        );
    }
    if let (Some(item), RustType::Slice(wanted)) = (items_of(ty), wanted) {
        return Holds::from(item == &**wanted);
    }
    Holds::from(ty == wanted && ty.path() == "alloc::vec::Vec")
}

fn from(ty: &RustType, source: &RustType) -> Holds {
    if ty == source {
        return Holds::Yes;
    }
    let is_text = matches!(source, RustType::Reference { to, .. } if is_str(to));
    match ty {
        RustType::Primitive(name) => {
            let RustType::Primitive(from) = source else {
                return Holds::No;
            };
            let width = |it: &str| it[1..].parse::<u32>().unwrap_or(0);
            let both = is_number(ty) && is_number(source);
            Holds::from(
                both && (name[..1] == from[..1] || from.starts_with('u'))
                    && width(from) > 0
                    && width(from) < width(name),
            )
        }
        RustType::Named { path, .. } => match path.as_str() {
            "alloc::string::String" => Holds::from(
                is_text || matches!(source, RustType::Primitive(name) if name == "char"),
            ),
            "core::option::Option"
            | "alloc::boxed::Box"
            | "alloc::sync::Arc"
            | "alloc::rc::Rc"
            | "std::sync::poison::mutex::Mutex"
            | "std::sync::poison::rwlock::RwLock"
            | "core::cell::Cell"
            | "core::cell::RefCell" => {
                let text = ty.argument(0).is_some_and(is_str) && (is_text || is_string(source));
                Holds::from(ty.argument(0) == Some(source) || text)
            }
            "alloc::borrow::Cow" => Holds::from(is_text || is_string(source)),
            "std::path::PathBuf" | "std::ffi::os_str::OsString" => {
                Holds::from(is_string(source) || is_text)
            }
            "alloc::vec::Vec" => Holds::from(
                matches!(source, RustType::Array(item, _) if ty.argument(0) == Some(&**item)),
            ),
            _ => Holds::Maybe,
        },
        _ => Holds::No,
    }
}
