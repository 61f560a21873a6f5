//! A part of a catalog: some of its types, and what the expressions of these name.

use std::collections::HashSet;

use super::subject_catalog::{
    ArgumentRecipe, ConstructorEntry, OperationEntry, SubjectCatalog, SubjectEntry, SupportItem,
};

/// Types of a catalog that are compiled together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// With these types only, in the order of the whole. What is left out, and why, is all there.
    pub catalog: SubjectCatalog,
    /// The other types, as reports call them.
    pub others: Vec<String>,
    /// It is made of calls that the user has typed.
    pub is_typed: bool,
}

impl Part {
    /// All types.
    #[must_use]
    pub fn whole(catalog: SubjectCatalog) -> Self {
        Self {
            catalog,
            ..Self::default()
        }
    }

    /// Calls that the user has typed, over what they are called on.
    #[must_use]
    pub fn typed(catalog: SubjectCatalog) -> Self {
        Self {
            is_typed: true,
            ..Self::whole(catalog)
        }
    }

    /// Those of the types that are meant.
    #[must_use]
    pub fn only(mut self, is_meant: impl Fn(&SubjectEntry) -> bool) -> Self {
        let catalog = &mut self.catalog;
        let subjects = std::mem::take(&mut catalog.subjects).into_iter();
        let (kept, others): (Vec<_>, Vec<_>) = subjects.partition(is_meant);
        catalog.subjects = kept;
        if !others.is_empty() {
            let named: Vec<String> = catalog.subjects.iter().flat_map(texts).collect();
            catalog.support_items = needed(std::mem::take(&mut catalog.support_items), &named);
            let names = others.iter().map(|it| it.shown().into_owned());
            self.others.extend(names);
        }
        self
    }
}

/// The items that these texts name, and those that these items name.
fn needed(items: Vec<SupportItem>, texts: &[String]) -> Vec<SupportItem> {
    let mut is_needed = vec![false; items.len()];
    let mut seen = HashSet::new();
    let mut waiting: Vec<&str> = texts.iter().map(String::as_str).collect();
    while let Some(text) = waiting.pop() {
        // Many types have the same arguments.
        if !seen.insert(text) {
            continue;
        }
        for (item, is_needed) in items.iter().zip(&mut is_needed) {
            if !*is_needed && item.is_named_in(text) {
                *is_needed = true;
                waiting.push(&item.source);
            }
        }
    }
    let items = items.into_iter().zip(is_needed);
    items.filter(|(_, it)| *it).map(|(item, _)| item).collect()
}

fn texts(subject: &SubjectEntry) -> Vec<String> {
    let mut texts = vec![subject.type_expression.clone()];
    texts.extend(
        subject
            .constructors
            .iter()
            .flat_map(ConstructorEntry::texts),
    );
    texts.extend(subject.operations.iter().flat_map(OperationEntry::texts));
    texts
}

impl ConstructorEntry {
    /// All that is compiled for it.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        of_call(&self.arguments, self.expression.to_string())
    }
}

impl OperationEntry {
    /// All that is compiled for it.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        of_call(&self.arguments, self.expression.to_string())
    }
}

fn of_call(arguments: &[ArgumentRecipe], expression: String) -> Vec<String> {
    let arguments = arguments.iter().flat_map(|recipe| {
        let choices = recipe.choices.iter().map(|it| it.expression.to_string());
        recipe.type_expression.iter().cloned().chain(choices)
    });
    arguments.chain([expression]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject_catalog::Made;

    fn of_type(name: &str, made: &str) -> SubjectEntry {
        SubjectEntry {
            path: name.to_owned(),
            type_expression: name.to_owned(),
            declared: String::new(),
            constructors: vec![ConstructorEntry {
                text: made.into(),
                expression: made.into(),
                made: Made::Plain,
                mode: contest_data::subject::StandInMode::Usual,
                arguments: Vec::new(),
            }],
            operations: Vec::new(),
            left_out: Vec::new(),
        }
    }

    fn item(name: &str, source: &str) -> SupportItem {
        SupportItem {
            name: name.into(),
            source: source.into(),
            emitted: None,
        }
    }

    #[test]
    fn a_part_has_its_types_and_what_they_name() {
        let catalog = SubjectCatalog {
            subjects: vec![
                of_type("demo::Cache", "demo::Cache::new(StandInLoad)"),
                of_type("demo::Pool", "demo::Pool::new(StandInManage)"),
            ],
            support_items: vec![
                item("StandInKey", "struct StandInKey;"),
                item("StandInLoad", "struct StandInLoad;"),
                item("StandInManage", "struct StandInManage(StandInKey);"),
            ],
            ..SubjectCatalog::default()
        };
        let names = |part: &SubjectCatalog| -> Vec<String> {
            let subjects = part.subjects.iter().map(|it| it.path.clone());
            let items = part.support_items.iter().map(|it| it.name.clone());
            subjects.chain(items).collect()
        };
        let whole = Part::whole(catalog);
        let part = whole.clone().only(|it| it.path == "demo::Pool");
        assert_eq!(
            names(&part.catalog),
            ["demo::Pool", "StandInKey", "StandInManage"]
        );
        assert_eq!(part.others, ["demo::Cache"]);
        assert_eq!(whole.clone().only(|_| true), whole);
    }
}
