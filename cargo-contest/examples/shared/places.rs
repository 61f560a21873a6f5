//! Where examples that run the tool find it, and where they write.

use std::path::PathBuf;

/// The tool, which is built beside the examples, and a folder of this name in the target directory.
///
/// # Panics
/// If this is no example that cargo has built.
pub(crate) fn places(folder: &str) -> (PathBuf, PathBuf) {
    let own = std::env::current_exe().expect("this process has an executable");
    let profile = own.ancestors().nth(2);
    let profile = profile.expect("examples are built in a folder of the profile's folder");
    let target = profile.parent();
    let target = target.expect("profiles are built in a target directory");
    let tool = format!("cargo-contest{}", std::env::consts::EXE_SUFFIX);
    (profile.join(tool), target.join(folder))
}
