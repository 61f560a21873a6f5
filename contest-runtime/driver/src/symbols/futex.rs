//! The futex operations that wait and wake.

use std::ffi::{c_int, c_long};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use contest_engine::execution::Active;
use libc::timespec;

use super::call::fail;
use super::time::{to_duration, virtual_time};

/// A futex operation; `None` for those that the kernel may answer.
///
/// # Safety
/// The arguments are valid for `futex(2)`.
pub(super) unsafe fn futex(active: Active, arguments: &[c_long; 6]) -> Option<c_long> {
    let [word, operation, value, timeout, _, third] = *arguments;
    let word = word as usize;
    let flags = libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME;
    let calendar = operation as c_int & libc::FUTEX_CLOCK_REALTIME != 0;
    let command = operation as c_int & !flags;
    match command {
        libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET => {
            let timeout: *const timespec = std::ptr::with_exposed_provenance(timeout as usize);
            // SAFETY: the caller passes arguments that are valid for `futex(2)`, so this is a time or null.
            let timeout = match unsafe { timeout.as_ref() } {
                None => None,
                Some(time) => {
                    let Some(time) = to_duration(time) else {
                        return Some(fail(libc::EINVAL).into());
                    };
                    Some(if command == libc::FUTEX_WAIT {
                        time
                    } else {
                        let clock = if calendar {
                            libc::CLOCK_REALTIME
                        } else {
                            libc::CLOCK_MONOTONIC
                        };
                        time.saturating_sub(virtual_time(active, clock))
                    })
                }
            };
            // SAFETY: the caller passes arguments that are valid for `futex(2)`, so the word is aligned, has 32 bits
            // and is accessed atomically.
            Some(
                match unsafe { active.futex_wait(word, value as u32, timeout) } {
                    0 => 0,
                    errno => fail(errno).into(),
                },
            )
        }
        libc::FUTEX_WAKE | libc::FUTEX_WAKE_BITSET => {
            Some(active.futex_wake(word, value as u32).into())
        }
        // A thread that would be moved to the other word is woken instead: a spurious wake-up, which every waiter must
        // expect.
        libc::FUTEX_REQUEUE | libc::FUTEX_CMP_REQUEUE => {
            if command == libc::FUTEX_CMP_REQUEUE {
                // SAFETY: the caller passes arguments that are valid for `futex(2)`, so the word is aligned, has 32
                // bits and is accessed atomically.
                let now = unsafe {
                    (*std::ptr::with_exposed_provenance::<AtomicU32>(word)).load(Relaxed)
                };
                if now != third as u32 {
                    return Some(fail(libc::EAGAIN).into());
                }
            }
            let count = (value as u32).saturating_add(timeout as u32);
            Some(active.futex_wake(word, count).into())
        }
        _ => None,
    }
}
