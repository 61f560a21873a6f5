//! The commands, each a file of its own. The main path is `run.rs`, which calls the stages in order.

mod analyze;
mod arguments;
mod build_progress;
mod cache;
mod catalog_filter;
mod ci;
mod command;
mod continued;
mod emitted_tests;
mod explore;
pub mod failure;
mod first_run;
mod generated_test;
mod init;
mod list;
mod member;
mod members;
mod nextest;
mod nextest_test;
mod ordering_trials;
mod orderings;
mod prepare;
mod reach;
mod reference;
mod replay;
mod report_files;
mod resolved_features;
mod run;
mod scenario;
mod since;
mod steer;
mod test;
mod tested_packages;
mod under_loom;

pub use command::execute;
pub use nextest_test::{is_test_of_nextest, run_test_of_nextest};
