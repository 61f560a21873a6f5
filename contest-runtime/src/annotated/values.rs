//! Values for arguments of operations, where an annotation gives none.

use std::fmt::Debug;
use std::time::Duration;

use super::Snapshot;

/// A few values of a type, for arguments of generated calls. Few and different: each one multiplies the tests. `Debug`,
/// because what operations return is compared by it.
///
/// ```
/// # #[cfg(feature = "explore")] {
/// #[derive(Debug)]
/// struct Key(u8);
///
/// // Nothing is said about its state; `#[contest::shared]` on the type would tell it.
/// impl contest::Snapshot for Key {}
///
/// impl contest::Values for Key {
///     const TEXTS: &'static [&'static str] = &["Key(1)", "Key(2)"];
///     fn value(choice: usize) -> Self {
///         Key(if choice == 0 { 1 } else { 2 })
///     }
/// }
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`contest` knows no values of type `{Self}` to call an operation with",
    label = "an argument of this type",
    note = "give some at the method: `#[contest(values(name = [..]))]`, or a factory `#[contest(with(name = path))]` of type `fn(usize) -> {Self}`",
    note = "or implement `contest::Values` for it, or leave the method out: `#[contest(skip)]`"
)]
pub trait Values: Debug + Snapshot + Sized {
    /// The values as people write them, in order of preference.
    const TEXTS: &'static [&'static str];

    /// The value with this number, counting from 0; a number past the end may give any of them.
    fn value(choice: usize) -> Self;
}

macro_rules! values {
    ($([$($generics:tt)*] $type:ty: $first:expr $(, $other:expr)*;)*) => {
        $(impl<$($generics)*> Values for $type {
            const TEXTS: &'static [&'static str] = &[stringify!($first) $(, stringify!($other))*];
            #[allow(unused_assignments, unused_mut, unused_variables, reason = "types with one value")]
            fn value(choice: usize) -> Self {
                let mut left = choice;
                $(
                    if left == 1 {
                        return $other;
                    }
                    left = left.wrapping_sub(1);
                )*
                $first
            }
        })*
    };
}

values! {
    [] u8: 1, 2; [] u16: 1, 2; [] u32: 1, 2; [] u64: 1, 2; [] u128: 1, 2; [] usize: 1, 2;
    [] i8: 1, 2; [] i16: 1, 2; [] i32: 1, 2; [] i64: 1, 2; [] i128: 1, 2; [] isize: 1, 2;
    [] f32: 1.0, 2.0; [] f64: 1.0, 2.0;
    [] bool: true, false;
    [] char: 'a', 'b';
    [] (): ();
    [] String: String::from("a"), String::from("b");
    [] &'static str: "a", "b";
    [] Duration: Duration::from_millis(1);
}

/// Made of values of another type: the texts cannot be put together at compile time, so that they are those of the
/// inner type.
macro_rules! wrapping {
    ($([$($generics:tt)*] $type:ty, $inner:ty: |$value:ident| $make:expr;)*) => {
        $(impl<$($generics)*> Values for $type {
            const TEXTS: &'static [&'static str] = <$inner>::TEXTS;
            fn value(choice: usize) -> Self {
                let $value = <$inner>::value(choice);
                $make
            }
        })*
    };
}

wrapping! {
    [T: Values] Option<T>, T: |value| Some(value);
    [T: Values] Vec<T>, T: |value| vec![value];
    [T: Values] Box<T>, T: |value| Box::new(value);
    [T: Values] std::sync::Arc<T>, T: |value| std::sync::Arc::new(value);
}
