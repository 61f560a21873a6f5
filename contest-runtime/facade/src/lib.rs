//! Stands in for `std`, `core` and `alloc` when a crate under test is compiled: everything of `std`, with what
//! synchronises replaced by the types of the engine. The tool passes it to rustc as `--extern std=…`, `--extern core=…`
//! and `--extern alloc=…`.

// Whatever is named explicitly shadows the glob. Macros, lang items and all that is unstable come through the glob as
// they are.
pub use ::std::*;

pub use contest_std::{hint, panic, process, sync, thread, thread_local};

/// What the crate is made of that stands in for parking_lot.
#[doc(hidden)]
pub use contest_std::raw_lock as __locks;

/// `std::arch`, in which `asm!` is a visible operation.
pub mod arch {
    pub use ::std::arch::*;

    pub use crate::__contest_asm as asm;
}

/// What the macro below names.
#[doc(hidden)]
pub mod __arch {
    pub use ::std::arch::asm;

    pub use contest_std::arch::{Anything, Operand, after, before};
}

/// `asm!`. It goes through the operands, binds those that are read, and leaves the rest as it is:
/// `(@operands [gone through] [bound] [options] to go…)`.
#[doc(hidden)]
#[macro_export]
macro_rules! __contest_asm {
    (@operands [$($done:tt)*] [$($value:ident)*] [$($options:tt)*]) => {{
        #[allow(unused_imports)]
        use $crate::__arch::Anything as _;
        let block = $crate::__arch::before(
            &[$((&$crate::__arch::Operand(&$value)).pointee()),*],
            stringify!($($options)*),
            stringify!($($done)*),
        );
        $crate::__arch::asm!($($done)*);
        #[allow(unreachable_code)]
        $crate::__arch::after(block);
    }};

    // Lines of code, several at once, because macros recurse to a limit.
    (@operands [$($done:tt)*] $values:tt $options:tt $a:literal, $b:literal, $c:literal, $d:literal, $e:literal,
     $f:literal, $g:literal, $h:literal, $($rest:tt)*) => {
        $crate::__contest_asm!(@operands [$($done)* $a, $b, $c, $d, $e, $f, $g, $h,] $values $options $($rest)*)
    };
    (@operands [$($done:tt)*] $values:tt $options:tt $line:literal $(, $($rest:tt)*)?) => {
        $crate::__contest_asm!(@operands [$($done)* $line,] $values $options $($($rest)*)?)
    };
    (@operands [$($done:tt)*] $values:tt $options:tt $line:ident ! $of:tt $(, $($rest:tt)*)?) => {
        $crate::__contest_asm!(@operands [$($done)* $line ! $of,] $values $options $($($rest)*)?)
    };

    (@operands [$($done:tt)*] $values:tt $options:tt $name:ident = $($rest:tt)*) => {
        $crate::__contest_asm!(@operands [$($done)* $name =] $values $options $($rest)*)
    };
    (@operands [$($done:tt)*] [$($value:ident)*] $options:tt in $class:tt $read:expr $(, $($rest:tt)*)?) => {
        match $read {
            value => $crate::__contest_asm!(
                @operands [$($done)* in $class value,] [$($value)* value] $options $($($rest)*)?
            ),
        }
    };
    (@operands [$($done:tt)*] $values:tt [] options($($options:tt)*) $(, $($rest:tt)*)?) => {
        $crate::__contest_asm!(
            @operands [$($done)* options($($options)*),] $values [$($options)*] $($($rest)*)?
        )
    };
    (@operands [$($done:tt)*] $values:tt $options:tt $kind:ident ($($of:tt)*) $(, $($rest:tt)*)?) => {
        $crate::__contest_asm!(@operands [$($done)* $kind($($of)*),] $values $options $($($rest)*)?)
    };
    (@operands [$($done:tt)*] $values:tt $options:tt $kind:ident ($($of:tt)*) _ $(, $($rest:tt)*)?) => {
        $crate::__contest_asm!(@operands [$($done)* $kind($($of)*) _,] $values $options $($($rest)*)?)
    };
    (@operands [$($done:tt)*] $values:tt $options:tt sym $of:path $(, $($rest:tt)*)?) => {
        $crate::__contest_asm!(@operands [$($done)* sym $of,] $values $options $($($rest)*)?)
    };
    (@operands [$($done:tt)*] $values:tt $options:tt const $of:expr $(, $($rest:tt)*)?) => {
        $crate::__contest_asm!(@operands [$($done)* const $of,] $values $options $($($rest)*)?)
    };
    (@operands [$($done:tt)*] [$($value:ident)*] $options:tt
     $kind:ident ($($of:tt)*) $read:expr => _ $(, $($rest:tt)*)?) => {
        match $read {
            value => $crate::__contest_asm!(
                @operands [$($done)* $kind($($of)*) value => _,] [$($value)* value] $options $($($rest)*)?
            ),
        }
    };
    (@operands [$($done:tt)*] [$($value:ident)*] $options:tt
     $kind:ident ($($of:tt)*) $read:expr => $written:expr $(, $($rest:tt)*)?) => {
        match $read {
            value => $crate::__contest_asm!(
                @operands [$($done)* $kind($($of)*) value => $written,] [$($value)* value] $options $($($rest)*)?
            ),
        }
    };
    (@operands [$($done:tt)*] $values:tt $options:tt $kind:ident ($($of:tt)*) $place:expr $(, $($rest:tt)*)?) => {
        $crate::__contest_asm!(@operands [$($done)* $kind($($of)*) $place,] $values $options $($($rest)*)?)
    };

    // What this macro does not know is left to that of `std`.
    (@operands [$($done:tt)*] $values:tt $options:tt $($rest:tt)+) => {
        $crate::__contest_asm!(@operands [$($done)* $($rest)+] $values $options)
    };

    ($($all:tt)*) => {
        $crate::__contest_asm!(@operands [] [] [] $($all)*)
    };
}

/// The preludes of all editions: `thread_local!` and `#[global_allocator]` without a path come from there.
pub mod prelude {
    pub use ::std::prelude::*;

    macro_rules! preludes {
        ($($edition:ident)*) => {$(
            #[doc = concat!("`std::prelude::", stringify!($edition), "`.")]
            pub mod $edition {
                pub use ::std::prelude::$edition::*;

                pub use contest_facade_macros::global_allocator;
                pub use contest_std::thread_local;
            }
        )*};
    }

    preludes!(v1 rust_2015 rust_2018 rust_2021 rust_2024);
}
