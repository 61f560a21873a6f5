//! Text of the compiler without what moves when other code is edited: places in the source, numbers of allocations.

/// `<impl at src/a.rs:4:1: 4:20>` becomes `<impl at src/a.rs>`, `{closure@src/a.rs:4:1: 4:9}` likewise, `alloc12`
/// becomes `alloc`.
pub(crate) fn position_free(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, word)) = next_of(rest, [".rs:", "alloc"]) {
        let end = at + word.len();
        let (place, numbers): (&str, &[char]) = match word {
            "alloc" => (&rest[..end], &[]),
            _ => (&rest[..end - 1], &[':', ' ']),
        };
        let is_number = |it: char| it.is_ascii_digit() || numbers.contains(&it);
        out.push_str(place);
        rest = rest[end..].trim_start_matches(is_number);
    }
    out.push_str(rest);
    out
}

/// The first of these words, and where it is.
fn next_of<'a>(text: &str, words: [&'a str; 2]) -> Option<(usize, &'a str)> {
    let found = words
        .into_iter()
        .filter_map(|word| Some((text.find(word)?, word)));
    found.min_by_key(|(at, _)| *at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_numbers_of_allocations_are_left_out() {
        let text = "_1 = <impl at src/a.rs:4:1: 4:20>::f(const {alloc12: &str}) -> [return: bb1]";
        let expected = "_1 = <impl at src/a.rs>::f(const {alloc: &str}) -> [return: bb1]";
        assert_eq!(position_free(text), expected);
        assert_eq!(
            position_free("{closure@src/a.rs:4:1: 4:9}"),
            "{closure@src/a.rs}"
        );
    }
}
