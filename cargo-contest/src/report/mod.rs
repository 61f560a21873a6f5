//! Findings, totals and progress in; text for people, JSON lines out. Consumes [`ProgressEvent`](crate::progress_event::ProgressEvent)s
//! and the [`RunSummary`](run_summary::RunSummary) and drops nothing.

pub mod run_summary;

pub mod trace_table;

pub mod json;

#[cfg(test)]
mod sample;
