//! Operations and a seed in, concurrent tests out: call sequences that enlarge sequential coverage, then pairs of them
//! side by side.
#![cfg_attr(doc, doc = include_str!("DESIGN.md"))]

mod call_tree;
mod dependencies;
mod ends;
#[cfg(test)]
pub(crate) mod fixtures;
mod generators;
mod identity;
mod kept_results;
mod ladder;
mod pair_order;
mod pair_selection;
mod parts;
mod random_calls;
mod random_source;
mod run_test;
mod sequences;
mod sequential_coverage;

pub use sequential_coverage::TraceTable;

pub(crate) use call_tree::{LockOrder, SequenceAccess, SequenceRun};
pub(crate) use dependencies::DependencyTable;
pub(crate) use ends::{in_order, respects_ends, still_there};
pub(crate) use generators::{Look, RunCalls, TestSource};
pub(crate) use kept_results::lets_go;
pub(crate) use ladder::{Ladder, RungState};
pub(crate) use random_calls::{RandomCalls, first_call, first_object};
pub(crate) use random_source::RandomSource;
pub(crate) use run_test::body;
pub(crate) use sequences::CallSequence;

use pair_selection::TestStream;
use sequences::Sequences;
