//! What names and types reveal about an operation: whether it is weakly consistent by convention, and whether it only
//! reads.

use contest_data::subject::custom;

use super::holds::Holds;
use super::rust_type::{RustType, TypeArgument};
use super::solver::Solver;
use super::std_paths::is_std;
use contest_catalog::subject_catalog::Returned;

/// What the driver does with a result.
pub(crate) fn returned(solver: &Solver<'_>, output: &RustType, is_async: bool) -> Returned {
    let implements = |path: &str| solver.implements(output, path) == Holds::Yes;
    if is_async || implements("core::future::future::Future") {
        Returned::Future
    } else if implements("core::iter::traits::iterator::Iterator") {
        Returned::Iterator
    } else {
        Returned::Observe
    }
}

/// `len`, `is_empty`, iterators and the like.
pub(crate) fn is_weak(name: &str, output: &RustType, returned: Returned) -> bool {
    !output.is_unit() && (returned == Returned::Iterator || custom::is_weak(name))
}

/// Looks pure: a getter by name, returning something by value or shared reference.
pub(crate) fn is_observer(name: &str, output: &RustType, returned: Returned) -> bool {
    !(output.is_unit() || returned == Returned::Future || mutates_through(output))
        && custom::is_observer(name)
}

/// As [`is_observer`], of a method without arguments; a number or an answer is got by any name that does not say that
/// more happens.
pub(crate) fn is_getter(name: &str, output: &RustType, returned: Returned) -> bool {
    is_observer(name, output, returned)
        || returned == Returned::Observe && is_measure(output) && custom::is_plain_getter(name)
}

/// By its type, a method with this result may only look at the object: the result is data that can be compared. Whether
/// it changes anything is measured, where the method runs.
pub(crate) fn may_observe(solver: &Solver<'_>, name: &str, output: &RustType) -> bool {
    // An error says why there is nothing.
    let fails = output.path() == "core::result::Result";
    let output = output.argument(0).filter(|_| fails).unwrap_or(output);
    if output.is_unit() || mutates_through(output) || custom::is_incidental(name) {
        return false;
    }
    let implements = |it: &RustType, path: &str| solver.implements(it, path) == Holds::Yes;
    let mut is_data = true;
    output.visit(&mut |it| {
        is_data &= match it {
            RustType::Named { path, .. } if is_std(path) => {
                implements(it, "core::clone::Clone") && !TIMES.contains(&path.as_str())
            }
            RustType::Named { .. } => implements(it, "core::cmp::PartialEq"),
            RustType::Reference { .. } | RustType::Primitive(_) | RustType::Tuple(_) => true,
            RustType::Slice(_) | RustType::Array { .. } => true,
            _ => false,
        };
    });
    is_data && !takes_out(solver, output)
}

/// What is read from a clock.
const TIMES: [&str; 2] = ["std::time::Instant", "std::time::SystemTime"];

/// True if the output owns something of the crate that cannot be copied: a connection, a permit.
pub(crate) fn takes_out(solver: &Solver<'_>, output: &RustType) -> bool {
    let mut takes = false;
    output.visit(&mut |it| {
        let Some((path, arguments)) = it.as_named() else {
            return;
        };
        let borrows = arguments
            .iter()
            .any(|it| matches!(it, TypeArgument::Lifetime));
        let clones = solver.implements(it, "core::clone::Clone") != Holds::No;
        takes |= !is_std(path) && !borrows && !clones;
    });
    takes
}

/// The documentation says that the result is approximate: `entry_count` of a cache that counts its entries later. Only
/// for numbers and answers: of a `send` whose value "will eventually arrive" the result is exact.
pub(crate) fn is_approximate(docs: &str, output: &RustType) -> bool {
    is_measure(output) && docs_say_approximate(docs)
}

/// The documentation of a type, of its module, or of a field that a method reads, says that what is read there is of
/// different moments: statistics, hints, a best effort.
pub(crate) fn docs_say_loose(docs: &str) -> bool {
    let text = prose(docs);
    let words = words(&text);
    let single = ["statistics", "snapshot", "snapshots", "hint", "hints"];
    // A snapshot may be just what is exact.
    let exact = [
        "consistent",
        "atomic",
        "exact",
        "coherent",
        "isolated",
        "linearizable",
    ];
    let is_loose = |at: usize| {
        let before = &words[at.saturating_sub(2)..at];
        let said = single.contains(&words[at]) || words[at..].starts_with(&["best", "effort"]);
        said && !is_denied(&words, at) && !before.iter().any(|it| exact.contains(it))
    };
    docs_say_approximate(docs) || (0..words.len()).any(is_loose)
}

/// Made of numbers and `bool`s only.
pub(crate) fn is_measure(output: &RustType) -> bool {
    match output {
        RustType::Primitive(name) => !matches!(name.as_str(), "str" | "char" | "never"),
        RustType::Tuple(parts) => !parts.is_empty() && parts.iter().all(is_measure),
        RustType::Named { path, arguments } if path == "core::option::Option" => {
            arguments.iter().all(|argument| match argument {
                TypeArgument::Type(of) => is_measure(of),
                _ => false,
            })
        }
        _ => false,
    }
}

