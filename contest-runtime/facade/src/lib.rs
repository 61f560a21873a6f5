//! Stands in for `std`.
