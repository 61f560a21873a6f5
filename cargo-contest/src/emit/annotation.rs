//! Whether a type has the attribute `#[contest::shared]`, by its source.

use std::path::Path;

use syn::spanned::Spanned;

/// True if the type declared at `src/lib.rs:12`, relative to the package, is annotated. False if that is unknown.
#[must_use]
pub fn is_annotated(package: &Path, declared: &str) -> bool {
    let Some((file, line)) = declared.rsplit_once(':') else {
        return false;
    };
    let (Ok(source), Ok(line)) = (std::fs::read_to_string(package.join(file)), line.parse()) else {
        return false;
    };
    syn::parse_file(&source).is_ok_and(|file| among(&file.items, line))
}

fn among(items: &[syn::Item], line: usize) -> bool {
    items.iter().any(|item| match item {
        syn::Item::Mod(module) => module
            .content
            .as_ref()
            .is_some_and(|(_, items)| among(items, line)),
        syn::Item::Struct(item) => covers(item, line) && has_attribute(&item.attrs),
        syn::Item::Enum(item) => covers(item, line) && has_attribute(&item.attrs),
        _ => false,
    })
}

/// Attributes and comments included.
fn covers(item: &impl Spanned, line: usize) -> bool {
    let span = item.span();
    (span.start().line..=span.end().line).contains(&line)
}

/// By the last segment of the path: the crate may be renamed.
fn has_attribute(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let last = attribute.path().segments.last();
        last.is_some_and(|last| last.ident == "shared")
    })
}

#[cfg(test)]
mod tests {
    use super::is_annotated;

    #[test]
    fn the_attribute_is_seen_on_the_type_at_the_line_and_no_other() {
        let directory = tempfile::tempdir().unwrap();
        let source = "\
struct Plain;
mod inner {
    /// Documented.
    #[racing::shared]
    #[derive(Debug)]
    pub struct Annotated {
        field: u32,
    }
}
#[other]
enum Other {}
";
        std::fs::write(directory.path().join("lib.rs"), source).unwrap();
        let at = |line: u32| is_annotated(directory.path(), &format!("lib.rs:{line}"));
        assert!(at(6) && at(4));
        assert!(!at(1) && !at(10) && !at(11));
        assert!(!is_annotated(directory.path(), "gone.rs:1"));
        assert!(!is_annotated(directory.path(), ""));
    }
}
