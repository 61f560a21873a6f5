//! Two types that have nothing to do with each other, for campaigns that go on from night to night.

mod numbers;
mod slots;

pub use numbers::Numbers;
pub use slots::Slots;
