//! Which types of a catalog the user selected.

use super::failure::Failure;
use crate::cli::exit_code::ExitCode;
use crate::cli::type_filter;
use contest_catalog::part::Part;
use contest_catalog::reasons::{self, Reason};
use contest_catalog::subject_catalog::SubjectCatalog;

/// Refuses a catalog without subjects, and filters that select none of them.
pub(super) fn check(catalog: &SubjectCatalog, filters: &[String]) -> Result<(), Failure> {
    let paths: Vec<&str> = catalog
        .subjects
        .iter()
        .map(|subject| subject.path.as_str())
        .collect();
    let left_out = |filter: &str| {
        catalog
            .skipped
            .iter()
            .find(|skipped| type_filter::selects(&[filter.to_string()], &skipped.item))
    };
    if let [first, ..] = type_filter::without_match(filters, &paths).as_slice() {
        let there_are = match (left_out(first), paths.is_empty()) {
            (Some(skipped), _) => format!("it is left out: {}", skipped.why),
            (None, true) => "there is no type that can be tested".to_string(),
            (None, false) => format!("there are {}", paths.join(", ")),
        };
        return Err(Failure::new(
            ExitCode::Usage,
            format!("no type to test has a path that ends with `{first}`; {there_are}"),
        ));
    }
    if paths.is_empty() {
        return Err(nothing("no type can be tested", catalog));
    }
    if catalog
        .subjects
        .iter()
        .all(|subject| subject.operations.is_empty())
    {
        return Err(nothing("no operation can be called", catalog));
    }
    Ok(())
}

/// Why there is nothing to test: the first reasons, and where the others are.
fn nothing(what: &str, catalog: &SubjectCatalog) -> Failure {
    const SHOWN: usize = 8;
    let mut reasons: Vec<String> = catalog
        .skipped
        .iter()
        .chain(
            catalog
                .subjects
                .iter()
                .flat_map(|subject| &subject.left_out),
        )
        .map(|skipped| format!("\n  {}: {}", skipped.item, skipped.why))
        .collect();
    let more = reasons.len().saturating_sub(SHOWN);
    reasons.truncate(SHOWN);
    if more > 0 {
        reasons.push(format!("\n  and {more} more; `cargo contest list` has all"));
    }
    let by_reason = reasons::reasons(catalog);
    let mut helps: Vec<&str> = by_reason.iter().filter_map(Reason::help).collect();
    helps.sort_unstable();
    helps.dedup();
    reasons.extend(helps.iter().map(|it| format!("\n  help: {it}")));
    Failure::new(
        ExitCode::NothingToTest,
        format!("nothing to test: {what}{}", reasons.concat()),
    )
}

/// The types that the filters select.
pub(super) fn part(catalog: SubjectCatalog, filters: &[String]) -> Part {
    Part::whole(catalog).only(|subject| type_filter::selects(filters, &subject.path))
}

/// Numbers of the subjects that the filters select, of a catalog whose driver is built.
pub(super) fn select(catalog: &SubjectCatalog, filters: &[String]) -> Result<Vec<u16>, Failure> {
    let selected = selected(catalog, filters);
    if selected.is_empty() {
        return Err(nothing("no type compiles in a driver", catalog));
    }
    Ok(selected)
}

/// Numbers of the subjects that the filters select.
pub(super) fn selected(catalog: &SubjectCatalog, filters: &[String]) -> Vec<u16> {
    (0_u16..)
        .zip(&catalog.subjects)
        .filter(|(_, subject)| type_filter::selects(filters, &subject.path))
        .map(|(number, _)| number)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use contest_catalog::skipped::Skipped;
    use contest_catalog::subject_catalog::SubjectEntry;

    fn catalog(paths: &[&str]) -> SubjectCatalog {
        SubjectCatalog {
            other_format: None,
            unsafe_impls: Vec::new(),
            idioms: Vec::new(),
            given: Vec::new(),
            subjects: paths
                .iter()
                .map(|path| SubjectEntry {
                    path: (*path).to_string(),
                    type_expression: (*path).to_string(),
                    declared: "src/lib.rs:1".to_string(),
                    constructors: Vec::new(),
                    operations: Vec::new(),
                    left_out: vec![Skipped::new("put", "no way to make one")],
                })
                .collect(),
            support_items: Vec::new(),
            skipped: vec![Skipped::new("a::Local", "not Sync")],
        }
    }

    #[test]
    fn a_filter_that_matches_nothing_is_a_mistake_of_the_user() {
        let filters = |text: &str| vec![text.to_string()];
        let failure = check(&catalog(&["a::Counter"]), &filters("Countr")).unwrap_err();
        assert_eq!(failure.code, ExitCode::Usage);
        assert!(failure.message.contains("a::Counter"), "{failure:?}");
        let failure = check(&catalog(&["a::Counter"]), &filters("Local")).unwrap_err();
        assert!(failure.message.contains("not Sync"), "{failure:?}");
    }

    #[test]
    fn nothing_to_test_says_why() {
        let failure = check(&catalog(&[]), &[]).unwrap_err();
        assert_eq!(failure.code, ExitCode::NothingToTest);
        assert!(failure.message.contains("no type"), "{failure:?}");
        assert!(failure.message.contains("a::Local: not Sync"));
        assert!(
            failure.message.contains("help: what changes through"),
            "{failure:?}"
        );
        let failure = check(&catalog(&["a::Vault"]), &[]).unwrap_err();
        assert!(failure.message.contains("no operation"), "{failure:?}");
        assert!(failure.message.contains("put: no way to make one"));
        assert!(failure.message.contains("help: say how in"), "{failure:?}");
    }

    #[test]
    fn subjects_keep_their_numbers() {
        let catalog = catalog(&["a::A", "a::B", "a::C"]);
        assert_eq!(
            selected(&catalog, &["C".to_string(), "A".to_string()]),
            [0, 2]
        );
    }
}
