//! What interleavings a set of executions has shown: [`ExecutionRecord`](contest_data::trace::ExecutionRecord)s in, covered patterns out.
//!
//! A *pattern* is one of 17 orders of accesses of two threads, with the places in the source that made them. Coverage is computed from
//! executions that ran, never from what a solver says could run. Dropped: accesses of variables that only one thread uses or nobody
//! writes, and what the caps of [`instances`] cut off, which is counted.

pub mod access;
pub mod access_patterns;
pub mod fast_hash;
mod fields_met;
pub mod instances;
pub mod map_coverage;
pub mod method_pairs;
#[cfg(all(
    feature = "driver",
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
pub mod shared_accesses;
pub mod sites;
mod variables;

pub use access::{Access, Accesses, Contents};
pub use access_patterns::{Pattern, Role};
pub use map_coverage::MapCoverage;
pub use method_pairs::MethodPairs;
pub use sites::{Site, SiteId, SiteTable};
