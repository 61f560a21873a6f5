//! Attributes of `cargo contest`. None yet: the annotated path is the next piece of work.
