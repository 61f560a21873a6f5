//! A value with two owners that may be on different OS threads: `Arc`, but small ones use memory again that threads of
//! the same engine gave back.

use std::alloc::Layout;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

use contest_engine::execution::blocks;

struct Owned<P> {
    owners: AtomicUsize,
    value: P,
}

/// One of the owners.
pub(super) struct Shared<P>(NonNull<Owned<P>>);

// SAFETY: as `Arc`: an owner gives shared access, and the last one drops the value.
unsafe impl<P: Send + Sync> Send for Shared<P> {}
// SAFETY: as `Arc`: a shared reference to an owner gives only shared access, for which `P: Sync` is enough.
unsafe impl<P: Send + Sync> Sync for Shared<P> {}

impl<P> Shared<P> {
    /// The two owners of a new value.
    pub(super) fn pair(value: P) -> (Self, Self) {
        let place = blocks::take(Layout::new::<Owned<P>>()).cast::<Owned<P>>();
        let owners = AtomicUsize::new(2);
        // SAFETY: the memory is this value's, and large enough.
        unsafe { place.write(Owned { owners, value }) };
        (Self(place), Self(place))
    }

    /// True if the other owner is gone; what it did to the value is visible then.
    pub(super) fn is_last(&self) -> bool {
        self.owned().owners.load(Ordering::Acquire) == 1
    }

    /// The value, if the other owner is gone.
    pub(super) fn get_mut(&mut self) -> Option<&mut P> {
        if !self.is_last() {
            return None;
        }
        // SAFETY: this is the last owner, and another one cannot be made while `self` is borrowed.
        Some(unsafe { &mut self.0.as_mut().value })
    }

    fn owned(&self) -> &Owned<P> {
        // SAFETY: it lives as long as one of its owners.
        unsafe { self.0.as_ref() }
    }
}

impl<P> Deref for Shared<P> {
    type Target = P;

    fn deref(&self) -> &P {
        &self.owned().value
    }
}

impl<P> Drop for Shared<P> {
    fn drop(&mut self) {
        // Only an owner could make another one, so one that is alone needs no exchange, which costs more than the rest.
        if !self.is_last() {
            if self.owned().owners.fetch_sub(1, Ordering::Release) != 1 {
                return;
            }
            // What the other owner did happened before this.
            fence(Ordering::Acquire);
        }
        // SAFETY: this was the last owner. If the value's destructor unwinds, the memory is leaked.
        unsafe {
            self.0.drop_in_place();
            blocks::give(self.0.cast(), Layout::new::<Owned<P>>());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Shared;
    use std::sync::Arc;

    #[test]
    fn the_last_owner_drops_the_value() {
        let witness = Arc::new(());
        let (mut ours, theirs) = Shared::pair((Arc::clone(&witness), [0_u64; 4]));
        assert!(!ours.is_last() && ours.get_mut().is_none());
        std::thread::spawn(move || assert_eq!(theirs.1[3], 0))
            .join()
            .unwrap();
        ours.get_mut().unwrap().1[0] = 1;
        assert_eq!((ours.1[0], Arc::strong_count(&witness)), (1, 2));
        drop(ours);
        assert_eq!(Arc::strong_count(&witness), 1);
    }

    #[test]
    fn large_and_strictly_aligned_values_have_room() {
        #[repr(align(64))]
        struct Aligned([u8; 300]);
        let (ours, theirs) = Shared::pair(Aligned([7; 300]));
        assert_eq!(std::ptr::from_ref(&*ours).addr() % 64, 0);
        drop(ours);
        assert!((*theirs).0.iter().all(|byte| *byte == 7));
    }
}
