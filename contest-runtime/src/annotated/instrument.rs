//! Which drop-in type stands for a type: the compiler resolves the name, so `use std::sync::Mutex as Lock` is
//! understood.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};

/// The type that stands for this one in an annotated type while feature `explore` is on.
///
/// `#[contest::shared]` makes a field `lock: Mutex<T>` into `lock: <Mutex<T> as Instrument>::As`. A type that holds
/// nothing the engine needs to see stands for itself; `#[contest::shared]` on a type of your own implements that.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not known to `contest`: whether it contains locks is unknown",
    label = "in an annotated type",
    note = "a type of this crate: write `#[contest::shared]` on it too",
    note = "a type without locks, or one that shall stay as it is: `#[contest(plain)]` on the field, or `#[contest::shared(plain({Self}))]` on the item",
    note = "a lock of parking_lot 0.12: turn on feature `parking_lot` of contest-runtime; its other versions are not known",
    note = "two versions of `contest-runtime` in one graph look like this too: see `cargo tree -d`"
)]
pub trait Instrument {
    /// What stands for it.
    type As: ?Sized;
}

/// Types of `std` that have a drop-in type.
macro_rules! replaced {
    ($([$($generics:tt)*] $real:ty => $drop_in:ty,)*) => {
        $(impl<$($generics)*> Instrument for $real {
            type As = $drop_in;
        })*
    };
}

/// Types that stand for themselves.
macro_rules! same {
    ($([$($generics:tt)*] $type:ty,)*) => {
        $(impl<$($generics)*> Instrument for $type {
            type As = Self;
        })*
    };
}

macro_rules! atomics {
    ($($name:ident)*) => {
        replaced! { $([] std::sync::atomic::$name => crate::sync::atomic::$name,)* }
        same! { $([] crate::sync::atomic::$name,)* }
    };
}

atomics! { AtomicBool AtomicI8 AtomicI16 AtomicI32 AtomicI64 AtomicIsize AtomicU8 AtomicU16 AtomicU32 AtomicU64 AtomicUsize }

