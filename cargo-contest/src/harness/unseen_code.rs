//! Code that the compiler cannot make visible, in the package under test and in what it depends on.

use std::fs;
use std::path::Path;

use cargo_metadata::{Artifact, BuildScript};

use crate::skipped::Skipped;

/// Something that is not seen, by how it looks in a line of source.
struct Kind {
    marks: &'static [&'static str],
    what: &'static str,
    why: &'static str,
    /// Looked for in dependencies too. What these declare of other languages is not, since most declare more than anybody calls.
    anywhere: bool,
}

const ASSEMBLY: &str =
    "what it does to memory is not watched, and what it orders between threads is not seen";
const KINDS: [Kind; 5] = [
    Kind {
        marks: &["asm!("],
        what: "inline assembly",
        why: ASSEMBLY,
        anywhere: true,
    },
    Kind {
        marks: &["libc::"],
        what: "functions of other languages",
        why: "what they do to memory is not watched, and what they order between threads, or wait for, is not seen",
        anywhere: false,
    },
    Kind {
        marks: &["mmap("],
        what: "memory from `mmap`",
        why: "accesses to it are not watched: blocks of Rust's allocator and statics are",
        anywhere: false,
    },
    Kind {
        marks: &["#[thread_local]"],
        what: "statics with `#[thread_local]`",
        why: "all threads of a test share them, for the threads are coroutines; those of `thread_local!` are kept apart",
        anywhere: true,
    },
    Kind {
        marks: &[
            "_maskstore_",
            "_maskload_",
            "_stream_",
            "gather_epi",
            "gather_p",
            "scatter_",
        ],
        what: "masked, streaming, gathering or scattering SIMD accesses",
        why: "they are not watched; other SIMD accesses are",
        anywhere: false,
    },
];
/// Number of the kind that declarations of functions are of, too.
const FOREIGN: usize = 1;

type Found = [bool; KINDS.len()];

/// Looks through the sources of the package under test, by text: a hint in a summary, no analysis.
pub(crate) fn unseen_code(package: &str, sources: &Path) -> Vec<Skipped> {
    let mut found = Found::default();
    search(sources, &mut found);
    KINDS
        .iter()
        .zip(found)
        .filter(|(_, found)| *found)
        .map(|(kind, _)| Skipped::new(format!("{} in {package}", kind.what), kind.why))
        .collect()
}

/// The same for dependencies, by name and directory of sources: one entry for each kind.
pub(crate) fn unseen_in_dependencies(dependencies: &[(&str, &Path)]) -> Vec<Skipped> {
    let mut names: [Vec<&str>; KINDS.len()] = Default::default();
    for (name, sources) in dependencies {
        let mut found = Found::default();
        search(sources, &mut found);
        for (names, found) in names.iter_mut().zip(found) {
            if found {
                names.push(name);
            }
        }
    }
    KINDS
        .iter()
        .zip(names)
        .filter(|(kind, names)| kind.anywhere && !names.is_empty())
        .map(|(kind, names)| {
            Skipped::new(format!("{} in {}", kind.what, names.join(", ")), kind.why)
        })
        .collect()
}

/// Libraries of other languages that build scripts want linked.
pub(crate) fn linked_libraries(scripts: &[BuildScript], artifacts: &[Artifact]) -> Vec<Skipped> {
    let mut found: Vec<Skipped> = scripts
        .iter()
        .filter(|script| !script.linked_libs.is_empty())
        .map(|script| {
            let libraries = script.linked_libs.iter();
            let libraries: Vec<&str> = libraries
                .map(|it| it.as_str().rsplit('=').next().unwrap_or_default())
                .collect();
            Skipped::new(
                format!(
                    "`{}`, which {} links",
                    libraries.join("`, `"),
                    library_of(script, artifacts)
                ),
                KINDS[FOREIGN].why,
            )
        })
        .collect();
    // A script runs once for the host and once for the target, if both need it.
    found.sort_by(|a, b| a.item.cmp(&b.item));
    found.dedup();
    found
}

/// The library of the package that a script is of.
fn library_of<'a>(script: &'a BuildScript, artifacts: &'a [Artifact]) -> &'a str {
    let mut all = artifacts.iter().filter(|it| !it.target.is_custom_build());
    let library = all.find(|it| it.package_id == script.package_id);
    library.map_or(&script.package_id.repr, |it| &it.target.name)
}

fn search(directory: &Path, found: &mut Found) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            search(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && let Ok(text) = fs::read_to_string(&path)
        {
            for line in text.lines() {
                let code = line.split("//").next().unwrap_or(line);
                for (kind, found) in KINDS.iter().zip(found.iter_mut()) {
                    *found |= kind.marks.iter().any(|mark| code.contains(mark));
                }
                found[FOREIGN] |= opens_foreign_block(code);
            }
        }
    }
}

/// `unsafe extern "C" {`, not the head of a function.
fn opens_foreign_block(code: &str) -> bool {
    let code = code.trim_end();
    code.ends_with('{')
        && code.contains("extern ")
        && !code.contains("fn ")
        && !code.contains("extern crate")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(found: Vec<Skipped>) -> Vec<String> {
        found.into_iter().map(|skipped| skipped.item).collect()
    }

    #[test]
    fn assembly_foreign_functions_and_mapped_memory_are_told_and_comments_are_none() {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("inner")).unwrap();
        let write = |name: &str, text: &str| {
            fs::write(directory.path().join(name), text).unwrap();
        };
        write("lib.rs", "// asm!(\"nop\")\nmod inner;\n");
        write("notes.txt", "mmap(");
        assert_eq!(unseen_code("queue", directory.path()), []);
        write("inner/mod.rs", "pub unsafe extern \"C\" fn own() {\n}\n");
        assert_eq!(unseen_code("queue", directory.path()), []);
        write(
            "inner/mod.rs",
            "fn f() { unsafe { asm!(\"nop\") } }\nunsafe extern {\n    fn g();\n}\n",
        );
        let expected = [
            "inline assembly in queue",
            "functions of other languages in queue",
        ];
        assert_eq!(items(unseen_code("queue", directory.path())), expected);
    }

    #[test]
    fn of_dependencies_only_what_they_do_themselves_is_told() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = |name: &str, text: &str| {
            let directory = scratch.path().join(name);
            fs::create_dir(&directory).unwrap();
            fs::write(directory.join("lib.rs"), text).unwrap();
            directory
        };
        let one = directory("one", "asm!(\"nop\");\nextern \"C\" {\n}\n");
        let two = directory("two", "core::arch::asm!(\"nop\");\n");
        let three = directory("three", "#[thread_local]\nstatic X: u8 = 0;\n");
        let found = unseen_in_dependencies(&[("one", &one), ("two", &two), ("three", &three)]);
        let expected = [
            "inline assembly in one, two",
            "statics with `#[thread_local]` in three",
        ];
        assert_eq!(items(found), expected);
    }
}
