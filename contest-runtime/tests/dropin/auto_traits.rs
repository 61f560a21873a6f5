//! Traits that the compiler works out, and the simple ones, exactly when the real type has them.

use std::cell::Cell;
use std::fmt::Debug;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::rc::Rc;

/// Checks for traits: an associated constant of the type itself, there only where the type has the trait, hides the one
/// of the trait `Otherwise`.
struct Probe<T: ?Sized>(std::marker::PhantomData<T>);

macro_rules! probed_traits {
    ($($NAME:ident: $Trait:path;)*) => {
        #[allow(dead_code, reason = "not every trait is missing somewhere")]
        trait Otherwise {
            $(const $NAME: bool = false;)*
        }

        impl<T: ?Sized> Otherwise for Probe<T> {}

        $(impl<T: ?Sized + $Trait> Probe<T> {
            const $NAME: bool = true;
        })*

        macro_rules! traits {
            ($Type:ty) => {
                [$((stringify!($NAME), Probe::<$Type>::$NAME)),*]
            };
        }
    };
}

probed_traits! {
    SEND: Send;
    SYNC: Sync;
    UNWIND_SAFE: UnwindSafe;
    REF_UNWIND_SAFE: RefUnwindSafe;
    UNPIN: Unpin;
    CLONE: Clone;
    COPY: Copy;
    DEBUG: Debug;
    DEFAULT: Default;
    PARTIAL_EQ: PartialEq;
    EQ: Eq;
    HASH: std::hash::Hash;
    DISPLAY: std::fmt::Display;
    ITERATOR: Iterator;
    INTO_ITERATOR: IntoIterator;
    ERROR: std::error::Error;
}

macro_rules! same_traits {
    ($($($path:ident)::+ $(<$($arg:tt),+>)?;)*) => {$(
        assert_eq!(
            traits!(contest::$($path)::+$(<$($arg),+>)?),
            traits!(std::$($path)::+$(<$($arg),+>)?),
            stringify!($($path)::+$(<$($arg),+>)?),
        );
    )*};
}

/// All types with a parameter, with this one.
macro_rules! same_traits_with {
    ($T:ident) => {
        same_traits! {
            sync::Mutex<$T>;
            sync::MutexGuard<'static, $T>;
            sync::RwLock<$T>;
            sync::RwLockReadGuard<'static, $T>;
            sync::RwLockWriteGuard<'static, $T>;
            sync::OnceLock<$T>;
            sync::LazyLock<$T>;
            sync::LazyLock<u8, $T>;
            sync::atomic::AtomicPtr<$T>;
            sync::mpsc::Sender<$T>;
            sync::mpsc::SyncSender<$T>;
            sync::mpsc::Receiver<$T>;
            sync::mpsc::Iter<'static, $T>;
            sync::mpsc::TryIter<'static, $T>;
            sync::mpsc::IntoIter<$T>;
            thread::JoinHandle<$T>;
            thread::ScopedJoinHandle<'static, $T>;
            thread::LocalKey<$T>;
        }
    };
}

type Anything = u8;
type NotSync = Cell<u8>;
type NotSend = std::sync::MutexGuard<'static, u8>;
type Neither = Rc<Cell<u8>>;
type NotUnwindSafe = &'static mut u8;
type NotDebug = fn(&mut dyn FnMut());
struct Nothing;

#[test]
fn generic_types_have_a_trait_exactly_when_the_real_one_has_it() {
    same_traits_with!(Anything);
    same_traits_with!(NotSync);
    same_traits_with!(NotSend);
    same_traits_with!(Neither);
    same_traits_with!(NotUnwindSafe);
    same_traits_with!(NotDebug);
    same_traits_with!(Nothing);
}

#[test]
fn other_types_have_the_traits_of_the_real_ones() {
    same_traits! {
        sync::Condvar;
        sync::WaitTimeoutResult;
        sync::Once;
        sync::OnceState;
        sync::Barrier;
        sync::BarrierWaitResult;
        sync::atomic::AtomicBool;
        sync::atomic::AtomicU8;
        sync::atomic::AtomicI64;
        sync::atomic::AtomicUsize;
        thread::Thread;
        thread::ThreadId;
        thread::Builder;
        thread::Scope<'static, 'static>;
        thread::AccessError;
    }
}

#[test]
fn the_probe_distinguishes_types_with_a_trait_from_those_without() {
    let of_cell = traits!(Cell<u8>);
    assert_eq!(&of_cell[..2], [("SEND", true), ("SYNC", false)]);
    assert_eq!(traits!(Neither)[0], ("SEND", false));
}
