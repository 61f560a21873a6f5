//! `org.jfree.data.time.TimeSeries` of JFreeChart 0.9.8 (PCR, V14; DepCon+, C10, "data race"): mended: an item is
//! looked up and used under one lock.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Values by periods.
#[derive(Debug, Default)]
pub struct TimeSeries {
    items: Mutex<Vec<(u32, i32)>>,
    maximum_age: AtomicU32,
    maximum_items: AtomicUsize,
    name: Mutex<String>,
    domain: Mutex<String>,
    description: Mutex<String>,
}

impl TimeSeries {
    /// Without items.
    pub fn new() -> Self {
        Self::default()
    }

    fn items(&self) -> MutexGuard<'_, Vec<(u32, i32)>> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of items.
    pub fn item_count(&self) -> usize {
        self.items().len()
    }

    /// True if there are no items.
    pub fn is_empty(&self) -> bool {
        self.items().is_empty()
    }

    /// Where the item of a period is.
    pub fn index(&self, period: u32) -> Option<usize> {
        self.items()
            .binary_search_by_key(&period, |item| item.0)
            .ok()
    }

    /// The item of a period.
    pub fn data_item(&self, period: u32) -> Option<(u32, i32)> {
        let items = self.items();
        items.iter().find(|item| item.0 == period).copied()
    }

    /// The value of a period.
    pub fn value(&self, period: u32) -> Option<i32> {
        self.data_item(period).map(|item| item.1)
    }

    /// The item at a place, if there is one.
    pub fn data_item_at(&self, index: usize) -> Option<(u32, i32)> {
        self.items().get(index).copied()
    }

    /// The period at a place, if there is one.
    pub fn time_period(&self, index: usize) -> Option<u32> {
        self.items().get(index).map(|item| item.0)
    }

    /// The period after the last one.
    pub fn next_time_period(&self) -> u32 {
        self.items().last().map_or(0, |last| last.0.wrapping_add(1))
    }

    /// The periods in order.
    pub fn time_periods(&self) -> Vec<u32> {
        self.items().iter().map(|item| item.0).collect()
    }

    /// Periods of this series that the other one does not have.
    pub fn unique_to_other(&self, other: &[u32]) -> Vec<u32> {
        let mut periods = self.time_periods();
        periods.retain(|period| !other.contains(period));
        periods
    }

    /// Adds an item; false if the period has one.
    pub fn add(&self, period: u32, value: i32) -> bool {
        let mut items = self.items();
        let Err(at) = items.binary_search_by_key(&period, |item| item.0) else {
            return false;
        };
        items.insert(at, (period, value));
        let most = match self.maximum_items.load(SeqCst) {
            0 => usize::MAX,
            most => most,
        };
        if items.len() > most {
            items.remove(0);
        }
        true
    }

    /// Changes the value of a period; false if there is no item.
    pub fn update(&self, period: u32, value: i32) -> bool {
        let mut items = self.items();
        let found = items.iter_mut().find(|item| item.0 == period);
        found.map(|item| item.1 = value).is_some()
    }

    /// Sets the value of a period, whose item is returned if it had one.
    pub fn add_or_update(&self, period: u32, value: i32) -> Option<(u32, i32)> {
        let mut items = self.items();
        match items.binary_search_by_key(&period, |item| item.0) {
            Ok(at) => Some(std::mem::replace(&mut items[at], (period, value))),
            Err(at) => {
                items.insert(at, (period, value));
                None
            }
        }
    }

    /// Removes the item of a period; false if there is none.
    pub fn delete(&self, period: u32) -> bool {
        let mut items = self.items();
        let found = items.binary_search_by_key(&period, |item| item.0);
        found.map(|at| items.remove(at)).is_ok()
    }

    /// Removes items from one place to another one; false if there are none.
    pub fn delete_range(&self, from: usize, to: usize) -> bool {
        let mut items = self.items();
        let inside = from <= to && to < items.len();
        if inside {
            items.drain(from..=to);
        }
        inside
    }

    /// Removes all items.
    pub fn clear(&self) {
        self.items().clear();
    }

    /// Removes items that are older than allowed; how many.
    pub fn remove_aged_items(&self) -> usize {
        let mut items = self.items();
        let age = self.maximum_age.load(SeqCst);
        let before = items.len();
        if let Some(last) = items.last().map(|item| item.0).filter(|_| age > 0) {
            items.retain(|item| last - item.0 <= age);
        }
        before - items.len()
    }

    /// Age after which items are removed; 0 for never.
    pub fn maximum_item_age(&self) -> u32 {
        self.maximum_age.load(SeqCst)
    }

    /// Sets it.
    pub fn set_maximum_item_age(&self, age: u32) {
        self.maximum_age.store(age, SeqCst);
    }

    /// Number of items beyond which the first one is removed; 0 for never.
    pub fn maximum_item_count(&self) -> usize {
        self.maximum_items.load(SeqCst)
    }

    /// Sets it.
    pub fn set_maximum_item_count(&self, count: usize) {
        self.maximum_items.store(count, SeqCst);
    }

    /// The name.
    pub fn name(&self) -> String {
        self.name.lock().unwrap().clone()
    }

    /// Sets it.
    pub fn set_name(&self, name: &str) {
        name.clone_into(&mut self.name.lock().unwrap());
    }

    /// What the periods mean.
    pub fn domain_description(&self) -> String {
        self.domain.lock().unwrap().clone()
    }

    /// Sets it.
    pub fn set_domain_description(&self, text: &str) {
        text.clone_into(&mut self.domain.lock().unwrap());
    }

    /// What the values mean.
    pub fn range_description(&self) -> String {
        self.description.lock().unwrap().clone()
    }

    /// Sets it.
    pub fn set_range_description(&self, text: &str) {
        text.clone_into(&mut self.description.lock().unwrap());
    }

    /// An independent series with the same items.
    pub fn create_copy(&self) -> Self {
        let copy = Self::new();
        copy.items().clone_from(&self.items());
        copy
    }
}
