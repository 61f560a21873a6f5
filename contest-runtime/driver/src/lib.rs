//! The driver process: the runtime side of the wall between the tool and code under test.
//!
//! The generated driver crate, which names this library `contest`, consists of tables and of
//! ```ignore
//! contest::driver_symbols!();
//! fn main() {
//!     contest::main(contest::Linked {
//!         package: "...", version: "...", directory: "...", subjects: SUBJECTS, accesses: false,
//!     })
//! }
//! ```
//!
//! The executables of the crate's own tests are drivers too: the test harness that they are linked with calls
//! [`own_tests_main`].
//!
//! Crates under test are compiled with the facade, which knows the drop-in types only; test executables see this
//! library too. So no crate that it depends on implements a trait of `std` for a type of `std`: with serde_json's
//! `PartialEq<Value> for u32` in sight, `n == x as _` no longer says what it means.

/// For [`driver_symbols`]: code that is compiled with the facade has another attribute of this name.
#[doc(hidden)]
pub use ::std::prelude::v1::global_allocator;

mod answer;

#[cfg(target_os = "linux")]
mod channel;
#[cfg(all(test, target_os = "linux"))]
mod compiled_program;
#[cfg(target_os = "linux")]
mod crash;
#[cfg(target_os = "linux")]
mod debug_information;
#[cfg(target_os = "linux")]
mod debug_symbols;
#[cfg(target_os = "linux")]
mod process;
#[cfg(target_os = "linux")]
mod serve;
#[cfg(target_os = "linux")]
mod start;
#[cfg(target_os = "linux")]
pub mod symbols;
#[cfg(target_os = "linux")]
mod types;
#[cfg(target_os = "linux")]
mod warm_up;

#[cfg(target_os = "linux")]
mod own_tests;

#[cfg(target_os = "linux")]
pub use channel::Channel;
#[cfg(target_os = "linux")]
pub use own_tests::{ListTests, is_driver, own_tests_main};
#[cfg(target_os = "linux")]
pub use process::fix_addresses;
#[cfg(target_os = "linux")]
pub use serve::main;
#[cfg(target_os = "linux")]
pub use start::{StartError, Started, start};

#[cfg(not(target_os = "linux"))]
mod unsupported;
#[cfg(not(target_os = "linux"))]
pub use unsupported::{is_driver, main, own_tests_main};

// What generated code and the test harness name.
pub use contest_campaign::campaign::own_tests::{ExpectedPanic, OwnTest};
pub use contest_data::subject;
pub use contest_engine::execution::{DriverAllocator, MainName};
pub use contest_engine::observe as macro_support;
pub use contest_engine::{memory, observe, observe_future, observe_iterator, state};
pub use contest_std::{probe, thread};

use contest_data::subject::Subject;

/// Status of a driver process that died of a bug of its own.
pub const EXIT_BUG: i32 = 70;

/// Environment variable; `1` sends what code under test prints to the driver's standard error instead of nowhere.
pub const SHOW_OUTPUT_VARIABLE: &str = "CONTEST_SHOW_OUTPUT";

/// What the generated driver crate is linked with.
#[derive(Clone, Copy, Debug)]
pub struct Linked {
    /// Name of the package under test.
    pub package: &'static str,
    /// Its version.
    pub version: &'static str,
    /// Where its sources are.
    pub directory: &'static str,
    /// Its types under test.
    pub subjects: &'static [Subject],
    /// It is compiled so that every memory access is reported.
    pub accesses: bool,
}
