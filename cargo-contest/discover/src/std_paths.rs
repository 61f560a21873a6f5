//! Types of `std` as crates name them: definition paths may lead through private modules.

use super::rust_type::{RustType, TypeArgument};

/// True for paths into `std`, `core` and `alloc`.
pub(crate) fn is_std(path: &str) -> bool {
    matches!(crate_of(path), "std" | "core" | "alloc")
}

/// First segment.
pub(crate) fn crate_of(path: &str) -> &str {
    path.split("::").next().unwrap_or(path)
}

/// Last segment.
pub(crate) fn last_segment(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// Private modules between what is written and what is defined, longest first.
const MODULES: &[(&str, &str)] = &[
    (
        "std::collections::hash::map::",
        "std::collections::hash_map::",
    ),
    (
        "std::collections::hash::set::",
        "std::collections::hash_set::",
    ),
    (
        "alloc::collections::btree::map::",
        "std::collections::btree_map::",
    ),
    (
        "alloc::collections::btree::set::",
        "std::collections::btree_set::",
    ),
    (
        "alloc::collections::vec_deque::",
        "std::collections::vec_deque::",
    ),
    (
        "alloc::collections::binary_heap::",
        "std::collections::binary_heap::",
    ),
    (
        "alloc::collections::linked_list::",
        "std::collections::linked_list::",
    ),
    ("alloc::ffi::c_str::", "std::ffi::"),
    ("std::hash::random::", "std::hash::"),
    ("std::sync::poison::mutex::", "std::sync::"),
    ("std::sync::poison::rwlock::", "std::sync::"),
    ("std::sync::poison::condvar::", "std::sync::"),
    ("std::sync::poison::once::", "std::sync::"),
    ("std::sync::poison::", "std::sync::"),
    ("std::sync::once_lock::", "std::sync::"),
    ("std::sync::lazy_lock::", "std::sync::"),
    ("std::sync::barrier::", "std::sync::"),
    ("std::thread::thread::", "std::thread::"),
    ("std::thread::join_handle::", "std::thread::"),
    ("std::thread::builder::", "std::thread::"),
    ("std::thread::id::", "std::thread::"),
    ("std::thread::local::", "std::thread::"),
    ("std::thread::scoped::", "std::thread::"),
    ("std::io::error::", "std::io::"),
    ("std::io::cursor::", "std::io::"),
    ("std::io::util::", "std::io::"),
    ("std::ffi::os_str::", "std::ffi::"),
    ("core::num::nonzero::", "std::num::"),
    ("core::num::wrapping::", "std::num::"),
    ("core::num::error::", "std::num::"),
    ("core::num::dec2flt::", "std::num::"),
    ("core::ops::range::", "std::ops::"),
    ("core::ops::function::", "std::ops::"),
    ("core::ops::deref::", "std::ops::"),
    ("core::ops::arith::", "std::ops::"),
    ("core::ops::bit::", "std::ops::"),
    ("core::ops::drop::", "std::ops::"),
    ("core::ops::index::", "std::ops::"),
    ("core::ops::control_flow::", "std::ops::"),
    ("core::cell::once::", "std::cell::"),
    ("core::cell::lazy::", "std::cell::"),
    ("core::iter::traits::iterator::", "std::iter::"),
    ("core::iter::traits::collect::", "std::iter::"),
    ("core::iter::traits::double_ended::", "std::iter::"),
    ("core::iter::traits::exact_size::", "std::iter::"),
    ("core::iter::sources::once::", "std::iter::"),
    ("core::iter::sources::empty::", "std::iter::"),
    ("core::future::future::", "std::future::"),
    ("core::future::ready::", "std::future::"),
    ("core::future::pending::", "std::future::"),
    ("core::mem::manually_drop::", "std::mem::"),
    ("core::mem::maybe_uninit::", "std::mem::"),
    ("core::ptr::non_null::", "std::ptr::"),
    ("core::task::wake::", "std::task::"),
    ("core::task::poll::", "std::task::"),
    ("core::net::ip_addr::", "std::net::"),
    ("core::net::socket_addr::", "std::net::"),
    ("core::str::traits::", "std::str::"),
    ("core::str::error::", "std::str::"),
    ("core::panic::unwind_safe::", "std::panic::"),
    ("alloc::vec::into_iter::", "std::vec::"),
    ("alloc::vec::drain::", "std::vec::"),
];

/// Types re-exported above their module.
const ITEMS: &[(&str, &str)] = &[
    (
        "std::collections::hash::map::HashMap",
        "std::collections::HashMap",
    ),
    (
        "std::collections::hash::set::HashSet",
        "std::collections::HashSet",
    ),
    (
        "alloc::collections::btree::map::BTreeMap",
        "std::collections::BTreeMap",
    ),
    (
        "alloc::collections::btree::set::BTreeSet",
        "std::collections::BTreeSet",
    ),
    (
        "alloc::collections::vec_deque::VecDeque",
        "std::collections::VecDeque",
    ),
    (
        "alloc::collections::binary_heap::BinaryHeap",
        "std::collections::BinaryHeap",
    ),
    (
        "alloc::collections::linked_list::LinkedList",
        "std::collections::LinkedList",
    ),
];

/// The path by which any crate can name an item of `std`.
pub(crate) fn public_path(path: &str) -> String {
    if let Some((_, public)) = ITEMS.iter().find(|(private, _)| *private == path) {
        return (*public).to_owned();
    }
    for (private, public) in MODULES {
        if let Some(rest) = path.strip_prefix(private) {
            return format!("{public}{rest}");
        }
    }
    match path.split_once("::") {
        Some(("core" | "alloc", rest)) => format!("std::{rest}"),
        _ => path.to_owned(),
    }
}

/// The trait of errors.
pub(super) const ERROR: &str = "core::error::Error";

/// The hasher of `HashMap`.
pub(crate) const RANDOM_STATE: &str = "std::hash::random::RandomState";

/// Expands the aliases of `std` and drops arguments that stand for defaults.
pub(crate) fn normalise(path: &str, mut arguments: Vec<TypeArgument>) -> RustType {
    let first = |arguments: &[TypeArgument]| {
        arguments
            .iter()
            .find_map(TypeArgument::as_type)
            .cloned()
            .unwrap_or(RustType::unit())
    };
    let result =
        |ok: RustType, error: RustType| RustType::named("core::result::Result", [ok, error]);
    match path {
        "std::io::error::Result" => {
            return result(
                first(&arguments),
                RustType::named("std::io::error::Error", []),
            );
        }
        "core::fmt::Result" => {
            return result(RustType::unit(), RustType::named("core::fmt::Error", []));
        }
        "std::sync::poison::LockResult" => {
            let guard = first(&arguments);
            let error = RustType::named("std::sync::poison::PoisonError", [guard.clone()]);
            return result(guard, error);
        }
        "std::sync::poison::TryLockResult" => {
            let guard = first(&arguments);
            let error = RustType::named("std::sync::poison::TryLockError", [guard.clone()]);
            return result(guard, error);
        }
        _ => {}
    }
    if let Some(name) = path.strip_prefix("core::ffi::primitives::")
        && let Some(primitive) = primitive_of_c(name)
    {
        return RustType::primitive(primitive);
    }
    if let Some(name) = path.strip_prefix("core::num::nonzero::NonZero") {
        let inner = name.to_lowercase();
        if !inner.is_empty() {
            return RustType::named("core::num::nonzero::NonZero", [RustType::primitive(&inner)]);
        }
    }
    let kept = match path {
        "std::collections::hash::map::HashMap" => 2,
        "std::collections::hash::set::HashSet" => 1,
        _ => usize::MAX,
    };
    if arguments.len() > kept
        && arguments[kept]
            .as_type()
            .is_some_and(|it| it.path() == RANDOM_STATE)
    {
        arguments.truncate(kept);
    }
    RustType::Named {
        path: path.to_owned(),
        arguments,
    }
}

/// What `c_int` and the like are, on the platforms for which drivers are built: those of the tool.
fn primitive_of_c(name: &str) -> Option<&'static str> {
    let of_signed_char = |signed| if signed { "i8" } else { "u8" };
    Some(match name {
        "c_char" => of_signed_char(std::ffi::c_char::MIN != 0),
        "c_schar" => "i8",
        "c_uchar" => "u8",
        "c_short" => "i16",
        "c_ushort" => "u16",
        "c_int" => "i32",
        "c_uint" => "u32",
        "c_long" if size_of::<std::ffi::c_long>() == 8 => "i64",
        "c_long" => "i32",
        "c_ulong" if size_of::<std::ffi::c_ulong>() == 8 => "u64",
        "c_ulong" => "u32",
        "c_longlong" => "i64",
        "c_ulonglong" => "u64",
        "c_float" => "f32",
        "c_double" => "f64",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definition_paths_become_paths_any_crate_can_write() {
        let cases = [
            ("alloc::string::String", "std::string::String"),
            ("std::hash::random::RandomState", "std::hash::RandomState"),
            (
                "std::collections::hash::map::HashMap",
                "std::collections::HashMap",
            ),
            ("core::num::nonzero::NonZero", "std::num::NonZero"),
            ("std::sync::poison::mutex::Mutex", "std::sync::Mutex"),
            ("core::time::Duration", "std::time::Duration"),
        ];
        for (definition, public) in cases {
            assert_eq!(public_path(definition), public);
        }
    }

    #[test]
    fn aliases_of_std_are_expanded() {
        let expanded = normalise("core::ffi::primitives::c_int", Vec::new());
        assert_eq!(expanded, RustType::primitive("i32"));
        let expanded = normalise("core::num::nonzero::NonZeroU32", Vec::new());
        assert_eq!(expanded.path(), "core::num::nonzero::NonZero");
        assert_eq!(expanded.argument(0), Some(&RustType::primitive("u32")));
    }
}
