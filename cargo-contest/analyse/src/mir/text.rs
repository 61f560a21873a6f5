//! Splitting text at brackets: MIR nests `<>`, `()`, `[]` and `{}`, and has strings.

/// Walks over the characters of a text that are outside all brackets and strings.
pub(super) fn top_level(text: &str) -> impl Iterator<Item = (usize, u8)> + '_ {
    let bytes = text.as_bytes();
    let mut depth = 0_u32;
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let here = at;
            let byte = bytes[here];
            at += 1;
            match byte {
                b'"' => at = end_of_string(bytes, at),
                // A character, not a lifetime: `'('`.
                b'\'' if bytes.get(here + 2) == Some(&b'\'') => at = here + 3,
                b'\'' if bytes.get(here + 1) == Some(&b'\\') => {
                    let end = bytes[here + 3..].iter().position(|it| *it == b'\'');
                    at = end.map_or(bytes.len(), |end| here + 4 + end);
                }
                // An arrow, or a comparison in the text of a constant, is no bracket.
                b'>' if depth == 0 => return Some((here, byte)),
                b'>' if here > 0 && matches!(bytes[here - 1], b'-' | b'=') => {}
                b'<' | b'(' | b'[' | b'{' => {
                    depth += 1;
                    if depth == 1 {
                        return Some((here, byte));
                    }
                }
                b'>' | b')' | b']' | b'}' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return Some((here, byte));
                    }
                }
                _ if depth == 0 => return Some((here, byte)),
                _ => {}
            }
        }
        None
    })
}

fn end_of_string(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The parts between top-level separators, trimmed; nothing of an empty text.
pub(super) fn split(text: &str, separator: u8) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, byte) in top_level(text) {
        if byte == separator {
            parts.push(text[from..at].trim());
            from = at + 1;
        }
    }
    let last = text[from..].trim();
    if !last.is_empty() {
        parts.push(last);
    }
    parts
}

/// The first top-level occurrence of a word.
pub(super) fn find(text: &str, word: &str) -> Option<usize> {
    let first = word.as_bytes()[0];
    top_level(text)
        .find(|(at, byte)| *byte == first && text[*at..].starts_with(word))
        .map(|(at, _)| at)
}

/// What is before and after the first top-level occurrence of a word.
pub(super) fn split_at_word<'a>(text: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    let at = find(text, word)?;
    Some((&text[..at], &text[at + word.len()..]))
}

/// The text of a bracket that begins the text, without the brackets, and what follows it.
pub(super) fn bracket(text: &str) -> Option<(&str, &str)> {
    let mut brackets = top_level(text).filter(|(_, byte)| b"<>()[]{}".contains(byte));
    let (open, _) = brackets.next()?;
    let (close, _) = brackets.next()?;
    (open == 0).then(|| (&text[1..close], &text[close + 1..]))
}

/// A line without its `;`, and the comment behind it.
pub(crate) fn without_comment(line: &str) -> (&str, &str) {
    let found = line.rsplit_once(" // ").filter(|(_, comment)| {
        ["scope ", "in scope ", "return place "]
            .iter()
            .any(|it| comment.starts_with(it))
    });
    let (text, comment) = found.unwrap_or((line, ""));
    (text.trim().trim_end_matches(';'), comment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_inside_brackets_and_strings_do_not_split() {
        assert_eq!(
            split("A<B, C>, fn(D, E) -> F, \"g, h\", ','", b','),
            ["A<B, C>", "fn(D, E) -> F", "\"g, h\"", "','"]
        );
        assert_eq!(
            bracket("<T as X<(A, B)>>::f(c)"),
            Some(("T as X<(A, B)>", "::f(c)"))
        );
        assert_eq!(
            split_at_word("(a -> b) -> c", " -> "),
            Some(("(a -> b)", "c"))
        );
    }
}
