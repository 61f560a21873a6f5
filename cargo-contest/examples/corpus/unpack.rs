//! A published version of a crate as a folder. Yanked versions too, which cargo does not resolve anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Unpacks the crate under `root`, downloading it if it is not there yet.
///
/// # Errors
/// Says what did not work.
pub(crate) fn unpack(root: &Path, package: &str, version: &str) -> Result<PathBuf, String> {
    let folder = root.join("crates").join(format!("{package}-{version}"));
    if folder.join("Cargo.toml").is_file() {
        return Ok(folder);
    }
    let parent = root.join("crates");
    fs::create_dir_all(&parent).map_err(|error| error.to_string())?;
    let archive = parent.join(format!("{package}-{version}.crate"));
    let from = format!("https://static.crates.io/crates/{package}/{package}-{version}.crate");
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--show-error", "--fail", "--location"])
        .args(["--user-agent", "cargo-contest corpus", "--output"])
        .args([archive.as_os_str(), from.as_ref()]);
    succeed(&mut curl)?;
    let mut tar = Command::new("tar");
    tar.arg("-xf").arg(&archive).arg("-C").arg(&parent);
    succeed(&mut tar)?;
    stand_alone(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .map_err(|error| format!("`{program}` does not start: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let why = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{program}`: {}", why.trim()))
}

/// No member of the workspace that the folder is in, and no toolchain of its own, which may not be installed.
fn stand_alone(folder: &Path) -> std::io::Result<()> {
    let manifest = folder.join("Cargo.toml");
    let mut text = fs::read_to_string(&manifest)?;
    if !text.contains("[workspace]") {
        text.push_str("\n[workspace]\n");
        fs::write(&manifest, text)?;
    }
    for name in ["rust-toolchain", "rust-toolchain.toml"] {
        match fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}
