//! Operations that take the object by value: with one of them an object of a test ends.

use contest_catalog::subject_catalog::Taken;

use crate::documented::{catalog_of, left_out, subject};

#[test]
fn what_takes_the_object_by_value_ends_it() {
    let catalog = catalog_of(
        "use std::sync::Mutex;
        #[derive(Default)] pub struct Log(Mutex<Vec<u32>>);
        impl Log {
            pub fn add(&self, line: u32) { self.0.lock().unwrap().push(line); }
            pub fn named(self, name: &str) -> Self { self }
            pub fn into_lines(self) -> Vec<u32> { self.0.into_inner().unwrap() }
            pub fn join(self, other: &Log) -> usize { 0 }
            pub fn close(self) {}
        }
        #[derive(Default)] pub struct Pool(Mutex<u32>);
        impl Pool {
            pub fn put(&self) { *self.0.lock().unwrap() += 1; }
            pub fn stop(self, hard: bool) -> u32 { 0 }
        }
        impl Drop for Pool { fn drop(&mut self) {} }
        #[derive(Clone, Default)] pub struct Handle(std::sync::Arc<Mutex<u32>>);
        impl Handle {
            pub fn put(&self) { *self.0.lock().unwrap() += 1; }
            pub fn stop(self) {}
        }",
    );
    let endings = |path: &str| {
        let operations = subject(&catalog, path).operations.iter();
        let whole = operations.filter(|it| it.taken == Taken::Value);
        whole.map(|it| it.text.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(endings("Log"), ["{s}.into_lines()", "{s}.close()"]);
    let log = subject(&catalog, "Log");
    let why = |name| left_out(log, name).to_owned();
    assert_eq!(why("named"), "takes the object by value and returns it");
    assert_eq!(why("join"), "takes the object by value and another one");
    // A type with a drop of its own is dropped first.
    assert_eq!(endings("Pool"), ["drop({s})", "{s}.stop({0})"]);
    // A handle is given away, and others are still there.
    assert_eq!(endings("Handle"), [""; 0]);
}
