//! What interleavings a set of executions has shown: [`ExecutionRecord`](contest_data::trace::ExecutionRecord)s in,
//! covered patterns out.
//!
//! A *pattern* is one of 17 orders of accesses of two threads, with the places in the source that made them. Coverage
//! is computed from executions that ran, never from what a solver says could run. Dropped: accesses of variables that
//! only one thread uses or no thread writes, and what the limits of the `instances` module cut off, which is counted.

mod access;
mod access_patterns;
mod instances;
mod map_coverage;
mod method_pairs;
#[cfg(all(
    feature = "driver",
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod shared_accesses;
mod shared_fields;
mod sites;
mod variables;

pub use access::{Contents, access_of};
pub(crate) use access_patterns::Shape;
pub use access_patterns::{Pattern, Role};
pub use contest_data::fast_hash::{FastMap, FastSet};
pub use instances::PatternKey;
pub use map_coverage::MapCoverage;
pub use method_pairs::MethodPairs;
#[cfg(all(
    feature = "driver",
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
pub use shared_accesses::SharedAccesses;
pub use sites::{SiteId, SiteTable};
