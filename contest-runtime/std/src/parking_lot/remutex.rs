//! Whose a reentrant mutex is.

use std::num::NonZeroUsize;

use contest_engine::execution::active;

/// Drop-in for `parking_lot::RawThreadId`: distinguishes virtual threads, too.
#[derive(Clone, Copy, Debug, Default)]
pub struct RawThreadId;

// SAFETY: different for every two threads that are alive. Virtual threads have small odd numbers, real threads even
// addresses.
unsafe impl lock_api::GetThreadId for RawThreadId {
    const INIT: Self = Self;

    fn nonzero_thread_id(&self) -> NonZeroUsize {
        thread_local!(static KEY: u16 = const { 0 });
        let id = match active() {
            Some(active) => usize::from(active.current().0) * 2 + 1,
            None => KEY.with(|key| std::ptr::from_ref(key).addr()),
        };
        NonZeroUsize::new(id).expect("neither an odd number nor an address is zero")
    }
}
