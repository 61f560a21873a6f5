//! Reasons and names, few of many.

use crate::figures::count;

/// Names; if not `all`, the first few of many.
pub(super) fn several(names: &[String], all: bool) -> String {
    const SHOWN: usize = 4;
    if all || names.len() <= SHOWN + 1 {
        return names.join(", ");
    }
    let more = count((names.len() - SHOWN) as u64);
    format!(
        "{} and {more} more; -v shows all",
        names[..SHOWN].join(", ")
    )
}

/// Reasons that begin alike, `nondeterministic: …`, are one beyond this many of them.
const REASONS_ALIKE: usize = 6;

/// The reasons in brackets; if not `all`, many that begin alike are one.
pub(super) fn because(reasons: &[(String, u64)], all: bool) -> String {
    if reasons.is_empty() {
        return String::new();
    }
    let beginning = |reason: &str| -> Option<String> {
        let (beginning, _) = reason.split_once(": ")?;
        let alike = reasons.iter().filter(|(other, _)| {
            let rest = other.strip_prefix(beginning);
            rest.is_some_and(|rest| rest.starts_with(": "))
        });
        (!all && alike.count() > REASONS_ALIKE).then(|| beginning.to_owned())
    };
    // Beginning, how often, its reasons.
    let mut groups: Vec<(Option<String>, u64, Vec<&str>)> = Vec::new();
    for (reason, n) in reasons {
        let beginning = beginning(reason);
        let known = groups
            .iter_mut()
            .find(|(other, ..)| beginning.is_some() && *other == beginning);
        match known {
            Some((_, sum, members)) => {
                *sum += n;
                members.push(reason);
            }
            None => groups.push((beginning, *n, vec![reason])),
        }
    }
    let text = |(beginning, n, members): &(Option<String>, u64, Vec<&str>)| match beginning {
        None => format!("{} {}", count(*n), members[0]),
        Some(beginning) => format!(
            "{} {beginning} for {} reasons, as {}; -v shows all",
            count(*n),
            count(members.len() as u64),
            members[0][beginning.len() + 2..].trim(),
        ),
    };
    let texts: Vec<String> = groups.iter().map(text).collect();
    format!(" ({})", texts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_reasons_that_begin_alike_are_one_and_all_are_shown_on_request() {
        let mut reasons: Vec<(String, u64)> = (1..=8)
            .map(|step| (format!("nondeterministic: step {step} differs"), 2))
            .collect();
        reasons.insert(0, ("budget: spent".to_owned(), 7));
        assert_eq!(
            because(&reasons, false),
            " (7 budget: spent, 16 nondeterministic for 8 reasons, as step 1 differs; -v shows all)"
        );
        assert_eq!(because(&reasons, true).matches("step").count(), 8);
        assert_eq!(because(&reasons[..4], false).matches("step").count(), 3);
        assert_eq!(because(&[], false), "");
    }
}
