//! The lock of a `RwLock`.

use std::time::{Duration, Instant};

use lock_api::{
    GuardNoSend, RawRwLock as _, RawRwLockRecursive as _, RawRwLockUpgrade as _,
    RawRwLockUpgradeDowngrade as _,
};

use crate::sync::held_elsewhere::held_elsewhere;
use contest_data::trace::LockMode;
use contest_engine::execution::active;

const WHAT: &str = "RwLock";

/// Drop-in for `parking_lot::RawRwLock`.
pub struct RawRwLock {
    real: ::parking_lot::RawRwLock,
}

impl std::fmt::Debug for RawRwLock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RawRwLock")
            .field("locked", &self.real.is_locked())
            .finish_non_exhaustive()
    }
}

impl RawRwLock {
    /// What the engine knows this lock by.
    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    fn take_real(&self, mode: LockMode) -> bool {
        match mode {
            // Not held back by a writer that waits: inside an execution none waits at the real lock.
            LockMode::Read => self.real.try_lock_shared_recursive(),
            LockMode::Exclusive => self.real.try_lock_exclusive(),
            LockMode::Upgradable => self.real.try_lock_upgradable(),
        }
    }

    /// # Safety
    /// This thread holds it in this mode.
    unsafe fn release_real(&self, mode: LockMode) {
        // SAFETY: as promised.
        unsafe {
            match mode {
                LockMode::Read => self.real.unlock_shared(),
                LockMode::Exclusive => self.real.unlock_exclusive(),
                LockMode::Upgradable => self.real.unlock_upgradable(),
            }
        }
    }

    fn is_free(&self, mode: LockMode) -> bool {
        let free = self.take_real(mode);
        if free {
            // SAFETY: it was just taken.
            unsafe { self.release_real(mode) };
        }
        free
    }

    /// Takes the real lock after the engine granted it.
    #[track_caller]
    fn take_granted(&self, mode: LockMode) {
        if !self.take_real(mode) {
            held_elsewhere(WHAT);
        }
    }

    /// `None` outside of executions.
    #[track_caller]
    fn lock(&self, mode: LockMode, timeout: Option<Duration>) -> Option<bool> {
        let granted = active()?.lock(self.address(), mode, WHAT, timeout, || self.is_free(mode));
        if granted {
            self.take_granted(mode);
        }
        Some(granted)
    }

    /// `None` outside of executions.
    #[track_caller]
    fn try_lock(&self, mode: LockMode) -> Option<bool> {
        let granted = active()?.try_lock(self.address(), mode, WHAT, || self.is_free(mode));
        if granted {
            self.take_granted(mode);
        }
        Some(granted)
    }

    /// # Safety
    /// This thread holds it in this mode.
    unsafe fn unlock(&self, mode: LockMode) {
        match active() {
            // SAFETY: as promised.
            None => unsafe { self.release_real(mode) },
            Some(active) => active.unlock(self.address(), mode, || {
                // SAFETY: as promised.
                unsafe { self.release_real(mode) }
            }),
        }
    }

    /// Unlocks, and takes it again in the same mode.
    ///
    /// # Safety
    /// This thread holds it in this mode, and an execution is active.
    #[track_caller]
    unsafe fn bump(&self, mode: LockMode) {
        // SAFETY: as promised.
        unsafe { self.unlock(mode) };
        self.lock(mode, None);
    }

    /// True if the real lock could be upgraded; it is not.
    ///
    /// # Safety
    /// This thread holds it upgradable.
    unsafe fn could_upgrade(&self) -> bool {
        // SAFETY: as promised; what was upgraded is downgraded at once.
        unsafe {
            let could = self.real.try_upgrade();
            if could {
                self.real.downgrade_to_upgradable();
            }
            could
        }
    }

    /// `None` outside of executions.
    ///
    /// # Safety
    /// This thread holds it upgradable.
    #[track_caller]
    unsafe fn upgrade_within(&self, timeout: Option<Duration>) -> Option<bool> {
        // SAFETY: as promised.
        let granted =
            active()?.upgrade(self.address(), timeout, || unsafe { self.could_upgrade() });
        // SAFETY: as promised.
        if granted && !unsafe { self.real.try_upgrade() } {
            held_elsewhere(WHAT);
        }
        Some(granted)
    }
}

// SAFETY: as exclusive as the real lock is, which is taken in every case.
unsafe impl lock_api::RawRwLock for RawRwLock {
    const INIT: Self = Self {
        real: ::parking_lot::RawRwLock::INIT,
    };

    type GuardMarker = GuardNoSend;

    #[track_caller]
    fn lock_shared(&self) {
        if self.lock(LockMode::Read, None).is_none() {
            self.real.lock_shared();
        }
    }

    #[track_caller]
    fn try_lock_shared(&self) -> bool {
        self.try_lock(LockMode::Read)
            .unwrap_or_else(|| self.real.try_lock_shared())
    }

