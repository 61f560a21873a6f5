//! Values for type parameters of types under test that promise too much about them.

mod unsent;
mod unshared;

pub use unsent::Unsent;
pub use unshared::Unshared;
