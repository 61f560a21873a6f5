//! The lock of a `RwLock`, and of a recursive one.

use std::time::{Duration, Instant};

use super::Guard;
use super::runtime::locks::LockMode::{Exclusive, Read, Upgradable};
use super::runtime::locks::{RawLock, until};

const WHAT: &str = "RwLock";

/// Drop-in for `parking_lot::RawRwLock`.
#[derive(Debug)]
pub struct RawRwLock<const RECURSIVE: bool = false>(RawLock);

/// Drop-in for `parking_lot::RawRwLockRecursive`.
pub type RawRwLockRecursive = RawRwLock<true>;

impl<const RECURSIVE: bool> RawRwLock<RECURSIVE> {
    /// One that waits to write holds readers back, unless the lock is recursive.
    #[track_caller]
    fn read(&self, timeout: Option<Duration>) -> bool {
        if RECURSIVE {
            self.0.read_again(WHAT, timeout)
        } else {
            self.0.lock(Read, WHAT, timeout)
        }
    }
}

// SAFETY: as exclusive as its lock.
unsafe impl<const RECURSIVE: bool> lock_api::RawRwLock for RawRwLock<RECURSIVE> {
    const INIT: Self = Self(RawLock::new());

    type SharedGuard = Guard;
    type ExclusiveGuard = Guard;

    #[track_caller]
    fn lock_shared(&self) -> Guard {
        self.read(None);
        Guard::new()
    }

    #[track_caller]
    fn try_lock_shared(&self) -> Option<Guard> {
        self.0.try_lock(Read, WHAT).then(Guard::new)
    }

    unsafe fn unlock_shared(&self, _: Guard) {
        self.0.unlock(Read);
    }

    #[track_caller]
    fn lock_exclusive(&self) -> Guard {
        self.0.write(WHAT);
        Guard::new()
    }

    #[track_caller]
    fn try_lock_exclusive(&self) -> Option<Guard> {
        self.0.try_lock(Exclusive, WHAT).then(Guard::new)
    }

    unsafe fn unlock_exclusive(&self, _: Guard) {
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
unsafe impl<const RECURSIVE: bool> lock_api::RawRwLockFair for RawRwLock<RECURSIVE> {
    unsafe fn unlock_shared_fair(&self, _: Guard) {
        self.0.unlock(Read);
    }

    unsafe fn unlock_exclusive_fair(&self, _: Guard) {
        self.0.unlock(Exclusive);
    }

    #[track_caller]
    unsafe fn bump_shared(&self, _: &mut Guard) {
        self.0.unlock(Read);
        self.read(None);
    }

    #[track_caller]
    unsafe fn bump_exclusive(&self, _: &mut Guard) {
        self.0.unlock(Exclusive);
        self.0.write(WHAT);
    }
}

// SAFETY: as for `RawRwLock`.
unsafe impl<const RECURSIVE: bool> lock_api::RawRwLockDowngrade for RawRwLock<RECURSIVE> {
    #[track_caller]
    unsafe fn downgrade(&self, guard: Guard) -> Guard {
        self.0.downgrade(Exclusive, Read);
        guard
    }
}

// SAFETY: as for `RawRwLock`.
unsafe impl<const RECURSIVE: bool> lock_api::RawRwLockTimed for RawRwLock<RECURSIVE> {
    type Duration = Duration;
    type Instant = Instant;

    #[track_caller]
    fn try_lock_shared_for(&self, timeout: Duration) -> Option<Guard> {
        self.read(Some(timeout)).then(Guard::new)
    }

    #[track_caller]
    fn try_lock_shared_until(&self, deadline: Instant) -> Option<Guard> {
        self.try_lock_shared_for(until(deadline))
    }

    #[track_caller]
    fn try_lock_exclusive_for(&self, timeout: Duration) -> Option<Guard> {
        self.0.lock(Exclusive, WHAT, Some(timeout)).then(Guard::new)
    }

    #[track_caller]
    fn try_lock_exclusive_until(&self, deadline: Instant) -> Option<Guard> {
        self.try_lock_exclusive_for(until(deadline))
    }
}

// SAFETY: as for `RawRwLock`.
unsafe impl<const RECURSIVE: bool> lock_api::RawRwLockUpgrade for RawRwLock<RECURSIVE> {
    type UpgradableGuard = Guard;

    #[track_caller]
    fn lock_upgradable(&self) -> Guard {
        self.0.lock(Upgradable, WHAT, None);
        Guard::new()
    }

    #[track_caller]
    fn try_lock_upgradable(&self) -> Option<Guard> {
        self.0.try_lock(Upgradable, WHAT).then(Guard::new)
    }

    unsafe fn unlock_upgradable(&self, _: Guard) {
        self.0.unlock(Upgradable);
    }

    #[track_caller]
    unsafe fn upgrade(&self, guard: Guard) -> Guard {
        self.0.upgrade(WHAT, None);
        guard
    }

    #[track_caller]
    unsafe fn try_upgrade(&self, guard: Guard) -> Result<Guard, Guard> {
        if self.0.try_upgrade(WHAT) {
            Ok(guard)
        } else {
            Err(guard)
        }
    }
}

// SAFETY: as for `RawRwLock`.
unsafe impl<const RECURSIVE: bool> lock_api::RawRwLockUpgradeFair for RawRwLock<RECURSIVE> {
    unsafe fn unlock_upgradable_fair(&self, _: Guard) {
        self.0.unlock(Upgradable);
    }

    #[track_caller]
    unsafe fn bump_upgradable(&self, _: &mut Guard) {
        self.0.unlock(Upgradable);
        self.0.lock(Upgradable, WHAT, None);
    }
}

// SAFETY: as for `RawRwLock`.
unsafe impl<const RECURSIVE: bool> lock_api::RawRwLockUpgradeDowngrade for RawRwLock<RECURSIVE> {
    #[track_caller]
    unsafe fn downgrade_upgradable(&self, guard: Guard) -> Guard {
        self.0.downgrade(Upgradable, Read);
        guard
    }

    #[track_caller]
    unsafe fn downgrade_to_upgradable(&self, guard: Guard) -> Guard {
        self.0.downgrade(Exclusive, Upgradable);
        guard
    }
}

// SAFETY: as for `RawRwLock`.
unsafe impl<const RECURSIVE: bool> lock_api::RawRwLockUpgradeTimed for RawRwLock<RECURSIVE> {
    #[track_caller]
    fn try_lock_upgradable_for(&self, timeout: Duration) -> Option<Guard> {
        self.0
            .lock(Upgradable, WHAT, Some(timeout))
            .then(Guard::new)
    }

    #[track_caller]
    fn try_lock_upgradable_until(&self, deadline: Instant) -> Option<Guard> {
        self.try_lock_upgradable_for(until(deadline))
    }

    #[track_caller]
    unsafe fn try_upgrade_for(&self, guard: Guard, timeout: Duration) -> Result<Guard, Guard> {
        if self.0.upgrade(WHAT, Some(timeout)) {
            Ok(guard)
        } else {
            Err(guard)
        }
    }

    #[track_caller]
    unsafe fn try_upgrade_until(&self, guard: Guard, deadline: Instant) -> Result<Guard, Guard> {
        // SAFETY: the caller holds it.
        unsafe { self.try_upgrade_for(guard, until(deadline)) }
    }
}
