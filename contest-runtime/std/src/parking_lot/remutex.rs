//! Whose a reentrant mutex is.

use std::num::NonZeroUsize;

use super::runtime::locks::thread_number;

/// Drop-in for `parking_lot::RawThreadId`: distinguishes virtual threads, too.
#[derive(Clone, Copy, Debug, Default)]
pub struct RawThreadId;

// SAFETY: different for every two threads that are alive.
unsafe impl lock_api::GetThreadId for RawThreadId {
    const INIT: Self = Self;

    fn nonzero_thread_id(&self) -> NonZeroUsize {
        thread_number()
    }
}
