//! Closures that call the object, or panic.

use contest_catalog::subject_catalog::{OperationEntry, SubjectEntry};
use contest_data::subject::UserCode;

use crate::documented::{catalog_of, subject};

/// Of the operations with such closures: their texts, and the alternatives of all arguments.
fn with(subject: &SubjectEntry, code: UserCode) -> Vec<(String, Vec<String>)> {
    let operations = subject.operations.iter();
    let those = operations.filter(|it: &&OperationEntry| it.user_code == code);
    those
        .map(|it| {
            let choices = it.arguments.iter().flat_map(|it| &it.choices);
            let texts = choices.map(|it| it.text.clone());
            (it.text.to_string(), texts.collect())
        })
        .collect()
}

const SOURCE: &str = "
    use std::sync::Mutex;
    #[derive(Default)] pub struct Table(Mutex<Vec<u32>>);
    impl Table {
        pub fn update(&self, at: usize, change: impl FnOnce(&mut u32)) { if let Some(it) = self.0.lock().unwrap().get_mut(at) { change(it) } }
        pub fn retain(&self, keeps: Box<dyn Fn(&u32) -> bool + Send + Sync>) { self.0.lock().unwrap().retain(|it| keeps(it)) }
        pub fn len(&self) -> usize { self.0.lock().unwrap().len() }
        pub fn push(&self, value: u32) { self.0.lock().unwrap().push(value) }
        pub async fn flush(&self) {}
    }";

#[test]
fn closures_call_what_else_the_object_has_and_panic() {
    let catalog = catalog_of(SOURCE);
    let table = subject(&catalog, "Table");
    let panicking = with(table, UserCode::Panics);
    let texts: Vec<&str> = panicking.iter().map(|(text, _)| text.as_str()).collect();
    assert_eq!(texts, ["{s}.update({0}, {1})", "{s}.retain({0})"]);
    assert!(panicking[0].1.contains(&"|…| panic!()".to_owned()));
    let coming_back = with(table, UserCode::ComesBack);
    assert_eq!(coming_back.len(), 2);
    assert_eq!(
        coming_back[1].1,
        ["|…| { back.len(); … }", "|…| { back.push(1); … }"]
    );
    // People count the plain calls only.
    assert_eq!(table.called().count(), 5);
}

#[test]
fn what_the_documentation_forbids_is_not_done() {
    let forbids = SOURCE.replace(
        "pub fn update",
        "/// May deadlock if `change` uses the table.\n/// If it panics, the table is poisoned.\npub fn update",
    );
    let catalog = catalog_of(&forbids);
    let table = subject(&catalog, "Table");
    assert_eq!(with(table, UserCode::Panics).len(), 1);
    let coming_back = with(table, UserCode::ComesBack);
    assert_eq!(coming_back.len(), 1);
    assert_eq!(coming_back[0].0, "{s}.retain({0})");
    let of_type = SOURCE.replace(
        "#[derive(Default)] pub struct",
        "/// Not reentrant.\n#[derive(Default)] pub struct",
    );
    let catalog = catalog_of(&of_type);
    assert!(with(subject(&catalog, "Table"), UserCode::ComesBack).is_empty());
}
