//! The real lock.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::{Duration, Instant};

use super::parked::{park, unpark};
use contest_data::trace::LockMode;

const EXCLUSIVE: u32 = 1;
const UPGRADABLE: u32 = 2;
const READER: u32 = 4;

/// Who holds it, in bits. Outside of executions who comes first gets it; the engine has no use for an order.
pub(super) struct RealLock(AtomicU32);

fn bit(mode: LockMode) -> u32 {
    match mode {
        LockMode::Exclusive => EXCLUSIVE,
        LockMode::Upgradable => UPGRADABLE,
        LockMode::Read => READER,
    }
}

fn admits(state: u32, mode: LockMode) -> bool {
    match mode {
        LockMode::Exclusive => state == 0,
        LockMode::Upgradable => state & (EXCLUSIVE | UPGRADABLE) == 0,
        LockMode::Read => state & EXCLUSIVE == 0,
    }
}

impl RealLock {
    pub(super) const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    pub(super) fn is_free(&self, mode: LockMode) -> bool {
        admits(self.0.load(SeqCst), mode)
    }

    pub(super) fn try_lock(&self, mode: LockMode) -> bool {
        let take = |state| admits(state, mode).then(|| state + bit(mode));
        self.0.fetch_update(SeqCst, SeqCst, take).is_ok()
    }

    pub(super) fn unlock(&self, mode: LockMode) {
        self.0.fetch_sub(bit(mode), SeqCst);
        self.wake();
    }

    /// True if the upgradable lock of this thread could be the exclusive one.
    pub(super) fn could_upgrade(&self) -> bool {
        self.0.load(SeqCst) == UPGRADABLE
    }

    pub(super) fn try_upgrade(&self) -> bool {
        let exchange = (self.0).compare_exchange(UPGRADABLE, EXCLUSIVE, SeqCst, SeqCst);
        exchange.is_ok()
    }

    pub(super) fn downgrade(&self, from: LockMode, to: LockMode) {
        self.0.fetch_add(bit(to).wrapping_sub(bit(from)), SeqCst);
        self.wake();
    }

    pub(super) fn lock(&self, mode: LockMode, timeout: Option<Duration>) -> bool {
        self.wait(timeout, || self.try_lock(mode), || !self.is_free(mode))
    }

    pub(super) fn upgrade(&self, timeout: Option<Duration>) -> bool {
        self.wait(timeout, || self.try_upgrade(), || !self.could_upgrade())
    }

    fn wait(
        &self,
        timeout: Option<Duration>,
        takes: impl Fn() -> bool,
        is_held: impl Fn() -> bool,
    ) -> bool {
        let deadline = timeout.and_then(|it| Instant::now().checked_add(it));
        while !takes() {
            if !park(self.address(), deadline, &is_held, || ()) {
                return takes();
            }
        }
        true
    }

    fn wake(&self) {
        unpark(self.address(), usize::MAX);
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}
