//! Accesses through the pointer of an `UnsafeCell` in an annotated type: `*self.value.get() += 1`.
//!
//! A macro sees the call of `get` and no types. The compiler decides whether it is called on a cell, by the impl that
//! stands on fewer references; anything else is left alone. A reference that is made of the pointer counts as an access
//! to what it leads to, at that moment, as it does in Miri: it must not be made while another thread writes.

use super::fields::Effect;

/// What `get` is called on.
#[derive(Debug)]
pub struct CalledOn<'r, R: ?Sized>(pub &'r R);

/// Found for a cell.
pub trait OnCell {
    /// True.
    fn is_cell(&self) -> bool;

    /// Reports an access to the part of its contents that has this address and number of bytes.
    fn access(&self, address: usize, bytes: usize, effect: Effect);
}

/// Found for all others.
pub trait OnAnother {
    /// False.
    fn is_cell(&self) -> bool {
        false
    }

    /// Nothing.
    fn access(&self, _: usize, _: usize, _: Effect) {}
}

#[cfg(not(feature = "loom"))]
impl<T: ?Sized> OnCell for &CalledOn<'_, super::cells::UnsafeCell<T>> {
    fn is_cell(&self) -> bool {
        true
    }

    #[track_caller]
    fn access(&self, address: usize, bytes: usize, effect: Effect) {
        self.0.access(address, bytes, effect.reads, effect.writes);
    }
}

impl<R: ?Sized> OnAnother for CalledOn<'_, R> {}

/// A place whose size is asked for.
#[derive(Debug)]
pub struct Extent<X: ?Sized>(pub *const X);

/// Found for a type whose size is known.
pub trait Known {
    /// Its size in bytes.
    fn bytes(&self) -> usize;
}

/// Found for slices, strings and trait objects.
pub trait Unknown {
    /// The first byte: all accesses of one place meet there.
    fn bytes(&self) -> usize;
}

impl<X> Known for &Extent<X> {
    fn bytes(&self) -> usize {
        size_of::<X>()
    }
}

impl<X: ?Sized> Unknown for Extent<X> {
    fn bytes(&self) -> usize {
        1
    }
}

/// For expanded code: notes an access to `$place`, which is reached through `$on.get()`, if that is a cell.
#[doc(hidden)]
#[macro_export]
macro_rules! note_cell {
    ($access:expr; $on:expr; $place:expr) => {{
        #[allow(unused_imports, reason = "some of the traits are used")]
        use $crate::macro_support::cell_access::{
            CalledOn, Extent, Known as _, OnAnother as _, OnCell as _, Unknown as _,
        };
        #[allow(unused_imports, reason = "some of the traits are used")]
        use $crate::macro_support::fields::{AtLeast as _, ByName as _, Held, OfOwnEvents as _};
        if (&&CalledOn(&$on)).is_cell() {
            let place = &raw const $place;
            let effect = (&&&Held::at(place)).effect($access);
            let (address, bytes) = (place.cast::<u8>().addr(), (&&Extent(place)).bytes());
            (&&CalledOn(&$on)).access(address, bytes, effect);
        }
    }};
}