    unsafe fn unlock_shared(&self) {
        // SAFETY: the caller holds it so.
        unsafe { self.unlock(LockMode::Read) }
    }

    #[track_caller]
    fn lock_exclusive(&self) {
        if self.lock(LockMode::Exclusive, None).is_none() {
            self.real.lock_exclusive();
        }
    }

    #[track_caller]
    fn try_lock_exclusive(&self) -> bool {
        self.try_lock(LockMode::Exclusive)
            .unwrap_or_else(|| self.real.try_lock_exclusive())
    }

    unsafe fn unlock_exclusive(&self) {
        // SAFETY: the caller holds it so.
        unsafe { self.unlock(LockMode::Exclusive) }
    }

    fn is_locked(&self) -> bool {
        self.real.is_locked()
    }

    fn is_locked_exclusive(&self) -> bool {
        self.real.is_locked_exclusive()
    }
}

// SAFETY: as for `RawRwLock`.
unsafe impl lock_api::RawRwLockFair for RawRwLock {
    unsafe fn unlock_shared_fair(&self) {
        if active().is_none() {
            // SAFETY: the caller holds it so.
            unsafe { self.real.unlock_shared_fair() }
        } else {
            // SAFETY: the caller holds it so.
            unsafe { self.unlock(LockMode::Read) }
        }
    }

    unsafe fn unlock_exclusive_fair(&self) {
        if active().is_none() {
            // SAFETY: the caller holds it so.
            unsafe { self.real.unlock_exclusive_fair() }
        } else {
            // SAFETY: the caller holds it so.
            unsafe { self.unlock(LockMode::Exclusive) }
        }
    }

    #[track_caller]
    unsafe fn bump_shared(&self) {
        if active().is_none() {
            // SAFETY: the caller holds it so.
            unsafe { self.real.bump_shared() }
        } else {
            // SAFETY: the caller holds it so.
            unsafe { self.bump(LockMode::Read) }
        }
    }

    #[track_caller]
    unsafe fn bump_exclusive(&self) {
        if active().is_none() {
            // SAFETY: the caller holds it so.
            unsafe { self.real.bump_exclusive() }
        } else {
            // SAFETY: the caller holds it so.
            unsafe { self.bump(LockMode::Exclusive) }
        }
    }
}

// SAFETY: as for `RawRwLock`.
unsafe impl lock_api::RawRwLockDowngrade for RawRwLock {
    #[track_caller]
    unsafe fn downgrade(&self) {
        match active() {
            // SAFETY: the caller holds it exclusively.
            None => unsafe { self.real.downgrade() },
            Some(active) => active.downgrade(self.address(), || {
                // SAFETY: the caller holds it exclusively.
                unsafe { self.real.downgrade() }
            }),
        }
    }
}

// SAFETY: as for `RawRwLock`.
unsafe impl lock_api::RawRwLockTimed for RawRwLock {
    type Duration = Duration;
    type Instant = Instant;

    #[track_caller]
    fn try_lock_shared_for(&self, timeout: Duration) -> bool {
        self.lock(LockMode::Read, Some(timeout))
            .unwrap_or_else(|| self.real.try_lock_shared_for(timeout))
    }

    #[track_caller]
    fn try_lock_shared_until(&self, deadline: Instant) -> bool {
        if active().is_none() {
            self.real.try_lock_shared_until(deadline)
        } else {
            self.try_lock_shared_for(super::until(deadline))
        }
    }

    #[track_caller]
    fn try_lock_exclusive_for(&self, timeout: Duration) -> bool {
        self.lock(LockMode::Exclusive, Some(timeout))
            .unwrap_or_else(|| self.real.try_lock_exclusive_for(timeout))
    }

    #[track_caller]
    fn try_lock_exclusive_until(&self, deadline: Instant) -> bool {
        if active().is_none() {
            self.real.try_lock_exclusive_until(deadline)
        } else {
            self.try_lock_exclusive_for(super::until(deadline))
        }
    }
}

// SAFETY: as for `RawRwLock`.
unsafe impl lock_api::RawRwLockRecursive for RawRwLock {
    #[track_caller]
    fn lock_shared_recursive(&self) {
        if self.lock(LockMode::Read, None).is_none() {
            self.real.lock_shared_recursive();
        }
    }

    #[track_caller]
    fn try_lock_shared_recursive(&self) -> bool {
        self.try_lock(LockMode::Read)
            .unwrap_or_else(|| self.real.try_lock_shared_recursive())
    }
}

// SAFETY: as for `RawRwLock`.
unsafe impl lock_api::RawRwLockRecursiveTimed for RawRwLock {
    #[track_caller]
    fn try_lock_shared_recursive_for(&self, timeout: Duration) -> bool {
        self.lock(LockMode::Read, Some(timeout))
            .unwrap_or_else(|| self.real.try_lock_shared_recursive_for(timeout))
    }

