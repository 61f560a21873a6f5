//! What all atomic types have in common, as macros: they differ in the value type only, and `AtomicPtr` is generic.

/// Defines an atomic type over the real one of the same name, with the methods that all of them have.
macro_rules! atomic_type {
    ([$($T:ident)?] $Name:ident, $Value:ty, $default:expr) => {
        #[doc = concat!("Drop-in for `std::sync::atomic::", stringify!($Name), "`, with every operation visible to the engine.")]
        #[repr(transparent)]
        pub struct $Name$(<$T>)? {
            real: std::sync::atomic::$Name$(<$T>)?,
        }

        #[allow(
            clippy::not_unsafe_ptr_arg_deref,
            reason = "the value of an `AtomicPtr` is a pointer, which no method dereferences"
        )]
        impl$(<$T>)? $Name$(<$T>)? {
            /// As in `std`.
            #[inline]
            #[must_use]
            pub const fn new(value: $Value) -> Self {
                Self { real: std::sync::atomic::$Name::new(value) }
            }

            /// As in `std`.
            ///
            /// # Safety
            /// As in `std`: the pointer is aligned, valid for the lifetime `'a`, and not accessed otherwise in a way
            /// that races.
            #[inline]
            pub const unsafe fn from_ptr<'a>(pointer: *mut $Value) -> &'a Self {
                // SAFETY: this type is transparent over the real one, whose representation is that of the value; the
                // rest is promised by the caller.
                unsafe { &*pointer.cast::<Self>() }
            }

            /// As in `std`; exclusive, therefore not a visible operation.
            #[inline]
            pub fn get_mut(&mut self) -> &mut $Value {
                self.real.get_mut()
            }

            /// As in `std`; exclusive, therefore not a visible operation.
            #[inline]
            pub const fn into_inner(self) -> $Value {
                // The field of a type without `Drop` can be moved out in a `const fn` only like this.
                let Self { real } = self;
                real.into_inner()
            }

            /// As in `std`. What is done through the pointer is not visible to the scheduler.
            #[inline]
            pub const fn as_ptr(&self) -> *mut $Value {
                self.real.as_ptr()
            }

            #[inline]
            fn site(&self, active: Active, ordering: Ordering, name: &'static str) -> Site {
                Site { active, address: self.real.as_ptr().expose_provenance(), ordering, name }
            }

            /// As in `std`.
            ///
            /// # Panics
            /// If the ordering is `Release` or `AcqRel`.
            #[inline]
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $Value {
                self.load_as(order, const { &AtomicMethod::load::<$Value>("load") })
            }

            #[inline]
            #[track_caller]
            fn load_as(&self, order: Ordering, method: &'static AtomicMethod) -> $Value {
                match active() {
                    None => self.real.load(order),
                    Some(active) => {
                        let address = self.real.as_ptr().expose_provenance();
                        let real = || self.real.load(order);
                        // SAFETY: the address is that of the real atomic, which is borrowed.
                        unsafe { visible::load(active, address, order, method, real) }
                    }
                }
            }

            /// As in `std`.
            ///
            /// # Panics
            /// If the ordering is `Acquire` or `AcqRel`.
            #[inline]
            #[track_caller]
            pub fn store(&self, value: $Value, order: Ordering) {
                match active() {
                    None => self.real.store(value, order),
                    Some(active) => {
                        let address = self.real.as_ptr().expose_provenance();
                        let method = const { &AtomicMethod::store::<$Value>("store") };
                        let look = || self.real.load(Ordering::Relaxed);
                        let real = |value, order| self.real.store(value, order);
                        // SAFETY: the address is that of the real atomic, which is borrowed.
                        unsafe { visible::store(active, address, order, method, value, look, real) };
                    }
                }
            }

            /// As in `std`.
            ///
            /// # Errors
            /// The present value, if it differs from `current`.
            ///
            /// # Panics
            /// If the failure ordering is `Release` or `AcqRel`.
            #[inline]
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $Value,
                new: $Value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$Value, $Value> {
                match active() {
                    None => self.real.compare_exchange(current, new, success, failure),
                    Some(active) => {
                        let site = self.site(active, success, "compare_exchange");
                        let real = || self.real.compare_exchange(current, new, success, failure);
                        // SAFETY: the site is that of the real atomic, which is borrowed.
                        unsafe { visible::compare_exchange(site, current, new, failure, real) }
                    }
                }
            }

            /// As in `std`; inside an execution it fails spuriously only by choice of the strategy, under RC11, and at
            /// most once for each thread and place.
            ///
            /// # Errors
            /// The present value, if it differs from `current`.
            ///
            /// # Panics
            /// If the failure ordering is `Release` or `AcqRel`.
            #[inline]
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $Value,
                new: $Value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$Value, $Value> {
                match active() {
                    None => self.real.compare_exchange_weak(current, new, success, failure),
                    Some(active) => {
                        let site = self.site(active, success, "compare_exchange_weak");
                        let real = || self.real.compare_exchange(current, new, success, failure);
                        // SAFETY: the site is that of the real atomic, which is borrowed.
                        unsafe { visible::compare_exchange_weak(site, current, new, failure, real) }
                    }
                }
            }

            #[inline]
            #[track_caller]
            fn compare_exchange_as(
                &self,
                current: $Value,
                new: $Value,
                success: Ordering,
                failure: Ordering,
                name: &'static str,
            ) -> Result<$Value, $Value> {
                match active() {
                    None => self.real.compare_exchange_weak(current, new, success, failure),
                    Some(active) => {
                        let site = self.site(active, success, name);
                        let real = || self.real.compare_exchange(current, new, success, failure);
                        // SAFETY: the site is that of the real atomic, which is borrowed.
                        unsafe { visible::compare_exchange(site, current, new, failure, real) }
                    }
                }
            }

            /// As in `std`.
            #[inline]
            #[track_caller]
            #[deprecated(
                since = "1.50.0",
                note = "Use `compare_exchange` or `compare_exchange_weak` instead"
            )]
            pub fn compare_and_swap(&self, current: $Value, new: $Value, order: Ordering) -> $Value {
                let failure = match order {
                    Ordering::Release => Ordering::Relaxed,
                    Ordering::AcqRel => Ordering::Acquire,
                    other => other,
                };
                match self.compare_exchange(current, new, order, failure) {
                    Ok(value) | Err(value) => value,
                }
            }

            /// As in `std`.
            ///
            /// # Errors
            /// The last value seen, if the closure returned `None`.
            #[inline]
            #[track_caller]
            pub fn fetch_update<F>(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                f: F,
            ) -> Result<$Value, $Value>
            where
                F: FnMut($Value) -> Option<$Value>,
            {
                self.update_as(set_order, fetch_order, f, "fetch_update", const { &AtomicMethod::load::<$Value>("fetch_update") })
            }

            /// As in `std`.
            ///
            /// # Errors
            /// The last value seen, if the closure returned `None`.
            #[inline]
            #[track_caller]
            pub fn try_update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                f: impl FnMut($Value) -> Option<$Value>,
            ) -> Result<$Value, $Value> {
                self.update_as(set_order, fetch_order, f, "try_update", const { &AtomicMethod::load::<$Value>("try_update") })
            }

            /// As in `std`.
            #[inline]
            #[track_caller]
            pub fn update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut f: impl FnMut($Value) -> $Value,
            ) -> $Value {
                match self.update_as(set_order, fetch_order, |value| Some(f(value)), "update", const { &AtomicMethod::load::<$Value>("update") }) {
                    Ok(value) | Err(value) => value,
                }
            }

            #[inline]
            #[track_caller]
            fn update_as(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut f: impl FnMut($Value) -> Option<$Value>,
                name: &'static str,
                load: &'static AtomicMethod,
            ) -> Result<$Value, $Value> {
                let mut seen = self.load_as(fetch_order, load);
                while let Some(next) = f(seen) {
                    match self.compare_exchange_as(seen, next, set_order, fetch_order, name) {
                        Ok(old) => return Ok(old),
                        Err(now) => seen = now,
                    }
                }
                Err(seen)
            }
        }

        impl$(<$T>)? Default for $Name$(<$T>)? {
            #[inline]
            fn default() -> Self {
                Self::new($default)
            }
        }

        impl$(<$T>)? From<$Value> for $Name$(<$T>)? {
            #[inline]
            fn from(value: $Value) -> Self {
                Self::new(value)
            }
        }

        impl$(<$T>)? std::fmt::Debug for $Name$(<$T>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Debug::fmt(&self.load(Ordering::Relaxed), f)
            }
        }
    };
}
pub(crate) use atomic_type;

/// Read-modify-write methods, grouped by [`Update`](contest_data::trace::Update): `name(operand type)`, done by the
/// real method of the same name.
macro_rules! read_modify_write {
    ([$($T:ident)?] $Name:ident, $Value:ty; $($Update:ident: $($method:ident($Operand:ty)),*;)*) => {
        impl$(<$T>)? $Name$(<$T>)? {
            $($(
                #[doc = concat!("`", stringify!($method), "` as in `std`.")]
                #[inline]
                #[track_caller]
                pub fn $method(&self, value: $Operand, order: Ordering) -> $Value {
                    match active() {
                        None => self.real.$method(value, order),
                        Some(active) => {
                            let site = self.site(active, order, stringify!($method));
                            let real = || self.real.$method(value, order);
                            let look = || self.real.load(Ordering::Relaxed);
                            // SAFETY: the site is that of the real atomic, which is borrowed.
                            unsafe { visible::modify(site, Update::$Update, real, look) }
                        }
                    }
                }
            )*)*
        }
    };
}
pub(crate) use read_modify_write;
