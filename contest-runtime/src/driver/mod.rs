//! Main of the driver process: the runtime side of the wall between the tool and code under test.
//!
//! The generated driver crate consists of tables and of
//! ```ignore
//! contest::driver_symbols!();
//! fn main() {
//!     contest::driver::main(contest::driver::Linked { package: "...", version: "...", subjects: SUBJECTS, codec: contest_wire::JSON, symbols: contest_wire::open_symbols, accesses: false })
//! }
//! ```

use crate::protocol::codec::Codec;
use crate::subject::Subject;

#[cfg(target_os = "linux")]
mod serve;
#[cfg(target_os = "linux")]
mod start;

#[cfg(target_os = "linux")]
mod channel;
#[cfg(target_os = "linux")]
mod crash;
#[cfg(target_os = "linux")]
mod process;
#[cfg(target_os = "linux")]
mod warm_up;

#[cfg(target_os = "linux")]
pub mod symbols;

#[cfg(target_os = "linux")]
pub use channel::Channel;
#[cfg(target_os = "linux")]
pub use process::fix_addresses;
#[cfg(target_os = "linux")]
pub use serve::main;
#[cfg(target_os = "linux")]
pub use start::{StartError, Started, start};

#[cfg(not(target_os = "linux"))]
mod unsupported;
#[cfg(not(target_os = "linux"))]
pub use unsupported::main;

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
    /// Its types under test.
    pub subjects: &'static [Subject],
    /// How it talks to the tool.
    pub codec: Codec,
    /// How it finds names and source locations of functions.
    pub symbols: fn() -> Option<Box<dyn crate::memory::Symbols>>,
    /// It is compiled so that it tells of every memory access.
    pub accesses: bool,
}
