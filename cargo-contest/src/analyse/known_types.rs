//! What types of other crates do: which are locks, which hold what, which only wrap. By last path segment, because crates re-export
//! and rename modules, not types.

use super::types::{Type, last_segment};

/// What a type is to the analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `Mutex` and its kin.
    Mutex,
    /// `RwLock`.
    RwLock,
    /// A lock its holder may take again.
    Reentrant,
    /// `Condvar`.
    Condvar,
    /// `Once`.
    Once,
    /// `OnceLock`, `OnceCell`, `LazyLock`.
    OnceCell,
    /// Atomics, `AtomicCell`, `ArcSwap`.
    Atomic,
    /// `Cell`, `RefCell`, `UnsafeCell`.
    Cell,
    /// Sending half of a channel.
    Sender,
    /// Receiving half.
    Receiver,
    /// `Barrier`, `Semaphore`, `Parker`: something that is waited at.
    Waiting,
    /// `Thread`: can be unparked.
    Thread,
    /// `JoinHandle`.
    JoinHandle,
    /// A queue or map that threads share.
    Shared,
    /// A guard of a lock, with what it protects as last argument.
    Guard,
    /// A value of one thread: `LocalKey`.
    ThreadLocal,
    /// Wraps one value and dereferences to it.
    Wrapper,
    /// `Option`, `Result`.
    Maybe,
    /// A container or an iterator.
    Container,
}

/// The kind of a type of another crate.
pub(crate) fn kind(ty: &Type) -> Option<Kind> {
    let Type::Foreign(path, _) = ty else {
        return match ty {
            Type::Sequence(_) => Some(Kind::Container),
            _ => None,
        };
    };
    kind_of_name(last_segment(path))
}

fn kind_of_name(last: &str) -> Option<Kind> {
    Some(match last {
        "Mutex" | "FairMutex" | "SpinMutex" | "TicketMutex" | "SpinLock" => Kind::Mutex,
        "RwLock" | "ShardedLock" => Kind::RwLock,
        "ReentrantMutex" | "ReentrantLock" => Kind::Reentrant,
        "Condvar" => Kind::Condvar,
        "Once" => Kind::Once,
        "OnceLock" | "OnceCell" | "LazyLock" | "LazyCell" | "Lazy" | "OnceBox" => Kind::OnceCell,
        "Cell" | "RefCell" | "UnsafeCell" | "SyncUnsafeCell" => Kind::Cell,
        "Sender" | "SyncSender" | "UnboundedSender" => Kind::Sender,
        "Receiver" | "UnboundedReceiver" => Kind::Receiver,
        "Barrier" | "Semaphore" | "Parker" | "WaitGroup" | "Notify" => Kind::Waiting,
        "Thread" | "Unparker" => Kind::Thread,
        "JoinHandle" | "ScopedJoinHandle" => Kind::JoinHandle,
        "SegQueue" | "ArrayQueue" | "DashMap" | "DashSet" | "Injector" | "Worker" | "Stealer"
        | "ConcurrentQueue" | "SkipMap" | "SkipSet" | "AtomicWaker" => Kind::Shared,
        "AtomicCell" | "ArcSwap" | "ArcSwapOption" | "AtomicRefCell" => Kind::Atomic,
        "LocalKey" => Kind::ThreadLocal,
        "Arc" | "Rc" | "Box" | "Pin" | "CachePadded" | "ManuallyDrop" | "Cow" | "Wrapping"
        | "Weak" => Kind::Wrapper,
        "Option" | "Result" | "LockResult" | "TryLockResult" | "Poll" | "PoisonError"
        | "TryLockError" => Kind::Maybe,
        "Vec" | "VecDeque" | "HashMap" | "BTreeMap" | "HashSet" | "BTreeSet" | "BinaryHeap"
        | "LinkedList" | "IndexMap" | "IndexSet" | "SmallVec" | "ArrayVec" | "Iter" | "IterMut"
        | "IntoIter" | "Drain" | "String" | "str" | "Range" | "PathBuf" | "OsString" | "Entry"
        | "MaybeUninit" | "NonNull" | "Peekable" | "Chars" | "Bytes" => Kind::Container,
        _ if last.starts_with("Atomic") => Kind::Atomic,
        _ if last.ends_with("Guard") || last == "RefMut" || last == "Ref" => Kind::Guard,
        _ => return None,
    })
}

/// True if a name means something here; a glob of another crate may bring it in.
pub(crate) fn is_known_name(name: &str) -> bool {
    kind_of_name(name).is_some()
}

/// Names in scope everywhere.
pub(crate) fn prelude(name: &str) -> Option<&'static str> {
    Some(match name {
        "Option" => "Option",
        "Some" => "Some",
        "None" => "None",
        "Result" => "Result",
        "Ok" => "Ok",
        "Err" => "Err",
        "Vec" => "Vec",
        "String" => "String",
        "Box" => "Box",
        "drop" => "drop",
        "Drop" => "Drop",
        "Clone" => "Clone",
        "Default" => "Default",
        "Iterator" => "Iterator",
        "IntoIterator" => "IntoIterator",
        "From" => "From",
        "Into" => "Into",
        _ => return None,
    })
}

/// What is inside a type that is looked through: the value behind `Arc<T>`, `&T`, a guard, `LazyLock<T>`.
pub(crate) fn wrapped(ty: &Type) -> Option<Type> {
    match ty {
        Type::Reference(_, to) => Some((**to).clone()),
        Type::Foreign(path, arguments) => match kind(ty)? {
            Kind::Wrapper => arguments.first().cloned().or(Some(Type::Unknown)),
            Kind::Guard => arguments.last().cloned().or(Some(Type::Unknown)),
            Kind::OnceCell if path.contains("Lazy") => {
                arguments.first().cloned().or(Some(Type::Unknown))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The items of a container, or what `Option` and `Result` hold.
pub(crate) fn element(ty: &Type) -> Type {
    match ty {
        Type::Sequence(of) => (**of).clone(),
        Type::Foreign(path, arguments) => match last_segment(path) {
            "HashMap" | "BTreeMap" | "IndexMap" => {
                arguments.get(1).cloned().unwrap_or(Type::Unknown)
            }
            "String" | "str" => Type::foreign("char", Vec::new()),
            _ => arguments.first().cloned().unwrap_or(Type::Unknown),
        },
        Type::Reference(_, to) => element(to),
        _ => Type::Unknown,
    }
}

/// What a lock or a cell holds.
pub(crate) fn protected(ty: &Type) -> Type {
    match ty {
        // lock_api: `Mutex<RawMutex, T>`.
        Type::Foreign(_, arguments) => arguments.last().cloned().unwrap_or(Type::Unknown),
        _ => Type::Unknown,
    }
}

/// A guard over `of`.
pub(crate) fn guard(of: Type) -> Type {
    Type::foreign("MutexGuard", vec![of])
}

/// True for crates whose locks return a `Result`: that of std, and copies of it.
pub(crate) fn poisons(ty: &Type) -> bool {
    match ty {
        Type::Foreign(path, _) => {
            path.starts_with("std::")
                || path.starts_with("core::")
                || path.starts_with("alloc::")
                || !path.contains("::")
        }
        _ => false,
    }
}
