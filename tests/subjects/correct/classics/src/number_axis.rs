//! An axis of a chart: two bounds behind one lock.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::sync::Mutex;

/// An axis with bounds.
#[derive(Debug)]
pub struct NumberAxis {
    /// The lower and the upper one.
    bounds: Mutex<(i64, i64)>,
    label: Mutex<String>,
    inverted: AtomicBool,
    visible: AtomicBool,
    ticks: AtomicU32,
    auto_range: AtomicBool,
}

impl NumberAxis {
    /// From 0 to 10.
    pub fn new() -> Self {
        Self {
            bounds: Mutex::new((0, 10)),
            label: Mutex::new(String::new()),
            inverted: AtomicBool::new(false),
            visible: AtomicBool::new(true),
            ticks: AtomicU32::new(5),
            auto_range: AtomicBool::new(false),
        }
    }

    /// The lower bound.
    pub fn lower(&self) -> i64 {
        self.bounds.lock().unwrap().0
    }

    /// The upper bound.
    pub fn upper(&self) -> i64 {
        self.bounds.lock().unwrap().1
    }

    /// Sets both bounds; nothing happens if the lower one is not below the upper one.
    pub fn set_range(&self, lower: i64, upper: i64) {
        if lower >= upper {
            return;
        }
        *self.bounds.lock().unwrap() = (lower, upper);
    }

    /// Moves both bounds.
    pub fn shift(&self, by: i32) {
        let mut bounds = self.bounds.lock().unwrap();
        let (lower, upper) = &mut *bounds;
        *lower = lower.saturating_add(i64::from(by));
        *upper = upper.saturating_add(i64::from(by)).max(*lower + 1);
    }

    /// Length of the range.
    ///
    /// # Panics
    /// If the bounds are in the wrong order.
    pub fn length(&self) -> i64 {
        let bounds = self.bounds.lock().unwrap();
        let (lower, upper) = &*bounds;
        assert!(
            *lower < *upper,
            "lower bound {lower} and upper bound {upper}"
        );
        upper.saturating_sub(*lower)
    }

    /// True if the value is on the axis.
    pub fn shows(&self, value: i64) -> bool {
        let bounds = self.bounds.lock().unwrap();
        let (lower, upper) = &*bounds;
        (*lower..=*upper).contains(&value)
    }

    /// The label.
    pub fn label(&self) -> String {
        self.label.lock().unwrap().clone()
    }

    /// Sets the label.
    pub fn set_label(&self, label: &str) {
        label.clone_into(&mut self.label.lock().unwrap());
    }

    /// True if it runs from the upper to the lower bound.
    pub fn is_inverted(&self) -> bool {
        self.inverted.load(SeqCst)
    }

    /// Turns it round.
    pub fn set_inverted(&self, inverted: bool) {
        self.inverted.store(inverted, SeqCst);
    }

    /// True if it is drawn.
    pub fn is_visible(&self) -> bool {
        self.visible.load(SeqCst)
    }

    /// Draws it or not.
    pub fn set_visible(&self, visible: bool) {
        self.visible.store(visible, SeqCst);
    }

    /// Number of ticks.
    pub fn ticks(&self) -> u32 {
        self.ticks.load(SeqCst)
    }

    /// Sets the number of ticks.
    pub fn set_ticks(&self, ticks: u32) {
        self.ticks.store(ticks, SeqCst);
    }

    /// True if the bounds follow the data.
    pub fn is_auto_range(&self) -> bool {
        self.auto_range.load(SeqCst)
    }

    /// Lets the bounds follow the data.
    pub fn set_auto_range(&self, auto_range: bool) {
        self.auto_range.store(auto_range, SeqCst);
    }
}

impl Default for NumberAxis {
    fn default() -> Self {
        Self::new()
    }
}
