//! What the documentation of a method says about dropping its future.

/// The sentence in which the documentation says that the future must not be dropped before its end, if there is one.
pub(crate) fn not_cancel_safe(docs: &str) -> Option<String> {
    // Examples are no promise.
    let text: Vec<&str> = docs.split("```").step_by(2).collect();
    // Line breaks fall anywhere; sentences end before them or a blank.
    let text = text.join(" ");
    let text: Vec<&str> = text.split_whitespace().collect();
    let text = text.join(" ");
    let mut sentences = text.split_inclusive(". ").map(str::trim);
    let found = sentences.find(|sentence| {
        let lower = sentence.to_lowercase().replace(['-', '*', '_', '`'], " ");
        let words: Vec<&str> = lower
            .split(|c: char| !c.is_alphanumeric() && c != '\'')
            .filter(|word| !word.is_empty())
            .collect();
        let said = |phrase: &[&str]| words.windows(phrase.len()).any(|words| words == phrase);
        let denials = ["not", "isn't", "never"];
        let subjects: [&[&str]; 3] = [
            &["cancel", "safe"],
            &["cancellation", "safe"],
            &["safe", "to", "cancel"],
        ];
        let denied = denials.iter().any(|denial| {
            let denied = |subject: &&[&str]| said(&[&[*denial], *subject].concat());
            subjects.iter().any(denied)
        });
        denied || said(&["cancel", "unsafe"]) || said(&["must", "not", "be", "cancelled"])
    });
    found.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_denial_counts_and_it_is_quoted() {
        for docs in [
            "Reads all.\n\n# Cancel safety\n\nThis method is not cancel safe. If it is dropped, bytes are lost.",
            "This method is *not*\ncancellation safe.",
            "It isn't cancel-safe.",
            "The future must not be cancelled.",
        ] {
            assert!(not_cancel_safe(docs).is_some(), "{docs}");
        }
        for docs in [
            "Reads all.",
            "# Cancel safety\n\nThis method is cancel safe.",
            "Cancelling a call makes you lose your place in the queue.",
            "```\n// not cancel safe\n```",
        ] {
            assert_eq!(not_cancel_safe(docs), None, "{docs}");
        }
        assert_eq!(
            not_cancel_safe("Reads. This method is not cancel safe. More.").unwrap(),
            "This method is not cancel safe."
        );
    }
}
