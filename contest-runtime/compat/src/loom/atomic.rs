//! loom's atomics: those of `std`, and accesses to their value that are not atomic, held against the atomic ones for
//! data races.

pub use std::sync::atomic::Ordering;

pub use contest_std::sync::atomic::fence;

use contest_std::cell::own_location::OwnLocation;
use contest_std::sync::atomic as visible;

/// As `std::hint::spin_loop`.
#[track_caller]
pub fn spin_loop_hint() {
    contest_std::hint::spin_loop();
}

macro_rules! atomic {
    ([$($T:ident)?] $Name:ident, $Value:ty, $default:expr; $($method:ident)*) => {
        #[doc = concat!("`", stringify!($Name), "` with `unsync_load` and `with_mut`.")]
        pub struct $Name$(<$T>)? {
            real: visible::$Name$(<$T>)?,
            location: OwnLocation,
        }

        impl$(<$T>)? $Name$(<$T>)? {
            /// As in `std`.
            #[must_use]
            pub const fn new(value: $Value) -> Self {
                Self { real: visible::$Name::new(value), location: OwnLocation::new() }
            }

            /// The value, read as if it were no atomic. Not a visible operation, but a data race with an atomic write
            /// that nothing orders.
            ///
            /// # Safety
            /// No thread writes to it meanwhile.
            #[track_caller]
            pub unsafe fn unsync_load(&self) -> $Value {
                self.location.read(size_of::<$Value>());
                // SAFETY: valid as long as the atomic is; the caller promises that no thread writes.
                unsafe { *self.real.as_ptr() }
            }

            /// Calls `f` with the value. Not a visible operation, but a data race with an atomic access that nothing
            /// orders.
            #[track_caller]
            pub fn with_mut<R>(&mut self, f: impl FnOnce(&mut $Value) -> R) -> R {
                self.location.write(size_of::<$Value>());
                f(self.real.get_mut())
            }

            /// As in `std`.
            #[track_caller]
            #[must_use]
            pub fn into_inner(self) -> $Value {
                self.location.read(size_of::<$Value>());
                self.real.into_inner()
            }

            fn located(&self) -> &visible::$Name$(<$T>)? {
                self.location.of_next_atomic();
                &self.real
            }

            /// As in `std`.
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $Value {
                self.located().load(order)
            }

            /// As in `std`.
            #[track_caller]
            pub fn store(&self, value: $Value, order: Ordering) {
                self.located().store(value, order);
            }

            /// As in `std`, where it is deprecated.
            #[track_caller]
            #[expect(deprecated, reason = "loom has it")]
            pub fn compare_and_swap(&self, current: $Value, new: $Value, order: Ordering) -> $Value {
                self.located().compare_and_swap(current, new, order)
            }

            /// As in `std`.
            ///
            /// # Errors
            /// The present value, if it differs from `current`.
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $Value,
                new: $Value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$Value, $Value> {
                self.located().compare_exchange(current, new, success, failure)
            }

            /// As in `std`; never fails spuriously.
            ///
            /// # Errors
            /// The present value, if it differs from `current`.
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $Value,
                new: $Value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$Value, $Value> {
                self.located().compare_exchange_weak(current, new, success, failure)
            }

            /// As in `std`.
            ///
            /// # Errors
            /// The last value seen, if the closure returned `None`.
            #[track_caller]
            pub fn fetch_update<F>(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut f: F,
            ) -> Result<$Value, $Value>
            where
                F: FnMut($Value) -> Option<$Value>,
            {
                let mut seen = self.load(fetch_order);
                while let Some(next) = f(seen) {
                    match self.compare_exchange_weak(seen, next, set_order, fetch_order) {
                        Ok(old) => return Ok(old),
                        Err(now) => seen = now,
                    }
                }
                Err(seen)
            }

            $(
                #[doc = concat!("`", stringify!($method), "` as in `std`.")]
                #[track_caller]
                pub fn $method(&self, value: $Value, order: Ordering) -> $Value {
                    self.located().$method(value, order)
                }
            )*
        }

        impl$(<$T>)? Default for $Name$(<$T>)? {
            fn default() -> Self {
                Self::new($default)
            }
        }

        impl$(<$T>)? From<$Value> for $Name$(<$T>)? {
            fn from(value: $Value) -> Self {
                Self::new(value)
            }
        }

        impl$(<$T>)? std::fmt::Debug for $Name$(<$T>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Debug::fmt(&self.real, f)
            }
        }
    };
}

macro_rules! integers {
    ($($Name:ident $int:ident)*) => {$(
        atomic!([] $Name, $int, 0;
            swap fetch_add fetch_sub fetch_and fetch_nand fetch_or fetch_xor fetch_max fetch_min
        );
    )*};
}

integers! {
    AtomicI8 i8 AtomicU8 u8 AtomicI16 i16 AtomicU16 u16 AtomicI32 i32 AtomicU32 u32 AtomicI64 i64 AtomicU64 u64
    AtomicIsize isize AtomicUsize usize
}

atomic!([] AtomicBool, bool, false; swap fetch_and fetch_nand fetch_or fetch_xor);
atomic!([T] AtomicPtr, *mut T, std::ptr::null_mut(); swap);
