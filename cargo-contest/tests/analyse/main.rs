//! The analysis on sources of its own: guard scopes against what really runs, constructs, relations, the papers'
//! examples, bad input.

mod bad_input;
mod constructs;
mod guard_scopes;
mod operations;
mod papers;
mod relations;
mod support;
