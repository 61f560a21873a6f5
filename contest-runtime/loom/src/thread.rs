//! loom's `thread`.

pub use std::thread::Result;

pub use loom::thread::{
    AccessError, Builder, JoinHandle, LocalKey, Thread, ThreadId, current, park, yield_now,
};

use super::log;

/// As in `std`.
#[track_caller]
pub fn spawn<F, T>(body: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + 'static,
    T: 'static,
{
    let number = log::spawned();
    loom::thread::spawn(move || {
        log::thread(number);
        body()
    })
}

/// loom's `thread_local!`, and the form with a constant, which loom has not.
#[macro_export]
macro_rules! thread_local {
    () => {};

    ($(#[$attribute:meta])* $vis:vis static $name:ident: $t:ty = const $init:block $(; $($rest:tt)*)?) => {
        $crate::backend::thread_local!($(#[$attribute])* $vis static $name: $t = $init);
        $($crate::thread_local!($($rest)*);)?
    };

    ($(#[$attribute:meta])* $vis:vis static $name:ident: $t:ty = $init:expr $(; $($rest:tt)*)?) => {
        $crate::backend::thread_local!($(#[$attribute])* $vis static $name: $t = $init);
        $($crate::thread_local!($($rest)*);)?
    };
}
