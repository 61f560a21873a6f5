//! Whether sources may have examples in their documentation: a look at their text, so that a library without is not
//! built for them.

use std::fs;
use std::path::Path;

/// False if nothing below the directory of this file can be the text of an example.
pub(super) fn may_have_examples(library_source: &Path) -> bool {
    library_source.parent().is_none_or(directory_may)
}

/// What cannot be read may have one.
fn directory_may(directory: &Path) -> bool {
    let Ok(entries) = fs::read_dir(directory) else {
        return true;
    };
    entries.into_iter().any(|entry| {
        let Ok(entry) = entry else {
            return true;
        };
        let path = entry.path();
        if entry.file_type().is_ok_and(|it| it.is_dir()) {
            return directory_may(&path);
        }
        let is_source = path.extension().is_some_and(|it| it == "rs");
        is_source && fs::read_to_string(&path).map_or(true, |text| text_may(&text))
    })
}

fn text_may(text: &str) -> bool {
    // Fences, documentation that stands elsewhere or in blocks, and modules in other directories.
    const SIGNS: [&str; 7] = ["```", "~~~", "include", "/**", "/*!", "path =", "path="];
    SIGNS.iter().any(|sign| text.contains(sign))
        || text.contains("doc") && has_attribute(text)
        || text.lines().any(is_indented)
}

/// `#[doc = …]`, also inside a `cfg_attr` or a macro.
fn has_attribute(text: &str) -> bool {
    text.match_indices("doc").any(|(at, word)| {
        let rest = text[at + word.len()..].trim_start();
        rest.starts_with('=') && !rest.starts_with("==")
    })
}

/// A line of documentation that Markdown takes for code.
fn is_indented(line: &str) -> bool {
    let line = line.trim_start();
    let text = line
        .strip_prefix("///")
        .or_else(|| line.strip_prefix("//!"));
    text.is_some_and(|it| it.starts_with("    ") || it.contains('\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_in_documentation_is_seen_however_it_is_written() {
        for text in [
            "/// ```\n/// f();\n/// ```\nfn f() {}",
            "//! ~~~\n//! f();\n//! ~~~",
            "///     f();\nfn f() {}",
            "///\tf();\nfn f() {}",
            "/** text\n    f();\n*/ fn f() {}",
            "#![doc = include_str!(\"../README.md\")]",
            "macro_rules! m { ($d:expr) => { #[doc=$d] fn f() {} } }",
            "#[path = \"../other.rs\"] mod other;",
        ] {
            assert!(text_may(text), "{text}");
        }
        for text in [
            "//! Counts.\n\n/// One more.\npub fn f() {}\n",
            "// docs == code\n#[doc(hidden)]\npub fn f() {}\n",
        ] {
            assert!(!text_may(text), "{text}");
        }
    }
}
