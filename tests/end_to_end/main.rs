//! The real binary on copies of subject crates: findings, exit status, files, JSON lines.

#[path = "../support/mod.rs"]
mod support;

mod analyze;
mod bad_input;
mod contract;
mod correct;
mod faulty;
#[cfg(unix)]
mod interrupt;
mod memory;
mod odd_subjects;
mod pairs;
mod race_suites;
mod replay_and_emit;
mod static_analysis;
