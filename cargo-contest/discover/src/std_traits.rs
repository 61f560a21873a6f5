//! Which types of `std` implement which of its traits: facts that the rustdoc output of a crate does not contain.

use super::holds::{Holds, PartBounds};
use super::rust_type::{RustType, TraitBound};
use super::std_paths::ERROR;
use super::std_structural::{structural, structural_holds};

/// Whether a primitive, composed or `std` type satisfies a bound of `std`; `None` if the trait is not known.
pub(crate) fn std_holds(
    solver: &dyn PartBounds,
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
    solver: &dyn PartBounds,
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
        "core::iter::traits::iterator::Iterator" => match points_to(ty) {
            Some(target) if ty.path() != "core::pin::Pin" => {
                solver.holds_at(target, bound, depth + 1)
            }
            _ => Holds::from(is_iterator(ty)),
        },
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
        "core::ops::range::RangeBounds" => Holds::from(match ty.path() {
            "core::ops::range::RangeFull" => true,
            path => path.starts_with("core::ops::range::Range") && ty.argument(0) == argument,
        }),
        "core::future::future::Future" => match points_to(ty) {
            _ if ty.path() == "core::future::ready::Ready" => Holds::Yes,
            None => Holds::No,
            Some(target) => {
                let future = solver.holds_at(target, bound, depth + 1);
                let unpin = TraitBound::plain("core::marker::Unpin");
                match ty.path() {
                    "core::pin::Pin" => future,
                    _ => future.and(solver.holds_at(target, &unpin, depth + 1)),
                }
            }
        },
        "std::io::Read" | "std::io::BufRead" | "std::io::Seek" => {
            Holds::from(*ty == bytes_to_read())
        }
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

/// What a `Box`, a mutable reference, or a pinned one of them gives exclusive access to: it is a future, or an
/// iterator, if that is one.
pub(super) fn points_to(ty: &RustType) -> Option<&RustType> {
    match ty {
        RustType::Reference { mutable: true, to } => Some(to),
        _ => match ty.path() {
            "alloc::boxed::Box" => ty.argument(0),
            "core::pin::Pin" => points_to(ty.argument(0)?),
            _ => None,
        },
    }
}

/// A `Cursor<Vec<u8>>`.
pub(super) fn bytes_to_read() -> RustType {
    let bytes = RustType::named("alloc::vec::Vec", [RustType::primitive("u8")]);
    RustType::named("std::io::cursor::Cursor", [bytes])
}

fn callable(ty: &RustType, bound: &TraitBound) -> Holds {
    // `Box<dyn Fn()>` can be called in all ways.
    if ty.path() == "alloc::boxed::Box"
        && let Some(RustType::Dyn(bounds)) = ty.argument(0)
        && let Some((inputs, output)) = bounds.first().and_then(TraitBound::as_callable)
        && bounds.iter().all(|it| it.path == "core::ops::function::Fn")
    {
        let output = Box::new(output);
        return callable(&RustType::Function { inputs, output }, bound);
    }
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

fn as_ref(solver: &dyn PartBounds, ty: &RustType, bound: &TraitBound, depth: usize) -> Holds {
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
