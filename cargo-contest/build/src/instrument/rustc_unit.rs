//! What a command line of the compiler is about: a unit of the graph under test, or something else.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

/// The crate of examples of documentation.
pub const DOCTESTS_CRATE: &str = "contest_doctests";

/// A unit of cargo's graph that runs in the driver.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) crate_name: String,
    /// `-C extra-filename`.
    extra_filename: String,
    pub(super) caps_lints: bool,
    /// It is an executable of tests.
    pub(super) is_test: bool,
    /// `--out-dir`.
    pub(super) out_dir: Option<String>,
}

impl Unit {
    /// `None` for a question of cargo, a build script, a macro, anything for the host, and what a build script compiles
    /// to find out about the compiler.
    pub(super) fn of(arguments: &[OsString]) -> Option<Self> {
        let line = CommandLine::of(arguments);
        line.value_of("--target")?;
        line.value_of("--emit")?;
        // Only cargo passes these two.
        line.codegen("metadata")?;
        if line.value_of("--error-format")? != "json"
            || line
                .value_of("--crate-type")
                .is_some_and(|it| it == "proc-macro")
        {
            return None;
        }
        let crate_name = line.value_of("--crate-name")?;
        Some(Self {
            extra_filename: line.codegen("extra-filename").unwrap_or_default(),
            caps_lints: line.value_of("--cap-lints").is_some(),
            is_test: line.0.iter().any(|it| it == "--test") || crate_name == DOCTESTS_CRATE,
            out_dir: line.value_of("--out-dir"),
            crate_name,
        })
    }

    /// Of its library without `lib` in front: differs from unit to unit.
    pub(super) fn file_name(&self) -> String {
        format!("{}{}", self.crate_name, self.extra_filename)
    }
}

/// The file in which the compiler lists what a unit of cargo is made of, for the host or for the target.
pub(super) fn dependency_list(arguments: &[OsString]) -> Option<PathBuf> {
    let line = CommandLine::of(arguments);
    let lists = line.value_of("--emit")?.contains("dep-info");
    let name = line.value_of("--crate-name")? + &line.codegen("extra-filename")?;
    let directory = PathBuf::from(line.value_of("--out-dir")?);
    lists.then(|| directory.join(name + ".d"))
}

/// The arguments of the compiler.
struct CommandLine(Vec<OsString>);

impl CommandLine {
    fn of(arguments: &[OsString]) -> Self {
        Self(expand_argument_files(arguments))
    }

    fn value_of(&self, name: &str) -> Option<String> {
        let mut values = self.0.iter().map(|it| it.to_string_lossy());
        while let Some(argument) = values.next() {
            if argument == name {
                return values.next().map(|it| it.into_owned());
            }
            let with_sign = argument
                .strip_prefix(name)
                .and_then(|it| it.strip_prefix('='));
            if let Some(value) = with_sign {
                return Some(value.to_owned());
            }
        }
        None
    }

    /// Of an option of `-C`.
    fn codegen(&self, name: &str) -> Option<String> {
        let mut values = self.0.iter().map(|it| it.to_string_lossy());
        while let Some(argument) = values.next() {
            let option = match argument.strip_prefix("-C") {
                Some("") => values.next()?.into_owned(),
                Some(option) => option.to_owned(),
                None => continue,
            };
            let value = option
                .strip_prefix(name)
                .and_then(|it| it.strip_prefix('='));
            if let Some(value) = value {
                return Some(value.to_owned());
            }
        }
        None
    }
}

/// Cargo writes long command lines to a file and passes `@file`.
fn expand_argument_files(arguments: &[OsString]) -> Vec<OsString> {
    let mut expanded = Vec::with_capacity(arguments.len());
    for argument in arguments {
        let file = argument.to_str().and_then(|it| it.strip_prefix('@'));
        match file.and_then(|path| fs::read_to_string(path).ok()) {
            Some(text) => expanded.extend(text.lines().map(OsString::from)),
            None => expanded.push(argument.clone()),
        }
    }
    expanded
}

/// The runtime reads debug information as the linker leaves it. If the user's flags have the linker compress it, this
/// undoes it; the last flag counts.
pub(super) fn plain_sections(arguments: &[OsString]) -> &'static [&'static str] {
    let compressed = expand_argument_files(arguments)
        .iter()
        .any(|it| it.to_string_lossy().contains("compress-debug-sections"));
    if compressed {
        &["-C", "link-arg=-Wl,--compress-debug-sections=none"]
    } else {
        &[]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(line: &str) -> Option<Unit> {
        let arguments: Vec<_> = line.split_whitespace().map(OsString::from).collect();
        Unit::of(&arguments)
    }

    const LIBRARY: &str = "--crate-name flume --edition=2018 src/lib.rs --error-format=json --json=artifacts \
        --crate-type lib --emit=dep-info,metadata,link -C embed-bitcode=no -C metadata=0f -C extra-filename=-0f \
        --out-dir x --cap-lints allow";

    #[test]
    fn a_unit_has_a_list_of_what_it_is_made_of() {
        let arguments: Vec<_> = LIBRARY.split_whitespace().map(OsString::from).collect();
        let list = dependency_list(&arguments);
        assert_eq!(list, Some(PathBuf::from("x/flume-0f.d")));
    }

    #[test]
    fn a_unit_for_the_target_is_instrumented() {
        let unit = unit(&format!("{LIBRARY} --target x86_64-unknown-linux-gnu")).unwrap();
        assert_eq!(unit.file_name(), "flume-0f");
        assert!(unit.caps_lints);
    }

    #[test]
    fn a_unit_for_the_host_is_not() {
        assert_eq!(unit(LIBRARY), None);
    }

    #[test]
    fn questions_about_the_compiler_are_not() {
        for question in [
            "-vV",
            "- --crate-name ___ --print=file-names --crate-type bin --target x",
            "--crate-name autocfg_1 --crate-type=lib --out-dir o --emit=llvm-ir - --target x",
            "--crate-name anyhow --edition=2021 --crate-type=lib --emit=dep-info,metadata --target x build/probe.rs",
        ] {
            assert_eq!(unit(question), None, "{question}");
        }
    }

    #[test]
    fn a_macro_crate_is_not() {
        let macros = LIBRARY.replace("--crate-type lib", "--crate-type proc-macro");
        assert_eq!(unit(&format!("{macros} --target x")), None);
    }

    #[test]
    fn a_command_line_in_a_file_is_read() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("arguments");
        let lines = format!("{LIBRARY} --target=x");
        fs::write(
            &file,
            lines.split_whitespace().collect::<Vec<_>>().join("\n"),
        )
        .unwrap();
        let unit = unit(&format!("@{}", file.display())).unwrap();
        assert_eq!(unit.crate_name, "flume");
    }

    #[test]
    fn the_linker_does_not_compress_debug_information() {
        let flags = |line: &str| {
            let arguments: Vec<_> = line.split_whitespace().map(OsString::from).collect();
            plain_sections(&arguments)
        };
        assert!(flags(LIBRARY).is_empty());
        let compressed = "-C link-arg=-Wl,--compress-debug-sections=zlib";
        assert_eq!(
            flags(&format!("{LIBRARY} {compressed}")),
            ["-C", "link-arg=-Wl,--compress-debug-sections=none"]
        );
    }
}
