//! The twins of `faulty-mutual-exclusion`, with orderings that are as strong as they must be.

mod bakery;
mod dekker;
mod peterson;

pub use bakery::{bakery, BakeryLeft, BakeryRight};
pub use dekker::{dekker, DekkerLeft, DekkerRight};
pub use peterson::{peterson, PetersonLeft, PetersonRight};
