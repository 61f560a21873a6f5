//! Real threads that wait for something at an address: outside of executions, where speed does not count.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::Instant;

struct Parked {
    address: usize,
    thread: Thread,
    woken: Arc<AtomicBool>,
}

/// Those that wait, who came first comes first.
static PARKED: Mutex<Vec<Parked>> = Mutex::new(Vec::new());

fn parked() -> MutexGuard<'static, Vec<Parked>> {
    PARKED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until another thread wakes one at this address, or the deadline; true if woken. `may_wait` says at once
/// whether there is something to wait for: no thread wakes another one meanwhile. `before` is called before the wait
/// and may wake others.
pub(super) fn park(
    address: usize,
    deadline: Option<Instant>,
    may_wait: impl FnOnce() -> bool,
    before: impl FnOnce(),
) -> bool {
    let woken = Arc::new(AtomicBool::new(false));
    {
        let mut parked = parked();
        if !may_wait() {
            return true;
        }
        parked.push(Parked {
            address,
            thread: std::thread::current(),
            woken: woken.clone(),
        });
    }
    before();
    while !woken.load(SeqCst) {
        match deadline.map(super::until) {
            None => std::thread::park(),
            Some(left) if !left.is_zero() => std::thread::park_timeout(left),
            Some(_) => {
                parked().retain(|it| !Arc::ptr_eq(&it.woken, &woken));
                return woken.load(SeqCst);
            }
        }
    }
    true
}

/// Wakes at most so many that wait at this address; says how many.
pub(super) fn unpark(address: usize, most: usize) -> usize {
    let mut count = 0;
    parked().retain(|it| {
        let wakes = it.address == address && count < most;
        if wakes {
            count += 1;
            it.woken.store(true, SeqCst);
            it.thread.unpark();
        }
        !wakes
    });
    count
}
