//! A series of points, ordered by x.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, RwLock};

/// Points of a chart.
#[derive(Debug)]
pub struct XySeries {
    points: RwLock<Vec<(i32, i32)>>,
    name: Mutex<String>,
    most: AtomicUsize,
    notify: AtomicBool,
    changes: AtomicUsize,
}

impl XySeries {
    /// No points.
    pub fn new() -> Self {
        Self {
            points: RwLock::new(Vec::new()),
            name: Mutex::new("series".to_owned()),
            most: AtomicUsize::new(usize::MAX),
            notify: AtomicBool::new(true),
            changes: AtomicUsize::new(0),
        }
    }

    fn changed(&self) {
        if self.notify.load(SeqCst) {
            self.changes.fetch_add(1, SeqCst);
        }
    }

    /// Adds a point, or replaces the one with this x.
    pub fn add(&self, x: i32, y: i32) {
        let mut points = self.points.write().unwrap();
        match points.binary_search_by_key(&x, |point| point.0) {
            Ok(at) => points[at].1 = y,
            Err(at) => points.insert(at, (x, y)),
        }
        drop(points);
        self.changed();
    }

    /// Place of the point with this x.
    pub fn index_of(&self, x: i32) -> Option<usize> {
        let points = self.points.read().unwrap();
        points.binary_search_by_key(&x, |point| point.0).ok()
    }

    /// Changes the y of the point with this x; false if there is none. The bug: its place is looked up before.
    pub fn update(&self, x: i32, y: i32) -> bool {
        let Some(at) = self.index_of(x) else {
            return false;
        };
        self.points.write().unwrap()[at].1 = y;
        self.changed();
        true
    }

    /// Removes the point with this x.
    pub fn remove(&self, x: i32) -> Option<i32> {
        let mut points = self.points.write().unwrap();
        let at = points.binary_search_by_key(&x, |point| point.0).ok()?;
        let (_, y) = points.remove(at);
        drop(points);
        self.changed();
        Some(y)
    }

    /// The y of this x.
    pub fn y(&self, x: i32) -> Option<i32> {
        let points = self.points.read().unwrap();
        let at = points.binary_search_by_key(&x, |point| point.0).ok()?;
        Some(points[at].1)
    }

    /// Number of points.
    pub fn item_count(&self) -> usize {
        self.points.read().unwrap().len()
    }

    /// Removes all points.
    pub fn clear(&self) {
        self.points.write().unwrap().clear();
        self.changed();
    }

    /// The smallest x.
    pub fn min_x(&self) -> Option<i32> {
        self.points.read().unwrap().first().map(|point| point.0)
    }

    /// The largest x.
    pub fn max_x(&self) -> Option<i32> {
        self.points.read().unwrap().last().map(|point| point.0)
    }

    /// The smallest y.
    pub fn min_y(&self) -> Option<i32> {
        self.points.read().unwrap().iter().map(|point| point.1).min()
    }

    /// The largest y.
    pub fn max_y(&self) -> Option<i32> {
        self.points.read().unwrap().iter().map(|point| point.1).max()
    }

    /// The largest number of points.
    pub fn maximum_item_count(&self) -> usize {
        self.most.load(SeqCst)
    }

    /// Sets it.
    pub fn set_maximum_item_count(&self, most: usize) {
        self.most.store(most, SeqCst);
    }

    /// Name of the series.
    pub fn name(&self) -> String {
        self.name.lock().unwrap().clone()
    }

    /// Sets the name.
    pub fn set_name(&self, name: &str) {
        name.clone_into(&mut self.name.lock().unwrap());
    }

    /// Counts changes or not.
    pub fn set_notify(&self, notify: bool) {
        self.notify.store(notify, SeqCst);
    }

    /// Number of changes.
    pub fn changes(&self) -> usize {
        self.changes.load(SeqCst)
    }
}

impl Default for XySeries {
    fn default() -> Self {
        Self::new()
    }
}
