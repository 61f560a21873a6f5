//! What interleavings a set of executions has shown: [`ExecutionRecord`](crate::trace::ExecutionRecord)s in, covered patterns out.
//!
//! A *pattern* is one of 17 orders of accesses of two threads, with the places in the source that made them. Coverage is computed from
//! executions that ran, never from what a solver says could run. Dropped: accesses of variables that only one thread uses or nobody
//! writes, and what the caps of [`instances`] cut off, which is counted.

pub mod access;
pub mod access_patterns;
pub mod atomic_sets;
pub mod behaviour;
pub(crate) mod fast_hash;
mod fields_met;
pub mod instances;
pub mod map_coverage;
pub mod method_pairs;
#[cfg(all(
    feature = "driver",
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
pub(crate) mod shared_accesses;
pub mod sites;
mod variables;

pub use access::{Access, Accesses, Contents};
pub use access_patterns::{Pattern, Role};
pub use atomic_sets::{AtomicSets, FieldSite};
pub use behaviour::{Behaviour, Does, Seen, SeenTogether, Together};
pub use fields_met::FieldMet;
pub use map_coverage::{CoverageCounts, CurvePoint, MapCoverage};
pub use method_pairs::MethodPairs;
pub use sites::{Site, SiteId, SiteTable};
