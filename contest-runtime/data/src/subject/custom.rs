//! What the name of a method implies by convention, for unmodified and for annotated crates.

/// It adds or takes several values, by convention one after another: what other threads do may come between them. Of a
/// slice it is as many as there was room for when it looked.
#[must_use]
pub fn is_bulk(name: &str) -> bool {
    let name = name.rsplit("::").next().unwrap_or(name);
    name == "extend"
        || name.starts_with("extend_")
        || ["_many", "_batch", "_bulk"]
            .iter()
            .any(|it| name.ends_with(it))
        || moves_slice(name)
}

fn moves_slice(name: &str) -> bool {
    let Some(how) = name.strip_suffix("_slice") else {
        return false;
    };
    let moves = ["push", "pop", "write", "read", "enqueue", "dequeue"];
    let all_or_none = ["entire", "exact", "all"];
    let mut words = how.split('_');
    words.next().is_some_and(|it| moves.contains(&it)) && !words.any(|it| all_or_none.contains(&it))
}

/// Its result is weakly consistent by convention: `len`, `is_empty`, iterators and the like. For methods that return
/// something.
#[must_use]
pub fn is_weak(name: &str) -> bool {
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
        "depth",
        "height",
        "stats",
        "statistics",
        "metrics",
        "status",
        "size_hint",
        "weighted_size",
        "entry_count",
        "remaining",
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
    // Operations in progress, and the thread that a wake-up reached, are not part of the state: overlapping calls may
    // see them or not.
    let passing = ["state", "poll", "is_notified", "has_changed"];
    let waking = ["notify", "wake", "unpark"];
    let counts = ["reader", "writer", "hits", "misses", "waiters", "listeners"];
    weak.contains(&name)
        || name == "count"
        // Whether a lock is held may have changed by the time the method returns.
        || name.starts_with("is_") && name.contains("locked")
        || parts
            .iter()
            .any(|it| name.ends_with(it) || (it.ends_with('_') && name.starts_with(it)))
        || counts.contains(&name)
        || passing.contains(&name)
        || name.contains("locked")
        || waking.iter().any(|it| name.starts_with(it))
}

/// A getter. For methods that take `&self` and return something that gives no way to change the object.
#[must_use]
pub fn is_observer(name: &str) -> bool {
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
    // Wakers of calls that have ended may stay until somebody comes across them.
    if name.contains("waker") {
        return false;
    }
    exact.contains(&name)
        || prefixes.iter().any(|it| name.starts_with(it))
        || suffixes.iter().any(|it| name.ends_with(it))
}

/// A getter by what its name does not say: that it changes something, waits, or counts what other orders of the same
/// calls may count otherwise. For methods that take `&self` and nothing else, and return a number or an answer.
#[must_use]
pub fn is_plain_getter(name: &str) -> bool {
    let verbs = [
        "acquire",
        "add",
        "advance",
        "alloc",
        "allocate",
        "await",
        "begin",
        "block",
        "bump",
        "cancel",
        "claim",
        "clear",
        "close",
        "collect",
        "commit",
        "compare",
        "consume",
        "dec",
        "decrement",
        "delete",
        "dequeue",
        "disable",
        "drain",
        "drop",
        "enable",
        "end",
        "enqueue",
        "enter",
        "exit",
        "fetch",
        "fill",
        "finish",
        "flip",
        "flush",
        "force",
        "free",
        "gc",
        "generate",
        "inc",
        "increment",
        "init",
        "insert",
        "join",
        "kill",
        "leave",
        "lock",
        "make",
        "mark",
        "new",
        "next",
        "notify",
        "open",
        "park",
        "poll",
        "pop",
        "prepare",
        "prev",
        "push",
        "put",
        "quiesce",
        "receive",
        "reclaim",
        "recv",
        "refresh",
        "register",
        "release",
        "remove",
        "replace",
        "reserve",
        "reset",
        "resize",
        "roll",
        "run",
        "send",
        "set",
        "shrink",
        "shutdown",
        "signal",
        "sleep",
        "spawn",
        "spin",
        "start",
        "step",
        "stop",
        "store",
        "sub",
        "subscribe",
        "swap",
        "sync",
        "take",
        "tick",
        "toggle",
        "touch",
        "try",
        "unlock",
        "unpark",
        "unregister",
        "update",
        "upgrade",
        "wait",
        "wake",
        "write",
        "yield",
    ];
    let mut words = name.split('_');
    !name.starts_with('_')
        && words.next().is_some_and(|first| !verbs.contains(&first))
        && !is_incidental(name)
}

/// Its result may differ with how the same calls were interleaved though each was right: how often something was tried,
/// the number that a thing was given, a time.
#[must_use]
pub fn is_incidental(name: &str) -> bool {
    let counts = [
        "address",
        "allocated",
        "attempt",
        "contended",
        "contention",
        "cpu",
        "epoch",
        "elapsed",
        "generation",
        "hash",
        "high",
        "hits",
        "id",
        "misses",
        "now",
        "peak",
        "random",
        "retries",
        "revision",
        "seed",
        "seq",
        "sequence",
        "spins",
        "stamp",
        "thread",
        "time",
        "timestamp",
        "usage",
        "version",
        "waker",
        "wakers",
    ];
    name.split('_').any(|word| counts.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::{is_bulk, is_observer, is_plain_getter};

    #[test]
    fn a_number_whose_name_says_no_more_is_got() {
        for name in ["level", "balance", "crossed", "left_over"] {
            assert!(is_plain_getter(name), "{name}");
        }
        for name in [
            "next_ticket",
            "wait",
            "epoch",
            "try_lock",
            "peak_level",
            "_level",
        ] {
            assert!(!is_plain_getter(name), "{name}");
        }
    }

    #[test]
    fn what_extends_adds_several_values() {
        for name in [
            "Vec::extend",
            "extend_from_slice",
            "extend_n_items",
            "push_batch",
        ] {
            assert!(is_bulk(name), "{name}");
        }
        assert!(!is_bulk("extended") && !is_bulk("push"));
        for name in ["Consumer::pop_partial_slice", "push_slice"] {
            assert!(is_bulk(name), "{name}");
        }
        // All or none, and a look.
        assert!(
            !is_bulk("push_entire_slice") && !is_bulk("read_exact_slice") && !is_bulk("as_slice")
        );
    }

    #[test]
    fn counts_of_wakers_are_no_state() {
        assert!(!is_observer("get_wakers_count") && !is_observer("waker_count"));
        assert!(is_observer("sender_count"));
    }
}
