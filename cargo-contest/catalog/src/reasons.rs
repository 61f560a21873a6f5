//! What was left out, by reason: the list of what would have to be done to test more of a package.

use super::subject_catalog::SubjectCatalog;
use crate::skipped::Skipped;

/// A reason, with all that it left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Without examples.
    pub why: String,
    /// Types by path; methods by the path of their type and their name.
    pub items: Vec<String>,
}

/// Texts that begin a reason, and what the user can do about it.
const HELP: [(&str, &str); 8] = [
    ("takes a type that cannot be made", MAKE),
    ("no way to make one", MAKE),
    ("`", MAKE),
    ("no type known for", MAKE),
    ("an array of unknown length", MAKE),
    ("trait `", MAKE),
    ("nothing in it can change", BEHIND_LOCK),
    ("not Sync", BEHIND_LOCK),
];

/// Left out because the user has said so.
pub const LEFT_OUT: &str = "`leave-out` in the manifest";

/// Values of a type appear as results of operations: they are observed, used further and dropped there.
pub const RETURNED: &str = "used by the operations that return it";

const MAKE: &str =
    "say how in `[package.metadata.contest]`: make = { \"Type\" = \"Type::new(1)\" }";

const BEHIND_LOCK: &str =
    "what changes through `&mut self` is tested in a `Mutex` with `--behind-lock`";

/// Texts that begin a reason for which threads have no use for the item.
const STANDS: [&str; 17] = [
    "nothing in it can change",
    "borrows from another object",
    "#[doc(hidden)]",
    "alias of",
    "the same type as",
    "not Sync",
    "not Send",
    "re-export from",
    "re-export of another crate",
    "no safe method takes a shared reference",
    RETURNED,
    "unsafe fn",
    "internal by its name",
    "the type has a method of this name",
    "takes the object by value",
    "only for `",
    LEFT_OUT,
];

impl Reason {
    /// What would help, if anything.
    #[must_use]
    pub fn help(&self) -> Option<&'static str> {
        if self.why == LEFT_OUT {
            return None;
        }
        let (_, help) = HELP.iter().find(|(start, _)| self.why.starts_with(start))?;
        Some(help)
    }

    /// True if the items are not for threads to share, or not for safe code to call.
    #[must_use]
    pub fn stands(&self) -> bool {
        stands(&self.why)
    }
}

/// As [`Reason::stands`].
#[must_use]
pub fn stands(why: &str) -> bool {
    STANDS.iter().any(|it| why.starts_with(it))
}

/// All that a catalog leaves out, the most frequent reason first.
#[must_use]
pub fn reasons(catalog: &SubjectCatalog) -> Vec<Reason> {
    let mut found: Vec<Reason> = Vec::new();
    let mut add = |item: String, skipped: &Skipped| {
        let why = without_example(&skipped.why);
        match found.iter_mut().find(|it| it.why == why) {
            Some(known) if known.items.contains(&item) => {}
            Some(known) => known.items.push(item),
            None => found.push(Reason {
                why: why.to_owned(),
                items: vec![item],
            }),
        }
    };
    for it in &catalog.skipped {
        add(it.item.clone(), it);
    }
    for subject in &catalog.subjects {
        let path = subject.path.split('<').next().unwrap_or(&subject.path);
        for it in &subject.left_out {
            add(format!("{path}::{}", it.item), it);
        }
    }
    found.sort_by(|left, right| {
        let order = |it: &Reason| (usize::MAX - it.items.len(), it.why.clone());
        order(left).cmp(&order(right))
    });
    found
}

/// A reason without the example in parentheses at its end.
fn without_example(why: &str) -> &str {
    match why.split_once(" (") {
        Some((front, rest)) if rest.ends_with(')') => front,
        _ => why,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject_catalog::SubjectCatalog;

    #[test]
    fn reasons_are_counted_without_their_examples() {
        let skipped = [
            (
                "a::Pool",
                "no way to make one (new: takes a type that cannot be made: Dial)",
            ),
            ("a::Key", "nothing in it can change while it is shared"),
            ("a::Map", "no way to make one"),
        ];
        let catalog = SubjectCatalog {
            unsafe_impls: Vec::new(),
            idioms: Vec::new(),
            skipped: skipped
                .iter()
                .map(|(item, why)| Skipped::new(*item, *why))
                .collect(),
            ..SubjectCatalog::default()
        };
        let found = reasons(&catalog);
        let counts: Vec<(&str, usize)> = found
            .iter()
            .map(|it| (it.why.as_str(), it.items.len()))
            .collect();
        assert_eq!(
            counts,
            [
                ("no way to make one", 2),
                ("nothing in it can change while it is shared", 1)
            ]
        );
        assert!(found[0].help().is_some() && !found[0].stands());
        assert!(found[1].help().unwrap().contains("--behind-lock") && found[1].stands());
    }

    #[test]
    fn what_the_user_has_left_out_needs_no_help() {
        let reason = Reason {
            why: LEFT_OUT.to_owned(),
            items: Vec::new(),
        };
        assert_eq!(reason.help(), None);
        assert!(reason.stands());
    }
}
