//! What functions of the standard library, and of crates whose locks are taken to be correct, do.

use super::mir::ty::{Type, is_std};
use super::program::Program;
use super::summary::{AccessKind, Mode};

/// What a function does to what it is called on. Closures among its arguments are run by whoever applies this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Model {
    /// Takes its first argument as a lock; the result is what the lock protects. False if it only tries.
    Acquire(Mode, bool),
    /// Waits at its first argument with a guard as second.
    Wait,
    /// Accesses its first argument, whatever that stands in; the result is what is inside.
    Atomic(AccessKind),
    /// The result is what is inside its first argument.
    Inside,
    /// Reads or writes what is inside its first argument.
    Cell(AccessKind),
    /// The result is the argument, or refers to it.
    Same,
    /// The result is an element of the argument, or refers to one.
    Element,
    /// Waits for what other threads do with its first argument.
    Block,
    /// Waits for another thread to wake this one.
    Park,
    /// Runs closures while others that call it wait; the result is inside its first argument.
    Once,
    /// Runs closures in another thread.
    Spawn,
    /// Runs closures on a value of this thread.
    ThreadLocal,
    /// Drops its arguments.
    Drop,
    /// Never drops its argument.
    Forget,
    /// Does none of this: see [`super::interpret`].
    Plain,
}

/// Crates whose locks are taken to be what they are called. The engine stands in for the first two, or tests them.
const LOCK_CRATES: [&str; 8] = [
    "parking_lot",
    "lock_api",
    "parking_lot_core",
    "spin",
    "once_cell",
    "async_lock",
    "tokio",
    "event_listener",
];

impl Program {
    /// True for functions and types of a crate whose locks are modelled, unless that is the crate under test.
    pub(crate) fn is_modelled(&self, krate: usize) -> bool {
        krate != self.own() && LOCK_CRATES.contains(&&*self.crates[krate].name)
    }

    /// The same for a type.
    pub(crate) fn is_modelled_type(&self, krate: usize, ty: &Type) -> bool {
        match ty {
            Type::Named(path, _) if is_std(path) => true,
            Type::Named(path, _) => self
                .declared(krate, path)
                .is_some_and(|it| self.is_modelled(it.krate)),
            _ => false,
        }
    }
}

