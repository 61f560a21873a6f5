//! How results are compared that differ in runs of one order of the calls: by what does not differ.

use contest_data::sorted::{self, SortedSet};

/// How two results of a call are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Loosely {
    /// By their parts, in any order: what a hash map holds.
    InAnyOrder,
    /// By their parts without those with these numbers: a rate, an age, an identifier.
    Without(SortedSet<usize>),
    /// By so many names at the beginning: whether an identifier of varying form came back, or an error.
    Beginning(usize),
}

impl Loosely {
    /// What is left to compare of results that came in groups: within a group they should be the same. `None` if they
    /// are; `Some(None)` if nothing is left.
    pub(super) fn of(groups: &[Vec<String>]) -> Option<Option<Self>> {
        let same = |key: &dyn Fn(&str) -> Vec<String>| {
            groups.iter().all(|texts| {
                let mut keys = texts.iter().map(|text| key(text));
                let first = keys.next();
                keys.all(|it| Some(it) == first)
            })
        };
        if same(&|text| vec![text.to_owned()]) {
            return None;
        }
        if same(&sorted) {
            return Some(Some(Self::InAnyOrder));
        }
        if !same(&|text| vec![parts(text).len().to_string()]) {
            let varying = groups
                .iter()
                .filter(|it| it.iter().any(|text| *text != it[0]));
            let shared = varying.map(|it| it.iter().map(|text| shared(&it[0], text)).min());
            let least = shared.flatten().min().unwrap_or(0);
            return Some((least > 0).then_some(Self::Beginning(least)));
        }
        let mut varying = SortedSet::new();
        for texts in groups {
            let first = texts.first().map_or_else(Vec::new, |text| parts(text));
            for text in texts {
                let both = first.iter().zip(parts(text)).enumerate();
                let differ = both.filter(|(_, (left, right))| *left != right);
                varying.extend(differ.map(|(number, _)| number));
            }
        }
        Some(Some(Self::Without(varying)))
    }

    /// True if the results are the same as far as they are compared.
    pub(super) fn same(&self, left: &str, right: &str) -> bool {
        match self {
            Self::InAnyOrder => sorted(left) == sorted(right),
            Self::Without(varying) => {
                let (left, right) = (parts(left), parts(right));
                let mut both = left.iter().zip(&right).enumerate();
                left.len() == right.len()
                    && both
                        .all(|(number, (left, right))| varying.contains(&number) || left == right)
            }
            Self::Beginning(length) => left == right || shared(left, right) >= *length,
        }
    }
}

/// How many parts are the same at the beginning, of variants and types: values may be the same by chance.
fn shared(left: &str, right: &str) -> usize {
    let (left, right) = (parts(left), parts(right));
    let names = |part: &str| part == "(" || part.starts_with(char::is_uppercase);
    let both = left.iter().zip(&right);
    let same = both.take_while(|(left, right)| left == right && names(left));
    same.count()
}

fn sorted(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = parts(text).into_iter().map(str::to_owned).collect();
    sorted::sort(&mut parts);
    parts
}

/// Words and numbers, and between them one character each; spaces are left out.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let in_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let after_word = text[..text.len() - rest.len()].ends_with(in_word);
        let digit = |c: char| c.is_ascii_digit();
        // Not within an identifier: `53cb-4f1e`.
        let signed = first == '-' && !after_word && rest[1..].starts_with(digit);
        let start = usize::from(signed);
        let word = rest[start..].find(|c| !in_word(c));
        let length = start + word.unwrap_or(rest.len() - start);
        let (part, after) = rest.split_at(length.max(first.len_utf8()));
        parts.push(part);
        rest = after.trim_start();
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(groups: &[&[&str]]) -> Option<Option<Loosely>> {
        let groups = groups.iter();
        let owned = |texts: &&[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        Loosely::of(&groups.map(owned).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_the_same_in_each_group_is_compared_as_it_is() {
        assert_eq!(of(&[&["1", "1"], &["2", "2"]]), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn an_order_that_changes_is_not_compared_but_what_is_in_it_is() {
        let loosely = of(&[&["[(1, 2), (3, 4)]", "[(3, 4), (1, 2)]"], &["[]", "[]"]]);
        let loosely = loosely.unwrap().unwrap();
        assert_eq!(loosely, Loosely::InAnyOrder);
        assert!(loosely.same("[2, 1]", "[1, 2]"));
        assert!(!loosely.same("[2]", "[1, 2]"));
        assert!(!loosely.same("[2, 2]", "[1, 2]"));
    }

    #[test]
    fn a_part_that_changes_is_left_out_and_the_others_are_not() {
        let loosely = of(&[
            &[
                "Some(Stats { count: 1, rate: 0.25 })",
                "Some(Stats { count: 1, rate: 0.5 })",
            ],
            &[
                "Some(Stats { count: 2, rate: 0.1 })",
                "Some(Stats { count: 2, rate: -1.5 })",
            ],
        ]);
        let loosely = loosely.unwrap().unwrap();
        let stats = |text: &str| format!("Some(Stats {{ {text} }})");
        assert!(loosely.same(&stats("count: 2, rate: 7"), &stats("count: 2, rate: 0.1")));
        assert!(!loosely.same(&stats("count: 1, rate: 0.1"), &stats("count: 2, rate: 0.1")));
        assert!(!loosely.same("None", &stats("count: 2, rate: 0.1")));
    }

    #[test]
    fn an_identifier_that_changes_is_no_error() {
        let loosely = of(&[
            &["Ok(Id(53cb-4f1e-b0))", "Ok(Id(f88b-1f1e-70))"],
            &["Err(Full)", "Err(Full)"],
        ]);
        let loosely = loosely.unwrap().unwrap();
        assert!(loosely.same("Ok(Id(53cb-4f1e-b0))", "Ok(Id(a-b-c))"));
        assert!(!loosely.same("Ok(Id(53cb-4f1e-b0))", "Err(Full)"));
    }

    #[test]
    fn of_results_with_another_number_of_parts_the_beginning_is_compared() {
        let loosely = of(&[&["Ok(Name(a.b c))", "Ok(Name(a))"], &["Err(1)", "Err(1)"]]);
        assert_eq!(loosely, Some(Some(Loosely::Beginning(4))));
        let loosely = loosely.unwrap().unwrap();
        assert!(loosely.same("Ok(Name(a b c))", "Ok(Name(d))"));
        assert!(!loosely.same("Ok(Name(a b c))", "Err(1)"));
        assert!(!loosely.same("Err(1)", "Err(2)"));
        // Values are not compared, though the first one was the same in all runs.
        let loosely = of(&[&["Some([1, 2])", "Some([1])"]]).unwrap().unwrap();
        assert!(loosely.same("Some([1])", "Some([])"));
        assert!(!loosely.same("Some([1])", "None"));
        // Nothing is the same at the beginning.
        assert_eq!(of(&[&["None", "Some(1)"]]), Some(None));
    }
}
