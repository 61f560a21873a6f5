//! Maps and sets that are sorted vectors, and one sort for every type.
//!
//! The compiler makes a copy of a collection for each type that it holds. A B-tree is some 2,500 lines of its
//! intermediate code for each, a sort 1,300, and they were a quarter of what was compiled before the first run on a
//! machine. What is kept here has tens of entries: an insertion in the middle moves what is above it. What may have
//! many thousands, in any order, is a B-tree or a hash map.
//!
//! They are no library, for code under test is linked with this package and may see nothing that it depends on.

mod map;
mod order;
mod set;

pub use map::SortedMap;
pub use order::{sort, sort_by, sort_by_key};
pub use set::SortedSet;

#[cfg(test)]
mod tests;
