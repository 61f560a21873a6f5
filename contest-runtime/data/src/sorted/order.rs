//! One sort for every type.

use std::cmp::Ordering;

/// Sorts elements; equal ones keep their order.
pub fn sort<T: Ord>(elements: &mut [T]) {
    sort_by(elements, T::cmp);
}

/// Sorts by a key of each element; elements with equal keys keep their order.
pub fn sort_by_key<T, K: Ord>(elements: &mut [T], mut key: impl FnMut(&T) -> K) {
    sort_by(elements, |one, other| key(one).cmp(&key(other)));
}

/// Sorts by a comparison; elements that it calls equal keep their order.
pub fn sort_by<T>(elements: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut order = order(elements.len(), &mut |one, other| {
        compare(&elements[one], &elements[other])
    });
    // Each cycle of the permutation, by exchanges of two elements.
    for start in 0..order.len() {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut order[at], at);
            if from == start {
                break;
            }
            elements.swap(at, from);
            at = from;
        }
    }
}

/// The places of elements in sorted order. The only sort that is compiled.
fn order(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|one, other| compare(*one, *other));
    order
}
