//! A set that is a sorted vector.

use std::borrow::Borrow;

/// Values in their order, each once. What holds of insertions into a [`SortedMap`](super::SortedMap) holds here.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SortedSet<T> {
    values: Vec<T>,
}

impl<T> Default for SortedSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> SortedSet<T> {
    /// No value.
    #[must_use]
    pub const fn new() -> Self {
        Self { values: Vec::new() }
    }

    /// Number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The values, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.values.iter()
    }

    /// The least value.
    #[must_use]
    pub fn first(&self) -> Option<&T> {
        self.values.first()
    }

    /// The greatest value.
    #[must_use]
    pub fn last(&self) -> Option<&T> {
        self.values.last()
    }
}

impl<T: Ord> SortedSet<T> {
    /// Whether a value is in the set.
    pub fn contains<Q: Ord + ?Sized>(&self, value: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.place(value).is_ok()
    }

    /// Adds a value; true if it was not in the set.
    pub fn insert(&mut self, value: T) -> bool {
        match self.place(&value) {
            Ok(_) => false,
            Err(at) => {
                self.values.insert(at, value);
                true
            }
        }
    }

    /// Takes a value out; true if it was in the set.
    pub fn remove<Q: Ord + ?Sized>(&mut self, value: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.place(value).is_ok_and(|at| {
            self.values.remove(at);
            true
        })
    }

    /// Whether each value is in `other`.
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.values.iter().all(|value| other.contains(value))
    }

    /// The values that are not in `other`, in order.
    pub fn difference(&self, other: &Self) -> impl Iterator<Item = &T> {
        (self.values.iter()).filter(|value| !other.contains(*value))
    }

    fn place<Q: Ord + ?Sized>(&self, value: &Q) -> Result<usize, usize>
    where
        T: Borrow<Q>,
    {
        self.values
            .binary_search_by(|other| other.borrow().cmp(value))
    }
}

impl<T: Ord> FromIterator<T> for SortedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut set = Self::new();
        set.extend(values);
        set
    }
}

impl<T: Ord, const N: usize> From<[T; N]> for SortedSet<T> {
    fn from(values: [T; N]) -> Self {
        values.into_iter().collect()
    }
}

impl<T: Ord> Extend<T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        for value in values {
            self.insert(value);
        }
    }
}

impl<'a, T: Ord + Copy> Extend<&'a T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = &'a T>>(&mut self, values: I) {
        self.extend(values.into_iter().copied());
    }
}

impl<T> IntoIterator for SortedSet<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.values.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a SortedSet<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.values.iter()
    }
}
