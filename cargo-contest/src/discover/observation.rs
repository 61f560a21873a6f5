//! What names and types tell about an operation's result: whether it is weakly consistent by custom, and whether it only looks.

use super::rust_type::RustType;
use super::solver::{Holds, Solver};
use super::subject_catalog::Returned;

/// What the driver does with a result.
pub(crate) fn returned(solver: &Solver<'_>, output: &RustType, is_async: bool) -> Returned {
    let implements = |path: &str| solver.implements(output, path) == Holds::Yes;
    if is_async || implements("core::future::future::Future") {
        Returned::Future
    } else if implements("core::iter::traits::iterator::Iterator") {
        Returned::Iterator
    } else {
        Returned::Observe
    }
}

/// `len`, `is_empty`, iterators and the like.
pub(crate) fn is_weak(name: &str, output: &RustType, returned: Returned) -> bool {
    if output.is_unit() {
        return false;
    }
    let weak = [
        "len",
        "is_empty",
        "is_full",
        "capacity",
        "strong_count",
        "weak_count",
        "iter",
        "keys",
        "values",
        "size",
        "size_hint",
        "weighted_size",
        "entry_count",
        "remaining_capacity",
    ];
    let parts = [
        "_count",
        "count_",
        "iter_",
        "_iter",
        "_len",
        "len_",
        "_capacity",
        "_size",
        "_used",
        "_usage",
    ];
    // What is in progress, and whom a wake-up met, is no state of its own: calls that overlap may see it or not.
    let passing = ["state", "poll", "is_notified", "has_changed"];
    let waking = ["notify", "wake", "unpark"];
    let counts = ["reader", "writer", "hits", "misses", "waiters", "listeners"];
    returned == Returned::Iterator
        || weak.contains(&name)
        || name == "count"
        // Whether somebody holds a lock is over as soon as it is said.
        || name.starts_with("is_") && name.contains("locked")
        || parts
            .iter()
            .any(|it| name.ends_with(it) || (it.ends_with('_') && name.starts_with(it)))
        || counts.contains(&name)
        || passing.contains(&name)
        || name.contains("locked")
        || waking.iter().any(|it| name.starts_with(it))
}

/// Looks pure: a getter by name, returning something by value or shared reference.
pub(crate) fn is_observer(name: &str, output: &RustType, returned: Returned) -> bool {
    if output.is_unit() || returned == Returned::Future || mutates_through(output) {
        return false;
    }
    let exact = [
        "len",
        "is_empty",
        "is_full",
        "capacity",
        "get",
        "load",
        "count",
        "sum",
        "value",
        "values",
        "iter",
        "keys",
        "peek",
        "first",
        "last",
        "front",
        "back",
        "snapshot",
        "as_str",
        "to_vec",
        "load_full",
        "is_initialized",
        "is_completed",
        "is_closed",
        "is_locked",
        "available_permits",
        "permits",
        "size",
        "strong_count",
        "weak_count",
        "is_set",
        "is_poisoned",
        "borrow",
        "read_only",
        "collect",
        "to_string",
        "state",
        "total",
        "min",
        "max",
        "mean",
        "entry_count",
        "iter_keys",
    ];
    let prefixes = [
        "get_sample_",
        "contains",
        "is_",
        "has_",
        "as_",
        "current_",
        "num_",
        "peek_",
    ];
    let suffixes = ["_count", "_len", "_size", "_capacity"];
    let changing = [
        "get_or_",
        "get_mut",
        "get_and_",
        "get_with",
        "get_insert",
        "fetch_",
    ];
    if changing.iter().any(|it| name.starts_with(it)) {
        return false;
    }
    exact.contains(&name)
        || prefixes.iter().any(|it| name.starts_with(it))
        || suffixes.iter().any(|it| name.ends_with(it))
}

/// The result gives a way to change the object.
fn mutates_through(output: &RustType) -> bool {
    let mut mutates = false;
    output.visit(&mut |it| mutates |= matches!(it, RustType::Reference { mutable: true, .. }));
    mutates
}
