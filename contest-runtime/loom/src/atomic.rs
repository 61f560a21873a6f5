//! loom's atomics, with what they do written down.

pub use std::sync::atomic::Ordering;

use std::fmt;

use super::log;

/// loom's fence.
#[track_caller]
pub fn fence(order: Ordering) {
    loom::sync::atomic::fence(order);
    log::event(format!("fence({order:?})"));
}

/// As in `std`.
pub fn spin_loop_hint() {
    loom::hint::spin_loop();
}

macro_rules! atomic {
    ([$($generics:tt)*] $name:ident $([$parameter:ident])?: $value:ty, $shown:expr; $($method:ident)*) => {
        /// loom's atomic of this name.
        pub struct $name $(<$parameter>)? (loom::sync::atomic::$name $(<$parameter>)?);

        impl<$($generics)*> $name $(<$parameter>)? {
            /// As in `std`.
            #[must_use]
            #[track_caller]
            pub fn new(value: $value) -> Self {
                Self(loom::sync::atomic::$name::new(value))
            }

            /// As in `std`.
            #[must_use]
            #[track_caller]
            pub fn into_inner(self) -> $value {
                self.0.into_inner()
            }

            /// The value, without being an operation.
            ///
            /// # Safety
            /// As in loom: no other thread may access it now.
            #[must_use]
            #[track_caller]
            pub unsafe fn unsync_load(&self) -> $value {
                // SAFETY: by this function's contract no other thread accesses the value.
                unsafe { self.0.unsync_load() }
            }

            #[track_caller]
            fn log(&self, what: &str, read: Option<$value>, wrote: Option<$value>) {
                let address = std::ptr::from_ref(self).cast::<u8>().addr();
                log::atomic(stringify!($name), address, what, read.map($shown), wrote.map($shown));
            }

            /// As in `std`.
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $value {
                let read = self.0.load(order);
                self.log(&format!(".load({order:?})"), Some(read), None);
                read
            }

            /// As in `std`.
            #[track_caller]
            pub fn store(&self, value: $value, order: Ordering) {
                self.0.store(value, order);
                self.log(&format!(".store({}, {order:?})", $shown(value)), None, Some(value));
            }

            /// As in `std`.
            #[track_caller]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                let read = self.0.swap(value, order);
                self.log(&format!(".swap({}, {order:?})", $shown(value)), Some(read), Some(value));
                read
            }

            /// As in `std`.
            #[deprecated(note = "as in `std`")]
            #[track_caller]
            pub fn compare_and_swap(&self, current: $value, new: $value, order: Ordering) -> $value {
                let failure = match order {
                    Ordering::Release | Ordering::Relaxed => Ordering::Relaxed,
                    Ordering::SeqCst => Ordering::SeqCst,
                    _ => Ordering::Acquire,
                };
                match self.compare_exchange(current, new, order, failure) {
                    Ok(read) | Err(read) => read,
                }
            }

            /// As in `std`.
            ///
            /// # Errors
            /// As in `std`.
            #[track_caller]
            pub fn compare_exchange(
                &self, current: $value, new: $value, success: Ordering, failure: Ordering,
            ) -> Result<$value, $value> {
                let result = self.0.compare_exchange(current, new, success, failure);
                self.exchanged("compare_exchange", new, success, failure, result);
                result
            }

            /// As in `std`.
            ///
            /// # Errors
            /// As in `std`.
            #[track_caller]
            pub fn compare_exchange_weak(
                &self, current: $value, new: $value, success: Ordering, failure: Ordering,
            ) -> Result<$value, $value> {
                let result = self.0.compare_exchange_weak(current, new, success, failure);
                self.exchanged("compare_exchange_weak", new, success, failure, result);
                result
            }

            /// As in `std`.
            ///
            /// # Errors
            /// As in `std`.
            #[track_caller]
            pub fn fetch_update(
                &self, set: Ordering, fetch: Ordering, update: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                let mut update = update;
                let mut wrote = None;
                let result = self.0.fetch_update(set, fetch, |value| {
                    wrote = update(value);
                    wrote
                });
                self.exchanged("fetch_update", wrote.unwrap_or_else(|| match result { Ok(it) | Err(it) => it }), set, fetch, result);
                result
            }

            #[track_caller]
            fn exchanged(
                &self, name: &str, new: $value, success: Ordering, failure: Ordering, result: Result<$value, $value>,
            ) {
                match result {
                    Ok(read) => self.log(&format!(".{name}(.., {}, {success:?})", $shown(new)), Some(read), Some(new)),
                    Err(read) => self.log(&format!(".{name}(.., {failure:?}), failed"), Some(read), None),
                }
            }

            $(
                /// As in `std`.
                #[track_caller]
                pub fn $method(&self, value: $value, order: Ordering) -> $value {
                    let read = self.0.$method(value, order);
                    // Without a scheduling point between them, no thread runs between two operations.
                    self.log(&format!(".{}({}, {order:?})", stringify!($method), $shown(value)), Some(read), Some(effect::$method(read, value)));
                    read
                }
            )*
        }

        impl<$($generics)*> fmt::Debug for $name $(<$parameter>)? {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl<$($generics)*> From<$value> for $name $(<$parameter>)? {
            #[track_caller]
            fn from(value: $value) -> Self {
                Self::new(value)
            }
        }
    };
}

