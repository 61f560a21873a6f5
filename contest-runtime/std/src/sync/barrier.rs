//! `Barrier`. The real one does not tell its number of threads, so this is one of the same layout, built as the real
//! one is.

use std::fmt;
use std::panic::RefUnwindSafe;
use std::sync::{Condvar, Mutex, PoisonError};

use contest_engine::execution::active;

/// Drop-in for `std::sync::Barrier`.
pub struct Barrier {
    arrivals: Mutex<Arrivals>,
    released: Condvar,
    threads: usize,
}

struct Arrivals {
    count: usize,
    round: usize,
}

/// Drop-in for `std::sync::BarrierWaitResult`.
pub struct BarrierWaitResult(bool);

impl RefUnwindSafe for Barrier {}

impl Barrier {
    /// As in `std`.
    #[inline]
    #[must_use]
    pub const fn new(n: usize) -> Self {
        Self {
            arrivals: Mutex::new(Arrivals { count: 0, round: 0 }),
            released: Condvar::new(),
            threads: n,
        }
    }

    /// As in `std`.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        if let Some(active) = active() {
            let address = std::ptr::from_ref(self).addr();
            return BarrierWaitResult(active.barrier_wait(address, self.threads));
        }
        // Nothing panics with the lock held.
        let mut arrivals = self.arrivals.lock().unwrap_or_else(PoisonError::into_inner);
        let round = arrivals.round;
        arrivals.count += 1;
        if arrivals.count < self.threads {
            drop(
                self.released
                    .wait_while(arrivals, |arrivals| arrivals.round == round),
            );
            BarrierWaitResult(false)
        } else {
            arrivals.count = 0;
            arrivals.round = round.wrapping_add(1);
            self.released.notify_all();
            BarrierWaitResult(true)
        }
    }
}

impl BarrierWaitResult {
    /// As in `std`.
    #[must_use]
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Barrier").finish_non_exhaustive()
    }
}

impl fmt::Debug for BarrierWaitResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BarrierWaitResult")
            .field("is_leader", &self.is_leader())
            .finish()
    }
}
