//! A reader still has the pointer when the writer frees what it points to.

use std::sync::atomic::{AtomicPtr, Ordering};

pub struct Current {
    value: AtomicPtr<u64>,
}

impl Current {
    pub fn new() -> Self {
        let value = AtomicPtr::new(Box::into_raw(Box::new(7)));
        Self { value }
    }

    pub fn get(&self) -> bool {
        let value = self.value.load(Ordering::Acquire);
        // SAFETY: wrong, `replace` may have freed it. Fix: `Mutex<Arc<u64>>`, or epochs or hazard pointers.
        unsafe { *value < 100 }
    }

    pub fn replace(&self) {
        let new = Box::into_raw(Box::new(8));
        let old = self.value.swap(new, Ordering::AcqRel);
        // SAFETY: wrong, a reader may be using it.
        drop(unsafe { Box::from_raw(old) });
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        // SAFETY: there is no reader left.
        drop(unsafe { Box::from_raw(*self.value.get_mut()) });
    }
}
