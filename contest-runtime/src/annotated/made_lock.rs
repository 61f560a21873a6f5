//! A lock that was made under a name that macros do not know, `Lock::new(..)`, becomes the drop-in one. Anything else
//! stays as it is.
//!
//! Which of the two is found as `ways` of observation are: by the impl that stands on fewer references.

use std::marker::PhantomData;

/// Stands for the type of a value.
#[derive(Debug)]
pub struct Made<T>(PhantomData<*const T>);

impl<T> Made<T> {
    /// For the type of this value.
    #[must_use]
    pub fn of(_: &T) -> Self {
        Self(PhantomData)
    }
}

/// A lock of `std`.
#[derive(Clone, Copy, Debug)]
pub struct Replace;

/// Anything.
#[derive(Clone, Copy, Debug)]
pub struct Keep;

/// Finds [`Replace`].
pub trait FindReplace {
    /// The way.
    fn way(&self) -> Replace {
        Replace
    }
}

/// Finds [`Keep`].
pub trait FindKeep {
    /// The way.
    fn way(&self) -> Keep {
        Keep
    }
}

impl<T: IntoDropIn> FindReplace for &Made<T> {}
impl<T> FindKeep for Made<T> {}

impl Replace {
    /// The drop-in type with the same value.
    #[must_use]
    pub fn convert<T: IntoDropIn>(self, value: T) -> T::DropIn {
        value.into_drop_in()
    }
}

impl Keep {
    /// The value.
    #[must_use]
    pub fn convert<T>(self, value: T) -> T {
        value
    }
}

/// A type of `std` whose new values can be taken over.
pub trait IntoDropIn {
    /// The drop-in type.
    type DropIn;

    /// Takes it over.
    fn into_drop_in(self) -> Self::DropIn;
}

macro_rules! taken_over {
    ($([$($generics:tt)*] $real:ty => $drop_in:ty: |$value:ident| $made:expr;)*) => {
        $(impl<$($generics)*> IntoDropIn for $real {
            type DropIn = $drop_in;

            fn into_drop_in(self) -> $drop_in {
                let $value = self;
                $made
            }
        })*
    };
}

taken_over! {
    [T] std::sync::Mutex<T> => crate::sync::Mutex<T>:
        |lock| crate::sync::Mutex::new(lock.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner));
    [T] std::sync::RwLock<T> => crate::sync::RwLock<T>:
        |lock| crate::sync::RwLock::new(lock.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner));
    [] std::sync::Condvar => crate::sync::Condvar: |_made| crate::sync::Condvar::new();
    [T] std::sync::atomic::AtomicPtr<T> => crate::sync::atomic::AtomicPtr<T>: |it| crate::sync::atomic::AtomicPtr::new(it.into_inner());
}

// loom has nothing for these.
#[cfg(not(feature = "loom"))]
taken_over! {
    [T] std::sync::OnceLock<T> => crate::sync::OnceLock<T>: |cell| {
        cell.into_inner().map_or_else(crate::sync::OnceLock::new, crate::sync::OnceLock::from)
    };
    [] std::sync::Once => crate::sync::Once: |_made| crate::sync::Once::new();
}

macro_rules! atomics {
    ($($name:ident)*) => {
        taken_over! { $([] std::sync::atomic::$name => crate::sync::atomic::$name: |it| crate::sync::atomic::$name::new(it.into_inner());)* }
    };
}

atomics! { AtomicBool AtomicI8 AtomicI16 AtomicI32 AtomicI64 AtomicIsize AtomicU8 AtomicU16 AtomicU32 AtomicU64 AtomicUsize }

/// For expanded code: the drop-in lock if the value is a lock, else the value.
#[doc(hidden)]
#[macro_export]
macro_rules! instrumented {
    ($value:expr) => {
        match $value {
            value => {
                #[allow(unused_imports, reason = "one of the traits is used")]
                use $crate::macro_support::made_lock::{FindKeep as _, FindReplace as _};
                let way = (&&$crate::macro_support::made_lock::Made::of(&value)).way();
                way.convert(value)
            }
        }
    };
}
