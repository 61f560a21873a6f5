//! Locations in the terminal as links to files (OSC 8), where a terminal shows links.

use std::fmt::Write as _;
use std::path::Path;

use supports_hyperlinks::Stream;

use super::source_files::{Place, SourceFiles};

/// True if the terminal behind the stream for readable text shows links: standard error beside JSON.
pub(super) fn are_shown(json: bool) -> bool {
    supports_hyperlinks::on(if json { Stream::Stderr } else { Stream::Stdout })
}

/// The text; a location of a known file at the end of a line is a link to the file.
pub(super) fn linked(text: &str, sources: &SourceFiles) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches('\n');
        let begin = content.rfind(' ').map_or(0, |at| at + 1);
        let word = &content[begin..];
        let file = Place::parse(word).and_then(|place| sources.file(place.file));
        match file {
            Some(file) => {
                let _ = write!(
                    out,
                    "{}\u{1b}]8;;{}\u{1b}\\{word}\u{1b}]8;;\u{1b}\\",
                    &content[..begin],
                    address(&file.path)
                );
                out.push_str(&line[content.len()..]);
            }
            None => out.push_str(line),
        }
    }
    out
}

/// `file:///home/me/a%20b/src/lib.rs`
fn address(path: &Path) -> String {
    format!("file://{}", encoded(&path.to_string_lossy()))
}

/// A path as part of an address (RFC 3986).
pub(super) fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_locations_of_files_that_are_there_become_links() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = scratch.path().join("a b");
        std::fs::create_dir_all(directory.join("src")).unwrap();
        std::fs::write(directory.join("src/lib.rs"), "").unwrap();
        let sources = SourceFiles::new(&[&directory], None);
        let text = "| x | src/lib.rs:1:2\n| y | src/no.rs:1:2\nno place\n";
        let shown = linked(text, &sources);
        assert_eq!(shown.matches("\u{1b}]8;;file://").count(), 1);
        assert!(shown.contains("a%20b/src/lib.rs\u{1b}\\src/lib.rs:1:2\u{1b}]8;;\u{1b}\\\n"));
        assert_eq!(anstream::adapter::strip_str(&shown).to_string(), text);
    }
}
