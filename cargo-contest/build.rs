//! Embeds the sources of the runtime, so that the tool can build it for whatever toolchain the crate under test uses.
//!
//! In a published package the sources are not beside the tool; the table is empty then and the runtime comes from the
//! registry.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// What the scratch workspace of the runtime is made of, relative to the root of this workspace. Tests and benchmarks
/// stay out.
const EMBEDDED: [&str; 20] = [
    "Cargo.toml",
    "Cargo.lock",
    "contest-runtime/data/Cargo.toml",
    "contest-runtime/data/src",
    "contest-runtime/engine/Cargo.toml",
    "contest-runtime/engine/src",
    "contest-runtime/search/Cargo.toml",
    "contest-runtime/search/src",
    "contest-runtime/std/Cargo.toml",
    "contest-runtime/std/src",
    "contest-runtime/campaign/Cargo.toml",
    "contest-runtime/campaign/src",
    "contest-runtime/wire/Cargo.toml",
    "contest-runtime/wire/src",
    "contest-runtime/driver/Cargo.toml",
    "contest-runtime/driver/src",
    "contest-runtime/facade/Cargo.toml",
    "contest-runtime/facade/src",
    "contest-runtime/facade-macros/Cargo.toml",
    "contest-runtime/facade-macros/src",
];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let tool = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let root = tool.parent().expect("the manifest is in a directory");
    let mut files = Vec::new();
    if root.join("contest-runtime/facade/Cargo.toml").is_file() {
        for path in EMBEDDED {
            // Relative, as below: one target directory may serve several checkouts.
            println!("cargo::rerun-if-changed=../{path}");
            collect(&root.join(path), &mut files)?;
        }
    }
    files.sort();

    let mut table = String::from("&[\n");
    for file in &files {
        let name = file
            .strip_prefix(root)
            .expect("collected under the root")
            .components()
            .map(|it| it.as_os_str().to_string_lossy())
            .collect::<Vec<_>>()
            .join("/");
        let path = format!("/../{name}");
        writeln!(
            table,
            "    ({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {path:?}))),"
        )
        .expect("writing to a string");
    }
    table.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo"));
    fs::write(out.join("runtime_sources.rs"), table)
}

/// Adds `path`, or all files below it. What is not there is left out.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            collect(&entry?.path(), files)?;
        }
    } else if path.is_file() {
        files.push(path.to_owned());
    }
    Ok(())
}
