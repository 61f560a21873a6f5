//! The main path.
