//! A series of points, ordered by x.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, RwLock};

#[derive(Debug)]
struct Points {
    points: Vec<(i32, i32)>,
    notify: bool,
    changes: usize,
}

impl Points {
    fn place(&self, x: i32) -> Result<usize, usize> {
        self.points.binary_search_by_key(&x, |point| point.0)
    }

    fn changed(&mut self) {
        self.changes += usize::from(self.notify);
    }
}

/// Points of a chart.
#[derive(Debug)]
pub struct XySeries {
    points: RwLock<Points>,
    name: Mutex<String>,
    most: AtomicUsize,
}

impl XySeries {
    /// No points.
    pub fn new() -> Self {
        Self {
            points: RwLock::new(Points {
                points: Vec::new(),
                notify: true,
                changes: 0,
            }),
            name: Mutex::new("series".to_owned()),
            most: AtomicUsize::new(usize::MAX),
        }
    }

    /// Adds a point, or replaces the one with this x.
    pub fn add(&self, x: i32, y: i32) {
        let mut points = self.points.write().unwrap();
        match points.place(x) {
            Ok(at) => points.points[at].1 = y,
            Err(at) => points.points.insert(at, (x, y)),
        }
        points.changed();
    }

    /// Place of the point with this x.
    pub fn index_of(&self, x: i32) -> Option<usize> {
        self.points.read().unwrap().place(x).ok()
    }

    /// Changes the y of the point with this x; false if there is none.
    pub fn update(&self, x: i32, y: i32) -> bool {
        let mut points = self.points.write().unwrap();
        let Ok(at) = points.place(x) else {
            return false;
        };
        points.points[at].1 = y;
        points.changed();
        true
    }

    /// Removes the point with this x.
    pub fn remove(&self, x: i32) -> Option<i32> {
        let mut points = self.points.write().unwrap();
        let at = points.place(x).ok()?;
        let (_, y) = points.points.remove(at);
        points.changed();
        Some(y)
    }

    /// The y of this x.
    pub fn y(&self, x: i32) -> Option<i32> {
        let points = self.points.read().unwrap();
        let at = points.place(x).ok()?;
        Some(points.points[at].1)
    }

    /// Number of points.
    pub fn item_count(&self) -> usize {
        self.points.read().unwrap().points.len()
    }

    /// Removes all points.
    pub fn clear(&self) {
        let mut points = self.points.write().unwrap();
        points.points.clear();
        points.changed();
    }

    /// The smallest x.
    pub fn min_x(&self) -> Option<i32> {
        self.points
            .read()
            .unwrap()
            .points
            .first()
            .map(|point| point.0)
    }

    /// The largest x.
    pub fn max_x(&self) -> Option<i32> {
        self.points
            .read()
            .unwrap()
            .points
            .last()
            .map(|point| point.0)
    }

    /// The smallest y.
    pub fn min_y(&self) -> Option<i32> {
        self.points
            .read()
            .unwrap()
            .points
            .iter()
            .map(|point| point.1)
            .min()
    }

    /// The largest y.
    pub fn max_y(&self) -> Option<i32> {
        self.points
            .read()
            .unwrap()
            .points
            .iter()
            .map(|point| point.1)
            .max()
    }

    /// Most points, for whoever asks.
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
        self.points.write().unwrap().notify = notify;
    }

    /// Number of changes.
    pub fn changes(&self) -> usize {
        self.points.read().unwrap().changes
    }
}

impl Default for XySeries {
    fn default() -> Self {
        Self::new()
    }
}
