//! A growing list in which every method locks once.

use std::sync::Mutex;

/// A list of numbers.
#[derive(Debug, Default)]
pub struct Vector {
    elements: Mutex<Vec<u32>>,
}

impl Vector {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// A list of these.
    pub fn of(elements: Vec<u32>) -> Self {
        Self {
            elements: Mutex::new(elements),
        }
    }

    /// Appends a number.
    pub fn add(&self, element: u32) {
        self.elements.lock().unwrap().push(element);
    }

    /// Puts a number in front.
    pub fn add_first(&self, element: u32) {
        self.elements.lock().unwrap().insert(0, element);
    }

    /// Number of elements.
    pub fn size(&self) -> usize {
        self.elements.lock().unwrap().len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.elements.lock().unwrap().is_empty()
    }

    /// Element at this place.
    pub fn get(&self, index: usize) -> Option<u32> {
        self.elements.lock().unwrap().get(index).copied()
    }

    /// Replaces the element at this place; the old one.
    pub fn set(&self, index: usize, element: u32) -> Option<u32> {
        let mut elements = self.elements.lock().unwrap();
        let place = elements.get_mut(index)?;
        Some(std::mem::replace(place, element))
    }

    /// The first element.
    pub fn first(&self) -> Option<u32> {
        self.elements.lock().unwrap().first().copied()
    }

    /// The last element.
    pub fn last(&self) -> Option<u32> {
        self.elements.lock().unwrap().last().copied()
    }

    /// Takes the first element out.
    pub fn remove_first(&self) -> Option<u32> {
        let mut elements = self.elements.lock().unwrap();
        (!elements.is_empty()).then(|| elements.remove(0))
    }

    /// Takes the last element out.
    pub fn remove_last(&self) -> Option<u32> {
        self.elements.lock().unwrap().pop()
    }

    /// Takes the first of these elements out; true if there was one.
    pub fn remove(&self, element: u32) -> bool {
        let mut elements = self.elements.lock().unwrap();
        let found = elements.iter().position(|it| *it == element);
        found.map(|at| elements.remove(at)).is_some()
    }

    /// Takes all out.
    pub fn clear(&self) {
        self.elements.lock().unwrap().clear();
    }

    /// True if the element is in it.
    pub fn contains(&self, element: u32) -> bool {
        self.elements.lock().unwrap().contains(&element)
    }

    /// Place of the first of these elements.
    pub fn index_of(&self, element: u32) -> Option<usize> {
        let elements = self.elements.lock().unwrap();
        elements.iter().position(|it| *it == element)
    }

    /// Place of the last of these elements.
    pub fn last_index_of(&self, element: u32) -> Option<usize> {
        let elements = self.elements.lock().unwrap();
        elements.iter().rposition(|it| *it == element)
    }

    /// Turns the order round.
    pub fn reverse(&self) {
        self.elements.lock().unwrap().reverse();
    }

    /// Sorts the elements.
    pub fn sort(&self) {
        self.elements.lock().unwrap().sort_unstable();
    }

    /// All elements.
    pub fn to_vec(&self) -> Vec<u32> {
        self.elements.lock().unwrap().clone()
    }

    /// Sum of the elements.
    pub fn sum(&self) -> u64 {
        self.elements
            .lock()
            .unwrap()
            .iter()
            .map(|it| u64::from(*it))
            .sum()
    }
}
