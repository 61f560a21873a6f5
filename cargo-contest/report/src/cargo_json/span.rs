//! A place as a span of the compiler: bytes of the file, line and columns, and the text of the line.

use std::path::Path;

use serde_json::{Value, json};

use crate::own_place::OwnPlace;

/// Most characters of a line that are shown.
const MOST: usize = 400;

/// The primary span of what is at a place: a name, or what else stands there up to the next blank.
pub(super) fn of(place: &OwnPlace, file: &Path, label: Option<&str>) -> Value {
    let text = &place.file.text;
    let (begin, line) = line_of(text, place.line);
    let part = marked(line, place.column);
    let column = |at: usize| line[..at].chars().count() + 1;
    let (first, last) = (column(part.0), column(part.1));
    let shown: String = line.chars().take(MOST).collect();
    let most = shown.chars().count() + 1;
    json!({
        "file_name": file.to_string_lossy(),
        "byte_start": begin + part.0,
        "byte_end": begin + part.1,
        "line_start": place.line,
        "line_end": place.line,
        "column_start": first,
        "column_end": last,
        "is_primary": true,
        "text": [{"text": shown, "highlight_start": first.min(most), "highlight_end": last.min(most)}],
        "label": label,
        "suggested_replacement": null,
        "suggestion_applicability": null,
        "expansion": null,
    })
}

/// Where the line begins, and its text without the break; the end of the text if there is no such line.
fn line_of(text: &str, number: u32) -> (usize, &str) {
    let mut begin = 0;
    for (line, at) in text.split_inclusive('\n').zip(1u32..) {
        if at == number {
            let line = line.strip_suffix('\n').unwrap_or(line);
            return (begin, line.strip_suffix('\r').unwrap_or(line));
        }
        begin += line.len();
    }
    (text.len(), "")
}

/// The bytes of a line that are meant by a column, which counts bytes as debug information does; all of the line but
/// the blanks around it if the column is unknown or not in the line.
fn marked(line: &str, column: u32) -> (usize, usize) {
    let at = usize::try_from(column)
        .ok()
        .and_then(|it| it.checked_sub(1));
    let rest = at.and_then(|at| Some((at, line.get(at..)?)));
    let Some((at, rest)) = rest.filter(|(_, rest)| !rest.trim_start().is_empty()) else {
        let begin = line.len() - line.trim_start().len();
        return (begin, begin + line.trim().len());
    };
    let is_name = |it: char| it.is_alphanumeric() || it == '_';
    let end = match rest.starts_with(is_name) {
        true => rest.find(|it| !is_name(it)),
        false => rest.find(|it: char| it.is_whitespace() || it == ';'),
    };
    let end = end.unwrap_or(rest.len());
    let one = rest.chars().next().map_or(0, char::len_utf8);
    (at, at + end.max(one))
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::source_files::SourceFile;

    fn span(text: &str, line: u32, column: u32) -> Value {
        let file = SourceFile {
            path: "/w/src/lib.rs".into(),
            text: text.to_owned(),
        };
        let place = OwnPlace {
            file: Rc::new(file),
            line,
            column,
        };
        of(&place, Path::new("src/lib.rs"), Some("here"))
    }

    #[test]
    fn a_name_is_marked_in_bytes_and_in_characters() {
        let text = "one\r\n  let ä = a.lock();\n";
        let span = span(text, 2, 14);
        let bytes = |key: &str| usize::try_from(span[key].as_u64().unwrap()).unwrap();
        assert_eq!(&text[bytes("byte_start")..bytes("byte_end")], "lock");
        assert_eq!((bytes("line_start"), bytes("line_end")), (2, 2));
        // The umlaut is one character of two bytes.
        assert_eq!((bytes("column_start"), bytes("column_end")), (13, 17));
        assert_eq!(span["text"][0]["text"], "  let ä = a.lock();");
        assert_eq!(span["file_name"], "src/lib.rs");
        assert_eq!(span["label"], "here");
    }

    #[test]
    fn a_place_that_is_not_there_is_no_panic() {
        let text = "fn ä() { *x = 1; }";
        let marked = |line, column| {
            let span = span(text, line, column);
            let bytes = |key: &str| usize::try_from(span[key].as_u64().unwrap()).unwrap();
            text[bytes("byte_start")..bytes("byte_end")].to_owned()
        };
        assert_eq!(marked(1, 11), "*x");
        for (line, column) in [(1, 0), (1, 5), (1, 99), (1, u32::MAX)] {
            assert_eq!(marked(line, column), text, "{line}:{column}");
        }
        for (line, column) in [(2, 1), (99, 5), (0, 0), (u32::MAX, u32::MAX)] {
            assert_eq!(marked(line, column), "", "{line}:{column}");
        }
        let long = span(&"x".repeat(5_000), 1, 4_999);
        assert_eq!(long["text"][0]["text"].as_str().unwrap().len(), MOST);
        assert_eq!(long["text"][0]["highlight_start"], MOST + 1);
    }
}
