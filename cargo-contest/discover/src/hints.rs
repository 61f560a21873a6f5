//! What the manifest of a package says of how to test it: `make`, `values`, `leave-out`, `weak` and `exact` of
//! `[package.metadata.contest]`.

use std::collections::{BTreeMap, HashSet};

use super::scenario::awaits;
use super::signature::Signature;
use contest_catalog::expression::Expression;
use contest_catalog::reasons::LEFT_OUT;
use contest_catalog::skipped::Skipped;
use contest_catalog::subject_catalog::{Given, SubjectCatalog};

/// Settings for discovery, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// How to make a value of a type, by the end of its path: an expression, in which the names of the crate's root are
    /// in scope.
    pub make: BTreeMap<String, String>,
    /// Alternatives for an argument, by `Type::method.argument` or `function.argument`.
    pub values: BTreeMap<String, Vec<String>>,
    /// Types, and operations as `Type::method`, that are not to be tested.
    pub leave_out: Vec<String>,
    /// Operations whose results are not compared beside other calls, as `Type::method`, `Type::*` or `Type`.
    pub weak: Vec<String>,
    /// Operations whose results are compared whatever their names and documentation say, likewise.
    pub exact: Vec<String>,
}

impl Hints {
    /// How to make a value of the type at this public path.
    pub(super) fn make_of(&self, path: &str) -> Option<&str> {
        let mut all = self.make.iter();
        all.find(|(key, _)| is_end_of(key, path))
            .map(|(_, it)| it.as_str())
    }

    /// Alternatives for an argument of a function, and the setting that says so.
    pub(super) fn values_of(&self, function: &str, argument: &str) -> Option<(&str, &[String])> {
        let mut all = self.values.iter();
        all.find(|(key, _)| is_argument(key, function, argument))
            .map(|(key, it)| (key.as_str(), it.as_slice()))
    }

    /// Values that are not `used`, and whose key is no argument of these functions.
    pub(super) fn unknown_values(
        &self,
        used: &HashSet<String>,
        functions: &[Signature],
    ) -> Vec<String> {
        let is_known = |key: &str| {
            used.contains(key)
                || functions.iter().any(|function| {
                    let path = function.path();
                    let mut inputs = function.inputs.iter();
                    inputs.any(|(name, _)| is_argument(key, &path, name))
                })
        };
        let unknown = self.values.keys().filter(|key| !is_known(key));
        unknown
            .map(|key| {
                format!(
                    "`values` names `{key}`, which is no argument of a public function, \
                     with these features: write `Type::function.argument`"
                )
            })
            .collect()
    }

    /// All expressions.
    #[must_use]
    pub fn given(&self) -> Vec<Given> {
        let make = self.make.iter().map(|(key, it)| ("make", key, it));
        let values = self.values.iter();
        let values = values.flat_map(|(key, all)| all.iter().map(move |it| ("values", key, it)));
        make.chain(values)
            .map(|(setting, key, expression)| Given {
                setting: format!("`{setting}` of `{key}`"),
                expression: expression.clone(),
            })
            .collect()
    }

    /// True if a method with this path is not to be called.
    pub(super) fn leaves_out(&self, method: &str) -> bool {
        self.leave_out.iter().any(|key| is_end_of(key, method))
    }

    /// Removes what is not to be tested. Settings that name nothing are returned.
    pub(super) fn leave_out(&self, catalog: &mut SubjectCatalog) -> Vec<String> {
        let mut unknown = Vec::new();
        for key in &self.leave_out {
            let mut matched = false;
            catalog.subjects.retain(|it| {
                let path = it.path.split('<').next().unwrap_or(&it.path);
                let is_meant = is_end_of(key, path);
                if is_meant {
                    catalog.skipped.push(Skipped::new(&it.path, LEFT_OUT));
                }
                matched |= is_meant;
                !is_meant
            });
            for subject in &mut catalog.subjects {
                let path = subject.path.split('<').next().unwrap_or(&subject.path);
                let path = path.to_owned();
                let left_out = &mut subject.left_out;
                subject.operations.retain(|it| {
                    // An operation of an end has the name of its type in its own.
                    let is_meant =
                        is_end_of(key, &format!("{path}::{}", it.name)) || is_end_of(key, &it.name);
                    if is_meant {
                        left_out.push(Skipped::new(&it.name, LEFT_OUT));
                    }
                    matched |= is_meant;
                    !is_meant
                });
            }
            if !matched {
                unknown.push(format!(
                    "`leave-out` names `{key}`, which is no type or operation"
                ));
            }
        }
        let without =
            |it: &contest_catalog::subject_catalog::SubjectEntry| it.operations.is_empty();
        for empty in catalog.subjects.iter().filter(|it| without(it)) {
            catalog.skipped.push(Skipped::new(&empty.path, LEFT_OUT));
        }
        catalog.subjects.retain(|it| !without(it));
        unknown
    }

