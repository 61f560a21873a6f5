//! Arguments as typed ([`args`]), their values ([`values`]), checked and completed by the settings of the manifest
//! ([`options`]), where runtimes are kept ([`cache_directory`]), the log ([`log`]) and the exit status.

mod agents;
pub mod args;
pub mod cache_directory;
pub mod exit_code;
pub mod levels;
pub mod log;
pub mod options;
pub mod settings;
pub mod type_filter;
pub mod values;
