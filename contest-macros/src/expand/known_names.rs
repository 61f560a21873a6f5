//! Names of `std` that the macros recognise. The compiler resolves what a name stands for; these lists only say which
//! names to resolve.

/// Types with a drop-in type whose functions are called by path, and how many type parameters they have.
const CONSTRUCTED: [(&str, usize); 25] = [
    ("Mutex", 1),
    ("RwLock", 1),
    ("OnceLock", 1),
    ("LazyLock", 2),
    ("Condvar", 0),
    ("Barrier", 0),
    ("Once", 0),
    ("AtomicBool", 0),
    ("AtomicI8", 0),
    ("AtomicI16", 0),
    ("AtomicI32", 0),
    ("AtomicI64", 0),
    ("AtomicIsize", 0),
    ("AtomicU8", 0),
    ("AtomicU16", 0),
    ("AtomicU32", 0),
    ("AtomicU64", 0),
    ("AtomicUsize", 0),
    ("AtomicPtr", 1),
    ("FairMutex", 1),
    ("ReentrantMutex", 1),
    ("Sender", 1),
    ("SyncSender", 1),
    ("UnsafeCell", 1),
    ("Cell", 1),
];

/// Guards: of one lifetime and one type. Those of parking_lot have functions that are called by path.
const GUARDS: [&str; 11] = [
    "MutexGuard",
    "RwLockReadGuard",
    "RwLockWriteGuard",
    "MappedMutexGuard",
    "FairMutexGuard",
    "MappedFairMutexGuard",
    "ReentrantMutexGuard",
    "MappedReentrantMutexGuard",
    "RwLockUpgradableReadGuard",
    "MappedRwLockReadGuard",
    "MappedRwLockWriteGuard",
];

/// Types with a drop-in type that are only named.
const NAMED: [&str; 7] = [
    "WaitTimeoutResult",
    "BarrierWaitResult",
    "OnceState",
    "Receiver",
    "JoinHandle",
    "ScopedJoinHandle",
    "ThreadId",
];

/// Types that hold no locks but those in their arguments, or whose contents the engine never sees.
const INERT: [&str; 60] = [
    "bool",
    "char",
    "str",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "f32",
    "f64",
    "String",
    "Vec",
    "Box",
    "Rc",
    "Arc",
    "Weak",
    "Option",
    "Result",
    "HashMap",
    "HashSet",
    "BTreeMap",
    "BTreeSet",
    "BinaryHeap",
    "VecDeque",
    "LinkedList",
    "PhantomData",
    "Cow",
    "Pin",
    "RefCell",
    "ManuallyDrop",
    "MaybeUninit",
    "NonNull",
    "Range",
    "Wrapping",
    "Reverse",
    "Duration",
    "Instant",
    "SystemTime",
    "PathBuf",
    "Path",
    "OsString",
    "OsStr",
    "NonZero",
    "NonZeroU8",
    "NonZeroU16",
    "NonZeroU32",
    "NonZeroU64",
    "NonZeroUsize",
    "Ordering",
    "TypeId",
    "Waker",
    "RandomState",
    "BuildHasherDefault",
];

/// Functions of `std` modules that have a drop-in function: module, name.
const FUNCTIONS: [(&str, &[&str]); 4] = [
    (
        "thread",
        &[
            "spawn",
            "scope",
            "current",
            "park",
            "park_timeout",
            "sleep",
            "yield_now",
            "panicking",
            "available_parallelism",
        ],
    ),
    ("mpsc", &["channel", "sync_channel"]),
    ("hint", &["spin_loop"]),
    ("atomic", &["fence", "compiler_fence"]),
];

/// Types that are known only behind their module: `thread::Builder`.
const IN_MODULE: [(&str, &[&str]); 1] = [("thread", &["Builder", "Scope", "Thread"])];

/// Number of type parameters of a known type whose functions are called by path.
pub(super) fn constructed(name: &str) -> Option<usize> {
    let mut all = CONSTRUCTED.iter();
    all.find(|(known, _)| *known == name)
        .map(|(_, arity)| *arity)
}

/// True for a type that may have a drop-in type.
pub(super) fn is_replaced(name: &str) -> bool {
    constructed(name).is_some() || is_guard(name) || NAMED.contains(&name)
}

/// True for a guard.
pub(super) fn is_guard(name: &str) -> bool {
    GUARDS.contains(&name)
}

/// True for a type to be left as it is.
pub(super) fn is_inert(name: &str) -> bool {
    INERT.contains(&name)
}

/// The path in the runtime of a function in a module of `std`.
pub(super) fn function(module: &str, name: &str) -> Option<&'static [&'static str]> {
    let (_, names) = FUNCTIONS.iter().find(|(known, _)| *known == module)?;
    names.contains(&name).then(|| module_path(module))
}

/// True for a type known behind its module only.
pub(super) fn is_in_module(module: &str, name: &str) -> bool {
    IN_MODULE
        .iter()
        .any(|(known, names)| *known == module && names.contains(&name))
}

/// Where a module is in the runtime.
pub(super) fn module_path(module: &str) -> &'static [&'static str] {
    match module {
        "mpsc" => &["sync", "mpsc"],
        "atomic" => &["sync", "atomic"],
        "hint" => &["hint"],
        _ => &["thread"],
    }
}
