//! Type arguments beside the usual ones.

use contest_catalog::subject_catalog::SubjectEntry;

use crate::documented::{catalog_of, operation, subject};

#[test]
fn what_may_move_although_its_argument_may_not_is_given_to_threads() {
    let source = include_str!("../../../tests/subjects/faulty/moved_without_bound/src/lib.rs");
    let catalog = catalog_of(source);
    let two = |name: &str| format!("{{{name}, {name}}}");
    let owned = subject(&catalog, &format!("{}<Unsent>", two("Owned")));
    assert_eq!(owned.constructors.len(), 1);
    assert_eq!(
        owned.constructors[0].text.to_string(),
        "(Owned::new({0}), Owned::new({1}))"
    );
    operation(owned, "Owned 2::drop");
    subject(&catalog, &format!("{}<Unshared>", two("Handle")));
    subject(&catalog, &format!("{}<Unsent>", two("Sealed")));
    let emptying = subject(&catalog, &format!("{}<Unsent>", two("Emptying")));
    assert_eq!(
        emptying.constructors[0].text.to_string(),
        "(Two::new(Unsent::new()).emptying(), Two::new(Unsent::new()).emptying())"
    );
    operation(emptying, "Emptying::Iterator::next");
    let guard = subject(&catalog, "Guard<Unshared>");
    operation(guard, "Deref::deref");
    // What requires enough is not tried; neither is what shares nothing.
    let paths: Vec<&str> = catalog.subjects.iter().map(|it| it.path.as_str()).collect();
    for (name, probe) in [
        ("SafeOwned", "Un"),
        ("SafeHandle", "Un"),
        ("SafeGuard", "Unshared"),
        ("SafeEmptying", "Un"),
        ("Owned", "Unshared"),
    ] {
        let probed = |path: &&&str| path.contains(name) && path.contains(probe);
        assert_eq!(paths.iter().find(probed), None, "{paths:?}");
    }
}

#[test]
fn a_type_that_manages_its_memory_is_tested_with_several_arguments() {
    let source = include_str!("../../../tests/subjects/faulty/drops_twice/src/lib.rs");
    let pair = "
        pub struct Left<T>(std::sync::Arc<Slot<T>>);
        pub struct Right<T>(std::sync::Arc<Slot<T>>);
        pub fn pair<T>(value: T) -> (Left<T>, Right<T>) {
            let slot = std::sync::Arc::new(Slot::new(value));
            (Left(slot.clone()), Right(slot))
        }
        impl<T> Left<T> { pub fn clear(&self) { self.0.clear() } }
        impl<T> Right<T> { pub fn clear(self) { self.0.clear() } }";
    let catalog = catalog_of(&format!("{source}{pair}"));
    let types: Vec<&str> = catalog
        .subjects
        .iter()
        .filter(|it| it.path.starts_with("subject::Slot") || it.path.starts_with("subject::Drawer"))
        .map(|it| it.type_expression.as_str())
        .collect();
    assert_eq!(
        types,
        [
            "subject::Drawer<u32>",
            "subject::Slot<u32>",
            "subject::Slot<Aligned>",
            "subject::Slot<std::string::String>",
            "subject::Slot<Unshared>",
            "subject::Slot<Zst>",
        ]
    );
    for name in ["String", "Zst", "Aligned"] {
        let pair = subject(&catalog, &format!("subject::{{Left, Right}}<{name}>"));
        operation(pair, "Right::clear");
    }
}

