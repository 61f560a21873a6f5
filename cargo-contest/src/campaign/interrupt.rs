//! A flag that ends a campaign early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends a campaign early: set by Ctrl-C, or because enough was found.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    set: Arc<AtomicBool>,
    parent: Option<Arc<AtomicBool>>,
}

impl Interrupt {
    /// Sets it.
    pub fn set(&self) {
        self.set.store(true, Ordering::SeqCst);
    }

    /// True if it, or the one it was made from, is set.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.set.load(Ordering::SeqCst)
            || self
                .parent
                .as_ref()
                .is_some_and(|parent| parent.load(Ordering::SeqCst))
    }

    /// One that can be set on its own.
    pub(super) fn child(&self) -> Self {
        Self {
            set: Arc::default(),
            parent: Some(Arc::clone(&self.set)),
        }
    }
}
