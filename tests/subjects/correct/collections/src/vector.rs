//! `java.util.Vector` of JDK 1.1.7 without its bug 4334376.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::slots::Slots;

/// A vector that threads share.
#[derive(Debug, Default)]
pub struct Vector {
    slots: Mutex<Slots>,
    /// Written under the lock, read without it.
    count: AtomicUsize,
}

impl Vector {
    /// An empty vector.
    pub fn new() -> Self {
        Self::default()
    }

    fn enter(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The elements in order.
    pub fn copy_into(&self) -> Vec<u32> {
        self.enter().elements()
    }

    /// Gives unused room back.
    pub fn trim_to_size(&self) {
        self.enter().trim();
    }

    /// Makes room for so many elements.
    pub fn ensure_capacity(&self, capacity: usize) {
        self.enter().ensure(capacity);
    }

    /// Number of elements there is room for.
    pub fn capacity(&self) -> usize {
        self.enter().capacity()
    }

    /// Drops elements at the end, or adds zeros.
    pub fn set_size(&self, size: usize) {
        let mut slots = self.enter();
        slots.resize(size);
        self.counted(&slots);
    }

    /// Number of elements.
    pub fn size(&self) -> usize {
        self.count.load(SeqCst)
    }

    /// True if there is no element.
    pub fn is_empty(&self) -> bool {
        self.count.load(SeqCst) == 0
    }

    /// True if the element is there.
    pub fn contains(&self, element: u32) -> bool {
        self.enter().position(element, 0).is_some()
    }

    /// Where the element is first.
    pub fn index_of(&self, element: u32) -> Option<usize> {
        self.enter().position(element, 0)
    }

    /// Where the element is first, from a place on.
    pub fn index_of_from(&self, element: u32, from: usize) -> Option<usize> {
        self.enter().position(element, from)
    }

    /// Where the element is last.
    pub fn last_index_of(&self, element: u32) -> Option<usize> {
        self.last_index_of_up_to(element, usize::MAX)
    }

    /// Where the element is last, up to a place.
    pub fn last_index_of_up_to(&self, element: u32, to: usize) -> Option<usize> {
        let slots = self.enter();
        let last = to.min(slots.used().checked_sub(1)?);
        (0..=last)
            .rev()
            .find(|&index| slots.slot(index) == Some(element))
    }

    /// The element at a place.
    pub fn element_at(&self, index: usize) -> Option<u32> {
        self.enter().get(index)
    }

    /// The first element.
    pub fn first_element(&self) -> Option<u32> {
        self.enter().get(0)
    }

    /// The last element.
    pub fn last_element(&self) -> Option<u32> {
        let slots = self.enter();
        slots.get(slots.used().wrapping_sub(1))
    }

    /// Replaces the element at a place; false if there is none.
    pub fn set_element_at(&self, element: u32, index: usize) -> bool {
        self.enter().set(index, element)
    }

    /// Removes the element at a place.
    pub fn remove_element_at(&self, index: usize) -> Option<u32> {
        let mut slots = self.enter();
        let removed = slots.remove(index);
        self.counted(&slots);
        removed
    }

    /// Inserts an element at a place; false if that is beyond the end.
    pub fn insert_element_at(&self, element: u32, index: usize) -> bool {
        let mut slots = self.enter();
        let inserted = slots.insert(index, element);
        self.counted(&slots);
        inserted
    }

    /// Adds an element at the end.
    pub fn add_element(&self, element: u32) {
        let mut slots = self.enter();
        slots.push(element);
        self.counted(&slots);
    }

    /// Removes an element where it is first; false if it is not there.
    pub fn remove_element(&self, element: u32) -> bool {
        let mut slots = self.enter();
        let found = slots.position(element, 0);
        let removed = found.and_then(|index| slots.remove(index));
        self.counted(&slots);
        removed.is_some()
    }

    /// Removes all elements; their room stays.
    pub fn remove_all_elements(&self) {
        let mut slots = self.enter();
        slots.clear();
        self.counted(&slots);
    }

    /// The elements as text.
    pub fn text(&self) -> String {
        format!("{:?}", self.enter().elements())
    }

    fn counted(&self, slots: &Slots) {
        self.count.store(slots.used(), SeqCst);
    }
}
