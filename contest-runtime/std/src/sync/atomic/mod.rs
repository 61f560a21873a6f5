//! Drop-in for `std::sync::atomic`: `#[repr(transparent)]` over the real atomics, so that pointers to them can be cast
//! as in `std`.

mod boolean;
mod integer;
mod pointer;
mod shared_methods;
mod visible;

// Types that are not replaced (`Ordering`, and what a later `std` may add) come through the glob; what is replaced
// shadows it.
pub use std::sync::atomic::*;

pub use boolean::AtomicBool;
pub use integer::{
    AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32,
    AtomicU64, AtomicUsize,
};
pub use pointer::AtomicPtr;

use contest_engine::execution::active;

/// As in `std`: an `AtomicBool` that is `false`.
#[deprecated(since = "1.34.0", note = "the `new` function is now preferred")]
#[expect(
    clippy::declare_interior_mutable_const,
    reason = "std has it as a constant"
)]
pub const ATOMIC_BOOL_INIT: AtomicBool = AtomicBool::new(false);

/// As in `std`: an `AtomicIsize` that is 0.
#[deprecated(since = "1.34.0", note = "the `new` function is now preferred")]
#[expect(
    clippy::declare_interior_mutable_const,
    reason = "std has it as a constant"
)]
pub const ATOMIC_ISIZE_INIT: AtomicIsize = AtomicIsize::new(0);

/// As in `std`: an `AtomicUsize` that is 0.
#[deprecated(since = "1.34.0", note = "the `new` function is now preferred")]
#[expect(
    clippy::declare_interior_mutable_const,
    reason = "std has it as a constant"
)]
pub const ATOMIC_USIZE_INIT: AtomicUsize = AtomicUsize::new(0);

/// As in `std`: an atomic fence.
///
/// # Panics
/// If the ordering is `Relaxed`.
#[inline]
#[track_caller]
pub fn fence(ordering: Ordering) {
    match active() {
        None => std::sync::atomic::fence(ordering),
        Some(active) => {
            assert!(
                ordering != Ordering::Relaxed,
                "there is no such thing as a relaxed fence"
            );
            active.fence(ordering);
        }
    }
}

/// As in `std`: gives way inside a loop that waits.
#[inline]
#[track_caller]
#[deprecated(since = "1.51.0", note = "use hint::spin_loop instead")]
pub fn spin_loop_hint() {
    crate::hint::spin_loop();
}
