//! Behaviours of the tests of shuttle, file by file.

mod yielding;
