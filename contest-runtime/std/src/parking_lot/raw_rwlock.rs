//! The lock of a `RwLock`.

use std::time::{Duration, Instant};

use super::runtime::locks::LockMode::{Exclusive, Read, Upgradable};
use super::runtime::locks::{RawLock, until};

const WHAT: &str = "RwLock";

/// Drop-in for `parking_lot::RawRwLock`.
#[derive(Debug)]
pub struct RawRwLock(RawLock);

// SAFETY: as exclusive as its lock.
unsafe impl lock_api::RawRwLock for RawRwLock {
    const INIT: Self = Self(RawLock::new());

    type GuardMarker = super::GuardMarker;

    #[track_caller]
    fn lock_shared(&self) {
        self.0.lock(Read, WHAT, None);
    }

    #[track_caller]
    fn try_lock_shared(&self) -> bool {
        self.0.try_lock(Read, WHAT)
    }

    unsafe fn unlock_shared(&self) {
        self.0.unlock(Read);
    }

    #[track_caller]
    fn lock_exclusive(&self) {
        self.0.write(WHAT);
    }

    #[track_caller]
    fn try_lock_exclusive(&self) -> bool {
        self.0.try_lock(Exclusive, WHAT)
    }

    unsafe fn unlock_exclusive(&self) {
        self.0.unlock(Exclusive);
    }

    #[track_caller]
    fn is_locked(&self) -> bool {
        self.0.is_held_against(Exclusive, WHAT)
    }

    #[track_caller]
    fn is_locked_exclusive(&self) -> bool {
        self.0.is_held_against(Read, WHAT)
    }
}

// SAFETY: as for `RawRwLock`.
unsafe impl lock_api::RawRwLockFair for RawRwLock {
    unsafe fn unlock_shared_fair(&self) {
        self.0.unlock(Read);
    }

    unsafe fn unlock_exclusive_fair(&self) {
        self.0.unlock(Exclusive);
    }

    #[track_caller]
    unsafe fn bump_shared(&self) {
        self.0.unlock(Read);
        self.0.lock(Read, WHAT, None);
    }

    #[track_caller]
    unsafe fn bump_exclusive(&self) {
        self.0.unlock(Exclusive);
        self.0.write(WHAT);
    }
}

// SAFETY: as for `RawRwLock`.
unsafe impl lock_api::RawRwLockDowngrade for RawRwLock {
    #[track_caller]
    unsafe fn downgrade(&self) {
        self.0.downgrade(Exclusive, Read);
    }
}

// SAFETY: as for `RawRwLock`.
unsafe impl lock_api::RawRwLockTimed for RawRwLock {
    type Duration = Duration;
    type Instant = Instant;

    #[track_caller]
    fn try_lock_shared_for(&self, timeout: Duration) -> bool {
        self.0.lock(Read, WHAT, Some(timeout))
    }

    #[track_caller]
    fn try_lock_shared_until(&self, deadline: Instant) -> bool {
        self.0.lock(Read, WHAT, Some(until(deadline)))
    }

    #[track_caller]
    fn try_lock_exclusive_for(&self, timeout: Duration) -> bool {
        self.0.lock(Exclusive, WHAT, Some(timeout))
    }

    #[track_caller]
    fn try_lock_exclusive_until(&self, deadline: Instant) -> bool {
        self.0.lock(Exclusive, WHAT, Some(until(deadline)))
    }
}

// SAFETY: as for `RawRwLock`.
unsafe impl lock_api::RawRwLockRecursive for RawRwLock {
    #[track_caller]
    fn lock_shared_recursive(&self) {
        self.0.read_again(WHAT, None);
    }

    #[track_caller]
    fn try_lock_shared_recursive(&self) -> bool {
        self.0.try_lock(Read, WHAT)
    }
}

// SAFETY: as for `RawRwLock`.
unsafe impl lock_api::RawRwLockRecursiveTimed for RawRwLock {
    #[track_caller]
    fn try_lock_shared_recursive_for(&self, timeout: Duration) -> bool {
        self.0.read_again(WHAT, Some(timeout))
    }

    #[track_caller]
    fn try_lock_shared_recursive_until(&self, deadline: Instant) -> bool {
        self.0.read_again(WHAT, Some(until(deadline)))
    }
}

// SAFETY: as for `RawRwLock`.
unsafe impl lock_api::RawRwLockUpgrade for RawRwLock {
    #[track_caller]
    fn lock_upgradable(&self) {
        self.0.lock(Upgradable, WHAT, None);
    }

    #[track_caller]
    fn try_lock_upgradable(&self) -> bool {
        self.0.try_lock(Upgradable, WHAT)
    }

    unsafe fn unlock_upgradable(&self) {
        self.0.unlock(Upgradable);
    }

    #[track_caller]
    unsafe fn upgrade(&self) {
        self.0.upgrade(WHAT, None);
    }

    #[track_caller]
    unsafe fn try_upgrade(&self) -> bool {
        self.0.try_upgrade(WHAT)
    }
}

// SAFETY: as for `RawRwLock`.
unsafe impl lock_api::RawRwLockUpgradeFair for RawRwLock {
    unsafe fn unlock_upgradable_fair(&self) {
        self.0.unlock(Upgradable);
    }

    #[track_caller]
    unsafe fn bump_upgradable(&self) {
        self.0.unlock(Upgradable);
        self.0.lock(Upgradable, WHAT, None);
    }
}

// SAFETY: as for `RawRwLock`.
unsafe impl lock_api::RawRwLockUpgradeDowngrade for RawRwLock {
    #[track_caller]
    unsafe fn downgrade_upgradable(&self) {
        self.0.downgrade(Upgradable, Read);
    }

    #[track_caller]
    unsafe fn downgrade_to_upgradable(&self) {
        self.0.downgrade(Exclusive, Upgradable);
    }
}

// SAFETY: as for `RawRwLock`.
unsafe impl lock_api::RawRwLockUpgradeTimed for RawRwLock {
    #[track_caller]
    fn try_lock_upgradable_for(&self, timeout: Duration) -> bool {
        self.0.lock(Upgradable, WHAT, Some(timeout))
    }

    #[track_caller]
    fn try_lock_upgradable_until(&self, deadline: Instant) -> bool {
        self.0.lock(Upgradable, WHAT, Some(until(deadline)))
    }

    #[track_caller]
    unsafe fn try_upgrade_for(&self, timeout: Duration) -> bool {
        self.0.upgrade(WHAT, Some(timeout))
    }

    #[track_caller]
    unsafe fn try_upgrade_until(&self, deadline: Instant) -> bool {
        self.0.upgrade(WHAT, Some(until(deadline)))
    }
}