/// The documentation of another operation says that it changes this number later: of `reserve`, that *eventually* the
/// capacity will not shrink any more. Then `capacity` need not show at once what `reserve` did.
pub(crate) fn changes_later(docs_of_other: &str, name: &str, output: &RustType) -> bool {
    is_measure(output)
        && prose(docs_of_other).split(['.', ';']).any(|sentence| {
            let words = words(sentence);
            let says = |word: &str| words.iter().position(|it| *it == word);
            says(name).is_some() && says("eventually").is_some_and(|at| !is_denied(&words, at))
        })
}

/// Documentation without its examples, which are no promise, on one line, in small letters.
fn prose(docs: &str) -> String {
    let text: Vec<&str> = docs.split("```").step_by(2).collect();
    text.join(" ").to_lowercase()
}

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '_')
        .filter(|word| !word.is_empty())
        .collect()
}

/// One of the two words before this one is a negation.
fn is_denied(words: &[&str], at: usize) -> bool {
    let negations = ["not", "no", "never", "isn't", "without"];
    let before = &words[at.saturating_sub(2)..at];
    before.iter().any(|word| negations.contains(word))
}

fn docs_say_approximate(docs: &str) -> bool {
    let text = prose(docs);
    let words = words(&text);
    let single = [
        "approximate",
        "approximately",
        "approximation",
        "estimate",
        "estimated",
        "eventually",
    ];
    let phrases: [&[&str]; 4] = [
        &["may", "not", "reflect"],
        &["might", "not", "reflect"],
        &["a", "hint"],
        &["as", "hint"],
    ];
    words.iter().enumerate().any(|(at, word)| {
        let phrase = phrases.iter().any(|phrase| words[at..].starts_with(phrase));
        (single.contains(word) || phrase) && !is_denied(&words, at)
    })
}

/// The result gives a way to change the object.
fn mutates_through(output: &RustType) -> bool {
    let mut mutates = false;
    output.visit(&mut |it| mutates |= matches!(it, RustType::Reference { mutable: true, .. }));
    mutates
}

#[cfg(test)]
mod tests {
    use super::*;

    fn primitive(name: &str) -> RustType {
        RustType::Primitive(name.to_owned())
    }

    #[test]
    fn what_documentation_calls_statistics_or_a_best_effort_is_loose() {
        for docs in [
            "Statistics of a pool.",
            "Progress, on a best-effort basis.",
            "Takes a snapshot of all counters.",
            "Only a hint.",
        ] {
            assert!(docs_say_loose(docs), "{docs}");
        }
        for docs in [
            "A pool of connections.",
            "Takes a consistent snapshot.",
            "This is not a hint.",
            "The best way, without effort.",
        ] {
            assert!(!docs_say_loose(docs), "{docs}");
        }
    }

    #[test]
    fn what_its_documentation_calls_approximate_is() {
        let of = |docs: &str| is_approximate(docs, &primitive("u64"));
        assert!(of(
            "Returns an approximate number of entries in this cache.\n\nThe value returned is _an estimate_; ..."
        ));
        assert!(of(
            "The count may not\nreflect insertions that are under way."
        ));
        assert!(of("Eventually consistent."));
        assert!(of("This is only a hint."));
        assert!(!of("Number of entries."));
        assert!(!of("The number is exact, not an estimate."));
        assert!(!of("Number of entries.\n\n```\n// approximate\n```\n"));
        assert!(!of("Hints are kept."));
    }

    #[test]
    fn a_number_without_arguments_is_got_by_any_name() {
        let of = |name: &str, output: RustType| is_getter(name, &output, Returned::Observe);
        assert!(of("level", primitive("u32")) && of("get", primitive("str")));
        assert!(!of("next_level", primitive("u32")) && !of("level", primitive("str")));
        assert!(!is_getter("level", &primitive("u32"), Returned::Future));
    }

    #[test]
    fn what_another_operation_changes_later_need_not_show_it_at_once() {
        let docs = "Makes room. The memory may not be there at once, however\neventually, the capacity will not shrink.\n\n\
                    Its `len` stays.";
        let number = primitive("usize");
        assert!(changes_later(docs, "capacity", &number));
        assert!(!changes_later(docs, "len", &number));
        assert!(!changes_later(docs, "room", &number));
        let result = RustType::Tuple(Vec::new());
        assert!(!changes_later(docs, "capacity", &result));
        let denied = "It is not eventually that the capacity grows, but now.";
        assert!(!changes_later(denied, "capacity", &number));
    }

    #[test]
    fn what_is_no_measure_is_exact_whatever_its_documentation_says() {
        let docs = "The value will eventually arrive.";
        let result = RustType::Named {
            path: "core::result::Result".to_owned(),
            arguments: vec![TypeArgument::Type(primitive("u32"))],
        };
        assert!(!is_approximate(docs, &result));
        assert!(!is_approximate(docs, &RustType::Tuple(Vec::new())));
        let bounds = RustType::Tuple(vec![
            primitive("usize"),
            RustType::Named {
                path: "core::option::Option".to_owned(),
                arguments: vec![TypeArgument::Type(primitive("usize"))],
            },
        ]);
        assert!(is_approximate("An estimate.", &bounds));
    }
}
