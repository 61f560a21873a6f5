//! A lock file that was not there before: cargo writes one whenever it resolves a graph, and the tool must not write to
//! the source tree.

use std::fs;
use std::path::{Path, PathBuf};

use super::cargo_metadata::cargo;
use super::lock_file_watch::{remove_own, watch};
use super::logged_command::logged_output;

/// Removes `Cargo.lock` when dropped, if there was none before and a command of this tool has written it. What another
/// cargo, an editor or the user has written meanwhile is theirs.
#[derive(Debug)]
pub struct LockFileGuard(());

impl LockFileGuard {
    /// Checks whether the workspace of this manifest, or of the working directory, has one. A workspace that cargo
    /// cannot find has nothing to guard; later commands report what is wrong with it.
    #[must_use]
    pub fn of(manifest_path: Option<&Path>) -> Self {
        if is_surely_there(manifest_path) {
            return Self(());
        }
        let mut command = cargo();
        command.args(["locate-project", "--workspace", "--message-format", "plain"]);
        if let Some(manifest) = manifest_path {
            command.arg("--manifest-path").arg(manifest);
        }
        let root = logged_output(&mut command)
            .ok()
            .filter(|output| output.status.success())
            .map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim_end()));
        let lock_file = root
            .map(|manifest| manifest.with_file_name("Cargo.lock"))
            .filter(|lock_file| !lock_file.exists());
        watch(lock_file);
        Self(())
    }
}

/// True if the workspace has a lock file whichever directory is its root: a cheap answer to a question that cargo takes
/// some time for. The root is at or above the package, unless its manifest names another one.
fn is_surely_there(manifest_path: Option<&Path>) -> bool {
    let here = std::env::current_dir().unwrap_or_default();
    let directory = match manifest_path {
        Some(manifest) => here.join(manifest).parent().map(Path::to_owned),
        None => Some(here),
    };
    let Some(directory) = directory else {
        return false;
    };
    let mut roots = (directory.ancestors()).filter(|it| it.join("Cargo.toml").is_file());
    let Some(package) = roots.next() else {
        return false;
    };
    let names_root = fs::read_to_string(package.join("Cargo.toml"))
        .ok()
        .and_then(|text| text.parse::<toml::Table>().ok())
        .is_none_or(|manifest| {
            let package = manifest.get("package");
            package.is_some_and(|it| it.get("workspace").is_some())
        });
    let has_lock_file = |root: &Path| root.join("Cargo.lock").is_file();
    !names_root && has_lock_file(package) && roots.all(has_lock_file)
}

impl Drop for LockFileGuard {
    fn drop(&mut self) {
        remove_own();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_file_is_there_if_every_possible_root_has_one() {
        let directory = tempfile::tempdir().unwrap();
        let member = directory.path().join("member");
        fs::create_dir_all(&member).unwrap();
        let manifest = member.join("Cargo.toml");
        let is_there = || is_surely_there(Some(&manifest));
        let package = "[package]\nname = \"member\"\n";
        fs::write(&manifest, package).unwrap();
        assert!(!is_there());
        fs::write(member.join("Cargo.lock"), "").unwrap();
        assert!(is_there());
        fs::write(directory.path().join("Cargo.toml"), "[workspace]\n").unwrap();
        assert!(!is_there(), "the lock file of the workspace is another one");
        fs::write(directory.path().join("Cargo.lock"), "").unwrap();
        assert!(is_there());
        fs::write(&manifest, format!("{package}workspace = \"../other\"\n")).unwrap();
        assert!(!is_there());
    }
}