/// What a read-modify-write leaves there.
mod effect {
    use std::ops::{BitAnd, BitOr, BitXor, Not};

    /// Numbers that wrap around.
    pub(super) trait Wraps: Ord + Copy {
        fn plus(self, other: Self) -> Self;
        fn minus(self, other: Self) -> Self;
    }

    macro_rules! wraps {
        ($($type:ty)*) => {
            $(impl Wraps for $type {
                fn plus(self, other: Self) -> Self {
                    self.wrapping_add(other)
                }
                fn minus(self, other: Self) -> Self {
                    self.wrapping_sub(other)
                }
            })*
        };
    }

    wraps! { u8 u16 u32 u64 usize i8 i16 i32 i64 isize }

    pub(super) fn fetch_add<T: Wraps>(read: T, value: T) -> T {
        read.plus(value)
    }
    pub(super) fn fetch_sub<T: Wraps>(read: T, value: T) -> T {
        read.minus(value)
    }
    pub(super) fn fetch_and<T: BitAnd<Output = T>>(read: T, value: T) -> T {
        read & value
    }
    pub(super) fn fetch_nand<T: BitAnd<Output = T> + Not<Output = T>>(read: T, value: T) -> T {
        !(read & value)
    }
    pub(super) fn fetch_or<T: BitOr<Output = T>>(read: T, value: T) -> T {
        read | value
    }
    pub(super) fn fetch_xor<T: BitXor<Output = T>>(read: T, value: T) -> T {
        read ^ value
    }
    pub(super) fn fetch_max<T: Ord>(read: T, value: T) -> T {
        read.max(value)
    }
    pub(super) fn fetch_min<T: Ord>(read: T, value: T) -> T {
        read.min(value)
    }
}

macro_rules! integers {
    ($($name:ident: $value:ty,)*) => {
        $(
            atomic! { [] $name: $value, |it: $value| it.to_string(); fetch_add fetch_sub fetch_and fetch_nand fetch_or fetch_xor fetch_max fetch_min }

            impl $name {
                /// The value, which is owned.
                #[track_caller]
                pub fn with_mut<R>(&mut self, f: impl FnOnce(&mut $value) -> R) -> R {
                    self.0.with_mut(f)
                }
            }

            impl Default for $name {
                #[track_caller]
                fn default() -> Self {
                    Self::new(0)
                }
            }
        )*
    };
}

integers! {
    AtomicU8: u8, AtomicU16: u16, AtomicU32: u32, AtomicU64: u64, AtomicUsize: usize,
    AtomicI8: i8, AtomicI16: i16, AtomicI32: i32, AtomicI64: i64, AtomicIsize: isize,
}

atomic! { [] AtomicBool: bool, |it: bool| it.to_string(); fetch_and fetch_nand fetch_or fetch_xor }

impl Default for AtomicBool {
    #[track_caller]
    fn default() -> Self {
        Self::new(false)
    }
}

// Addresses differ from run to run.
atomic! { [T] AtomicPtr[T]: *mut T, |it: *mut T| if it.is_null() { "null".to_owned() } else { "a pointer".to_owned() }; }

impl<T> AtomicPtr<T> {
    /// The value, which is owned.
    #[track_caller]
    pub fn with_mut<R>(&mut self, f: impl FnOnce(&mut *mut T) -> R) -> R {
        self.0.with_mut(f)
    }
}

impl<T> Default for AtomicPtr<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(std::ptr::null_mut())
    }
}
