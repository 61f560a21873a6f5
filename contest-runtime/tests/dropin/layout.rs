//! Size and alignment as in `std`: there are crates that assert or transmute them.

use std::mem::{align_of, size_of};

macro_rules! same_layout {
    ($($($path:ident)::+ $(<$T:ty>)?),* $(,)?) => {$(
        assert_eq!(
            (size_of::<contest::$($path)::+$(<$T>)?>(), align_of::<contest::$($path)::+$(<$T>)?>()),
            (size_of::<std::$($path)::+$(<$T>)?>(), align_of::<std::$($path)::+$(<$T>)?>()),
            stringify!($($path)::+$(<$T>)?),
        );
    )*};
}

#[test]
fn types_have_the_layout_of_the_real_ones() {
    same_layout!(
        sync::Mutex<u8>,
        sync::Mutex<[u64; 5]>,
        sync::Mutex<()>,
        sync::RwLock<u8>,
        sync::RwLock<String>,
        sync::Condvar,
        sync::Once,
        sync::OnceLock<u8>,
        sync::OnceLock<String>,
        sync::LazyLock<String>,
        sync::LazyLock<u8>,
        sync::Barrier,
        sync::WaitTimeoutResult,
        thread::ThreadId,
    );
    same_layout!(
        sync::atomic::AtomicBool,
        sync::atomic::AtomicI8,
        sync::atomic::AtomicU8,
        sync::atomic::AtomicI16,
        sync::atomic::AtomicU16,
        sync::atomic::AtomicI32,
        sync::atomic::AtomicU32,
        sync::atomic::AtomicI64,
        sync::atomic::AtomicU64,
        sync::atomic::AtomicIsize,
        sync::atomic::AtomicUsize,
        sync::atomic::AtomicPtr<String>,
    );
}

#[test]
fn an_optional_thread_id_is_as_small_as_in_std() {
    assert_eq!(
        size_of::<Option<contest::thread::ThreadId>>(),
        size_of::<Option<std::thread::ThreadId>>()
    );
}

#[test]
fn a_thread_handle_has_at_most_two_words() {
    assert!(size_of::<Option<contest::thread::Thread>>() <= 2 * size_of::<usize>());
}
