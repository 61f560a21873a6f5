//! Two tests that share a static.

use std::sync::atomic::{AtomicU32, Ordering};

static VISITS: AtomicU32 = AtomicU32::new(0);

/// Counts a visit; returns how many there were before.
pub fn visit() -> u32 {
    VISITS.fetch_add(1, Ordering::SeqCst)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_visit_is_number_0() {
        // Wrong: the other test may have counted one. Fix: give each test a counter of its own.
        assert_eq!(visit(), 0);
    }

    #[test]
    fn visits_are_counted() {
        let before = visit();
        assert!(visit() > before);
    }
}
