//! What shuttle's threads have beyond those of `std`.

use std::time::Duration;

use contest_engine::execution::active;
use contest_std::thread::ThreadId;

/// A step that does nothing: for shuttle, time does not pass.
#[track_caller]
pub fn sleep(duration: Duration) {
    match active() {
        None => std::thread::sleep(duration),
        Some(active) => active.fence(std::sync::atomic::Ordering::SeqCst),
    }
}

/// The number of a virtual thread.
///
/// # Panics
/// If it is a real one.
impl From<ThreadId> for usize {
    fn from(id: ThreadId) -> Self {
        id.index()
            .expect("contest: a real thread has no number")
            .index()
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
        $vis static $name: $crate::thread::LocalKey<$t> = {
            static __CONTEST_NAME: $crate::macro_support::Name = $crate::macro_support::Name::new();
            $crate::thread::LocalKey::virtual_only(|| $init, &__CONTEST_NAME)
        };
        $($crate::__contest_virtual_thread_local!($($rest)*);)?
    };
}
