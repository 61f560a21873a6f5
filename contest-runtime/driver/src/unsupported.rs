//! Stub for systems that the driver does not support.

use std::io::Write;

use super::{EXIT_BUG, Linked};
use contest_data::protocol::Reply;

/// Refuses.
pub fn main(_linked: Linked) -> ! {
    let reply = Reply::Refused(format!(
        "cargo contest runs on Linux (x86-64 and aarch64), not on {} {}; `cargo test` with `contest` as a dependency works here",
        std::env::consts::OS,
        std::env::consts::ARCH,
    ));
    // If this fails, the exit status still reports it.
    let _ = writeln!(std::io::stdout(), "{}", contest_wire::write_reply(&reply));
    std::process::exit(EXIT_BUG)
}

/// Never: tests run as they are.
pub fn is_driver() -> bool {
    false
}

/// As [`main`].
pub fn own_tests_main(
    _accesses: bool,
    _list: &dyn Fn(&[String]) -> Result<Vec<crate::OwnTest>, String>,
) -> ! {
    main(Linked {
        package: "",
        version: "",
        directory: "",
        subjects: &[],
        accesses: false,
    })
}

/// Nothing to define on this system.
#[macro_export]
macro_rules! driver_symbols {
    () => {};
}
