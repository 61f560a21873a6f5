//! Rust source with keywords, strings, comments and numbers set apart. A file is read as a whole, so that a comment or
//! a string of several lines is recognised in each of them.

use super::markup::Markup;

/// What a piece of source is, as the class of its element.
type Class = &'static str;

const KEYWORDS: [&str; 40] = [
    "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern",
    "false", "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub",
    "ref", "return", "self", "Self", "static", "struct", "super", "trait", "true", "type", "union",
    "unsafe", "use", "where", "while", "yield",
];

/// The lines of a file, each as pieces of text with their class.
#[derive(Debug)]
pub(super) struct Highlighted {
    lines: Vec<Vec<(Class, String)>>,
}

impl Highlighted {
    /// Reads a file.
    pub(super) fn new(source: &str) -> Self {
        let mut lines = vec![Vec::new()];
        let mut rest = source;
        while !rest.is_empty() {
            let (class, length) = piece(rest);
            let (text, after) = rest.split_at(length);
            for (n, part) in text.split('\n').enumerate() {
                if n > 0 {
                    lines.push(Vec::new());
                }
                let part = part.strip_suffix('\r').unwrap_or(part);
                if let (false, Some(line)) = (part.is_empty(), lines.last_mut()) {
                    match line.last_mut() {
                        Some((last, text)) if *last == class => {
                            let text: &mut String = text;
                            text.push_str(part);
                        }
                        _ => line.push((class, part.to_owned())),
                    }
                }
            }
            rest = after;
        }
        Self { lines }
    }

    /// Number of lines.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Writes the line with this number, counting from 1. `trimmed`: without the blanks at its beginning.
    pub(super) fn write(&self, out: &mut Markup, line: u32, trimmed: bool) {
        let pieces = (line as usize)
            .checked_sub(1)
            .and_then(|at| self.lines.get(at));
        for (n, (class, text)) in pieces.into_iter().flatten().enumerate() {
            let text = if n == 0 && trimmed {
                text.trim_start()
            } else {
                text
            };
            if class.is_empty() {
                out.text(text);
            } else {
                out.element("span", &[("class", class)], text);
            }
        }
    }
}

/// What the source begins with, and how many bytes of it.
fn piece(source: &str) -> (Class, usize) {
    let bytes = source.as_bytes();
    if source.starts_with("//") {
        return ("co", source.find('\n').unwrap_or(source.len()));
    }
    if source.starts_with("/*") {
        return ("co", block_comment(source));
    }
    if let Some(length) = string(source) {
        return ("st", length);
    }
    let first = source.chars().next().unwrap_or(' ');
    if first == '\'' {
        return character(source)
            .map_or_else(|| ("lt", 1 + word(&source[1..])), |length| ("st", length));
    }
    if first.is_ascii_digit() {
        return ("nu", word(source));
    }
    if first.is_alphabetic() || first == '_' {
        let length = word(source);
        let text = &source[..length];
        let class = if KEYWORDS.contains(&text) {
            "kw"
        } else if bytes.get(length) == Some(&b'!') && bytes.get(length + 1) != Some(&b'=') {
            "ma"
        } else {
            ""
        };
        return (class, length);
    }
    ("", first.len_utf8())
}

fn word(source: &str) -> usize {
    source
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(source.len())
}

/// Comments nest.
fn block_comment(source: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < source.len() {
        let rest = &source[at..];
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    source.len()
}

/// Length of a string literal at the beginning: `"…"`, `b"…"`, `r#"…"#` and the like.
fn string(source: &str) -> Option<usize> {
    let prefix = source.len() - source.trim_start_matches(['b', 'c', 'r']).len();
    let prefix = (prefix <= 2).then_some(prefix)?;
    let rest = &source[prefix..];
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    let raw = source[..prefix].contains('r');
    let body = rest[hashes..].strip_prefix('"')?;
    let begin = prefix + hashes + 1;
    if raw {
        let end = format!("\"{}", "#".repeat(hashes));
        let length = body.find(&end).map_or(body.len(), |at| at + end.len());
        return Some(begin + length);
    }
    if hashes > 0 {
        return None;
    }
    let mut escaped = false;
    for (at, byte) in body.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(begin + at + 1),
            _ => {}
        }
    }
    Some(source.len())
}

/// Length of a character literal; `None` for a lifetime.
fn character(source: &str) -> Option<usize> {
    let mut inside = source.char_indices().skip(1);
    let (_, first) = inside.next()?;
    if first == '\\' {
        let end = source.get(3..)?.find('\'')?;
        return Some(3 + end + 1);
    }
    let (at, close) = inside.next()?;
    (close == '\'').then_some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &str, line: u32) -> String {
        let mut out = Markup::new();
        Highlighted::new(source).write(&mut out, line, false);
        out.finish()
    }

    #[test]
    fn strings_comments_keywords_and_lifetimes_are_set_apart() {
        assert_eq!(
            shown("let a = f(\"/* x \\\" */\"); // y", 1),
            "<span class=\"kw\">let</span> a = f(<span class=\"st\">&quot;/* x \\&quot; */&quot;</span>); <span class=\"co\">// y</span>"
        );
        assert_eq!(
            shown("&'a str 'b' '\\'' b\"x\" r#\"\"\"#", 1),
            "&amp;<span class=\"lt\">&#39;a</span> str <span class=\"st\">&#39;b&#39;</span> <span class=\"st\">&#39;\\&#39;&#39;</span> \
             <span class=\"st\">b&quot;x&quot;</span> <span class=\"st\">r#&quot;&quot;&quot;#</span>"
        );
    }

    #[test]
    fn comments_of_several_lines_nest() {
        let source = "/* a /* b */\nc */ fn";
        assert_eq!(
            shown(source, 2),
            "<span class=\"co\">c */</span> <span class=\"kw\">fn</span>"
        );
    }

    #[test]
    fn any_text_can_be_read() {
        for source in [
            "",
            "'",
            "\"",
            "r#",
            "b'",
            "/*",
            "'\\",
            "é'中",
            "0x_",
            "r##\"x\"#",
        ] {
            let lines = Highlighted::new(source);
            assert_eq!(lines.len(), 1, "{source}");
        }
    }
}
