//! `TYPE` on the command line: a suffix of a type's path at a `::`, with its type arguments or without.

use contest_catalog::pair_path::ends;

/// True if the type with this path is meant: always without filters.
#[must_use]
pub fn selects(filters: &[String], path: &str) -> bool {
    filters.is_empty() || filters.iter().any(|filter| is_suffix(filter, path))
}

/// Filters that match none of these paths; each is a usage error.
#[must_use]
pub fn without_match<'a>(filters: &'a [String], paths: &[&str]) -> Vec<&'a str> {
    filters
        .iter()
        .filter(|filter| !paths.iter().any(|path| is_suffix(filter, path)))
        .map(String::as_str)
        .collect()
}

fn is_suffix(filter: &str, path: &str) -> bool {
    // A pair is meant by either of its ends.
    if ends(path).iter().any(|end| is_suffix(filter, end)) {
        return true;
    }
    // Type arguments describe how a type is tested; they do not identify it, but a filter may name them.
    let path = match filter.contains('<') {
        true => path,
        false => path.split('<').next().unwrap_or(path),
    };
    path == filter
        || path
            .strip_suffix(filter)
            .is_some_and(|front| front.ends_with("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_a_suffix_at_a_path_separator() {
        let selects = |filter: &str| selects(&[filter.to_string()], "a::queue::Bounded");
        assert!(selects("Bounded"));
        assert!(selects("queue::Bounded"));
        assert!(selects("a::queue::Bounded"));
        assert!(!selects("ounded"));
        assert!(!selects("queue"));
        assert!(!selects("b::queue::Bounded"));
    }

    #[test]
    fn a_pair_is_meant_by_its_ends() {
        let selects = |filter: &str| selects(&[filter.to_string()], "a::{Sender, Receiver}");
        assert!(selects("Sender"));
        assert!(selects("a::Receiver"));
        assert!(selects("a::{Sender, Receiver}"));
        assert!(!selects("Channel"));
    }

    #[test]
    fn type_arguments_are_compared_if_the_filter_has_them() {
        let selects = |filter: &str| selects(&[filter.to_string()], "a::Event<CallersFlag>");
        assert!(selects("Event"));
        assert!(selects("Event<CallersFlag>"));
        assert!(!selects("Event<Unshared>"));
    }

    #[test]
    fn filters_that_match_nothing_are_named() {
        let filters = ["Bounded".to_string(), "Boundless".to_string()];
        assert_eq!(without_match(&filters, &["a::Bounded"]), ["Boundless"]);
        assert!(super::selects(&[], "a::Bounded"));
    }
}
