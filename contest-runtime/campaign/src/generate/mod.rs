//! Operations and a seed in, concurrent tests out: call sequences that enlarge sequential coverage, then pairs of them side by side.

mod call_tree;
mod dependencies;
pub mod ends;
#[cfg(test)]
mod fixtures;
pub mod generators;
mod pair_order;
mod pair_selection;
mod parts;
mod random_calls;
mod random_source;
mod run_test;
mod sequences;
pub mod sequential_coverage;

pub use call_tree::{CallTree, Found, Pruned, RunSequence, SequenceAccess, SequenceRun, TraceSet};
pub use dependencies::DependencyTable;
pub use generators::{RunCalls, TestSource};
pub use pair_selection::TestStream;
pub use random_calls::RandomCalls;
pub use random_source::RandomSource;
pub use run_test::body;
pub use sequences::{CallSequence, SearchTotals, Sequences};
