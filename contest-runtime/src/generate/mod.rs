//! Operations and a seed in, random calls out (the generator of ConTeGe: constructor, state changers, suffixes).

pub mod random_calls;
pub mod random_source;

pub use random_calls::RandomCalls;
pub use random_source::RandomSource;
