//! What the documentation of a method or a type says about closures that call the object, or that panic. One table of
//! words for each: what is said is not done.

/// Words by which documentation forbids calls from inside a closure, or says that they hang or panic.
const OF_COMING_BACK: [&str; 12] = [
    "deadlock",
    "dead-lock",
    "reentran",
    "re-entran",
    "recursive",
    "recursion",
    "must not call",
    "should not call",
    "must not access",
    "must not use",
    "while holding",
    "from within",
];
/// Who a sentence about a panic has to be about: a closure.
const CLOSURES: [&str; 8] = [
    "closure",
    "callback",
    "function",
    "initializer",
    "initialiser",
    "`f`",
    "`init`",
    "`with`",
];

/// True if calls of the object from inside a closure are forbidden, or said to hang or panic.
pub(super) fn forbids_coming_back(docs: &str) -> bool {
    let text = prose(docs);
    OF_COMING_BACK.iter().any(|words| text.contains(words))
}

/// True if the documentation says what a panic of a closure leads to, or that it must not panic.
pub(super) fn announces_panics(docs: &str) -> bool {
    let text = prose(docs);
    let mut sentences = text.split_inclusive(". ");
    sentences.any(|it| {
        it.contains("panic") && CLOSURES.iter().any(|of| it.contains(of)) || it.contains("poison")
    })
}

/// The text without examples, in small letters, on one line.
fn prose(docs: &str) -> String {
    let text: Vec<&str> = docs.split("```").step_by(2).collect();
    let text = text.join(" ").to_lowercase();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_documentation_says_of_calls_inside_is_not_done() {
        for docs in [
            "**Locking behaviour:** May deadlock if called when holding\nany reference into the map.",
            "Calls `f`. The closure must not call methods of this map.",
            "Not reentrant.",
        ] {
            assert!(forbids_coming_back(docs), "{docs}");
        }
        assert!(!forbids_coming_back(
            "Calls `f` for each entry.\n```\n// deadlock\n```"
        ));
    }

    #[test]
    fn a_panic_of_a_closure_is_announced_by_a_sentence_about_it() {
        for docs in [
            "Runs `f` once.\n\n# Panics\n\nIf the closure\npanics, the cell is empty.",
            "Poisons the lock if it panics.",
        ] {
            assert!(announces_panics(docs), "{docs}");
        }
        assert!(!announces_panics(
            "Calls `f`.\n\n# Panics\n\nPanics if `index` is out of bounds."
        ));
    }
}
