//! Flags that make the compiler call a function for every memory access, and whether a toolchain supports them.

use std::process::Command;

use crate::workspace::cargo_build::Toolchain;
use crate::workspace::logged_command::logged_output;

/// LLVM's pass for thread sanitizers, by flags of stable compilers: `-Zsanitizer` would want a nightly one and link a
/// runtime of its own. The pass looks at functions with an attribute, which is put on all. Calls are not followed,
/// because frame pointers lead through the stack; but that a function ends is announced, so that the last function it
/// calls does not take its place on the stack. It passes over accesses of more than 16 bytes (AVX), so these are
/// divided into pieces of 16 first; smaller vectors stay as they are.
pub const ACCESS_FLAGS: [&str; 4] = [
    "-C",
    "passes=forceattrs scalarizer<load-store;min-bits=128> tsan",
    "-C",
    "llvm-args=-force-attribute=sanitize_thread -tsan-compound-read-before-write -tsan-handle-cxx-exceptions=0",
];

/// Lets the stack be walked: to an access, and to where a block was allocated.
pub const FRAME_POINTERS: [&str; 2] = ["-C", "force-frame-pointers=yes"];

/// What the crates under test are compiled with whatever the user's flags and profiles say (the last one counts):
/// panics are observed, the runtime has no code for LTO, its symbols are needed, and debug information stays in the
/// executable, where reports look for it.
pub const KEPT: [&str; 8] = [
    "-C",
    "panic=unwind",
    "-C",
    "lto=off",
    "-C",
    "strip=none",
    "-C",
    "split-debuginfo=off",
];

/// The least debug information with which reports name lines; with accesses, fields too.
#[must_use]
pub fn debug_information(accesses: bool) -> &'static str {
    if accesses {
        "debuginfo=2"
    } else {
        "debuginfo=line-tables-only"
    }
}

/// Compiles one function with the flags; why they cannot be used, if so.
///
/// The answer is kept with the runtime that is built for the toolchain, so this runs once.
#[must_use]
pub fn why_refused(toolchain: &Toolchain) -> Option<String> {
    let try_out = || -> std::io::Result<Option<String>> {
        let directory = tempfile::tempdir()?;
        let source = directory.path().join("probe.rs");
        std::fs::write(&source, "pub fn read(place: &u64) -> u64 { *place }\n")?;
        let object = directory.path().join("probe.o");
        let mut command = Command::new(&toolchain.rustc);
        command
            .args(["--crate-type", "lib", "--emit", "obj", "--edition", "2021"])
            .args(["--target", &toolchain.host])
            .args(ACCESS_FLAGS)
            .arg("-o")
            .arg(&object)
            .arg(&source);
        let output = logged_output(&mut command)?;
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
        Ok((!calls).then(|| "the compiler accepts the flags and ignores them".to_owned()))
    };
    try_out().unwrap_or_else(|error| Some(error.to_string()))
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::*;

    /// The toolchain that runs the tests, with a compiler that does this.
    fn with_compiler(directory: &Path, script: &str) -> Toolchain {
        let mut toolchain = Toolchain::find(Path::new(".")).unwrap();
        let rustc = directory.join("rustc");
        let real = toolchain.rustc.display();
        fs::write(&rustc, format!("#!/bin/sh\nREAL='{real}'\n{script}")).unwrap();
        fs::set_permissions(&rustc, fs::Permissions::from_mode(0o755)).unwrap();
        toolchain.rustc = rustc;
        toolchain
    }

    #[test]
    fn the_compiler_of_these_tests_makes_accesses_visible() {
        assert_eq!(why_refused(&Toolchain::find(Path::new(".")).unwrap()), None);
    }

    /// A load that the compiler may run ahead of its condition, and does without the flags, would be a race that the
    /// source does not have.
    #[test]
    fn optimisation_moves_no_access_to_where_the_source_has_none() {
        const LOOP: &str = "
            #[unsafe(no_mangle)]
            pub fn sum(rounds: usize, value: &u64) -> u64 {
                let (mut sum, mut round) = (0_u64, 0);
                while round < rounds {
                    if round & 3 == 2 { sum ^= *value; }
                    sum = sum.rotate_left(3);
                    round += 1;
                }
                sum
            }";
        const MAIN: &str = "
            use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
            static READS: AtomicUsize = AtomicUsize::new(0);
            #[unsafe(no_mangle)]
            extern \"C\" fn __tsan_read8(_: *const u64) { READS.fetch_add(1, SeqCst); }
            #[unsafe(no_mangle)]
            extern \"C\" fn __tsan_func_entry(_: usize) {}
            #[unsafe(no_mangle)]
            extern \"C\" fn __tsan_func_exit() {}
            fn main() {
                let mut reads = [0; 2];
                for (reads, rounds) in reads.iter_mut().zip([2, 3]) {
                    READS.store(0, SeqCst);
                    std::hint::black_box(accesses::sum(rounds, &5));
                    *reads = READS.load(SeqCst);
                }
                assert_eq!(reads, [0, 1]);
            }";
        let toolchain = Toolchain::find(Path::new(".")).unwrap();
        for level in ["opt-level=0", "opt-level=1", "opt-level=3"] {
            let directory = tempfile::tempdir().unwrap();
            let compile = |name: &str, source: &str, arguments: &[&str]| {
                let file = directory.path().join(format!("{name}.rs"));
                fs::write(&file, source).unwrap();
                let mut command = Command::new(&toolchain.rustc);
                command
                    .current_dir(directory.path())
                    .args(["--edition", "2024", "--target", &toolchain.host])
                    .args(arguments)
                    .arg(&file);
                let output = command.output().unwrap();
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{said}");
            };
            let flags = [&["--crate-type", "rlib", "-C", level], &ACCESS_FLAGS[..]].concat();
            compile("accesses", LOOP, &flags);
            compile("main", MAIN, &["--extern", "accesses=libaccesses.rlib"]);
            let ran = Command::new(directory.path().join("main"))
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&ran.stderr);
            assert!(ran.status.success(), "{level}: {said}");
        }
    }

    #[test]
    fn a_compiler_that_refuses_the_flags_is_quoted() {
        let directory = tempfile::tempdir().unwrap();
        let script = "case \"$*\" in *passes=*) echo 'error: unknown pass name' >&2; exit 1;; esac\nexec \"$REAL\" \"$@\"\n";
        let why = why_refused(&with_compiler(directory.path(), script));
        assert_eq!(why.as_deref(), Some("error: unknown pass name"));
    }

    #[test]
    fn a_compiler_that_takes_the_flags_and_does_nothing_is_found_out() {
        let directory = tempfile::tempdir().unwrap();
        // The same command line without `-C passes=…` and `-C llvm-args=…`.
        let script = "for it in \"$@\"; do shift; case \"$it\" in passes=*|llvm-args=*) it=debuginfo=0;; esac; set -- \"$@\" \"$it\"; done\nexec \"$REAL\" \"$@\"\n";
        let why = why_refused(&with_compiler(directory.path(), script));
        assert!(why.unwrap().contains("ignores them"));
    }
}
