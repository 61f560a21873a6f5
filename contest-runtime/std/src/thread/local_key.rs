//! `LocalKey` and `thread_local!`.

use std::cell::{Cell, RefCell};
use std::error::Error;
use std::fmt;

use contest_engine::execution::{Active, active};

/// Drop-in for `std::thread::LocalKey`: outside executions the real one; inside, each virtual thread has a value of its
/// own.
pub struct LocalKey<T: 'static> {
    /// `None` if the key can be used inside executions only.
    real: Option<&'static std::thread::LocalKey<T>>,
    init: fn() -> T,
    /// Nothing is read from it: its address names the key, because the key itself is a constant without one.
    name: &'static Name,
}

/// Its address names a key.
#[doc(hidden)]
#[derive(Debug)]
pub struct Name(#[expect(dead_code, reason = "a type without bytes may share its address")] u8);

impl Name {
    /// A name; unique if in a `static`.
    #[doc(hidden)]
    #[must_use]
    pub const fn new() -> Self {
        Self(0)
    }
}

/// Drop-in for `std::thread::AccessError`.
#[non_exhaustive]
#[derive(Clone, Copy, Eq, PartialEq)]
pub struct AccessError;

impl<T: 'static> LocalKey<T> {
    /// What `thread_local!` expands to.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(
        real: &'static std::thread::LocalKey<T>,
        init: fn() -> T,
        name: &'static Name,
    ) -> Self {
        Self {
            real: Some(real),
            init,
            name,
        }
    }

    /// A key that can be used inside executions only.
    #[doc(hidden)]
    #[must_use]
    pub const fn virtual_only(init: fn() -> T, name: &'static Name) -> Self {
        Self {
            real: None,
            init,
            name,
        }
    }

    #[inline]
    #[track_caller]
    fn real(&self) -> &'static std::thread::LocalKey<T> {
        self.real
            .expect("contest: this thread-local can be used inside a model only")
    }

    /// As in `std`.
    ///
    /// # Panics
    /// If the value is being or has been dropped.
    #[track_caller]
    pub fn with<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        match self.try_with(f) {
            Ok(result) => result,
            Err(error) => inaccessible(error),
        }
    }

    /// As in `std`.
    ///
    /// # Errors
    /// If the value is being or has been dropped.
    #[inline]
    pub fn try_with<F, R>(&'static self, f: F) -> Result<R, AccessError>
    where
        F: FnOnce(&T) -> R,
    {
        match active() {
            None => self.real().try_with(f).map_err(|_| AccessError),
            Some(active) => {
                let value = active
                    .thread_local(self.address(), self.init)
                    .ok_or(AccessError)?;
                // SAFETY: the value is of this virtual thread and lives until the thread ends, after this call.
                Ok(f(unsafe { &*value }))
            }
        }
    }

    /// Inside an execution: calls `f` with the value, made from `given` if there was none yet, else with `given` too.
    #[track_caller]
    fn initialise_with<F, R>(&'static self, active: Active, given: T, f: F) -> R
    where
        F: FnOnce(Option<T>, &T) -> R,
    {
        let mut given = Some(given);
        let value = active.thread_local(self.address(), || match given.take() {
            Some(value) => value,
            None => (self.init)(),
        });
        match value {
            // SAFETY: as in `try_with`.
            Some(value) => f(given, unsafe { &*value }),
            None => inaccessible(AccessError),
        }
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self.name).addr()
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn inaccessible(error: AccessError) -> ! {
    panic!("cannot access a Thread Local Storage value during or after destruction: {error:?}")
}

impl<T: 'static> LocalKey<Cell<T>> {
    /// As in `std`.
    ///
    /// # Panics
    /// If the value is being or has been dropped.
    #[track_caller]
    pub fn set(&'static self, value: T) {
        match active() {
            None => self.real().set(value),
            Some(active) => self.initialise_with(active, Cell::new(value), |value, cell| {
                if let Some(value) = value {
                    cell.set(value.into_inner());
                }
            }),
        }
    }

    /// As in `std`.
    ///
    /// # Panics
    /// If the value is being or has been dropped.
    #[track_caller]
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.with(Cell::get)
    }

    /// As in `std`.
    ///
    /// # Panics
    /// If the value is being or has been dropped.
    #[track_caller]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(Cell::take)
    }

    /// As in `std`.
    ///
    /// # Panics
    /// If the value is being or has been dropped.
    #[track_caller]
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> LocalKey<RefCell<T>> {
    /// As in `std`.
    ///
    /// # Panics
    /// If the value is being or has been dropped, or is borrowed mutably.
    #[track_caller]
    pub fn with_borrow<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        self.with(|cell| f(&cell.borrow()))
    }

    /// As in `std`.
    ///
    /// # Panics
    /// If the value is being or has been dropped, or is borrowed.
    #[track_caller]
    pub fn with_borrow_mut<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&mut T) -> R,
    {
        self.with(|cell| f(&mut cell.borrow_mut()))
    }

    /// As in `std`.
    ///
    /// # Panics
    /// If the value is being or has been dropped, or is borrowed.
    #[track_caller]
    pub fn set(&'static self, value: T) {
        match active() {
            None => self.real().set(value),
            Some(active) => self.initialise_with(active, RefCell::new(value), |value, cell| {
                if let Some(value) = value {
                    *cell.borrow_mut() = value.into_inner();
                }
            }),
        }
    }

    /// As in `std`.
    ///
    /// # Panics
    /// If the value is being or has been dropped, or is borrowed.
    #[track_caller]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(RefCell::take)
    }

    /// As in `std`.
    ///
    /// # Panics
    /// If the value is being or has been dropped, or is borrowed.
    #[track_caller]
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalKey").finish_non_exhaustive()
    }
}

impl fmt::Debug for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessError").finish()
    }
}

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt("already destroyed", f)
    }
}

impl Error for AccessError {}

/// Drop-in for `std::thread_local!`.
#[macro_export]
macro_rules! thread_local {
    () => {};

    ($(#[$attribute:meta])* $vis:vis static $name:ident: $t:ty = const $init:block $(; $($rest:tt)*)?) => {
        $(#[$attribute])*
        $vis const $name: $crate::thread::LocalKey<$t> = {
            const __CONTEST_INIT: $t = $init;
            $crate::macro_support::std::thread_local! {
                static __CONTEST_REAL: $t = const { __CONTEST_INIT };
            }
            static __CONTEST_NAME: $crate::macro_support::Name = $crate::macro_support::Name::new();
            $crate::thread::LocalKey::new(&__CONTEST_REAL, || __CONTEST_INIT, &__CONTEST_NAME)
        };
        $($crate::thread_local!($($rest)*);)?
    };

    ($(#[$attribute:meta])* $vis:vis static $name:ident: $t:ty = $init:expr $(; $($rest:tt)*)?) => {
        $(#[$attribute])*
        $vis const $name: $crate::thread::LocalKey<$t> = {
            #[inline]
            fn __contest_init() -> $t {
                $init
            }
            $crate::macro_support::std::thread_local! {
                static __CONTEST_REAL: $t = __contest_init();
            }
            static __CONTEST_NAME: $crate::macro_support::Name = $crate::macro_support::Name::new();
            $crate::thread::LocalKey::new(&__CONTEST_REAL, __contest_init, &__CONTEST_NAME)
        };
        $($crate::thread_local!($($rest)*);)?
    };
}
