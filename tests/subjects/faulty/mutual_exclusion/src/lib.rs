//! Mutual exclusion of two threads by loads and stores, with one ordering too weak each. Sequentially consistent
//! executions show nothing of it.

mod bakery;
mod dekker;
mod peterson;

pub use bakery::{bakery, BakeryLeft, BakeryRight};
pub use dekker::{dekker, DekkerLeft, DekkerRight};
pub use peterson::{peterson, PetersonLeft, PetersonRight};
