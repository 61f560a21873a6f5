//! Interfaces that lead a search into circles, or are very large.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use crate::documented::{catalog_of, operation, skipped, subject};

#[test]
fn a_type_that_is_its_own_argument_ends_somewhere() {
    let catalog = catalog_of(
        "use std::sync::*;
        #[derive(Default)] pub struct Node(Mutex<Vec<Node>>);
        impl Node {
            pub fn with(children: Vec<Node>) -> Self { Node(Mutex::new(children)) }
            pub fn add(&self, child: Node) {}
            pub fn adopt(&self, child: Box<Node>, other: Option<Arc<Node>>) {}
        }
        pub struct Chain(Mutex<u32>);
        impl Chain { pub fn of(before: Chain) -> Self { before } pub fn len(&self) -> u32 { 0 } }
        pub struct Egg(Mutex<u32>); impl Egg { pub fn of(hen: Hen) -> Self { Egg(Mutex::new(1)) } pub fn hatch(&self) {} }
        pub struct Hen(Mutex<u32>); impl Hen { pub fn of(egg: Egg) -> Self { Hen(Mutex::new(1)) } pub fn sit(&self) {} }",
    );
    let node = subject(&catalog, "Node");
    assert!(!operation(node, "add").arguments[0].choices.is_empty());
    assert_eq!(operation(node, "adopt").arguments.len(), 2);
    for name in ["Chain", "Egg", "Hen"] {
        let why = skipped(&catalog, name);
        assert!(why.starts_with("no way to make one"), "{name}: {why}");
    }
}

#[test]
fn traits_with_generic_associated_types_and_supertraits_are_understood() {
    let catalog = catalog_of(
        "use std::sync::*;
        pub trait Named { fn name(&self) -> String; }
        pub trait Store: Named + Send + Sync {
            type Key: Copy;
            type Look<'a> where Self: 'a;
            type Many<T>;
            fn look<'a>(&'a self, key: Self::Key) -> Option<Self::Look<'a>>;
            fn many(&self, key: Self::Key) -> Self::Many<u8>;
        }
        #[derive(Default)] pub struct Map(Mutex<u32>);
        impl Named for Map { fn name(&self) -> String { String::new() } }
        impl Store for Map {
            type Key = u16; type Look<'a> = MutexGuard<'a, u32>; type Many<T> = Vec<T>;
            fn look<'a>(&'a self, key: u16) -> Option<MutexGuard<'a, u32>> { None }
            fn many(&self, key: u16) -> Vec<u8> { Vec::new() }
        }
        pub struct Cache<S: Store>(S, Mutex<Option<S::Key>>);
        impl<S: Store> Cache<S> {
            pub fn new(store: S) -> Self { Cache(store, Mutex::new(None)) }
            pub fn last(&self, key: S::Key) -> Option<S::Many<u8>> { None }
            pub fn with<R>(&self, key: S::Key, read: impl for<'a> FnOnce(S::Look<'a>) -> R) -> Option<R> { None }
        }",
    );
    let map = subject(&catalog, "Map");
    assert_eq!(operation(map, "Store::many").arguments.len(), 1);
    operation(map, "Named::name");
    let cache = subject(&catalog, "Cache");
    assert_eq!(cache.type_expression, "subject::Cache<subject::Map>");
    assert_eq!(operation(cache, "last").arguments.len(), 1);
}

#[test]
fn families_whose_members_make_each_other_end_somewhere() {
    let catalog = catalog_of(
        "use std::{cell::Cell, sync::*};
        #[derive(Clone)] pub struct Left(Arc<Mutex<u32>>);
        pub struct Right(Arc<Mutex<u32>>, Cell<u8>);
        impl Left {
            pub fn new() -> Self { Left(Arc::default()) }
            pub fn right(&self) -> Right { Right(self.0.clone(), Cell::new(0)) }
            pub fn left(&self) -> Left { self.clone() }
            pub fn both(&self) -> (Left, Right) { (self.clone(), self.right()) }
        }
        impl Right {
            pub fn left(&self) -> Left { Left(self.0.clone()) }
            pub fn right(&self) -> Right { Right(self.0.clone(), Cell::new(0)) }
            pub fn add(&self) -> u32 { let mut it = self.0.lock().unwrap(); *it += 1; *it }
        }",
    );
    let with_right = |it: &&contest_catalog::subject_catalog::SubjectEntry| {
        it.ends().iter().any(|end| end.ends_with("Right"))
    };
    assert!(
        catalog.subjects.iter().any(|it| with_right(&it)),
        "{catalog:#?}"
    );
    assert!(catalog.subjects.len() < 12, "{}", catalog.subjects.len());
}

/// Each adapter of a trait has others as its parameters.
#[test]
fn many_adapters_of_one_trait_take_no_time_that_grows_with_their_powers() {
    let mut source = String::from(
        "use std::sync::*;
        pub trait Stream { type Item; fn next(&self) -> Option<Self::Item>; }
        #[derive(Default)] pub struct Hub(Mutex<u32>);
        impl Hub { pub fn attach(&self, stream: impl Stream<Item = u32>) {} }
        #[derive(Default)] pub struct Ones; impl Stream for Ones { type Item = u32; fn next(&self) -> Option<u32> { Some(1) } }\n",
    );
    for number in 0..24 {
        let _ = writeln!(
            source,
            "pub struct A{number}<S, R>(S, R);
            impl<S: Stream, R: Stream<Item = S::Item>> Stream for A{number}<S, R> {{
                type Item = S::Item; fn next(&self) -> Option<S::Item> {{ self.0.next() }}
            }}"
        );
    }
    let begun = Instant::now();
    let catalog = catalog_of(&source);
    let attach = operation(subject(&catalog, "Hub"), "attach");
    assert_eq!(attach.arguments[0].choices[0].text, "Ones::default()");
    // A search of all combinations takes minutes.
    assert!(
        begun.elapsed() < Duration::from_secs(60),
        "{:?}",
        begun.elapsed()
    );
}

#[test]
fn a_crate_of_hundreds_of_types_is_read() {
    let mut source = String::from("use std::sync::*;\n");
    for number in 0..300 {
        let _ = writeln!(
            source,
            "#[derive(Default)] pub struct T{number}(Mutex<u32>); impl T{number} {{ pub fn put(&self, value: u32) {{}} }}"
        );
    }
    let catalog = catalog_of(&source);
    assert_eq!(catalog.subjects.len(), 300);
    assert!(catalog.subjects.iter().all(|it| it.operations.len() == 1));
}
