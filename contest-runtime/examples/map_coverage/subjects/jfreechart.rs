//! JFreeChart: `NumberAxis` and `XYSeries`.

use contest::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::beside;

/// The two ends of the range are set one after the other.
pub(super) struct NumberAxis {
    lower: AtomicUsize,
    upper: AtomicUsize,
    changes: AtomicUsize,
}

impl NumberAxis {
    pub(super) fn new() -> Self {
        Self {
            lower: AtomicUsize::new(2),
            upper: AtomicUsize::new(4),
            changes: AtomicUsize::new(0),
        }
    }

    pub(super) fn set_range(&self, lower: usize, upper: usize) {
        self.lower.store(lower, Relaxed);
        self.changes.fetch_add(1, Relaxed);
        self.upper.store(upper, Relaxed);
    }

    pub(super) fn range(&self) {
        let lower = self.lower.load(Relaxed);
        let upper = self.upper.load(Relaxed);
        assert!(lower <= upper, "illegal argument: lower <= upper");
    }
}

pub(super) fn number_axis() {
    beside(
        NumberAxis::new(),
        |axis| {
            axis.set_range(1, 3);
            axis.set_range(5, 8);
        },
        NumberAxis::range,
    );
}

/// An iteration finds the list modified.
struct XySeries {
    size: AtomicUsize,
    modified: AtomicUsize,
}

impl XySeries {
    fn add(&self) {
        self.modified.fetch_add(1, Relaxed);
        self.size.fetch_add(1, Relaxed);
    }

    fn iterate(&self) {
        let expected = self.modified.load(Relaxed);
        let mut next = 0;
        while next < self.size.load(Relaxed) {
            assert_eq!(
                self.modified.load(Relaxed),
                expected,
                "concurrent modification"
            );
            next += 1;
        }
    }
}

pub(super) fn xy_series() {
    let series = XySeries {
        size: AtomicUsize::new(2),
        modified: AtomicUsize::new(0),
    };
    beside(series, XySeries::iterate, XySeries::add);
}
