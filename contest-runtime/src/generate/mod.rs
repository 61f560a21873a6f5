//! Operations and a seed in, calls out: random ones (the generator of ConTeGe: constructor, state changers, suffixes) and sequences that
//! enlarge sequential coverage (AutoConTest).

pub mod call_tree;
pub mod dependencies;
pub mod random_calls;
pub mod random_source;
pub mod sequences;
pub mod sequential_coverage;

pub use dependencies::{Dependencies, DependencyTable, PairDependency, Promise};
pub use random_calls::RandomCalls;
pub use random_source::RandomSource;
pub use sequences::{CallSequence, Sequences};
