//! The rules on hand-made histories, against a sequential model that stands in for the type under test.

mod accepts;
mod callbacks;
mod crossed;
mod excuses;
mod given_out;
mod leaks;
mod model;
mod oracle;
mod trial;
