//! Types behind a lock, on request.

use crate::documented::{catalog_behind_lock, catalog_of};

const REGISTRY: &str = r"
    #[derive(Debug)]
    pub struct Registry { entries: Vec<(u32, u32)> }
    #[derive(Clone, Debug)]
    pub struct Place(usize);
    impl Registry {
        pub fn new() -> Self { Self { entries: Vec::new() } }
        pub fn contains(&self, key: &u32) -> bool { self.entries.iter().any(|it| it.0 == *key) }
        pub fn insert(&mut self, key: u32, value: u32) { self.entries.push((key, value)) }
        pub fn find(&self, key: u32) -> Option<Place> {
            self.entries.iter().position(|it| it.0 == key).map(Place)
        }
        pub fn remove(&mut self, place: &Place) -> u32 { self.entries.remove(place.0).1 }
        pub fn first(&self) -> Option<&(u32, u32)> { self.entries.first() }
        pub fn values(&mut self) -> std::slice::IterMut<'_, (u32, u32)> { self.entries.iter_mut() }
        pub fn rename(&mut self, name: String) -> bool { name.is_empty() }
        pub fn has_name(&self, name: String) -> bool { name.is_empty() }
    }
";

#[test]
fn what_is_changed_through_a_mutable_reference_is_tested_in_a_mutex_and_a_rwlock() {
    let catalog = catalog_behind_lock(REGISTRY);
    for (lock, look, change) in [("Mutex", "lock", "lock"), ("RwLock", "read", "write")] {
        let path = format!("subject::Registry<{lock}>");
        let subject = catalog.subjects.iter().find(|it| it.path == path);
        let subject = subject.unwrap_or_else(|| panic!("{path}"));
        let text = |name: &str| {
            let found = subject.operations.iter().find(|it| it.name == name);
            let found = found.unwrap_or_else(|| panic!("{path}: {name}"));
            found.text.to_string()
        };
        assert_eq!(text("first"), format!("{{s}}.{look}().first()"));
        assert_eq!(
            text("insert"),
            format!("{{s}}.{change}().insert({{0}}, {{1}})")
        );
        // The answer and what is done then are about one key.
        assert_eq!(
            text("!contains then insert"),
            format!(
                "if !{{s}}.{look}().contains({{0}}) {{ {{s}}.{change}().insert({{0}}, {{1}}) }}"
            )
        );
        assert_eq!(
            text("find then remove"),
            format!(
                "if let Some(it) = {{s}}.{look}().find({{0}}) {{ {{s}}.{change}().remove(&it) }}"
            )
        );
        let why = |name: &str| subject.left_out.iter().find(|it| it.item == name).unwrap();
        assert_eq!(why("values").why, "what it returns keeps the object locked");
    }
}

#[test]
fn only_on_request() {
    let catalog = catalog_of(REGISTRY);
    assert!(catalog.subjects.iter().all(|it| !it.path.contains('<')));
}

#[test]
fn what_is_not_sync_has_no_rwlock_and_what_does_not_change_has_no_lock() {
    let catalog = catalog_behind_lock(
        r"
        #[derive(Default)]
        pub struct Seen(std::cell::Cell<u32>);
        impl Seen { pub fn see(&mut self) { self.0.set(1) } pub fn get(&self) -> u32 { self.0.get() } }
        #[derive(Default)]
        pub struct Fixed(u32);
        impl Fixed { pub fn get(&self) -> u32 { self.0 } }
        ",
    );
    let mut paths: Vec<&str> = catalog.subjects.iter().map(|it| it.path.as_str()).collect();
    paths.retain(|it| it.contains('<'));
    assert_eq!(paths, ["subject::Seen<Mutex>"]);
}
