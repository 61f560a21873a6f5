//! Behaviours of the tests of loom 0.7.2, file by file.
