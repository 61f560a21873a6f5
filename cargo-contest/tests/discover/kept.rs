//! Results that are kept over further calls of their thread.

use contest_catalog::subject_catalog::{OperationEntry, SubjectEntry};
use contest_data::subject::Keeping;

use crate::documented::{catalog_of, subject};

/// The texts of what keeps, or lets go.
fn texts(subject: &SubjectEntry, keeping: Keeping) -> Vec<String> {
    let operations = subject.operations.iter();
    let those = operations.filter(|it: &&OperationEntry| it.keeping == keeping);
    those.map(|it| it.text.to_string()).collect()
}

#[test]
fn guards_permits_and_lazy_iterators_are_kept_and_values_are_not() {
    let catalog = catalog_of(
        "use std::sync::{Arc, Mutex, MutexGuard};
        #[derive(Default)] pub struct Pool(Mutex<Vec<u32>>, Arc<Mutex<u32>>);
        pub struct Guard<'a>(MutexGuard<'a, Vec<u32>>);
        pub struct Permit(Arc<Mutex<u32>>);
        impl Drop for Permit { fn drop(&mut self) {} }
        #[derive(Clone)] pub struct Handle(Arc<Mutex<u32>>);
        pub struct Plain(u32);
        pub struct View<'a>(&'a Pool);
        impl Pool {
            pub fn lock(&self) -> Guard<'_> { Guard(self.0.lock().unwrap()) }
            pub fn raw(&self) -> MutexGuard<'_, u32> { self.1.lock().unwrap() }
            pub fn try_take(&self, n: u32) -> Option<Permit> { None }
            pub async fn take(&self) -> Permit { Permit(self.1.clone()) }
            pub fn named(&self, name: &str) -> Guard<'_> { self.lock() }
            pub fn lent<'a>(&'a self, to: &'a u32) -> Guard<'a> { self.lock() }
            pub fn iter(&self) -> impl Iterator<Item = u32> + '_ { self.0.lock().unwrap().clone().into_iter() }
            pub fn handle(&self) -> Handle { Handle(self.1.clone()) }
            pub fn plain(&self) -> Plain { Plain(1) }
            pub fn view(&self) -> View<'_> { View(self) }
            pub fn change(&mut self) -> Guard<'_> { self.lock() }
        }",
    );
    let pool = subject(&catalog, "Pool");
    assert_eq!(
        texts(pool, Keeping::Keeps),
        [
            "let kept = {s}.lock()",
            "let kept = {s}.raw()",
            "let kept = {s}.try_take({0})",
            "let kept = {s}.take()",
            "let kept = {s}.named({0})",
            "let mut kept = {s}.iter(); kept.next()",
        ]
    );
    assert_eq!(texts(pool, Keeping::LetsGo), ["drop(kept)"]);
    // People count the plain calls only.
    assert!(pool.called().count() + 7 == pool.operations.len());
}

#[test]
fn a_type_whose_results_hold_nothing_has_no_such_operation() {
    let catalog = catalog_of(
        "#[derive(Default)] pub struct Cell(std::sync::Mutex<u32>);
        impl Cell { pub fn get(&self) -> u32 { 0 } pub fn all(&self) -> Vec<String> { Vec::new() } }",
    );
    let cell = subject(&catalog, "Cell");
    assert!(cell.operations.iter().all(|it| it.keeping == Keeping::No));
}
