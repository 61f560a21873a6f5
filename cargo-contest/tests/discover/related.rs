//! Objects that know each other are members of one subject.

use contest_catalog::subject_catalog::{SubjectCatalog, SubjectEntry};

use crate::documented::catalog_of;

fn family<'a>(catalog: &'a SubjectCatalog, members: &[&str]) -> &'a SubjectEntry {
    let found = catalog.subjects.iter().find(|it| {
        let ends = it.ends();
        let mut both = ends.iter().zip(members);
        ends.len() == members.len() && both.all(|(it, name)| it.ends_with(name))
    });
    found.unwrap_or_else(|| panic!("{:?}", paths(catalog)))
}

fn paths(catalog: &SubjectCatalog) -> Vec<&str> {
    catalog.subjects.iter().map(|it| it.path.as_str()).collect()
}

fn texts(subject: &SubjectEntry) -> Vec<String> {
    let operations = subject.operations.iter();
    operations.map(|it| it.text.to_string()).collect()
}

#[test]
fn a_member_is_handed_to_the_other_and_stays_where_it_is() {
    let catalog = catalog_of(
        "use std::sync::{Arc, Mutex};
        #[derive(Clone, Default)] pub struct Board(Arc<Mutex<u32>>);
        #[derive(Clone, Default)] pub struct Bar(Arc<Mutex<u32>>);
        impl Board {
            pub fn add(&self, bar: Bar) -> Bar { bar }
            pub fn after(&self, level: u32, bar: &Bar) {}
            pub fn draw(&self) {}
        }
        impl Bar { pub fn tick(&self) {} }",
    );
    let both = family(&catalog, &["Board", "Bar"]);
    let texts = texts(both);
    for wanted in ["{s}.0.after({0}, &{s}.1)", "{s}.0.draw()", "{s}.1.tick()"] {
        assert!(texts.iter().any(|it| it == wanted), "{texts:?}");
    }
    assert!(!texts.contains(&"drop({s}.1)".to_owned()), "{texts:?}");
    assert!(texts.contains(&"drop({s}.0)".to_owned()), "{texts:?}");
}

#[test]
fn a_child_is_another_object_than_its_parent() {
    let catalog = catalog_of(
        "use std::sync::{Arc, Mutex};
        pub struct Node(Arc<Mutex<u32>>);
        impl Node {
            pub fn root() -> Self { Node(Arc::default()) }
            pub fn child(parent: &Node) -> Self { Node(parent.0.clone()) }
            pub fn up(&self) {}
            pub fn down(&self, child: &Node) {}
        }
        #[derive(Clone)] pub struct Token(Arc<Mutex<u32>>);
        impl Token {
            pub fn new() -> Self { Token(Arc::default()) }
            pub fn child_token(&self) -> Token { Token(self.0.clone()) }
            pub fn cancel(&self) {}
        }",
    );
    let nodes = texts(family(&catalog, &["Node", "Node"]));
    for wanted in ["{s}.0.down(&{s}.1)", "{s}.1.down(&{s}.0)", "{s}.1.up()"] {
        assert!(nodes.iter().any(|it| it == wanted), "{nodes:?}");
    }
    let tokens = family(&catalog, &["Token", "Token"]);
    let made = tokens.constructors[0].text.to_string();
    assert!(made.contains("let y = x.child_token()"), "{made}");
}

#[test]
fn a_listener_may_be_made_of_its_source() {
    let catalog = catalog_of(
        "use std::sync::{Arc, Mutex};
        #[derive(Clone, Default)] pub struct Source(Arc<Mutex<u32>>);
        pub struct Listener(Source);
        impl Source { pub fn remove(&self, of: &Listener) -> bool { true } pub fn send(&self) {} }
        impl Listener { pub fn new(source: Source) -> Self { Listener(source) } pub fn heard(&self) -> u32 { 0 } }",
    );
    let both = family(&catalog, &["Source", "Listener"]);
    let made = both.constructors[0].text.to_string();
    assert!(made.contains("let y = Listener::new(x.clone())"), "{made}");
    assert!(texts(both).contains(&"{s}.0.remove(&{s}.1)".to_owned()));
}

#[test]
fn copies_and_strangers_are_no_family() {
    let catalog = catalog_of(
        "use std::sync::{Arc, Mutex};
        #[derive(Clone, Default)] pub struct Counter(Arc<Mutex<u32>>);
        impl Counter { pub fn inc(&self) {} }
        #[derive(Clone, Default)] pub struct Gauge(Arc<Mutex<u32>>);
        impl Gauge { pub fn set(&self) {} pub fn of(&self) -> Counter { Counter::default() } }",
    );
    assert_eq!(paths(&catalog), ["subject::Counter", "subject::Gauge"]);
}

#[test]
fn a_handle_that_an_object_lends_is_cloned_where_nothing_makes_one() {
    let catalog = catalog_of(
        "use std::sync::{Arc, Mutex};
        #[derive(Clone)] pub struct Handle(Arc<Mutex<u32>>);
        pub struct Actor(Handle);
        impl Actor { pub fn new() -> Self { Actor(Handle(Arc::default())) } pub fn handle(&self) -> &Handle { &self.0 } }
        impl Handle { pub fn link(&self, other: &Handle) {} }",
    );
    let handle = catalog
        .subjects
        .iter()
        .find(|it| it.path.ends_with("Handle"));
    let made = handle.map(|it| it.constructors[0].text.to_string());
    assert_eq!(made.as_deref(), Some("Actor::new().handle().clone()"));
}
