//! Flags that make the compiler call a function for every memory access, and whether a toolchain takes them.

use std::process::Command;

use crate::workspace::cargo_build::Toolchain;

/// LLVM's pass for thread sanitizers, by flags of stable compilers: `-Zsanitizer` would want a nightly one and link a runtime of its own. The
/// pass looks at functions with an attribute, which is put on all. Calls are not followed, because frame pointers lead through the
/// stack.
pub const ACCESS_FLAGS: [&str; 4] = [
    "-C",
    "passes=forceattrs tsan",
    "-C",
    "llvm-args=-force-attribute=sanitize_thread -tsan-compound-read-before-write -tsan-instrument-func-entry-exit=0",
];

/// Lets the stack be walked: to an access, and to where a block was allocated.
pub const FRAME_POINTERS: [&str; 2] = ["-C", "force-frame-pointers=yes"];

/// Compiles one function with the flags; why they cannot be used, if so.
///
/// The answer is kept with the runtime that is built for the toolchain, so this is asked once.
#[must_use]
pub fn why_refused(toolchain: &Toolchain) -> Option<String> {
    let try_out = || -> std::io::Result<Option<String>> {
        let directory = tempfile::tempdir()?;
        let source = directory.path().join("probe.rs");
        std::fs::write(&source, "pub fn read(place: &u64) -> u64 { *place }\n")?;
        let object = directory.path().join("probe.o");
        let output = Command::new(&toolchain.rustc)
            .args(["--crate-type", "lib", "--emit", "obj", "--edition", "2021"])
            .args(["--target", &toolchain.host])
            .args(ACCESS_FLAGS)
            .arg("-o")
            .arg(&object)
            .arg(&source)
            .output()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let line = said.lines().find(|line| !line.trim().is_empty());
            return Ok(Some(
                line.unwrap_or("the compiler stopped without a message")
                    .to_owned(),
            ));
        }
        let compiled = std::fs::read(&object)?;
        let calls = compiled
            .windows(b"__tsan_read8".len())
            .any(|window| window == b"__tsan_read8");
        Ok((!calls).then(|| "the compiler takes the flags and ignores them".to_owned()))
    };
    try_out().unwrap_or_else(|error| Some(error.to_string()))
}
