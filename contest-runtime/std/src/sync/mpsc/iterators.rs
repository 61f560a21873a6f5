//! Iterators over the messages of a channel.

use super::handles::Receiver;

/// Drop-in for `std::sync::mpsc::Iter`.
#[derive(Debug)]
pub struct Iter<'a, T: 'a> {
    pub(super) rx: &'a Receiver<T>,
}

/// Drop-in for `std::sync::mpsc::TryIter`.
#[derive(Debug)]
pub struct TryIter<'a, T: 'a> {
    pub(super) rx: &'a Receiver<T>,
}

/// Drop-in for `std::sync::mpsc::IntoIter`.
#[derive(Debug)]
pub struct IntoIter<T> {
    rx: Receiver<T>,
}

impl<T> Iterator for Iter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.rx.recv().ok()
    }
}

impl<T> Iterator for TryIter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.rx.try_recv().ok()
    }
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.rx.recv().ok()
    }
}

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter { rx: self }
    }
}
