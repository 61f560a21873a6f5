use super::*;
use crate::harness::sample_catalog::{constructor, operation, package, subject};
use contest_catalog::part::Part;
use contest_catalog::subject_catalog::{ArgumentChoice, SupportItem};

fn argument(passed: Passed, choices: &[&str]) -> ArgumentRecipe {
    ArgumentRecipe {
        type_expression: None,
        passed,
        choices: choices
            .iter()
            .map(|it| ArgumentChoice {
                text: (*it).to_owned(),
                expression: (*it).into(),
            })
            .collect(),
        of_texts: false,
    }
}

fn catalog() -> SubjectCatalog {
    let mut map = subject("demo::Map<u32>");
    map.constructors.push(constructor("demo::Map::new()"));
    map.operations
        .push(operation("len", Expression::Object.method("len", [])));
    let arguments = Expression::arguments(0, 3).chain(["|it| { it }".into()]);
    let insert = Expression::Object.method("insert", arguments);
    map.operations.push(OperationEntry {
        arguments: vec![
            argument(Passed::Value, &["0", "1", "2"]),
            argument(Passed::Reference, &["\"a{0}\""]),
            argument(Passed::OtherObject, &[]),
        ],
        ..operation("insert", insert)
    });
    SubjectCatalog {
        other_format: None,
        unsafe_impls: Vec::new(),
        idioms: Vec::new(),
        given: Vec::new(),
        subjects: vec![map],
        support_items: vec![SupportItem {
            name: "StandIn".into(),
            source: "struct StandIn;\nimpl StandIn {}".into(),
            emitted: None,
        }],
        skipped: Vec::new(),
    }
}

#[test]
fn the_source_for_a_selection_has_only_that() {
    let mut all = catalog();
    let mut queue = subject("demo::Queue");
    queue.constructors.push(constructor("demo::Queue::new()"));
    let length = Expression::Object.method("length", []);
    queue.operations.push(operation("length", length));
    all.subjects.push(queue);
    let part = Part::whole(all).only(|it| it.path == "demo::Queue");
    let source = DriverSource::generate(&package(), &part.catalog, &LeftOut::default());
    assert!(source.text.contains("type Subject0 = demo::Queue;"));
    for other in ["demo::Map", "struct StandIn;", "Subject1"] {
        assert!(!source.text.contains(other), "{other}");
    }
}

/// The text of a region, found by its lines.
fn region(source: &DriverSource, item: Item) -> String {
    let lines = source.text.lines().zip(1u32..);
    let lines = lines.filter(|(_, line)| source.item_at(*line) == Some(item));
    lines.map(|(text, _)| format!("{text}\n")).collect()
}

#[test]
fn each_item_is_found_by_its_lines() {
    let source = DriverSource::generate(&package(), &catalog(), &LeftOut::default());
    assert!(region(&source, Item::Support(0)).starts_with("struct StandIn;\nimpl StandIn {}\n"));
    assert!(region(&source, Item::Subject(0)).starts_with("type Subject0 = demo::Map<u32>;\n"));
    assert!(region(&source, Item::Constructor(0, 0)).contains("demo::Map::new()"));
    assert!(region(&source, Item::Operation(0, 1)).starts_with("fn call_0_1("));
    let last = u32::try_from(source.text.lines().count()).unwrap();
    assert_eq!(source.item_at(1), None);
    assert_eq!(source.item_at(last), None);
}

#[test]
fn arguments_are_bound_and_passed_as_the_recipe_says() {
    let source = DriverSource::generate(&package(), &catalog(), &LeftOut::default());
    let text = region(&source, Item::Operation(0, 1));
    assert!(
        text.contains(
            "match call.choice(0) {\n        1 => 1,\n        2 => 2,\n        _ => 0,\n    }"
        ),
        "{text}"
    );
    assert!(text.contains("let a1 = \"a{0}\";"), "{text}");
    assert!(text.contains("let a2: &Subject0 = &slot2;"), "{text}");
    assert!(
        text.contains("subject.insert(a0, &a1, a2, |it| { it })"),
        "{text}"
    );
}

#[test]
fn what_is_left_out_is_neither_written_nor_listed_and_the_rest_keeps_its_name() {
    let catalog = catalog();
    let mut left_out = LeftOut::default();
    left_out.add(&catalog, Item::Operation(0, 0), "why".into());
    let source = DriverSource::generate(&package(), &catalog, &left_out);
    assert!(!source.text.contains("call_0_0"));
    assert!(source.text.contains("fn call_0_1"));
    assert!(source.text.contains("call: call_0_1"));
}

#[test]
fn the_source_parses_with_every_kind_of_receiver_and_result() {
    let mut catalog = catalog();
    for taken in [
        Taken::Reference,
        Taken::ArcReference,
        Taken::Arc,
        Taken::MutableReference,
        Taken::Value,
    ] {
        for returned in [Returned::Observe, Returned::Future, Returned::Iterator] {
            catalog.subjects[0].operations.push(OperationEntry {
                taken,
                returned,
                arguments: vec![
                    argument(Passed::MutableReference, &["x"]),
                    argument(Passed::OtherObjectArc, &[]),
                ],
                ..operation(
                    "f",
                    Expression::Object.method("f", Expression::arguments(0, 2)),
                )
            });
        }
    }
    let source = DriverSource::generate(&package(), &catalog, &LeftOut::default());
    let opened = source.text.matches(['{', '(', '[']).count();
    let closed = source.text.matches(['}', ')', ']']).count();
    assert_eq!(opened, closed, "{}", source.text);
    assert_eq!(
        source
            .text
            .matches("receiver: ::contest::subject::Receiver::Exclusive")
            .count(),
        3
    );
    let whole = "receiver: ::contest::subject::Receiver::Whole";
    assert_eq!(source.text.matches(whole).count(), 3);
    // Each of the three can end an object: the last argument of a constructor chooses one.
    let choices = r#"choices: &["", " /* in the end: f */", " /* in the end: f */"]"#;
    assert!(source.text.contains(choices), "{}", source.text);
}
