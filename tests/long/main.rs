//! The part of the end-to-end tests that takes long: whole subjects, the literature, the book, other toolchains.
//! Run by `.ci/run`, and by `cargo test -p cargo-contest --test long`.

#[path = "../support/mod.rs"]
#[allow(dead_code, reason = "shared with other test targets")]
mod support;

mod atomic_sets;
mod behind_lock;
mod book;
mod contended;
mod correct;
mod faulty;
mod futures;
mod hard_to_read;
mod internal_types;
mod ladder;
mod literature;
mod loom_tests;
mod memory;
mod names;
mod pages;
mod ported;
mod race_suites;
mod runtimes;
mod shuttle_tests;
mod static_analysis;
mod stress;
mod toolchains;
mod under_loom;
mod unseen_code;
mod wake_ups;
mod weak_orderings;