replaced! {
    [T] std::sync::atomic::AtomicPtr<T> => crate::sync::atomic::AtomicPtr<T>,
    [T: ?Sized] std::sync::Mutex<T> => crate::sync::Mutex<T>,
    ['a, T: ?Sized] std::sync::MutexGuard<'a, T> => crate::sync::MutexGuard<'a, T>,
    [] std::sync::Condvar => crate::sync::Condvar,
    [] std::sync::WaitTimeoutResult => crate::sync::WaitTimeoutResult,
    [] std::sync::Barrier => crate::sync::Barrier,
    [] std::sync::BarrierWaitResult => crate::sync::BarrierWaitResult,
    [] std::sync::Once => crate::sync::Once,
    [] std::sync::OnceState => crate::sync::OnceState,
    [T] std::sync::OnceLock<T> => crate::sync::OnceLock<T>,
    [T, F] std::sync::LazyLock<T, F> => crate::sync::LazyLock<T, F>,
    [T] std::sync::mpsc::SyncSender<T> => crate::sync::mpsc::SyncSender<T>,
    [T] std::sync::mpsc::Sender<T> => crate::sync::mpsc::Sender<T>,
    [T] std::sync::mpsc::Receiver<T> => crate::sync::mpsc::Receiver<T>,
    [T] std::thread::JoinHandle<T> => crate::thread::JoinHandle<T>,
    [] std::thread::Thread => crate::thread::Thread,
    [] std::thread::ThreadId => crate::thread::ThreadId,
    [] std::thread::Builder => crate::thread::Builder,
    // What holds others, named by an alias.
    [T: Instrument<As: Sized>] Vec<T> => Vec<T::As>,
    [T: Instrument + ?Sized] Box<T> => Box<T::As>,
    [T: Instrument + ?Sized] std::rc::Rc<T> => std::rc::Rc<T::As>,
    [T: Instrument + ?Sized] std::sync::Arc<T> => std::sync::Arc<T::As>,
    [T: Instrument + ?Sized] std::sync::Weak<T> => std::sync::Weak<T::As>,
    [T: Instrument<As: Sized>] Option<T> => Option<T::As>,
    [T: Instrument<As: Sized>, E: Instrument<As: Sized>] Result<T, E> => Result<T::As, E::As>,
    [K: Instrument<As: Sized>, V: Instrument<As: Sized>, S] HashMap<K, V, S> => HashMap<K::As, V::As, S>,
    [T: Instrument<As: Sized>, S] HashSet<T, S> => HashSet<T::As, S>,
    [K: Instrument<As: Sized>, V: Instrument<As: Sized>] BTreeMap<K, V> => BTreeMap<K::As, V::As>,
    [T: Instrument<As: Sized>] BTreeSet<T> => BTreeSet<T::As>,
    [T: Instrument<As: Sized>] BinaryHeap<T> => BinaryHeap<T::As>,
    [T: Instrument<As: Sized>] LinkedList<T> => LinkedList<T::As>,
    [T: Instrument<As: Sized>] VecDeque<T> => VecDeque<T::As>,
    [T: Instrument<As: Sized>] [T] => [T::As],
    [T: Instrument<As: Sized>, const N: usize] [T; N] => [T::As; N],
    [A: Instrument<As: Sized>, B: Instrument<As: Sized>] (A, B) => (A::As, B::As),
    [A: Instrument<As: Sized>, B: Instrument<As: Sized>, C: Instrument<As: Sized>] (A, B, C) => (A::As, B::As, C::As),
}

// loom has nothing for these, or less.
#[cfg(not(feature = "loom"))]
replaced! {
    [T: ?Sized] std::cell::UnsafeCell<T> => super::cells::UnsafeCell<T>,
    [T: ?Sized] std::cell::Cell<T> => super::cells::Cell<T>,
    [T: ?Sized] std::sync::RwLock<T> => crate::sync::RwLock<T>,
    ['a, T: ?Sized] std::sync::RwLockReadGuard<'a, T> => crate::sync::RwLockReadGuard<'a, T>,
    ['a, T: ?Sized] std::sync::RwLockWriteGuard<'a, T> => crate::sync::RwLockWriteGuard<'a, T>,
    ['scope, T] std::thread::ScopedJoinHandle<'scope, T> => crate::thread::ScopedJoinHandle<'scope, T>,
    ['scope, 'env] std::thread::Scope<'scope, 'env> => crate::thread::Scope<'scope, 'env>,
}

#[cfg(not(feature = "loom"))]
same! {
    [T: ?Sized] super::cells::UnsafeCell<T>,
    [T: ?Sized] super::cells::Cell<T>,
    [T: ?Sized] crate::sync::RwLock<T>,
    ['a, T: ?Sized] crate::sync::RwLockReadGuard<'a, T>,
    ['a, T: ?Sized] crate::sync::RwLockWriteGuard<'a, T>,
    ['scope, T] crate::thread::ScopedJoinHandle<'scope, T>,
    ['scope, 'env] crate::thread::Scope<'scope, 'env>,
}

// loom's own `Arc` is for models by hand.
#[cfg(feature = "loom")]
same! {
    [T: ?Sized] std::cell::UnsafeCell<T>,
    [T: ?Sized] std::cell::Cell<T>,
    [T: ?Sized] crate::sync::Arc<T>,
    [T] crate::sync::RwLock<T>,
    ['a, T] crate::sync::RwLockReadGuard<'a, T>,
    ['a, T] crate::sync::RwLockWriteGuard<'a, T>,
}

#[cfg(feature = "loom")]
replaced! {
    [T] std::sync::RwLock<T> => crate::sync::RwLock<T>,
    ['a, T] std::sync::RwLockReadGuard<'a, T> => crate::sync::RwLockReadGuard<'a, T>,
    ['a, T] std::sync::RwLockWriteGuard<'a, T> => crate::sync::RwLockWriteGuard<'a, T>,
}

same! {
    [T] crate::sync::atomic::AtomicPtr<T>,
    [T: ?Sized] crate::sync::Mutex<T>,
    ['a, T: ?Sized] crate::sync::MutexGuard<'a, T>,
    [] crate::sync::Condvar,
    [] crate::sync::WaitTimeoutResult,
    [] crate::sync::Barrier,
    [] crate::sync::BarrierWaitResult,
    [] crate::sync::Once,
    [] crate::sync::OnceState,
    [T] crate::sync::OnceLock<T>,
    [T, F] crate::sync::LazyLock<T, F>,
    [T] crate::sync::mpsc::SyncSender<T>,
    [T] crate::sync::mpsc::Sender<T>,
    [T] crate::sync::mpsc::Receiver<T>,
    [T] crate::thread::JoinHandle<T>,
    [] crate::thread::Thread,
    [] crate::thread::ThreadId,
    [] crate::thread::Builder,
    [T: ?Sized] crate::cell::UnsafeCell<T>,
    [T] crate::cell::Cell<T>,
    [T: ?Sized] std::marker::PhantomData<T>,
    [T: ?Sized] std::cell::RefCell<T>,
    [T: ?Sized] std::mem::ManuallyDrop<T>,
    [T] std::mem::MaybeUninit<T>,
    [T] std::ops::Range<T>,
    [T] std::num::Wrapping<T>,
    [T] std::cmp::Reverse<T>,
    [T: ?Sized] std::ptr::NonNull<T>,
    ['a, T: ?Sized + ToOwned] std::borrow::Cow<'a, T>,
    [] String, [] str, [] bool, [] char, [] (),
    [] u8, [] u16, [] u32, [] u64, [] u128, [] usize,
    [] i8, [] i16, [] i32, [] i64, [] i128, [] isize,
    [] f32, [] f64,
    [] std::num::NonZeroU8, [] std::num::NonZeroU16, [] std::num::NonZeroU32, [] std::num::NonZeroU64, [] std::num::NonZeroUsize,
    [] std::time::Duration, [] std::time::Instant, [] std::time::SystemTime,
    [] std::path::PathBuf, [] std::path::Path, [] std::ffi::OsString, [] std::ffi::OsStr, [] std::ffi::CString,
    [] std::net::SocketAddr, [] std::net::IpAddr, [] std::net::Ipv4Addr, [] std::net::Ipv6Addr,
    [] std::io::Error, [] std::fs::File, [] std::net::TcpStream, [] std::net::TcpListener,
    [] std::any::TypeId, [] std::alloc::Layout, [] std::hash::RandomState, [] std::task::Waker, [] std::cmp::Ordering, [] std::sync::atomic::Ordering,
    [H] std::hash::BuildHasherDefault<H>,
}
