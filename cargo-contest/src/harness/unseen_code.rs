//! Code of the package under test whose memory accesses the compiler cannot make visible.

use std::fs;
use std::path::Path;

use crate::skipped::Skipped;

/// What stands in the source, what it is, and why it is not seen.
const KINDS: [(&[&str], &str, &str); 3] = [
    (
        &["asm!("],
        "inline assembly",
        "what it does to memory is not watched",
    ),
    (
        &[
            "extern \"C\" {",
            "extern \"C-unwind\" {",
            "extern \"system\" {",
        ],
        "functions of other languages",
        "what they do to memory is not watched",
    ),
    (
        &["mmap("],
        "memory from `mmap`",
        "accesses to it are not watched: blocks of Rust's allocator and statics are",
    ),
];

/// Looks through the sources below a directory, by text: a hint in a summary, no analysis.
pub(crate) fn unseen_code(package: &str, sources: &Path) -> Vec<Skipped> {
    let mut found = [false; KINDS.len()];
    search(sources, &mut found);
    KINDS
        .iter()
        .zip(found)
        .filter(|(_, found)| *found)
        .map(|((_, what, why), _)| Skipped::new(format!("{what} in {package}"), *why))
        .collect()
}

fn search(directory: &Path, found: &mut [bool; KINDS.len()]) {
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
                for ((marks, ..), found) in KINDS.iter().zip(found.iter_mut()) {
                    *found |= marks.iter().any(|mark| code.contains(mark));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        write(
            "inner/mod.rs",
            "fn f() { unsafe { asm!(\"nop\") } }\nunsafe extern \"C\" {\n    fn g();\n}\n",
        );
        let items: Vec<String> = unseen_code("queue", directory.path())
            .into_iter()
            .map(|skipped| skipped.item)
            .collect();
        let expected = [
            "inline assembly in queue",
            "functions of other languages in queue",
        ];
        assert_eq!(items, expected);
    }
}
