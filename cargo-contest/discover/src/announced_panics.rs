//! What the documentation of a method says about panics that other threads cause: `AtomicRefCell::borrow_mut` beside
//! another borrow. Other panics that it announces, of bad arguments say, are judged as always: one that no order of the
//! calls shows is not the announced one.

/// What makes a panic one that depends on what others do at the same time.
const OF_OTHERS: [&str; 8] = [
    "borrow",
    "borrowed",
    "borrows",
    "borrowing",
    "concurrent",
    "concurrently",
    "simultaneously",
    "contended",
];
/// What contrasts a method that gives up with its twin that panics.
const CONTRASTS: [&str; 3] = [
    "instead of panicking",
    "rather than panicking",
    "without panicking",
];

/// The sentence in which the documentation of a method, or of its twin `try_…`, announces that it panics because of
/// what other threads do.
pub(crate) fn announced_panic(docs: &str, twin: Option<&str>) -> Option<String> {
    let section = section(docs);
    let own = sentences(&section).find(|sentence| {
        let lower = sentence.to_lowercase();
        let mut words = lower.split(|c: char| !c.is_alphanumeric());
        words.any(|word| OF_OTHERS.contains(&word))
    });
    own.or_else(|| {
        let text = prose(twin?);
        sentences(&text).find(|sentence| {
            let lower = sentence.to_lowercase();
            CONTRASTS.iter().any(|words| lower.contains(words))
        })
    })
}

/// The text below the heading `Panics`, on one line; empty if there is none.
fn section(docs: &str) -> String {
    let is_heading = |line: &&str| line.trim_start().starts_with('#');
    let lines = docs.lines().skip_while(|line| {
        let title = line.trim_start().trim_start_matches('#').trim();
        !(is_heading(line) && title.eq_ignore_ascii_case("panics"))
    });
    let section: Vec<&str> = lines.skip(1).take_while(|line| !is_heading(line)).collect();
    prose(&section.join("\n"))
}

/// The text without examples, on one line.
fn prose(docs: &str) -> String {
    let text: Vec<&str> = docs.split("```").step_by(2).collect();
    let text = text.join(" ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn sentences(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split_inclusive(". ").map(|it| it.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_that_others_cause_is_announced_by_its_section_or_by_the_twin() {
        let own = "Borrows.\n\n# Panics\n\nPanics if the value is currently\nborrowed. Never else.\n\n# Examples\n";
        assert_eq!(
            announced_panic(own, None).unwrap(),
            "Panics if the value is currently borrowed."
        );
        let twin = "Attempts to borrow the value, but instead of panicking on a failed borrow, returns an error.";
        assert_eq!(
            announced_panic("Borrows the value.", Some(twin)).unwrap(),
            twin
        );
    }

    #[test]
    fn other_panics_are_no_matter_of_other_threads() {
        for docs in [
            "Takes the borrowed value.",
            "# Panics\n\nPanics if `index` is out of bounds.",
            "# Panics\n\nNever.\n\n# Examples\n\nBorrows it.",
            "# Panics\n\n```\n// borrowed\n```",
        ] {
            assert_eq!(announced_panic(docs, Some("Tries.")), None, "{docs}");
        }
    }
}
