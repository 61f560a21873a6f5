//! The part of the end-to-end tests that takes long: whole subjects, packages' own tests, workspaces, the literature,
//! the book, other toolchains. Run by `.ci/run`; README has the command.

#[path = "../support/mod.rs"]
#[allow(dead_code, reason = "shared with other test targets")]
mod support;

mod atomic_sets;
mod behind_lock;
mod book;
mod callbacks;
mod contended;
mod correct;
#[cfg(target_os = "linux")]
mod endings;
#[cfg(target_os = "linux")]
mod everyday;
mod faulty;
mod futures;
mod generation;
#[cfg(target_os = "linux")]
mod goker;
mod hard_to_read;
mod implementations;
mod inferred_types;
mod init;
mod internal_types;
mod knots;
mod ladder;
mod late;
mod literature;
mod loom_tests;
mod memory;
mod names;
#[cfg(target_os = "linux")]
mod nextest;
mod own_tests;
mod pages;
mod pairs;
mod ported;
mod race_suites;
#[cfg(target_os = "linux")]
mod reported;
mod runtimes;
mod shuttle_tests;
mod static_analysis;
mod stress;
mod toolchains;
mod under_loom;
mod unseen_code;
mod wake_ups;
mod weak_orderings;
mod workspaces;
