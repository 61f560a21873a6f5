//! Which version of cargo's resolver a workspace has. Version 1 unifies features of dev-dependencies with those of every build, and with it
//! the feature for tests would reach releases.

use super::InitError;
use super::manifest_edit::Manifest;

/// Looks at the root manifest.
///
/// # Errors
/// If it is version 1.
pub fn check(root: &Manifest) -> Result<(), InitError> {
    let table = if root.get(&["workspace"]).is_some() {
        "workspace"
    } else {
        "package"
    };
    let named = ["workspace", "package"]
        .iter()
        .find_map(|table| root.text(&[table, "resolver"]));
    let is_old = match named {
        Some(version) => version == "1",
        // Decided by the root package's edition; a virtual workspace has none, and version 1.
        None => root
            .text(&["package", "edition"])
            .or_else(|| {
                root.get(&["package", "edition"])?;
                root.text(&["workspace", "package", "edition"])
            })
            .is_none_or(|edition| edition == "2015" || edition == "2018"),
    };
    if is_old {
        return Err(InitError::OldResolver {
            path: root.path().to_path_buf(),
            table,
        });
    }
    Ok(())
}
