//! A lock file that was not there before: cargo writes one whenever it resolves a graph, and the tool must not write to
//! the source tree.

use std::path::{Path, PathBuf};

use super::cargo_metadata::cargo;
use super::logged_command::logged_output;

/// Removes `Cargo.lock` when dropped, if there was none before.
#[derive(Debug)]
pub struct LockFileGuard {
    absent_before: Option<PathBuf>,
}

impl LockFileGuard {
    /// Checks whether the workspace of this manifest, or of the working directory, has one. A workspace that cargo
    /// cannot find has nothing to guard; later commands report what is wrong with it.
    #[must_use]
    pub fn of(manifest_path: Option<&Path>) -> Self {
        let mut command = cargo();
        command.args(["locate-project", "--workspace", "--message-format", "plain"]);
        if let Some(manifest) = manifest_path {
            command.arg("--manifest-path").arg(manifest);
        }
        let root = logged_output(&mut command)
            .ok()
            .filter(|output| output.status.success())
            .map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim_end()));
        Self {
            absent_before: root
                .map(|manifest| manifest.with_file_name("Cargo.lock"))
                .filter(|lock_file| !lock_file.exists()),
        }
    }
}

impl Drop for LockFileGuard {
    fn drop(&mut self) {
        if let Some(lock_file) = &self.absent_before {
            // If cargo wrote none there is nothing to remove.
            let _ = std::fs::remove_file(lock_file);
        }
    }
}