    /// Marks operations as weak or exact; what is named as exact is, also where `weak` names all of its type. Settings
    /// that name nothing are returned.
    pub(super) fn mark(&self, catalog: &mut SubjectCatalog) -> Vec<String> {
        let weak = self.weak.iter().map(|key| ("weak", key));
        let exact = self.exact.iter().map(|key| ("exact", key));
        let mut unknown = Vec::new();
        for (setting, key) in weak.chain(exact) {
            let of_type = key.strip_suffix("::*").unwrap_or(key);
            let mut matched = false;
            for subject in &mut catalog.subjects {
                let path = subject.path.split('<').next().unwrap_or(&subject.path);
                let path = path.to_owned();
                for it in &mut subject.operations {
                    let is_meant = is_end_of(of_type, &path)
                        || is_end_of(key, &format!("{path}::{}", it.name))
                        || is_end_of(key, &it.name);
                    if is_meant {
                        matched = true;
                        it.weak = setting == "weak";
                        it.approximate &= setting == "weak";
                    }
                }
            }
            if !matched {
                unknown.push(format!(
                    "`{setting}` names `{key}`, which is no type or operation"
                ));
            }
        }
        unknown
    }

    /// Settings whose type is none of these, and those that are no Rust.
    pub(super) fn unknown_types(&self, paths: &[&str]) -> Vec<String> {
        let is_known = |key: &str| paths.iter().any(|path| is_end_of(key, path));
        let unknown = self.make.keys().filter(|key| !is_known(key));
        let unknown = unknown.map(|key| format!("`make` names `{key}`, which is no public type"));
        // A brace too many would break more of the driver than its own item.
        let given = self.given().into_iter();
        let malformed = given.filter_map(|it| {
            let error = syn::parse_str::<syn::Expr>(&it.expression).err()?;
            Some(format!(
                "{} is no expression: `{}`: {error}",
                it.setting, it.expression
            ))
        });
        unknown.chain(malformed).collect()
    }
}

/// An expression of the manifest as one of the driver. It may wait for a future.
pub(super) fn written(krate: &str, expression: &str) -> Expression {
    let block = format!("{{ #[allow(unused_imports)] use {krate}::*; {expression} }}");
    if awaits(expression) {
        Expression::from(format!("async {block}")).awaited()
    } else {
        block.into()
    }
}

/// True if `Type::function.argument` is this one.
fn is_argument(key: &str, function: &str, argument: &str) -> bool {
    let parts = key.rsplit_once('.');
    parts.is_some_and(|(of, own)| own == argument && is_end_of(of, function))
}

/// True if a path ends with these segments.
fn is_end_of(key: &str, path: &str) -> bool {
    path.strip_suffix(key)
        .is_some_and(|front| front.is_empty() || front.ends_with("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_arguments_are_named_by_the_end_of_their_path() {
        let hints = Hints {
            make: [("Pool".to_owned(), "Pool::new(1)".to_owned())].into(),
            values: [("Pool::get.limit".to_owned(), vec!["7".to_owned()])].into(),
            leave_out: Vec::new(),
            ..Hints::default()
        };
        assert_eq!(hints.make_of("a::Pool"), Some("Pool::new(1)"));
        assert_eq!(hints.make_of("a::Spool"), None);
        assert_eq!(
            hints.values_of("Pool::get", "limit"),
            Some(("Pool::get.limit", &["7".to_owned()][..]))
        );
        assert_eq!(hints.values_of("Pool::get", "size"), None);
        assert_eq!(
            hints.unknown_types(&["a::Spool"]),
            ["`make` names `Pool`, which is no public type"]
        );
        let hints = Hints {
            make: [("Pool".to_owned(), "Pool::new(1".to_owned())].into(),
            ..Hints::default()
        };
        let unknown = hints.unknown_types(&["a::Pool"]);
        assert!(unknown[0].contains("is no expression"), "{unknown:?}");
    }

    #[test]
    fn what_is_said_may_wait_for_a_future() {
        let made = written("pools", "Pool::open(1).await.unwrap()").to_string();
        assert!(
            made.starts_with("::contest::macro_support::wait_for(async {"),
            "{made}"
        );
        assert!(
            written("pools", "Pool::new(1)")
                .to_string()
                .starts_with('{')
        );
    }
}
