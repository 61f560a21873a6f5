//! A finding in, a Rust test file out.
