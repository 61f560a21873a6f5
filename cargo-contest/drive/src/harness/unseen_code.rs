//! Code that the compiler cannot make visible, in the package under test and in what it depends on.
//!
//! It is found in the tokens of sources rather than in their syntax trees: much of it is in bodies of macros.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{Artifact, BuildScript};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::compiled_code::compiled;
use contest_catalog::skipped::Skipped;

/// A kind of code whose effects are not observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unseen {
    InlineAssembly,
    Assembly,
    ForeignFunctions,
    MappedMemory,
    ThreadLocal,
    Simd,
}

use Unseen::{Assembly, ForeignFunctions, InlineAssembly, MappedMemory, Simd, ThreadLocal};

/// Parts of the names of intrinsics for masked, streaming, gathering and scattering accesses.
const SIMD: [&str; 6] = [
    "_maskstore_",
    "_maskload_",
    "_stream_",
    "gather_epi",
    "gather_p",
    "scatter_",
];

impl Unseen {
    fn what(self) -> &'static str {
        match self {
            InlineAssembly => "inline assembly",
            Assembly => "assembly in whole functions",
            ForeignFunctions => "functions of other languages",
            MappedMemory => "memory from `mmap`",
            ThreadLocal => "statics with `#[thread_local]`",
            Simd => "masked, streaming, gathering or scattering SIMD accesses",
        }
    }

    fn why(self) -> &'static str {
        match self {
            InlineAssembly => {
                "threads switch before each block, and blocks that are no fences of x86 are taken to order what is before and \
                 after them, so that a data race may be missed; what they do to memory is not watched"
            }
            Assembly => {
                "what it does to memory is not watched, and what it orders between threads is not seen"
            }
            ForeignFunctions => {
                "what they do to memory is not watched, and what they order between threads, or wait for, is not seen"
            }
            MappedMemory => {
                "accesses to it are not watched: blocks of Rust's allocator and statics are"
            }
            ThreadLocal => {
                "all threads of a test share them, for the threads are coroutines; those of `thread_local!` are kept apart"
            }
            Simd => "they are not watched; other SIMD accesses are",
        }
    }

    /// Searched for in dependencies too. Foreign functions are not: most that dependencies declare are never called.
    fn anywhere(self) -> bool {
        matches!(self, InlineAssembly | Assembly | ThreadLocal)
    }
}

/// Searches the sources of the package under test.
pub(crate) fn unseen_code(package: &str, sources: &Path) -> Vec<Skipped> {
    let mut found = BTreeSet::new();
    search(sources, &mut found);
    found
        .into_iter()
        .map(|it| Skipped::new(format!("{} in {package}", it.what()), it.why()))
        .collect()
}

/// The same for dependencies, by name and directory of sources: one entry for each kind.
pub(crate) fn unseen_in_dependencies(dependencies: &[(&str, &Path)]) -> Vec<Skipped> {
    let mut names: BTreeMap<Unseen, Vec<&str>> = BTreeMap::new();
    for (name, sources) in dependencies {
        let mut found = BTreeSet::new();
        search(sources, &mut found);
        for kind in found.into_iter().filter(|it| it.anywhere()) {
            names.entry(kind).or_default().push(name);
        }
    }
    names
        .into_iter()
        .map(|(it, names)| Skipped::new(format!("{} in {}", it.what(), names.join(", ")), it.why()))
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
                ForeignFunctions.why(),
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

/// Searches the files below a directory that are compiled for this machine.
fn search(directory: &Path, found: &mut BTreeSet<Unseen>) {
    let mut files: Vec<(PathBuf, BTreeSet<Unseen>)> = Vec::new();
    let mut no_modules = Vec::new();
    read(directory, &mut files, &mut no_modules);
    for (path, of_file) in files {
        if !no_modules.iter().any(|it| path.starts_with(it)) {
            found.extend(of_file);
        }
    }
}

/// Reads the files below a directory. `no_modules`: files and directories of modules that are not compiled.
fn read(
    directory: &Path,
    files: &mut Vec<(PathBuf, BTreeSet<Unseen>)>,
    no_modules: &mut Vec<PathBuf>,
) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            read(&path, files, no_modules);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && let Ok(text) = fs::read_to_string(&path)
            && (may_have_some(&text) || text.contains("cfg") && text.contains("mod "))
            && let Ok(tokens) = text.parse()
        {
            let compiled = compiled(tokens);
            let mut found = BTreeSet::new();
            scan(compiled.tokens, &mut found);
            let stem = path.file_stem().unwrap_or_default();
            let below = match stem.to_str() {
                Some("lib" | "main" | "mod") => directory.to_owned(),
                _ => directory.join(stem),
            };
            for name in compiled.no_modules {
                no_modules.push(below.join(format!("{name}.rs")));
                no_modules.push(below.join(name));
            }
            files.push((path, found));
        }
    }
}

