//! Findings, totals and progress in; readable text, JSON lines out.
//! Consumes [`ProgressEvent`](contest_catalog::progress_event::ProgressEvent)s and the
//! [`RunSummary`](run_summary::RunSummary); drops nothing.

pub use confirmed::Confirmed;
pub use emitted_result::EmittedResult;
pub use options::{Format, GithubRun, ReportOptions};
pub use reporter::Reporter;

pub mod causes;

pub mod explain;

pub mod run_summary;

pub mod test_totals;

pub mod dependencies;

pub mod dependency_drawing;

pub mod reasons;

pub mod trace_table;

pub mod human;

pub mod json;

mod by_lines;

mod cargo_json;

mod confirmed;

mod emitted_result;

mod own_place;

pub mod junit;

pub mod sarif;

pub mod html;

pub mod orderings;

pub mod trace_events;

pub mod turning_points;

pub mod difference;

pub mod results;

pub mod merged;

pub mod github;

pub mod folded;

pub mod short_locations;

pub mod source_files;

pub mod visible;

mod growth;

mod hyperlinks;

mod short;

mod styles;

mod access_patterns;

mod agent;

mod answers;

mod campaign_state;

mod findings;

mod shown_findings;

mod figures;

mod ladder;

mod listing;

mod options;

mod progress_line;

mod reporter;

#[cfg(test)]
pub(crate) mod sample;
