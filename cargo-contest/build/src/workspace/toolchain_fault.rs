//! Whether a build failed because of the toolchain, and how to mend that. Looked at only after a failure: what works
//! needs no question.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::cargo_build::Toolchain;
use super::logged_command::logged_output;

/// The oldest release that has been tried.
const OLDEST: &str = env!("CARGO_PKG_RUST_VERSION");

/// What the toolchain lacks that cargo uses in `directory`, in one line; `None` if nothing is known to be wrong with
/// it. `said` is what was printed when the build failed.
#[must_use]
pub fn toolchain_fault(directory: &Path, said: &str) -> Option<String> {
    let toolchain = match Toolchain::find(directory) {
        Ok(toolchain) => toolchain,
        Err(error) => return error.to_string().lines().next().map(str::to_owned),
    };
    if is_older(&toolchain.release, OLDEST) {
        return Some(too_old(
            &toolchain.release,
            selected_by(directory).as_deref(),
        ));
    }
    let lacks = |name: &str| said.contains(&format!("can't find crate for `{name}`"));
    if lacks("std") || lacks("core") {
        return Some(without_std(&toolchain));
    }
    without_rustdoc(directory, &toolchain)
}

fn too_old(release: &str, file: Option<&Path>) -> String {
    let (which, mend) = match file {
        Some(file) => (
            format!(", which {} selects,", file.display()),
            "raise the channel there",
        ),
        None => (String::new(), "update it with `rustup update`"),
    };
    format!(
        "Rust {release}{which} is too old: cargo contest needs {OLDEST} or newer; {mend}, or run `cargo +stable contest`"
    )
}

fn without_std(toolchain: &Toolchain) -> String {
    let host = &toolchain.host;
    format!(
        "the toolchain of {} has no standard library for {host}, for which tests are built; `rustup target add {host}` installs it",
        toolchain.rustc.display()
    )
}

/// Where rustdoc cannot be started, or says that it is not there, as rustup's does.
fn without_rustdoc(directory: &Path, toolchain: &Toolchain) -> Option<String> {
    let program = env::var_os("RUSTDOC").filter(|it| !it.is_empty());
    let program = program.map_or_else(|| PathBuf::from("rustdoc"), PathBuf::from);
    let mut command = Command::new(&program);
    command
        .arg("-V")
        .current_dir(directory)
        .stdin(Stdio::null());
    let why = match logged_output(&mut command) {
        Ok(output) if output.status.success() => return None,
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let line = said.lines().next().unwrap_or("it fails");
            line.trim_start_matches("error: ").to_owned()
        }
        Err(error) => error.to_string(),
    };
    Some(format!(
        "Rust {} has no rustdoc here, which reads the public interface of a crate (`{} -V`: {why}); install the whole \
         toolchain (`rustup toolchain install` with any profile has it), or name one in the variable RUSTDOC",
        toolchain.release,
        program.display()
    ))
}

/// The file that selects the toolchain there, if one does.
fn selected_by(directory: &Path) -> Option<PathBuf> {
    let names = ["rust-toolchain.toml", "rust-toolchain"];
    let mut files = (directory.ancestors()).flat_map(|it| names.map(|name| it.join(name)));
    files.find(|it| it.is_file())
}

/// By major and minor number: `1.80.0` is older than `1.95`.
fn is_older(release: &str, than: &str) -> bool {
    let numbers = |text: &str| -> Option<(u32, u32)> {
        let mut parts = text.split('.');
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    };
    match (numbers(release), numbers(than)) {
        (Some(release), Some(than)) => release < than,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_compared_by_numbers() {
        for old in ["1.94.1", "1.9.0", "0.12.0"] {
            assert!(is_older(old, "1.95"), "{old}");
        }
        for new in ["1.95.0", "1.100.0-nightly", "2.0.0", "unknown"] {
            assert!(!is_older(new, "1.95"), "{new}");
        }
    }

    #[test]
    fn a_toolchain_that_is_too_old_is_named_with_the_file_that_selects_it() {
        let text = too_old("1.80.0", Some(Path::new("/app/rust-toolchain.toml")));
        assert!(
            text.starts_with("Rust 1.80.0, which /app/rust-toolchain.toml selects, is too old")
        );
        assert!(!too_old("1.80.0", None).contains("selects"));
    }

    #[test]
    fn a_toolchain_that_works_has_no_fault() {
        assert_eq!(toolchain_fault(Path::new("."), "error: expected `;`"), None);
        let without = "error[E0463]: can't find crate for `std`";
        let fault = toolchain_fault(Path::new("."), without).unwrap();
        assert!(fault.contains("rustup target add"), "{fault}");
    }
}
