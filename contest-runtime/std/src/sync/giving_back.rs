//! A real guard on its way back.

use contest_engine::execution::Active;

/// A lock of `std` that a panic poisons.
pub(super) trait Poisoned {
    fn is_poisoned(&self) -> bool;
    fn clear_poison(&self);
}

impl<T: ?Sized> Poisoned for std::sync::Mutex<T> {
    fn is_poisoned(&self) -> bool {
        Self::is_poisoned(self)
    }
    fn clear_poison(&self) {
        Self::clear_poison(self);
    }
}

impl<T: ?Sized> Poisoned for std::sync::RwLock<T> {
    fn is_poisoned(&self) -> bool {
        Self::is_poisoned(self)
    }
    fn clear_poison(&self) {
        Self::clear_poison(self);
    }
}

/// The real guard of a lock whose thread waits for its turn to give it back. Only a panic of that thread poisons the
/// lock: not another virtual thread that is blocked in the middle of unwinding, and not the end of the execution, which
/// may come before the turn.
pub(super) struct GivingBack<'a, L: Poisoned + ?Sized, G> {
    active: Active,
    lock: &'a L,
    real: Option<G>,
}

impl<'a, L: Poisoned + ?Sized, G> GivingBack<'a, L, G> {
    #[inline]
    pub(super) fn new(active: Active, lock: &'a L, real: G) -> Self {
        Self {
            active,
            lock,
            real: Some(real),
        }
    }

    /// It is not given back.
    #[inline]
    pub(super) fn kept(mut self) -> G {
        self.real.take().expect("it was not given back")
    }
}

impl<L: Poisoned + ?Sized, G> Drop for GivingBack<'_, L, G> {
    #[inline]
    fn drop(&mut self) {
        let Some(real) = self.real.take() else {
            return;
        };
        let poisoned = self.lock.is_poisoned();
        drop(real);
        if !poisoned && self.lock.is_poisoned() && !self.active.poisons() {
            self.lock.clear_poison();
        }
    }
}
