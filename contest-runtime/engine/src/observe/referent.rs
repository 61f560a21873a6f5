//! What a caller reads that gets a reference: what it leads to. `Debug` of the standard library's types comes
//! compiled, so that its reads are not reported. Only values that have no interior mutability are read: those that are
//! `Copy`, and lists and texts of such.
//!
//! The traits find the first way whose bounds a value meets, as in [`ways`](super::ways).

use std::mem::MaybeUninit;

use super::ways::Probe;

/// Most bytes of one value that are read.
const MOST: usize = 4096;

/// An address and a size in bytes.
pub type Bytes = (usize, usize);

const NONE: [Bytes; 2] = [(0, 0); 2];

/// What lies elsewhere and belongs to the value.
pub trait Contents {
    /// Where.
    fn contents(&self) -> Bytes;
}

impl Contents for String {
    fn contents(&self) -> Bytes {
        (self.as_ptr().addr(), self.len())
    }
}

impl<T: Copy> Contents for Vec<T> {
    fn contents(&self) -> Bytes {
        (self.as_ptr().addr(), size_of_val(self.as_slice()))
    }
}

impl<T: Copy> Contents for Box<T> {
    fn contents(&self) -> Bytes {
        (std::ptr::from_ref(&**self).addr(), size_of::<T>())
    }
}

fn bounded((address, size): Bytes) -> Bytes {
    (address, size.min(MOST))
}

fn plain<T: Copy>(value: &T) -> [Bytes; 2] {
    slice(std::slice::from_ref(value))
}

fn slice<T: Copy>(value: &[T]) -> [Bytes; 2] {
    [bounded((value.as_ptr().addr(), size_of_val(value))), (0, 0)]
}

fn all<T: Contents>(value: &T) -> [Bytes; 2] {
    let own = (std::ptr::from_ref(value).addr(), size_of::<T>());
    [bounded(own), bounded(value.contents())]
}

/// One kind of referent: its marker, the trait that finds it, on how many references, for which values, and which
/// bytes are read.
macro_rules! referent {
    ($marker:ident, $finder:ident, [$($probe:tt)*], [$($generics:tt)*], $of:ty, |$value:ident| $read:expr) => {
        #[doc = concat!("Reads what a `", stringify!($of), "` leads to.")]
        #[derive(Clone, Copy, Debug)]
        pub struct $marker;

        #[doc = concat!("Finds [`", stringify!($marker), "`].")]
        pub trait $finder {
            /// How it is read.
            fn referent(&self) -> $marker {
                $marker
            }
        }

        impl<$($generics)*> $finder for $($probe)* Probe<$of> {}

        impl $marker {
            /// What is read; of size 0 where there is less.
            #[must_use]
            pub fn bytes<$($generics)*>(self, $value: &$of) -> [Bytes; 2] {
                $read
            }
        }
    };
}

// There may be nothing in it.
referent!(OfUninit, FindUninit, [&&&&&&&&&], ['r, T], &'r MaybeUninit<T>, |_value| NONE);
referent!(OfUninitSlice, FindUninitSlice, [&&&&&&&&&], ['r, T], &'r [MaybeUninit<T>], |_value| NONE);
referent!(OfOptionUninit, FindOptionUninit, [&&&&&&&&&], ['r, T], Option<&'r MaybeUninit<T>>, |_value| NONE);
referent!(OfPlain, FindPlain, [&&&&&&&&], ['r, T: Copy], &'r T, |value| plain(*value));
referent!(OfSlice, FindSlice, [&&&&&&&&], ['r, T: Copy], &'r [T], |value| slice(value));
referent!(OfAll, FindAll, [&&&&&&&], ['r, T: Contents], &'r T, |value| all(*value));
referent!(OfText, FindText, [&&&&&&&], ['r], &'r str, |value| slice(value.as_bytes()));
referent!(OfOptionPlain, FindOptionPlain, [&&&&&&], ['r, T: Copy], Option<&'r T>,
    |value| value.map_or(NONE, plain));
referent!(OfOptionSlice, FindOptionSlice, [&&&&&], ['r, T: Copy], Option<&'r [T]>,
    |value| value.map_or(NONE, slice));
referent!(OfOptionAll, FindOptionAll, [&&&&&], ['r, T: Contents], Option<&'r T>,
    |value| value.map_or(NONE, all));
referent!(OfOptionText, FindOptionText, [&&&&&], ['r], Option<&'r str>,
    |value| value.map_or(NONE, |it| slice(it.as_bytes())));
referent!(OfResultPlain, FindResultPlain, [&&&&], ['r, T: Copy, E], Result<&'r T, E>,
    |value| value.as_ref().map_or(NONE, |it| plain(*it)));
referent!(OfResultAll, FindResultAll, [&&&], ['r, T: Contents, E], Result<&'r T, E>,
    |value| value.as_ref().map_or(NONE, |it| all(*it)));
referent!(OfResultSlice, FindResultSlice, [&&&], ['r, T: Copy, E], Result<&'r [T], E>,
    |value| value.as_ref().map_or(NONE, |it| slice(it)));
referent!(OfResultText, FindResultText, [&&&], ['r, E], Result<&'r str, E>,
    |value| value.as_ref().map_or(NONE, |it| slice(it.as_bytes())));
referent!(OfNothing, FindNone, [&&], [T], T, |_value| NONE);