    #[track_caller]
    fn try_lock_shared_recursive_until(&self, deadline: Instant) -> bool {
        if active().is_none() {
            self.real.try_lock_shared_recursive_until(deadline)
        } else {
            self.try_lock_shared_recursive_for(super::until(deadline))
        }
    }
}

// SAFETY: as for `RawRwLock`.
unsafe impl lock_api::RawRwLockUpgrade for RawRwLock {
    #[track_caller]
    fn lock_upgradable(&self) {
        if self.lock(LockMode::Upgradable, None).is_none() {
            self.real.lock_upgradable();
        }
    }

    #[track_caller]
    fn try_lock_upgradable(&self) -> bool {
        self.try_lock(LockMode::Upgradable)
            .unwrap_or_else(|| self.real.try_lock_upgradable())
    }

    unsafe fn unlock_upgradable(&self) {
        // SAFETY: the caller holds it so.
        unsafe { self.unlock(LockMode::Upgradable) }
    }

    #[track_caller]
    unsafe fn upgrade(&self) {
        // SAFETY: the caller holds it upgradable.
        unsafe {
            if self.upgrade_within(None).is_none() {
                self.real.upgrade();
            }
        }
    }

    #[track_caller]
    unsafe fn try_upgrade(&self) -> bool {
        let Some(active) = active() else {
            // SAFETY: the caller holds it upgradable.
            return unsafe { self.real.try_upgrade() };
        };
        let granted = active.try_upgrade(self.address(), || {
            // SAFETY: the caller holds it upgradable.
            unsafe { self.could_upgrade() }
        });
        // SAFETY: the caller holds it upgradable.
        if granted && !unsafe { self.real.try_upgrade() } {
            held_elsewhere(WHAT);
        }
        granted
    }
}

// SAFETY: as for `RawRwLock`.
unsafe impl lock_api::RawRwLockUpgradeFair for RawRwLock {
    unsafe fn unlock_upgradable_fair(&self) {
        if active().is_none() {
            // SAFETY: the caller holds it so.
            unsafe { self.real.unlock_upgradable_fair() }
        } else {
            // SAFETY: the caller holds it so.
            unsafe { self.unlock(LockMode::Upgradable) }
        }
    }

    #[track_caller]
    unsafe fn bump_upgradable(&self) {
        if active().is_none() {
            // SAFETY: the caller holds it so.
            unsafe { self.real.bump_upgradable() }
        } else {
            // SAFETY: the caller holds it so.
            unsafe { self.bump(LockMode::Upgradable) }
        }
    }
}

// SAFETY: as for `RawRwLock`.
unsafe impl lock_api::RawRwLockUpgradeDowngrade for RawRwLock {
    #[track_caller]
    unsafe fn downgrade_upgradable(&self) {
        // SAFETY: the caller holds it upgradable.
        let real = || unsafe { self.real.downgrade_upgradable() };
        match active() {
            None => real(),
            Some(active) => {
                active.downgrade_from(self.address(), LockMode::Upgradable, LockMode::Read, real)
            }
        }
    }

    #[track_caller]
    unsafe fn downgrade_to_upgradable(&self) {
        // SAFETY: the caller holds it exclusively.
        let real = || unsafe { self.real.downgrade_to_upgradable() };
        match active() {
            None => real(),
            Some(active) => active.downgrade_from(
                self.address(),
                LockMode::Exclusive,
                LockMode::Upgradable,
                real,
            ),
        }
    }
}

// SAFETY: as for `RawRwLock`.
unsafe impl lock_api::RawRwLockUpgradeTimed for RawRwLock {
    #[track_caller]
    fn try_lock_upgradable_for(&self, timeout: Duration) -> bool {
        self.lock(LockMode::Upgradable, Some(timeout))
            .unwrap_or_else(|| self.real.try_lock_upgradable_for(timeout))
    }

    #[track_caller]
    fn try_lock_upgradable_until(&self, deadline: Instant) -> bool {
        if active().is_none() {
            self.real.try_lock_upgradable_until(deadline)
        } else {
            self.try_lock_upgradable_for(super::until(deadline))
        }
    }

    #[track_caller]
    unsafe fn try_upgrade_for(&self, timeout: Duration) -> bool {
        // SAFETY: the caller holds it upgradable.
        unsafe {
            self.upgrade_within(Some(timeout))
                .unwrap_or_else(|| self.real.try_upgrade_for(timeout))
        }
    }

    #[track_caller]
    unsafe fn try_upgrade_until(&self, deadline: Instant) -> bool {
        // SAFETY: the caller holds it upgradable.
        unsafe {
            if active().is_none() {
                self.real.try_upgrade_until(deadline)
            } else {
                self.try_upgrade_for(super::until(deadline))
            }
        }
    }
}
