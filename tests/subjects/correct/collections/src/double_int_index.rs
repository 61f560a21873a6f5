//! `org.hsqldb.lib.DoubleIntIndex` of HSQLDB 2.3.3 (DepCon+, C4, "atomicity"): two columns of numbers, searched by one of
//! them.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default)]
struct Rows {
    rows: Vec<(i32, i32)>,
    sorted: bool,
}

/// Keys with values.
#[derive(Debug)]
pub struct DoubleIntIndex {
    rows: Mutex<Rows>,
    capacity: usize,
    on_values: AtomicBool,
}

impl DoubleIntIndex {
    /// An empty index of 16 rows.
    pub fn new() -> Self {
        Self {
            rows: Mutex::default(),
            capacity: 16,
            on_values: AtomicBool::new(false),
        }
    }

    fn enter(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first row with this key.
    pub fn find_first_equal_key_index(&self, key: i32) -> Option<usize> {
        let mut index = self.enter();
        sort(&mut index);
        index.rows.iter().position(|row| row.0 == key)
    }

    /// The first row with this key, or with a greater one.
    pub fn find_first_greater_equal_key_index(&self, key: i32) -> Option<usize> {
        let mut index = self.enter();
        sort(&mut index);
        index.rows.iter().position(|row| row.0 >= key)
    }

    /// The value of a key.
    pub fn lookup(&self, key: i32) -> Option<i32> {
        let mut index = self.enter();
        sort(&mut index);
        let found = index.rows.iter().find(|row| row.0 == key);
        found.map(|row| row.1)
    }

    /// The value of the first key that is not smaller.
    pub fn lookup_first_greater_equal(&self, key: i32) -> Option<i32> {
        let mut index = self.enter();
        sort(&mut index);
        let found = index.rows.iter().find(|row| row.0 >= key);
        found.map(|row| row.1)
    }

    /// The key of the last row.
    pub fn last_key(&self) -> Option<i32> {
        self.enter().rows.last().map(|row| row.0)
    }

    /// The key of a row.
    pub fn get_key(&self, row: usize) -> Option<i32> {
        self.enter().rows.get(row).map(|row| row.0)
    }

    /// The value of a row.
    pub fn get_value(&self, row: usize) -> Option<i32> {
        self.enter().rows.get(row).map(|row| row.1)
    }

    /// Sets the key of a row; false if there is no such row.
    pub fn set_key(&self, row: usize, key: i32) -> bool {
        let mut index = self.enter();
        index.sorted = false;
        index.rows.get_mut(row).map(|row| row.0 = key).is_some()
    }

    /// Sets the value of a row; false if there is no such row.
    pub fn set_value(&self, row: usize, value: i32) -> bool {
        let mut index = self.enter();
        index.rows.get_mut(row).map(|row| row.1 = value).is_some()
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.enter().rows.len()
    }

    /// Number of rows there is room for.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Adds a row at the end; false if there is no room.
    pub fn add_unsorted(&self, key: i32, value: i32) -> bool {
        let mut index = self.enter();
        if index.rows.len() == self.capacity {
            return false;
        }
        index.sorted = index
            .rows
            .last()
            .map_or(true, |last| index.sorted && last.0 <= key);
        index.rows.push((key, value));
        true
    }

    /// Adds a row at its place; false if there is no room.
    pub fn add(&self, key: i32, value: i32) -> bool {
        let mut index = self.enter();
        if index.rows.len() == self.capacity {
            return false;
        }
        sort(&mut index);
        let at = index.rows.partition_point(|row| row.0 <= key);
        index.rows.insert(at, (key, value));
        true
    }

    /// Adds a row unless the key has one.
    pub fn add_unique(&self, key: i32, value: i32) -> bool {
        let mut index = self.enter();
        if index.rows.len() == self.capacity || index.rows.iter().any(|row| row.0 == key) {
            return false;
        }
        sort(&mut index);
        let at = index.rows.partition_point(|row| row.0 <= key);
        index.rows.insert(at, (key, value));
        true
    }

    /// Replaces the value of a key, or adds a row.
    pub fn add_or_replace_unique(&self, key: i32, value: i32) -> bool {
        let mut index = self.enter();
        if let Some(row) = index.rows.iter_mut().find(|row| row.0 == key) {
            row.1 = value;
            return true;
        }
        if index.rows.len() == self.capacity {
            return false;
        }
        sort(&mut index);
        let at = index.rows.partition_point(|row| row.0 <= key);
        index.rows.insert(at, (key, value));
        true
    }

    /// Removes a row; false if there is no such row.
    pub fn remove(&self, row: usize) -> bool {
        let mut index = self.enter();
        let inside = row < index.rows.len();
        if inside {
            index.rows.remove(row);
        }
        inside
    }

    /// Removes all rows.
    pub fn remove_all(&self) {
        let mut index = self.enter();
        index.rows.clear();
        index.sorted = true;
    }

    /// Sorts the rows by their keys.
    pub fn sort(&self) {
        sort(&mut self.enter());
    }

    /// Searches are by key.
    pub fn set_keys_search_target(&self) {
        self.on_values.store(false, SeqCst);
    }

    /// Searches are by value.
    pub fn set_values_search_target(&self) {
        self.on_values.store(true, SeqCst);
    }

    /// The first row with this number in the column that is searched.
    pub fn find_first(&self, number: i32) -> Option<usize> {
        let index = self.enter();
        let on_values = self.on_values.load(SeqCst);
        let column = |row: &(i32, i32)| if on_values { row.1 } else { row.0 };
        index.rows.iter().position(|row| column(row) == number)
    }

    /// Sum of all values.
    pub fn total_values(&self) -> i64 {
        self.enter().rows.iter().map(|row| i64::from(row.1)).sum()
    }

    /// All rows.
    pub fn rows(&self) -> Vec<(i32, i32)> {
        self.enter().rows.clone()
    }
}

impl Default for DoubleIntIndex {
    fn default() -> Self {
        Self::new()
    }
}

fn sort(index: &mut Rows) {
    if !index.sorted {
        index.rows.sort_by_key(|row| row.0);
        index.sorted = true;
    }
}
