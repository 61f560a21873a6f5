//! Makes dependencies call libc where they would enter the kernel by instructions of their own: libc's functions are
//! those that a driver has in its hands.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The crate that does so, and what it looks at to leave it.
const CRATE: &str = "rustix";
const FLAGS: [&str; 2] = ["--cfg", "rustix_use_libc"];
/// Between flags in `CARGO_ENCODED_RUSTFLAGS`.
const SEPARATOR: &str = "\u{1f}";

/// Has the graph of this lock file built so, in addition to flags that the user has set. Flags that a configuration
/// file has for a target take the place of these.
pub(super) fn call_libc(cargo: &mut Command, lock_file: &Path) {
    let lock = fs::read_to_string(lock_file).unwrap_or_default();
    if lock.contains(&format!("name = \"{CRATE}\"")) {
        add_flags(cargo, FLAGS);
    }
}

/// Has the graph compiled with these flags, in addition to flags that the user has set.
pub(super) fn add_flags(cargo: &mut Command, added: [&str; 2]) {
    match flags_of(added, |name| std::env::var_os(name)) {
        Some((name, flags)) => cargo.env(name, flags),
        None => {
            let flags = added.map(|it| format!("{it:?}")).join(", ");
            cargo.args(["--config", &format!("build.rustflags = [{flags}]")])
        }
    };
}

/// The variable that cargo takes the user's flags from, with these added; `None` if there is none.
fn flags_of(
    added: [&str; 2],
    variable: impl Fn(&str) -> Option<OsString>,
) -> Option<(&'static str, OsString)> {
    let with = |name, separator: &str| {
        let mut flags: OsString = variable(name)?;
        for flag in added {
            if !flags.is_empty() {
                flags.push(separator);
            }
            flags.push(flag);
        }
        Some((name, flags))
    };
    with("CARGO_ENCODED_RUSTFLAGS", SEPARATOR).or_else(|| with("RUSTFLAGS", " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_of_the_user_stay() {
        let only = |which: &'static str, flags: &'static str| {
            flags_of(FLAGS, move |name| (name == which).then(|| flags.into()))
        };
        assert_eq!(only("HOME", "/"), None);
        let (name, flags) = only("RUSTFLAGS", "-C debuginfo=2").unwrap();
        assert_eq!(name, "RUSTFLAGS");
        assert_eq!(flags, "-C debuginfo=2 --cfg rustix_use_libc");
        let (_, flags) = only("CARGO_ENCODED_RUSTFLAGS", "").unwrap();
        assert_eq!(flags, "--cfg\u{1f}rustix_use_libc");
    }

    #[test]
    fn graphs_without_that_crate_are_built_as_they_are() {
        let directory = tempfile::tempdir().unwrap();
        let lock = directory.path().join("Cargo.lock");
        let mut cargo = Command::new("cargo");
        call_libc(&mut cargo, &lock);
        fs::write(&lock, "[[package]]\nname = \"libc\"\n").unwrap();
        call_libc(&mut cargo, &lock);
        assert_eq!(cargo.get_args().len() + cargo.get_envs().len(), 0);
        fs::write(&lock, "[[package]]\nname = \"rustix\"\n").unwrap();
        call_libc(&mut cargo, &lock);
        assert_ne!(cargo.get_args().len() + cargo.get_envs().len(), 0);
    }
}
