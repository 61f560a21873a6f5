//! Tutorials: one for each way in, and for those who come from loom or shuttle.
//!
//! | you have | you do | read |
//! |---|---|---|
//! | a crate, and no wish to change it | run a tool | [`unmodified`] |
//! | a type of your own | write two attributes, run `cargo test` | [`annotated`] |
//! | an algorithm and a claim about it | write a model | [`models`] |
//! | tests written for loom | rename, or keep loom as a second engine | [`from_loom`] |
//! | tests written for shuttle | rename | [`from_shuttle`] |

#[doc = include_str!("unmodified.md")]
pub mod unmodified {}

#[doc = include_str!("annotated.md")]
pub mod annotated {}

#[doc = include_str!("models.md")]
pub mod models {}

#[doc = include_str!("from_loom.md")]
pub mod from_loom {}

#[doc = include_str!("from_shuttle.md")]
pub mod from_shuttle {}
