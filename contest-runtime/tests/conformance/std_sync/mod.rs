//! Behaviours of the tests of `std::sync` (`library/std/tests/sync`), file by file.