/// The model of a function, by the last path segment of its type, module or trait, and its own name. `receiver` is
/// the type that its first argument leads to: methods of traits are distinguished by it.
pub(crate) fn model(owner: &str, name: &str, receiver: &Type) -> Model {
    use AccessKind::{Both, Read, Write};
    let of_trait = matches!(
        owner,
        "Deref"
            | "DerefMut"
            | "Clone"
            | "Index"
            | "IndexMut"
            | "AsRef"
            | "Borrow"
            | "BorrowMut"
            | "AsMut"
            | "From"
            | "Into"
            | "IntoIterator"
            | "Iterator"
            | "Drop"
            | "Debug"
            | "Display"
            | "Default"
            | "ToOwned"
            | "Try"
            | "FromResidual"
            | "PartialEq"
            | "Pointer"
    );
    let receiver = receiver.referent().last();
    let kind = if of_trait { receiver } else { owner };
    match (kind, name) {
        ("Mutex" | "FairMutex" | "SpinMutex" | "TicketMutex" | "SpinLock", name) if !of_trait => {
            mutex(name, Mode::Exclusive)
        }
        ("ReentrantMutex" | "ReentrantLock", name) if !of_trait => mutex(name, Mode::Reentrant),
        ("RwLock" | "ShardedLock", name) if !of_trait => rwlock(name),
        ("Condvar", "notify_one" | "notify_all") => Model::Atomic(Write),
        ("Condvar", name) if name.starts_with("wait") => Model::Wait,
        ("Once", "is_completed" | "state") => Model::Atomic(Read),
        ("Once" | "OnceLock" | "OnceCell" | "LazyLock" | "LazyCell" | "Lazy" | "OnceBox", name) => {
            once(kind, name)
        }
        (
            "LocalKey",
            "with" | "try_with" | "set" | "get" | "take" | "replace" | "with_borrow"
            | "with_borrow_mut",
        ) => Model::ThreadLocal,
        ("Cell" | "RefCell" | "UnsafeCell" | "SyncUnsafeCell", name) => cell(kind, name),
        ("SyncSender", "send") => Model::Block,
        ("Sender", "send") => Model::Atomic(Both),
        ("Sender" | "SyncSender", "try_send" | "clone") => Model::Atomic(Both),
        ("Receiver", "recv" | "recv_timeout" | "iter") => Model::Block,
        ("Receiver", "try_recv" | "try_iter") => Model::Atomic(Both),
        ("Barrier", "wait") | ("JoinHandle" | "ScopedJoinHandle", "join") => Model::Block,
        ("JoinHandle", "is_finished") => Model::Atomic(Read),
        ("thread" | "functions", "park" | "park_timeout") => Model::Park,
        ("Thread", "unpark") => Model::Atomic(Write),
        (
            "thread" | "Builder" | "functions" | "scoped" | "Scope",
            "spawn" | "spawn_unchecked" | "spawn_scoped",
        ) => Model::Spawn,
        ("mem" | "ptr", "drop" | "drop_in_place") => Model::Drop,
        ("mem", "forget") => Model::Forget,
        (kind, name) if kind.starts_with("Atomic") && !of_trait => atomic(name),
        (
            "Vec" | "VecDeque" | "slice" | "HashMap" | "BTreeMap" | "HashSet" | "BTreeSet"
            | "LinkedList" | "BinaryHeap",
            _,
        ) if name != "deref"
            && name != "deref_mut"
            && name != "as_ref"
            && name != "as_mut"
            && !name.contains("slice")
            && !name.contains("as_ptr")
            && !name.contains("as_mut_ptr") =>
        {
            Model::Element
        }
        _ if matches!(
            name,
            "next"
                | "next_back"
                | "iter"
                | "iter_mut"
                | "into_iter"
                | "nth"
                | "find"
                | "last"
                | "index"
                | "index_mut"
        ) =>
        {
            Model::Element
        }
        _ if is_transparent(owner, name) => Model::Same,
        _ => Model::Plain,
    }
}

/// Functions that hand on what they are given.
fn is_transparent(owner: &str, name: &str) -> bool {
    matches!(
        name,
        "deref"
            | "deref_mut"
            | "as_ref"
            | "as_mut"
            | "as_deref"
            | "as_deref_mut"
            | "borrow"
            | "borrow_mut"
            | "unwrap"
            | "expect"
            | "unwrap_or_else"
            | "unwrap_unchecked"
            | "ok"
            | "err"
            | "into_inner"
            | "get_ref"
            | "get_mut"
            | "as_ptr"
            | "as_mut_ptr"
            | "as_mut_slice"
            | "as_slice"
            | "into_raw"
            | "from_raw"
            | "new"
            | "new_unchecked"
            | "from"
            | "into"
            | "branch"
            | "from_output"
            | "from_residual"
            | "as_pin_mut"
            | "as_pin_ref"
            | "get_unchecked_mut"
            | "leak"
            | "pin"
            | "upgrade"
            | "downgrade"
            | "cast"
            | "cast_mut"
            | "cast_const"
            | "assume_init"
            | "assume_init_ref"
            | "assume_init_mut"
            | "ok_or"
            | "flatten"
            | "inner"
            | "transpose"
    ) && matches!(
        owner,
        "Option"
            | "Result"
            | "Box"
            | "Arc"
            | "Rc"
            | "Weak"
            | "Pin"
            | "ManuallyDrop"
            | "MaybeUninit"
            | "NonNull"
            | "mem"
            | "ptr"
            | "const_ptr"
            | "mut_ptr"
            | "Deref"
            | "DerefMut"
            | "AsRef"
            | "AsMut"
            | "Borrow"
            | "BorrowMut"
            | "From"
            | "Into"
            | "Try"
            | "FromResidual"
            | "Clone"
            | "PoisonError"
            | "Vec"
            | "Wrapping"
            | "Cow"
            | "Unique"
            | "ToOwned"
            | "TryLockError"
            | "MutexGuard"
            | "RwLockReadGuard"
            | "RwLockWriteGuard"
            | "UnsafeCell"
            | "AssertUnwindSafe"
    )
}

