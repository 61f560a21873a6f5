//! Which operations may observe an object by their type: that they change nothing is measured where they run.

use crate::documented::{catalog_of, operation, subject};

#[test]
fn a_result_that_is_data_may_observe() {
    let catalog = catalog_of(
        "use std::sync::{Arc, Mutex};
        use std::time::Instant;
        #[derive(Clone, Debug, PartialEq)] pub struct Entry(pub u32);
        #[derive(Clone, Debug)] pub struct Handle(Arc<Mutex<u32>>);
        #[derive(Debug)] pub struct Failed(Box<dyn std::error::Error + Send + Sync>);
        #[derive(Default)] pub struct Book(Mutex<Vec<u32>>);
        impl Book {
            pub fn new() -> Self { Self::default() }
            pub fn write(&self, entry: u32) -> Result<(), Failed> { Ok(()) }
            pub async fn entries(&self) -> Vec<Entry> { Vec::new() }
            pub async fn find(&self, number: u32) -> Result<Entry, Failed> { Ok(Entry(0)) }
            pub fn open(&self) -> bool { true }
            pub fn handle(&self) -> Handle { Handle(Arc::default()) }
            pub fn changed(&self) -> Instant { Instant::now() }
            pub fn generation(&self) -> u64 { 0 }
            pub fn shrink(&mut self) -> usize { 0 }
        }",
    );
    let book = subject(&catalog, "Book");
    let may = |name: &str| operation(book, name).may_observe;
    for name in ["entries", "find", "open"] {
        assert!(may(name), "{name}");
    }
    for name in ["write", "handle", "changed", "generation", "shrink"] {
        assert!(!may(name), "{name}");
    }
}