/// False for most files, which need not be split into tokens.
fn may_have_some(text: &str) -> bool {
    let words = ["asm!", "libc", "mmap", "thread_local", "extern"];
    words.iter().chain(&SIMD).any(|it| text.contains(it))
}

fn scan(tokens: TokenStream, found: &mut BTreeSet<Unseen>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_punct = |at: usize, character: char| matches!(tokens.get(at), Some(TokenTree::Punct(it)) if it.as_char() == character);
    let group = |at: usize, delimiter: Delimiter| match tokens.get(at) {
        Some(TokenTree::Group(it)) if it.delimiter() == delimiter => Some(it.stream()),
        _ => None,
    };
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => scan(group.stream(), found),
            TokenTree::Punct(it) if it.as_char() == '#' => {
                let attribute = group(at + 1, Delimiter::Bracket);
                if attribute.is_some_and(|it| it.to_string() == "thread_local") {
                    found.insert(ThreadLocal);
                }
            }
            TokenTree::Ident(name) => {
                let name = name.to_string();
                match name.as_str() {
                    "asm" if is_punct(at + 1, '!') => {
                        found.insert(InlineAssembly);
                    }
                    "global_asm" | "naked_asm" if is_punct(at + 1, '!') => {
                        found.insert(Assembly);
                    }
                    "libc" if is_punct(at + 1, ':') && is_punct(at + 2, ':') => {
                        found.insert(ForeignFunctions);
                    }
                    "mmap" if group(at + 1, Delimiter::Parenthesis).is_some() => {
                        found.insert(MappedMemory);
                    }
                    // A block of declarations, not the head of a function: `extern {`, `extern "C" {`.
                    "extern" => {
                        let named = matches!(tokens.get(at + 1), Some(TokenTree::Literal(_)));
                        if group(at + 1 + usize::from(named), Delimiter::Brace).is_some() {
                            found.insert(ForeignFunctions);
                        }
                    }
                    name if SIMD.iter().any(|it| name.contains(it)) => {
                        found.insert(Simd);
                    }
                    _ => {}
                }
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(found: Vec<Skipped>) -> Vec<String> {
        found.into_iter().map(|skipped| skipped.item).collect()
    }

    #[test]
    fn assembly_and_foreign_functions_are_found_but_not_in_comments_or_strings() {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("inner")).unwrap();
        let write = |name: &str, text: &str| {
            fs::write(directory.path().join(name), text).unwrap();
        };
        write(
            "lib.rs",
            "// asm!(\"nop\")\nmod inner; const TEXT: &str = \"asm!() libc::\";\n",
        );
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
    fn what_another_target_has_does_not_count() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            fs::write(directory.path().join(name), text).unwrap();
        };
        let wasm = "#[cfg(target_arch = \"wasm32\")]\n";
        write(
            "lib.rs",
            &format!("{wasm}extern \"C\" {{ fn f(); }}\n{wasm}mod wasm;\n"),
        );
        write("wasm.rs", "extern \"C\" { fn g(); }\n");
        assert_eq!(unseen_code("queue", directory.path()), []);
        write("lib.rs", "mod wasm;\n");
        let expected = ["functions of other languages in queue"];
        assert_eq!(items(unseen_code("queue", directory.path())), expected);
    }

    #[test]
    fn of_dependencies_only_what_they_do_themselves_is_reported() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = |name: &str, text: &str| {
            let directory = scratch.path().join(name);
            fs::create_dir(&directory).unwrap();
            fs::write(directory.join("lib.rs"), text).unwrap();
            directory
        };
        let one = directory("one", "asm!(\"nop\");\nextern \"C\" {\n}\n");
        let two = directory(
            "two",
            "macro_rules! nop { () => { core::arch::asm!(\"nop\") } }\n",
        );
        let three = directory("three", "#[thread_local]\nstatic X: u8 = 0;\n");
        let found = unseen_in_dependencies(&[("one", &one), ("two", &two), ("three", &three)]);
        let expected = [
            "inline assembly in one, two",
            "statics with `#[thread_local]` in three",
        ];
        assert_eq!(items(found), expected);
    }
}
