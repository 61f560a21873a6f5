//! Locks of parking_lot in annotated types.

use super::{Instrument, Snapshot};
use crate::annotated::made_lock::IntoDropIn;
use crate::parking_lot as drop_in;

macro_rules! replaced {
    ($([$($generics:tt)*] $real:ty => $drop_in:ty,)*) => {
        $(
            impl<$($generics)*> Instrument for $real {
                type As = $drop_in;
            }

            impl<$($generics)*> Instrument for $drop_in {
                type As = Self;
            }
        )*
    };
}

replaced! {
    [T: ?Sized] ::parking_lot::Mutex<T> => drop_in::Mutex<T>,
    [T: ?Sized] ::parking_lot::FairMutex<T> => drop_in::FairMutex<T>,
    [T: ?Sized] ::parking_lot::RwLock<T> => drop_in::RwLock<T>,
    [T: ?Sized] ::parking_lot::ReentrantMutex<T> => drop_in::ReentrantMutex<T>,
    [] ::parking_lot::Condvar => drop_in::Condvar,
    [] ::parking_lot::Once => drop_in::Once,
    ['a, T: ?Sized] ::parking_lot::MutexGuard<'a, T> => drop_in::MutexGuard<'a, T>,
    ['a, T: ?Sized] ::parking_lot::MappedMutexGuard<'a, T> => drop_in::MappedMutexGuard<'a, T>,
    ['a, T: ?Sized] ::parking_lot::FairMutexGuard<'a, T> => drop_in::FairMutexGuard<'a, T>,
    ['a, T: ?Sized] ::parking_lot::ReentrantMutexGuard<'a, T> => drop_in::ReentrantMutexGuard<'a, T>,
    ['a, T: ?Sized] ::parking_lot::RwLockReadGuard<'a, T> => drop_in::RwLockReadGuard<'a, T>,
    ['a, T: ?Sized] ::parking_lot::RwLockWriteGuard<'a, T> => drop_in::RwLockWriteGuard<'a, T>,
    ['a, T: ?Sized] ::parking_lot::RwLockUpgradableReadGuard<'a, T> => drop_in::RwLockUpgradableReadGuard<'a, T>,
    ['a, T: ?Sized] ::parking_lot::MappedRwLockReadGuard<'a, T> => drop_in::MappedRwLockReadGuard<'a, T>,
    ['a, T: ?Sized] ::parking_lot::MappedRwLockWriteGuard<'a, T> => drop_in::MappedRwLockWriteGuard<'a, T>,
}

impl<T: Snapshot + ?Sized> Snapshot for drop_in::Mutex<T> {
    fn snapshot(&self, out: &mut String) -> bool {
        self.try_lock().is_some_and(|value| value.snapshot(out))
    }
}

impl<T: Snapshot + ?Sized> Snapshot for drop_in::RwLock<T> {
    fn snapshot(&self, out: &mut String) -> bool {
        self.try_read().is_some_and(|value| value.snapshot(out))
    }
}

impl Snapshot for drop_in::Condvar {
    fn snapshot(&self, _: &mut String) -> bool {
        true
    }
}

macro_rules! taken_over {
    ($($name:ident)*) => {
        $(impl<T> IntoDropIn for ::parking_lot::$name<T> {
            type DropIn = drop_in::$name<T>;

            fn into_drop_in(self) -> Self::DropIn {
                drop_in::$name::new(self.into_inner())
            }
        })*
    };
}

taken_over! { Mutex FairMutex RwLock ReentrantMutex }
