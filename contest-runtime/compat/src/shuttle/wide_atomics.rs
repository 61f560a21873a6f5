//! Atomics of 128 bits, which stable `std` does not have.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use contest_data::trace::Update;
use contest_engine::execution::{AtomicEffect, AtomicKind, AtomicOperation, active};
use contest_std::sync::atomic::Ordering;

macro_rules! wide_atomic {
    ($Name:ident $int:ident: $($method:ident $Update:ident),*) => {
        /// An atomic integer of 128 bits; every operation is one visible operation.
        pub struct $Name(Mutex<$int>);

        impl $Name {
            /// With this value.
            #[must_use]
            pub const fn new(value: $int) -> Self {
                Self(Mutex::new(value))
            }

            #[track_caller]
            fn operate<R>(
                &self,
                kind: AtomicKind,
                ordering: Ordering,
                name: &'static str,
                f: impl FnOnce(&mut $int) -> R,
            ) -> R {
                let perform = || {
                    let mut value = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                    let before = *value as u64;
                    let result = f(&mut value);
                    let effect = match kind {
                        AtomicKind::Load => AtomicEffect::Read(before),
                        AtomicKind::Store => AtomicEffect::Wrote(*value as u64),
                        _ => AtomicEffect::ReadWrote(before, *value as u64),
                    };
                    (result, effect)
                };
                let Some(active) = active() else {
                    return perform().0;
                };
                let address = std::ptr::from_ref(self).expose_provenance();
                let operation = AtomicOperation { address, size: 8, kind, ordering, name };
                // SAFETY: the first bytes of this value, which is borrowed.
                unsafe { active.atomic(operation, perform) }
            }

            /// As in `std`.
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $int {
                self.operate(AtomicKind::Load, order, "load", |value| *value)
            }

            /// As in `std`.
            #[track_caller]
            pub fn store(&self, new: $int, order: Ordering) {
                self.operate(AtomicKind::Store, order, "store", |value| *value = new);
            }

            /// As in `std`.
            #[track_caller]
            pub fn swap(&self, new: $int, order: Ordering) -> $int {
                self.operate(AtomicKind::Rmw(Update::Replace), order, "swap", |value| std::mem::replace(value, new))
            }

            /// As in `std`.
            ///
            /// # Errors
            /// The value, if it is not `current`.
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $int,
                new: $int,
                success: Ordering,
                _failure: Ordering,
            ) -> Result<$int, $int> {
                self.operate(AtomicKind::Rmw(Update::Conditional), success, "compare_exchange", |value| {
                    if *value == current {
                        *value = new;
                        Ok(current)
                    } else {
                        Err(*value)
                    }
                })
            }

            /// As in `std`; does not fail without cause.
            ///
            /// # Errors
            /// The value, if it is not `current`.
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $int,
                new: $int,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$int, $int> {
                self.compare_exchange(current, new, success, failure)
            }

            /// As in `std`.
            ///
            /// # Errors
            /// The value, if `f` does not give another.
            #[track_caller]
            pub fn fetch_update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut f: impl FnMut($int) -> Option<$int>,
            ) -> Result<$int, $int> {
                let mut before = self.load(fetch_order);
                while let Some(new) = f(before) {
                    match self.compare_exchange_weak(before, new, set_order, fetch_order) {
                        Ok(value) => return Ok(value),
                        Err(value) => before = value,
                    }
                }
                Err(before)
            }

            /// As in `std`.
            #[must_use]
            pub fn into_inner(self) -> $int {
                self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
            }

            /// As in `std`.
            #[must_use]
            pub fn get_mut(&mut self) -> &mut $int {
                self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
            }

            $(
                /// As in `std`.
                #[track_caller]
                pub fn $method(&self, operand: $int, order: Ordering) -> $int {
                    self.operate(AtomicKind::Rmw(Update::$Update), order, stringify!($method), |value| {
                        std::mem::replace(value, after::$method::<$int>(*value, operand))
                    })
                }
            )*
        }

        impl Default for $Name {
            fn default() -> Self {
                Self::new(0)
            }
        }

        impl From<$int> for $Name {
            fn from(value: $int) -> Self {
                Self::new(value)
            }
        }

        impl fmt::Debug for $Name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&*self.0.lock().unwrap_or_else(PoisonError::into_inner), f)
            }
        }
    };
}

/// What an operation leaves behind.
mod after {
    use std::ops::{BitAnd, BitOr, BitXor, Not};

    pub(super) trait Wrapping {
        fn add(self, other: Self) -> Self;
        fn sub(self, other: Self) -> Self;
    }

    impl Wrapping for i128 {
        fn add(self, other: Self) -> Self {
            self.wrapping_add(other)
        }

        fn sub(self, other: Self) -> Self {
            self.wrapping_sub(other)
        }
    }

    impl Wrapping for u128 {
        fn add(self, other: Self) -> Self {
            self.wrapping_add(other)
        }

        fn sub(self, other: Self) -> Self {
            self.wrapping_sub(other)
        }
    }

    pub(super) fn fetch_add<T: Wrapping>(a: T, b: T) -> T {
        a.add(b)
    }

    pub(super) fn fetch_sub<T: Wrapping>(a: T, b: T) -> T {
        a.sub(b)
    }

    pub(super) fn fetch_and<T: BitAnd<Output = T>>(a: T, b: T) -> T {
        a & b
    }

    pub(super) fn fetch_nand<T: BitAnd<Output = T> + Not<Output = T>>(a: T, b: T) -> T {
        !(a & b)
    }

    pub(super) fn fetch_or<T: BitOr<Output = T>>(a: T, b: T) -> T {
        a | b
    }

    pub(super) fn fetch_xor<T: BitXor<Output = T>>(a: T, b: T) -> T {
        a ^ b
    }

    pub(super) fn fetch_max<T: Ord>(a: T, b: T) -> T {
        a.max(b)
    }

    pub(super) fn fetch_min<T: Ord>(a: T, b: T) -> T {
        a.min(b)
    }
}

wide_atomic!(AtomicI128 i128: fetch_add Add, fetch_sub Add, fetch_and Combine, fetch_nand Combine, fetch_or Combine,
    fetch_xor Combine, fetch_max Combine, fetch_min Combine);
wide_atomic!(AtomicU128 u128: fetch_add Add, fetch_sub Add, fetch_and Combine, fetch_nand Combine, fetch_or Combine,
    fetch_xor Combine, fetch_max Combine, fetch_min Combine);
