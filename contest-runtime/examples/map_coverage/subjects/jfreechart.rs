//! JFreeChart: `NumberAxis`, `PeriodAxis`, `TimeSeries`, `XYPlot` and `XYSeries`.

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

/// The first and the last period are set one after the other.
struct PeriodAxis {
    first: AtomicUsize,
    last: AtomicUsize,
    automatic: AtomicUsize,
}

impl PeriodAxis {
    fn set_range(&self, first: usize, last: usize) {
        self.automatic.store(0, Relaxed);
        self.first.store(first, Relaxed);
        self.last.store(last, Relaxed);
    }

    fn range(&self) {
        let first = self.first.load(Relaxed);
        let last = self.last.load(Relaxed);
        assert!(first <= last, "illegal argument: first <= last");
    }
}

pub(super) fn period_axis() {
    let axis = PeriodAxis {
        first: AtomicUsize::new(0),
        last: AtomicUsize::new(3),
        automatic: AtomicUsize::new(1),
    };
    beside(
        axis,
        |axis| {
            axis.set_range(1, 2);
            axis.set_range(5, 8);
        },
        |axis| {
            axis.range();
            axis.set_range(2, 4);
        },
    );
}

/// An item is looked up, then used by its place.
struct TimeSeries {
    items: AtomicUsize,
}

impl TimeSeries {
    fn value(&self) {
        let items = self.items.load(Relaxed);
        if items > 0 {
            assert!(items <= self.items.load(Relaxed), "index out of bounds");
        }
    }

    fn delete(&self) {
        let items = self.items.load(Relaxed);
        if items > 0 {
            self.items.store(items - 1, Relaxed);
        }
    }
}

pub(super) fn time_series() {
    let series = TimeSeries {
        items: AtomicUsize::new(2),
    };
    beside(series, TimeSeries::value, TimeSeries::delete);
}

/// Drawing runs over annotations that other threads add.
struct XyPlot {
    annotations: XySeries,
    markers: XySeries,
}

pub(super) fn xy_plot() {
    let list = |size| XySeries {
        size: AtomicUsize::new(size),
        modified: AtomicUsize::new(0),
    };
    let plot = XyPlot {
        annotations: list(2),
        markers: list(0),
    };
    beside(
        plot,
        |plot| {
            plot.markers.iterate();
            plot.annotations.iterate();
        },
        |plot| plot.annotations.add(),
    );
}
