//! What shuttle's threads have beyond those of `std`.

use std::time::Duration;

use contest_engine::execution::active;

/// A step that does nothing: for shuttle, time does not pass.
#[track_caller]
pub fn sleep(duration: Duration) {
    match active() {
        None => std::thread::sleep(duration),
        Some(active) => active.fence(std::sync::atomic::Ordering::SeqCst),
    }
}

/// `thread_local!` for values that are used inside executions only, whose types may have elided lifetimes.
#[doc(hidden)]
#[macro_export]
macro_rules! __contest_virtual_thread_local {
    () => {};

    ($(#[$attribute:meta])* $vis:vis static $name:ident: $t:ty = const { $init:expr } $(; $($rest:tt)*)?) => {
        $crate::__contest_virtual_thread_local!($(#[$attribute])* $vis static $name: $t = $init $(; $($rest)*)?);
    };

    ($(#[$attribute:meta])* $vis:vis static $name:ident: $t:ty = $init:expr $(; $($rest:tt)*)?) => {
        $(#[$attribute])*
        $vis static $name: $crate::std::thread::LocalKey<$t> = {
            static __CONTEST_NAME: $crate::std::macro_support::Name = $crate::std::macro_support::Name::new();
            $crate::std::thread::LocalKey::virtual_only(|| $init, &__CONTEST_NAME)
        };
        $($crate::__contest_virtual_thread_local!($($rest)*);)?
    };
}
