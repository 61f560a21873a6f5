//! `org.jfree.chart.plot.XYPlot` of JFreeChart 1.0.9 (PCR, V15; DepCon+, C11, "data race"): drawing runs over lists that
//! other threads change, as an iterator that fails fast.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A list that counts its changes.
#[derive(Debug, Default)]
struct List {
    items: Mutex<Vec<u32>>,
    changes: AtomicU64,
}

impl List {
    fn items(&self) -> MutexGuard<'_, Vec<u32>> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, item: u32) {
        self.items().push(item);
        self.changes.fetch_add(1, SeqCst);
    }

    fn remove(&self, item: u32) -> bool {
        let mut items = self.items();
        let found = items.iter().position(|own| *own == item);
        let removed = found.map(|at| items.remove(at)).is_some();
        if removed {
            self.changes.fetch_add(1, SeqCst);
        }
        removed
    }

    fn clear(&self) {
        self.items().clear();
        self.changes.fetch_add(1, SeqCst);
    }

    fn set(&self, index: usize, item: u32) {
        let mut items = self.items();
        let index = index % 4;
        if index >= items.len() {
            items.resize(index + 1, 0);
        }
        items[index] = item;
    }

    fn get(&self, index: usize) -> Option<u32> {
        self.items().get(index).copied()
    }

    fn len(&self) -> usize {
        self.items().len()
    }

    /// The items one after the other.
    ///
    /// # Panics
    /// If the list changes meanwhile.
    fn iterate(&self, mut see: impl FnMut(u32)) {
        let expected = self.changes.load(SeqCst);
        let mut next = 0;
        while let Some(item) = self.get(next) {
            assert_eq!(
                self.changes.load(SeqCst),
                expected,
                "concurrent modification"
            );
            see(item);
            next += 1;
        }
    }
}

/// A plot of data sets with axes, markers and annotations.
#[derive(Debug, Default)]
pub struct XyPlot {
    datasets: List,
    renderers: List,
    domain_axes: List,
    range_axes: List,
    domain_markers: List,
    range_markers: List,
    annotations: List,
    orientation: AtomicU32,
    axis_offset: AtomicU32,
    domain_gridlines: AtomicBool,
    range_gridlines: AtomicBool,
    zero_baseline: AtomicBool,
    domain_crosshair: AtomicBool,
    domain_crosshair_value: AtomicU32,
    range_crosshair: AtomicBool,
    range_crosshair_value: AtomicU32,
    locked_on_data: AtomicBool,
    weight: AtomicU32,
    rendering_order: AtomicU32,
    series_rendering_order: AtomicU32,
}

impl XyPlot {
    /// An empty plot.
    pub fn new() -> Self {
        Self::default()
    }

    /// Draws the plot; how many things were drawn. The fault: lists are run over without a lock.
    pub fn draw(&self) -> usize {
        let mut drawn = self.datasets.len().min(self.renderers.len());
        self.domain_markers.iterate(|_| drawn += 1);
        self.range_markers.iterate(|_| drawn += 1);
        self.annotations.iterate(|_| drawn += 1);
        drawn
    }

    /// Adds an annotation.
    pub fn add_annotation(&self, annotation: u32) {
        self.annotations.add(annotation);
    }

    /// Removes an annotation; false if it is not there.
    pub fn remove_annotation(&self, annotation: u32) -> bool {
        self.annotations.remove(annotation)
    }

    /// Removes all annotations.
    pub fn clear_annotations(&self) {
        self.annotations.clear();
    }

    /// The annotations.
    pub fn annotations(&self) -> Vec<u32> {
        self.annotations.items().clone()
    }

    /// Adds a marker across.
    pub fn add_domain_marker(&self, marker: u32) {
        self.domain_markers.add(marker);
    }

    /// Removes such a marker; false if it is not there.
    pub fn remove_domain_marker(&self, marker: u32) -> bool {
        self.domain_markers.remove(marker)
    }

    /// Removes all of them.
    pub fn clear_domain_markers(&self) {
        self.domain_markers.clear();
    }

    /// Adds a marker along.
    pub fn add_range_marker(&self, marker: u32) {
        self.range_markers.add(marker);
    }

    /// Removes such a marker; false if it is not there.
    pub fn remove_range_marker(&self, marker: u32) -> bool {
        self.range_markers.remove(marker)
    }

    /// Removes all of them.
    pub fn clear_range_markers(&self) {
        self.range_markers.clear();
    }

    /// The data set at a place.
    pub fn dataset(&self, index: usize) -> Option<u32> {
        self.datasets.get(index)
    }

    /// Sets it; the place is taken modulo 4.
    pub fn set_dataset(&self, index: usize, dataset: u32) {
        self.datasets.set(index, dataset);
    }

    /// Number of data sets.
    pub fn dataset_count(&self) -> usize {
        self.datasets.len()
    }

    /// Where a data set is.
    pub fn index_of(&self, dataset: u32) -> Option<usize> {
        self.datasets.items().iter().position(|own| *own == dataset)
    }

    /// The renderer at a place.
    pub fn renderer(&self, index: usize) -> Option<u32> {
        self.renderers.get(index)
    }

    /// Sets it; the place is taken modulo 4.
    pub fn set_renderer(&self, index: usize, renderer: u32) {
        self.renderers.set(index, renderer);
    }

    /// The axis across at a place.
    pub fn domain_axis(&self, index: usize) -> Option<u32> {
        self.domain_axes.get(index)
    }

    /// Sets it; the place is taken modulo 4.
    pub fn set_domain_axis(&self, index: usize, axis: u32) {
        self.domain_axes.set(index, axis);
    }

    /// Removes all of them.
    pub fn clear_domain_axes(&self) {
        self.domain_axes.clear();
    }

    /// The axis along at a place.
    pub fn range_axis(&self, index: usize) -> Option<u32> {
        self.range_axes.get(index)
    }

    /// Sets it; the place is taken modulo 4.
    pub fn set_range_axis(&self, index: usize, axis: u32) {
        self.range_axes.set(index, axis);
    }

    /// Removes all of them.
    pub fn clear_range_axes(&self) {
        self.range_axes.clear();
    }

    properties! {
        /// Orientation of the plot.
        orientation, set_orientation: u32;
        /// Space between plot and axes.
        axis_offset, set_axis_offset: u32;
        /// True if lines across are drawn.
        domain_gridlines, set_domain_gridlines: bool;
        /// True if lines along are drawn.
        range_gridlines, set_range_gridlines: bool;
        /// True if the line at zero is drawn.
        zero_baseline, set_zero_baseline: bool;
        /// True if the crosshair across is drawn.
        domain_crosshair, set_domain_crosshair: bool;
        /// Where it is.
        domain_crosshair_value, set_domain_crosshair_value: u32;
        /// True if the crosshair along is drawn.
        range_crosshair, set_range_crosshair: bool;
        /// Where it is.
        range_crosshair_value, set_range_crosshair_value: u32;
        /// True if crosshairs go to the next data point.
        locked_on_data, set_locked_on_data: bool;
        /// Share of the plot among others.
        weight, set_weight: u32;
        /// In which order data sets are drawn.
        rendering_order, set_rendering_order: u32;
        /// In which order series are drawn.
        series_rendering_order, set_series_rendering_order: u32;
    }
}
