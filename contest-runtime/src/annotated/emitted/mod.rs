//! Tests that `cargo contest --emit` writes into a crate with annotated types: one test, as Rust, that runs under plain
//! `cargo test`.
//!
//! ```text
//! contest::emitted! {
//!     interleaving: "AQIAAmRC";
//!     objects {
//!         a: Account = std::sync::Arc::new(Account::new());
//!     }
//!     prefix {
//!         a.save(1);
//!     }
//!     thread {
//!         a.total();
//!     }
//!     thread {
//!         a.save(1);
//!     }
//! }
//! ```
//!
//! Expected is that every interleaving of the threads ends as some order of the calls, one after another, does. The
//! interleaving is run first. If it does not fit the code any more, because something else in it was changed, or is
//! empty, others are searched, for a short time, and that is said. A test that is mended passes; `--nocapture` shows
//! what was run.

#[cfg(all(feature = "explore", not(feature = "loom")))]
mod run;

#[cfg(all(feature = "explore", not(feature = "loom")))]
pub use run::{Calls, OneCall, run, text_of};

/// See [`annotated::emitted`](crate::annotated::emitted).
#[cfg(all(feature = "explore", not(feature = "loom")))]
#[macro_export]
macro_rules! emitted {
    (
        interleaving: $interleaving:expr;
        objects $objects:tt
        prefix { $($prefix:expr;)* }
        $(thread { $($call:expr;)* })+
    ) => {
        $crate::annotated::emitted::run($crate::annotated::emitted::Calls {
            interleaving: $interleaving,
            objects: $crate::emitted_objects!($objects),
            prefix: vec![$($crate::emitted_call!(object_mut $objects $prefix)),*],
            threads: vec![$(vec![$($crate::emitted_call!(object $objects $call)),*]),+],
            state: $crate::emitted_state!($objects),
        })
    };
}

/// See [`annotated::emitted`](crate::annotated::emitted): without feature `explore`, or with loom's types, there is no
/// schedule to run.
#[cfg(not(all(feature = "explore", not(feature = "loom"))))]
#[macro_export]
macro_rules! emitted {
    ($($anything:tt)*) => {
        eprintln!(
            "contest: not run: an emitted test needs contest-runtime with feature `explore` and without `loom`"
        )
    };
}

/// For the expansion of `emitted!`.
#[cfg(all(feature = "explore", not(feature = "loom")))]
#[doc(hidden)]
#[macro_export]
macro_rules! emitted_objects {
    ({ $($name:ident: $type:ty = $make:expr;)* }) => {
        vec![$(
            $crate::macro_support::subject::Constructor {
                text: $crate::annotated::emitted::text_of(stringify!($make)),
                arguments: &[],
                mode: $crate::macro_support::subject::StandInMode::Usual,
                make: |_| {
                    let made: ::std::sync::Arc<$type> = $make;
                    $crate::macro_support::shared(made)
                },
            }
        ),*]
    };
}

/// For the expansion of `emitted!`: one call, the objects by their names.
#[cfg(all(feature = "explore", not(feature = "loom")))]
#[doc(hidden)]
#[macro_export]
macro_rules! emitted_call {
    ($access:ident { $($name:ident: $type:ty = $make:expr;)* } $call:expr) => {
        (
            $crate::annotated::emitted::text_of(stringify!($call)),
            |call: &$crate::macro_support::subject::Call<'_>| {
                let numbers: &mut dyn ::std::iter::Iterator<Item = usize> = &mut (0..);
                $(
                    let number = numbers.next().unwrap_or(0);
                    #[allow(unused_variables, unused_mut)]
                    let mut $name = $crate::macro_support::$access::<$type>(call, number);
                )*
                $crate::observe!($call)
            },
        )
    };
}

/// For the expansion of `emitted!`: the state of the first object.
#[cfg(all(feature = "explore", not(feature = "loom")))]
#[doc(hidden)]
#[macro_export]
macro_rules! emitted_state {
    ({ $name:ident: $type:ty = $make:expr; $($more:tt)* }) => {
        |call: &$crate::macro_support::subject::Call<'_>| {
            let mut text = ::std::string::String::new();
            let object = $crate::macro_support::object::<$type>(call, 0);
            let complete = $crate::snapshot!(&**object, &mut text);
            complete.then_some(text)
        }
    };
}
