//! Arguments as typed ([`args`]), checked and completed by the settings of the manifest ([`options`]), and the exit
//! status.

pub mod args;

pub mod settings;

pub mod options;

pub mod type_filter;

pub mod exit_code;
pub mod log;
