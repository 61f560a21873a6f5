//! `lazy_static!` for hand-written models: the statics it declares begin anew in every execution.
//!
//! A plain `static` keeps its value from one execution of a model to the next; a model that depends on one is not the
//! same program each time.

pub use crate::cell::execution_static::Lazy;

#[doc(hidden)]
pub use std::ops::Deref;

/// A static declared by [`lazy_static!`](crate::lazy_static!).
pub trait LazyStatic {
    #[doc(hidden)]
    fn initialize(lazy: &Self);
}

/// Makes the value of the static, if it is not there yet.
#[track_caller]
pub fn initialize<T: LazyStatic>(lazy: &T) {
    T::initialize(lazy);
}

/// Declares statics that are made at first use, in each execution anew, and dropped at its end. Outside executions as
/// the macro of crate
/// `lazy_static`.
///
/// ```
/// use std::sync::atomic::Ordering::SeqCst;
///
/// contest::lazy_static! {
///     static ref CALLS: contest::sync::atomic::AtomicU32 = contest::sync::atomic::AtomicU32::new(0);
/// }
///
/// contest::model(|| {
///     let thread = contest::thread::spawn(|| CALLS.fetch_add(1, SeqCst));
///     CALLS.fetch_add(1, SeqCst);
///     thread.join().unwrap();
///     assert_eq!(CALLS.load(SeqCst), 2);
/// });
/// ```
#[macro_export]
macro_rules! lazy_static {
    () => {};

    ($(#[$attribute:meta])* $vis:vis static ref $name:ident : $t:ty = $init:expr; $($rest:tt)*) => {
        #[allow(missing_copy_implementations, non_camel_case_types, dead_code)]
        $(#[$attribute])*
        $vis struct $name {
            only: (),
        }

        #[doc(hidden)]
        $vis static $name: $name = $name { only: () };

        impl $crate::lazy_static::Deref for $name {
            type Target = $t;

            #[track_caller]
            fn deref(&self) -> &$t {
                static VALUE: $crate::lazy_static::Lazy<$t> = $crate::lazy_static::Lazy::new(|| $init);
                VALUE.get()
            }
        }

        impl $crate::lazy_static::LazyStatic for $name {
            #[track_caller]
            fn initialize(lazy: &Self) {
                let _ = &**lazy;
            }
        }

        $crate::lazy_static!($($rest)*);
    };
}