fn mutex(name: &str, mode: Mode) -> Model {
    match name {
        "lock" | "lock_arc" | "lock_owned" | "blocking_lock" | "lock_blocking" => {
            Model::Acquire(mode, true)
        }
        "try_lock" | "try_lock_arc" | "try_lock_for" | "try_lock_until" | "try_lock_owned" => {
            Model::Acquire(mode, false)
        }
        "get_mut" | "into_inner" | "get_ref" | "data_ptr" | "as_mut_ptr" => Model::Inside,
        "is_locked" | "is_poisoned" | "is_owned_by_current_thread" => {
            Model::Atomic(AccessKind::Read)
        }
        "clear_poison" => Model::Atomic(AccessKind::Write),
        _ => Model::Plain,
    }
}

fn rwlock(name: &str) -> Model {
    match name {
        "read" | "read_arc" | "read_recursive" | "read_owned" | "upgradable_read"
        | "upgradeable_read" | "blocking_read" => Model::Acquire(Mode::Read, true),
        "write" | "write_arc" | "write_owned" | "blocking_write" => {
            Model::Acquire(Mode::Exclusive, true)
        }
        "try_read"
        | "try_read_for"
        | "try_read_until"
        | "try_upgradable_read"
        | "try_read_recursive"
        | "try_upgradeable_read" => Model::Acquire(Mode::Read, false),
        "try_write" | "try_write_for" | "try_write_until" => Model::Acquire(Mode::Exclusive, false),
        "is_locked_exclusive" => Model::Atomic(AccessKind::Read),
        _ => mutex(name, Mode::Exclusive),
    }
}

fn once(kind: &str, name: &str) -> Model {
    let lazy = matches!(kind, "LazyLock" | "LazyCell" | "Lazy");
    match name {
        "call_once" | "call_once_force" | "get_or_init" | "get_or_try_init" | "get_mut_or_init"
        | "force" | "wait" => Model::Once,
        "set" | "try_insert" => Model::Block,
        "get" | "is_completed" | "is_initialized" | "get_unchecked" if !lazy => {
            Model::Atomic(AccessKind::Read)
        }
        "get_mut" | "take" | "into_inner" if !lazy => Model::Inside,
        "deref" | "deref_mut" if lazy => Model::Once,
        _ => Model::Plain,
    }
}

fn cell(kind: &str, name: &str) -> Model {
    match name {
        "get" if kind.contains("Unsafe") => Model::Inside,
        "as_ptr" | "raw_get" | "get_mut" | "into_inner" | "as_slice_of_cells" => Model::Inside,
        "borrow" | "borrow_mut" | "try_borrow" | "try_borrow_mut" => Model::Inside,
        "get" => Model::Cell(AccessKind::Read),
        "set" => Model::Cell(AccessKind::Write),
        "replace" | "take" | "swap" | "update" => Model::Cell(AccessKind::Both),
        _ => Model::Plain,
    }
}

fn atomic(name: &str) -> Model {
    match name {
        "load" => Model::Atomic(AccessKind::Read),
        "store" => Model::Atomic(AccessKind::Write),
        "get_mut" | "into_inner" | "as_ptr" => Model::Inside,
        "new" => Model::Plain,
        _ => Model::Atomic(AccessKind::Both),
    }
}

/// A value of the type may hold a lock until it is dropped, or own something that does.
pub(crate) fn may_hold_guard(program: &Program, krate: usize, ty: &Type) -> bool {
    ty.any(&|it| match it {
        Type::Named(path, _) => {
            let last = it.last();
            last.ends_with("Guard")
                || last == "Ref"
                || last == "RefMut"
                || last.ends_with("GuardArc")
                || (!is_std(path) && program.declared(krate, path).is_some())
        }
        Type::Closure(_) | Type::Opaque(_) => true,
        _ => false,
    })
}
