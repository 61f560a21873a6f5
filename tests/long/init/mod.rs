//! What `cargo contest init` and `--emit` write into a crate with annotated types, run under plain `cargo test`, which
//! builds the runtime as users do.

#[path = "../../../cargo-contest/tests/init/support.rs"]
#[allow(dead_code, reason = "shared with another test target")]
mod support;

mod emitted;
mod example;

use std::path::{Path, PathBuf};
use std::process::Command;

use support::{Crate, Run};

/// Root of this workspace: a checkout to take the runtime from.
fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

impl Crate {
    /// Runs `cargo contest` with these arguments.
    fn contest(&self, arguments: &[&str]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-contest"));
        command.arg("contest").args(arguments);
        self.run(command, "")
    }
}
