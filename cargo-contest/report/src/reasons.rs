//! The end of a list: arguments as the package's own code passes them, and what was left out, by reason.

use std::fmt::Write;

use serde_json::json;

use contest_catalog::reasons::Reason;
use contest_catalog::skipped::Skipped;
use contest_catalog::subject_catalog::TakenIdiom;

/// Lines of a list.
const MOST: usize = 12;

/// One reason as a line of JSON.
#[must_use]
pub fn line(reason: &Reason) -> String {
    json!({
        "reason": "left-out-reason",
        "why": reason.why,
        "count": reason.items.len(),
        "items": reason.items,
        "help": reason.help(),
    })
    .to_string()
}

/// An argument of the package's own code as a line of JSON.
#[must_use]
pub fn idiom_line(idiom: &TakenIdiom) -> String {
    json!({
        "reason": "idiom",
        "argument": idiom.argument,
        "text": idiom.text,
        "location": idiom.location,
    })
    .to_string()
}

/// Arguments of the package's own code as text.
#[must_use]
pub fn idioms_text(idioms: &[TakenIdiom]) -> String {
    if idioms.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "arguments as the package's own tests, examples and documentation pass them, {} in all\n",
        idioms.len()
    );
    for idiom in idioms.iter().take(MOST) {
        let (argument, text, location) = (&idiom.argument, &idiom.text, &idiom.location);
        // Writing to a `String` cannot fail.
        let _ = writeln!(out, "  {argument} = {text} ({location})");
    }
    if let Some(more) = idioms.len().checked_sub(MOST).filter(|it| *it > 0) {
        let _ = writeln!(out, "  … and {more} more; --message-format json lists all");
    }
    out.push('\n');
    out
}

/// What the compiler refused as text: a few, or all.
#[must_use]
pub fn refused_text(refused: &[Skipped], verbose: bool) -> String {
    const FEW: usize = 3;
    let shown = if verbose { refused.len() } else { FEW };
    let mut out = String::new();
    for skipped in refused.iter().take(shown) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            out,
            "left out, does not compile: {}: {}",
            skipped.item, skipped.why
        );
    }
    if let Some(more) = refused.len().checked_sub(shown).filter(|it| *it > 0) {
        let _ = writeln!(out, "left out, does not compile: {more} more; -v shows all");
    }
    out
}

/// All reasons as text: how many items, why, an example, and what would help.
#[must_use]
pub fn text(reasons: &[Reason]) -> String {
    let total: usize = reasons.iter().map(|it| it.items.len()).sum();
    if total == 0 {
        return String::new();
    }
    let mut out = format!("left out by reason, {total} in all\n");
    for reason in reasons.iter().take(MOST) {
        let example = reason.items.first().map_or("", String::as_str);
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            out,
            "  {:>4} {} ({example})",
            reason.items.len(),
            reason.why
        );
    }
    let more = reasons.iter().skip(MOST);
    let (rest, items) = more.fold((0, 0), |(reasons, items), it| {
        (reasons + 1, items + it.items.len())
    });
    if rest > 0 {
        let _ = writeln!(out, "  {items:>4} for {rest} other reasons");
    }
    let mut helps: Vec<&str> = reasons.iter().filter_map(Reason::help).collect();
    helps.sort_unstable();
    helps.dedup();
    for help in helps {
        let _ = writeln!(out, "  help: {help}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_counted_and_help_is_said_once() {
        let reasons: Vec<Reason> = (0..14)
            .map(|number| Reason {
                why: format!("takes a type that cannot be made: T{number}"),
                items: vec!["a::A::f".to_owned(), "a::A::g".to_owned()],
            })
            .collect();
        let text = text(&reasons);
        assert!(
            text.starts_with("left out by reason, 28 in all\n"),
            "{text}"
        );
        assert!(
            text.contains("     2 takes a type that cannot be made: T0 (a::A::f)"),
            "{text}"
        );
        assert!(text.contains("     4 for 2 other reasons"), "{text}");
        assert_eq!(text.matches("help: ").count(), 1, "{text}");
    }
}
