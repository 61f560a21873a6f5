//! A flag that ends a campaign early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends a campaign early: set by Ctrl-C, or because enough was found.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    set: Arc<AtomicBool>,
    parent: Option<Arc<AtomicBool>>,
    left_alone: Arc<AtomicBool>,
}

impl Interrupt {
    /// Sets it.
    pub fn set(&self) {
        self.set.store(true, Ordering::SeqCst);
    }

    /// From here on Ctrl-C is for a child that has the terminal.
    pub fn leave_alone(&self) {
        self.left_alone.store(true, Ordering::SeqCst);
    }

    /// True if Ctrl-C is for a child.
    #[must_use]
    pub fn is_left_alone(&self) -> bool {
        self.left_alone.load(Ordering::SeqCst)
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
            left_alone: Arc::clone(&self.left_alone),
        }
    }
}
