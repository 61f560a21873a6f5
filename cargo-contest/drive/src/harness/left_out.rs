//! Items of a catalog that do not compile, and those that depend on them.

use std::collections::BTreeMap;

use contest_data::subject::UserCode;
use serde::{Deserialize, Serialize};

use contest_catalog::skipped::Skipped;
use contest_catalog::subject_catalog::{Given, SubjectCatalog, SubjectEntry};

/// A part of a catalog that is one piece of the driver's source. Numbers are indexes into the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Item {
    /// A support item.
    Support(usize),
    /// The type of a subject.
    Subject(usize),
    /// A constructor of a subject.
    Constructor(usize, usize),
    /// An operation of a subject.
    Operation(usize, usize),
}

/// Items left out, with the reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    items: Vec<(Item, String)>,
    /// Operations and constructors that have the first value of each argument only, for with all of them they do not
    /// compile.
    plain: Vec<(Item, String)>,
}

impl LeftOut {
    /// True if the item, or the subject it belongs to, is left out.
    #[must_use]
    pub fn contains(&self, item: Item) -> bool {
        let whole = match item {
            Item::Constructor(subject, _) | Item::Operation(subject, _) => Item::Subject(subject),
            other => other,
        };
        self.items.iter().any(|(it, _)| *it == item || *it == whole)
    }

    /// Number of items named.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len() + self.plain.len()
    }

    /// True if nothing is left out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes note that `item` does not compile: it keeps the first value of each argument, and if that was not enough,
    /// it is left out.
    pub fn refuse(&mut self, catalog: &SubjectCatalog, item: Item, why: String) {
        let arguments = match item {
            Item::Constructor(subject, it) => &catalog.subjects[subject].constructors[it].arguments,
            Item::Operation(subject, it) => &catalog.subjects[subject].operations[it].arguments,
            Item::Support(_) | Item::Subject(_) => return self.add(catalog, item, why),
        };
        let chosen = arguments.iter().any(|it| it.choices.len() > 1);
        let is_plain = self.plain.iter().any(|(it, _)| *it == item);
        if chosen && !is_plain && !self.contains(item) {
            self.plain.push((item, why));
        } else {
            self.add(catalog, item, why);
        }
    }

    /// The catalog without values that do not compile. Its items have the same numbers.
    #[must_use]
    pub fn with_plain_values(&self, catalog: &SubjectCatalog) -> SubjectCatalog {
        let mut catalog = catalog.clone();
        for (item, why) in &self.plain {
            let (subject, name, arguments) = match *item {
                Item::Constructor(subject, it) => {
                    let made = &mut catalog.subjects[subject].constructors[it];
                    (subject, made.text.to_string(), &mut made.arguments)
                }
                Item::Operation(subject, it) => {
                    let called = &mut catalog.subjects[subject].operations[it];
                    (subject, called.name.clone(), &mut called.arguments)
                }
                Item::Support(_) | Item::Subject(_) => continue,
            };
            for argument in arguments {
                argument.choices.truncate(1);
            }
            if !self.contains(*item) {
                let name = format!("{name} with other values");
                let left_out = &mut catalog.subjects[subject].left_out;
                left_out.push(Skipped::new(name, why));
            }
        }
        catalog
    }

    /// Leaves `item` out, and the items that depend on it. The first reason given for an item counts.
    pub fn add(&mut self, catalog: &SubjectCatalog, item: Item, why: String) {
        if self.contains(item) {
            return;
        }
        self.items.push((item, why.clone()));
        match item {
            Item::Support(index) => {
                let support = &catalog.support_items[index];
                let why = format!("needs `{}`, which does not compile: {why}", support.name);
                for (user, texts) in expressions(catalog) {
                    if texts.iter().any(|text| support.is_named_in(text)) {
                        self.add(catalog, user, why.clone());
                    }
                }
            }
            Item::Subject(_) => {}
            Item::Constructor(subject, _) => {
                let count = catalog.subjects[subject].constructors.len();
                if (0..count).all(|it| self.contains(Item::Constructor(subject, it))) {
                    let why = format!("no constructor compiles: {why}");
                    self.add(catalog, Item::Subject(subject), why);
                }
            }
            Item::Operation(subject, _) => {
                let count = catalog.subjects[subject].operations.len();
                if (0..count).all(|it| self.contains(Item::Operation(subject, it))) {
                    let why = format!("no operation compiles: {why}");
                    self.add(catalog, Item::Subject(subject), why);
                }
            }
        }
    }

    /// The catalog without them; each is listed where it was.
    #[must_use]
    pub fn remaining(&self, catalog: &SubjectCatalog) -> SubjectCatalog {
        let why: BTreeMap<Item, &str> = self
            .items
            .iter()
            .map(|(it, why)| (*it, why.as_str()))
            .collect();
        let mut remaining = SubjectCatalog {
            unsafe_impls: catalog.unsafe_impls.clone(),
            idioms: catalog.idioms.clone(),
            skipped: catalog.skipped.clone(),
            ..SubjectCatalog::default()
        };
        for (index, item) in catalog.support_items.iter().enumerate() {
            match why.get(&Item::Support(index)) {
                Some(why) => remaining.skipped.push(Skipped::new(&item.name, *why)),
                None => remaining.support_items.push(item.clone()),
            }
        }
        for (index, subject) in catalog.subjects.iter().enumerate() {
            if let Some(why) = why.get(&Item::Subject(index)) {
                remaining.skipped.push(Skipped::new(&subject.path, *why));
                continue;
            }
            let mut left_out = subject.left_out.clone();
            let mut kept = SubjectEntry {
                constructors: Vec::new(),
                operations: Vec::new(),
                ..subject.clone()
            };
            for (number, constructor) in subject.constructors.iter().enumerate() {
                match why.get(&Item::Constructor(index, number)) {
                    Some(why) => left_out.push(Skipped::new(constructor.text.to_string(), *why)),
                    None => kept.constructors.push(constructor.clone()),
                }
            }
            for (number, operation) in subject.operations.iter().enumerate() {
                match why.get(&Item::Operation(index, number)) {
                    // The plain operation is there all the same.
                    Some(_) if operation.user_code != UserCode::Plain => {}
                    Some(why) => left_out.push(Skipped::new(&operation.name, *why)),
                    None => kept.operations.push(operation.clone()),
                }
            }
            kept.left_out = left_out;
            remaining.subjects.push(kept);
        }
        remaining
    }
}

