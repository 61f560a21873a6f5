//! Which version of cargo's resolver a workspace has. Version 1 unifies features of dev-dependencies with those of
//! every build, and with it the feature for tests would reach releases.

use super::init_error::InitError;
use super::manifest::Manifest;

/// Sets version 2 in the root manifest where cargo would default to 1.
///
/// # Errors
/// If version 1 is set explicitly.
pub fn at_least_two(root: &mut Manifest, notes: &mut Vec<String>) -> Result<(), InitError> {
    let table = if root.get(&["workspace"]).is_some() {
        "workspace"
    } else {
        "package"
    };
    let named = ["workspace", "package"]
        .iter()
        .find_map(|table| root.text(&[table, "resolver"]));
    match named {
        Some("1") => {
            return Err(InitError::OldResolver {
                path: root.path().to_path_buf(),
                table,
            });
        }
        Some(_) => return Ok(()),
        None => {}
    }
    // Decided by the root package's edition; a virtual workspace has none, and version 1.
    let edition = root.text(&["package", "edition"]).or_else(|| {
        root.get(&["package", "edition"])?;
        root.text(&["workspace", "package", "edition"])
    });
    if edition.is_none_or(|edition| edition == "2015" || edition == "2018") {
        root.set(table, "resolver", "2")?;
        notes.push(format!(
            "`resolver = \"2\"` in [{table}] of {} is needed: version 1, which cargo takes if nothing is said, would turn the feature for \
             tests on in every build, a release too",
            root.path().display()
        ));
    }
    Ok(())
}