#[test]
fn an_argument_inside_another_type_of_the_package_is_exchanged_too() {
    let catalog = catalog_of(
        "use std::cell::UnsafeCell; use std::sync::Arc;
        pub trait Store: Send + Sync + 'static { type Item; }
        pub struct Ring<T>(UnsafeCell<Option<T>>);
        unsafe impl<T: Send> Sync for Ring<T> {}
        impl<T: Send + 'static> Store for Ring<T> { type Item = T; }
        impl<T> Ring<T> { pub fn new() -> Self { Ring(UnsafeCell::new(None)) } pub fn take(&self) -> Option<T> { None } }
        pub trait Put<T> { fn put(&self, item: T) -> bool; }
        pub struct Sender<S: Store>(Arc<S>);
        impl<S: Store> Put<S::Item> for Sender<S> { fn put(&self, item: S::Item) -> bool { true } }
        pub struct Receiver<S: Store>(Arc<S>);
        impl<S: Store> Receiver<S> { pub fn take(&self) -> Option<S::Item> { None } }
        pub fn ring<T: Send + 'static>() -> (Sender<Ring<T>>, Receiver<Ring<T>>) {
            let ring = Arc::new(Ring::new());
            (Sender(ring.clone()), Receiver(ring))
        }",
    );
    let usual = subject(&catalog, "subject::{Sender, Receiver}");
    operation(usual, "Sender::Put::put");
    let other = subject(&catalog, "subject::{Sender, Receiver}<String>");
    let put = operation(other, "Sender::Put::put");
    let item = put.arguments.last().unwrap();
    assert_eq!(item.type_expression.as_deref(), Some("std::string::String"));
    // Sizes and alignments are for the type that keeps the item.
    let paths: Vec<&str> = catalog.subjects.iter().map(|it| it.path.as_str()).collect();
    assert!(
        !paths.contains(&"subject::{Sender, Receiver}<Aligned>"),
        "{paths:?}"
    );
}

#[test]
fn closures_values_of_any_type_and_traits_of_the_crate_carry_probes_where_bounds_admit_it() {
    let faulty = include_str!("../../../tests/subjects/faulty/captured_without_bound/src/lib.rs");
    let catalog = catalog_of(faulty);
    let tasks = subject(&catalog, "Tasks<Unsent>");
    let defer = operation(tasks, "defer");
    assert!(defer.arguments[0].choices[0].text.contains("`Unsent`"));
    let drawer = subject(&catalog, "Drawer<Unsent>");
    let put = operation(drawer, "put");
    assert_eq!(put.arguments[0].type_expression.as_deref(), Some("Unsent"));
    let reader = subject(&catalog, "Reader<Unsent>");
    assert_eq!(reader.type_expression, "subject::Reader<UnsentInSource>");
    let late = subject(&catalog, "Late<Unsent>");
    assert!(late.type_expression.contains("dyn std::ops::Fn() -> u32"));
    let correct = include_str!("../../../tests/subjects/correct/captured_without_bound/src/lib.rs");
    let catalog = catalog_of(correct);
    let probed = |it: &&SubjectEntry| it.path.contains("Unsent");
    let all = catalog.subjects.iter().filter(probed);
    assert_eq!(all.map(|it| &it.path).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn a_trait_that_wants_send_has_no_implementation_that_carries_a_probe() {
    let catalog = catalog_of(
        "pub trait Source: Send { fn next(&mut self) -> u32; }
        pub struct Reader<S: Source>(std::sync::Mutex<S>);
        unsafe impl<S: Source> Send for Reader<S> {}
        unsafe impl<S: Source> Sync for Reader<S> {}
        impl<S: Source> Reader<S> {
            pub fn new(source: S) -> Self { Self(std::sync::Mutex::new(source)) }
            pub fn read(&self) -> u32 { self.0.lock().unwrap().next() }
        }",
    );
    assert_eq!(catalog.subjects.len(), 1);
}

#[test]
fn an_alias_is_tested_with_probes_for_the_arguments_that_it_leaves_open() {
    let catalog = catalog_of(
        "pub mod generic {
            pub struct Slot<T, W>(pub(crate) std::sync::Mutex<Option<T>>, pub(crate) W);
            unsafe impl<T, W> Sync for Slot<T, W> {}
            impl<T> Slot<T, crate::Spin> {
                pub fn new() -> Self { Slot(Default::default(), crate::Spin) }
                pub fn put(&self, value: T) { *self.0.lock().unwrap() = Some(value) }
            }
        }
        pub struct Spin;
        pub type Slot<T> = generic::Slot<T, Spin>;",
    );
    let paths: Vec<&str> = catalog.subjects.iter().map(|it| it.path.as_str()).collect();
    assert!(
        paths.iter().any(|it| it.contains("Slot<Unsent, Spin>")),
        "{paths:?}"
    );
}