/// The expression of the manifest that is part of an item, if there is one.
pub(super) fn given_in(catalog: &SubjectCatalog, item: Item) -> Option<&Given> {
    if catalog.given.is_empty() {
        return None;
    }
    let all = expressions(catalog);
    let (_, texts) = all.iter().find(|(it, _)| *it == item)?;
    let mut given = catalog.given.iter();
    given.find(|it| texts.iter().any(|text| text.contains(&it.expression)))
}

/// Every item that has expressions, with these as they stand in the driver.
fn expressions(catalog: &SubjectCatalog) -> Vec<(Item, Vec<String>)> {
    let mut all = Vec::new();
    for (index, item) in catalog.support_items.iter().enumerate() {
        all.push((Item::Support(index), vec![item.source.clone()]));
    }
    for (index, subject) in catalog.subjects.iter().enumerate() {
        all.push((Item::Subject(index), vec![subject.type_expression.clone()]));
        for (number, it) in subject.constructors.iter().enumerate() {
            all.push((Item::Constructor(index, number), it.texts()));
        }
        for (number, it) in subject.operations.iter().enumerate() {
            all.push((Item::Operation(index, number), it.texts()));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::sample_catalog::{constructor, operation, subject};
    use contest_catalog::expression::Expression;
    use contest_catalog::subject_catalog::{ArgumentChoice, ArgumentRecipe, Passed, SupportItem};

    fn catalog() -> SubjectCatalog {
        let mut counter = subject("demo::Counter");
        counter
            .constructors
            .push(constructor("demo::Counter::new()"));
        counter
            .constructors
            .push(constructor("demo::Counter::with(StandIn)"));
        counter
            .operations
            .push(operation("inc", Expression::Object.method("inc", [])));
        counter.operations.push(operation(
            "with",
            Expression::Object.method("with", ["StandIn::new()".into()]),
        ));
        counter.operations.push(operation(
            "other",
            Expression::Object.method("other", ["StandInToo".into()]),
        ));
        SubjectCatalog {
            other_format: None,
            unsafe_impls: Vec::new(),
            idioms: Vec::new(),
            given: Vec::new(),
            subjects: vec![counter],
            support_items: vec![SupportItem {
                name: "StandIn".into(),
                source: "struct StandIn;".into(),
                emitted: None,
            }],
            skipped: Vec::new(),
        }
    }

    #[test]
    fn what_does_not_compile_keeps_the_first_value_of_each_argument_before_it_is_left_out() {
        let mut catalog = catalog();
        let item = Item::Operation(0, 0);
        let value = |text: &str| ArgumentChoice {
            text: text.into(),
            expression: text.into(),
        };
        catalog.subjects[0].operations[0].arguments = vec![ArgumentRecipe {
            type_expression: None,
            passed: Passed::Value,
            choices: vec![value("1"), value("2")],
            of_texts: false,
        }];
        let mut left_out = LeftOut::default();
        left_out.refuse(&catalog, item, "a temporary".into());
        assert!(!left_out.contains(item) && left_out.len() == 1);
        let plain = left_out.with_plain_values(&catalog);
        assert_eq!(
            plain.subjects[0].operations[0].arguments[0].choices.len(),
            1
        );
        let skipped = &left_out.remaining(&plain).subjects[0].left_out;
        assert_eq!(skipped[0].item, "inc with other values");
        left_out.refuse(&catalog, item, "a temporary".into());
        assert!(left_out.contains(item));
        let plain = left_out.with_plain_values(&catalog);
        let skipped = &left_out.remaining(&plain).subjects[0].left_out;
        let items: Vec<&str> = skipped.iter().map(|it| it.item.as_str()).collect();
        assert_eq!(items, ["inc"]);
    }

    #[test]
    fn what_names_a_support_item_falls_with_it() {
        let catalog = catalog();
        let mut left_out = LeftOut::default();
        left_out.add(&catalog, Item::Support(0), "missing trait item".into());
        assert!(left_out.contains(Item::Operation(0, 1)));
        assert!(left_out.contains(Item::Constructor(0, 1)));
        assert!(!left_out.contains(Item::Operation(0, 2)));
        let remaining = left_out.remaining(&catalog);
        assert_eq!(remaining.subjects[0].operations.len(), 2);
        let why = &remaining.subjects[0].left_out[1].why;
        assert_eq!(
            why,
            "needs `StandIn`, which does not compile: missing trait item"
        );
    }

    #[test]
    fn a_subject_without_constructors_is_skipped_with_the_last_reason() {
        let catalog = catalog();
        let mut left_out = LeftOut::default();
        left_out.add(&catalog, Item::Constructor(0, 0), "one".into());
        left_out.add(&catalog, Item::Constructor(0, 1), "two".into());
        let remaining = left_out.remaining(&catalog);
        assert!(remaining.subjects.is_empty());
        assert_eq!(
            remaining.skipped,
            [Skipped::new(
                "demo::Counter",
                "no constructor compiles: two"
            )]
        );
    }

    #[test]
    fn the_first_reason_counts() {
        let catalog = catalog();
        let mut left_out = LeftOut::default();
        left_out.add(&catalog, Item::Operation(0, 0), "first".into());
        left_out.add(&catalog, Item::Operation(0, 0), "second".into());
        assert_eq!(left_out.len(), 1);
        assert_eq!(
            left_out.remaining(&catalog).subjects[0].left_out[0].why,
            "first"
        );
    }
}
