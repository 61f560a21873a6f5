//! Real threads that wait for something at an address: outside of executions, where speed does not count.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

struct Parked {
    address: usize,
    changed: Arc<Condvar>,
}

/// Those that wait, who came first comes first.
static PARKED: Mutex<Vec<Parked>> = Mutex::new(Vec::new());
/// How many may wait. While it is 0, a thread that gives a lock back need not lock the list.
static COUNT: AtomicUsize = AtomicUsize::new(0);

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
    let changed = Arc::new(Condvar::new());
    let is_parked = |all: &Vec<Parked>| all.iter().any(|it| Arc::ptr_eq(&it.changed, &changed));
    COUNT.fetch_add(1, SeqCst);
    {
        let mut all = parked();
        if !may_wait() {
            COUNT.fetch_sub(1, SeqCst);
            return true;
        }
        let changed = changed.clone();
        all.push(Parked { address, changed });
    }
    before();
    let mut all = parked();
    while is_parked(&all) {
        all = match deadline.map(super::until) {
            None => changed.wait(all).unwrap_or_else(PoisonError::into_inner),
            Some(left) if !left.is_zero() => {
                let waited = changed.wait_timeout(all, left);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
            Some(_) => {
                all.retain(|it| !Arc::ptr_eq(&it.changed, &changed));
                COUNT.fetch_sub(1, SeqCst);
                return false;
            }
        };
    }
    true
}

/// Wakes at most so many that wait at this address; says how many.
pub(super) fn unpark(address: usize, most: usize) -> usize {
    if COUNT.load(SeqCst) == 0 {
        return 0;
    }
    let mut count = 0;
    parked().retain(|it| {
        let wakes = it.address == address && count < most;
        if wakes {
            count += 1;
            it.changed.notify_one();
        }
        !wakes
    });
    COUNT.fetch_sub(count, SeqCst);
    count
}
