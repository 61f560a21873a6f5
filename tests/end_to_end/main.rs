//! The real binary on copies of subject crates: findings, exit status, files, JSON lines.

#[path = "../support/mod.rs"]
mod support;

mod analyze;
mod atomic_sets;
mod bad_input;
mod book;
#[cfg(target_os = "linux")]
mod cache;
#[cfg(unix)]
mod campaign_state;
mod contended;
mod contract;
mod correct;
mod faulty;
mod futures;
mod generation;
mod hard_to_read;
mod hints;
mod internal_types;
#[cfg(unix)]
mod interrupt;
mod ladder;
mod literature;
mod log;
mod memory;
mod misbehaving_subjects;
#[cfg(target_os = "linux")]
mod nextest;
mod own_tests;
mod pages;
mod pairs;
mod race_suites;
mod replay_and_emit;
mod runtimes;
mod static_analysis;
mod toolchains;
mod under_loom;
mod unseen_code;
mod weak_orderings;
mod workspaces;
