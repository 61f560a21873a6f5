//! A runtime small enough to be built in seconds: it has what generated drivers name, calls every operation once, and
//! says what came back. Its `std::sync::Mutex` is a type of its own, without `into_inner`, so that a crate can be
//! refused.

use contest_build::instrument::runtime_sources::RuntimeSources;

const ROOT: &str = r#"
[workspace]
members = ["contest-runtime/driver", "contest-runtime/facade"]
resolver = "3"
"#;

const DRIVER: &str = r#"
[package]
name = "contest-driver"
version = "0.0.0"
edition = "2024"
"#;

const FACADE: &str = r#"
[package]
name = "contest-facade"
version = "0.0.0"
edition = "2024"
"#;

const FACADE_SOURCE: &str = r#"
pub use ::std::*;
pub mod sync {
    pub use ::std::sync::*;
    #[derive(Debug, Default)]
    pub struct Mutex<T>(::std::sync::Mutex<T>);
    impl<T> Mutex<T> {
        pub const fn new(value: T) -> Self { Self(::std::sync::Mutex::new(value)) }
        pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> { self.0.lock() }
    }
}
"#;

const DRIVER_SOURCE: &str = r#"
pub mod subject;
#[macro_export]
macro_rules! driver_symbols { () => {}; }
#[macro_export]
macro_rules! state { ($object:expr) => { { let _ = $object; None } }; }
#[macro_export]
macro_rules! observe { ($value:expr) => { Some(format!("{:?}", $value)) }; }
#[macro_export]
macro_rules! observe_iterator { ($value:expr) => { Some(format!("{:?}", $value.collect::<Vec<_>>())) }; }
#[macro_export]
macro_rules! observe_future { ($value:expr, $choice:expr) => { { let _ = ($value, $choice); None } }; }
pub mod observe {
    pub fn hold<V>(_: &V) {}
    pub fn let_others_rest() {}
}
pub mod macro_support {
    pub fn running_thread() -> usize { 0 }
}
pub mod memory {
    pub fn set_user_code(_: bool) -> bool { false }
    pub fn keep(_: *mut u8) -> *mut u8 { std::ptr::null_mut() }
}
use crate::subject::{Call, Subject};
pub struct Linked { pub package: &'static str, pub version: &'static str, pub directory: &'static str, pub subjects: &'static [Subject], pub accesses: bool }
pub fn main(linked: Linked) {
    let mut request = String::new();
    std::io::stdin().read_line(&mut request).unwrap();
    assert!(request.contains("Replay"), "{request}");
    let mut said = format!("{} {}", linked.package, linked.version);
    for subject in linked.subjects {
        let call = Call { objects: &[], receiver: 0, choices: &[1; 8] };
        let make = || (subject.constructors[0].make)(&call);
        let objects = [make(), make()];
        for operation in subject.operations {
            let call = Call { objects: &objects, receiver: 0, choices: &[1; 8] };
            let came_back = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (operation.call)(&call)));
            said += &match came_back {
                Ok(response) => format!("; {} {}", operation.name, response.unwrap_or_default()),
                Err(_) => format!("; {} panicked", operation.name),
            };
        }
    }
    println!("Refused \"{}\" ", said.replace('"', "'"));
}
"#;

/// The sources. The tables are those of the real runtime.
pub(crate) fn sources() -> RuntimeSources {
    let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    RuntimeSources {
        files: vec![
            file("Cargo.toml", ROOT),
            file("contest-runtime/driver/Cargo.toml", DRIVER),
            file("contest-runtime/driver/src/lib.rs", DRIVER_SOURCE),
            file(
                "contest-runtime/driver/src/subject.rs",
                include_str!("../../../contest-runtime/data/src/subject.rs"),
            ),
            file(
                "contest-runtime/driver/src/subject/custom.rs",
                include_str!("../../../contest-runtime/data/src/subject/custom.rs"),
            ),
            file(
                "contest-runtime/driver/src/subject/argument.rs",
                include_str!("../../../contest-runtime/data/src/subject/argument.rs"),
            ),
            file(
                "contest-runtime/driver/src/subject/future_use.rs",
                include_str!("../../../contest-runtime/data/src/subject/future_use.rs"),
            ),
            file(
                "contest-runtime/driver/src/subject/keeping.rs",
                include_str!("../../../contest-runtime/data/src/subject/keeping.rs"),
            ),
            file(
                "contest-runtime/driver/src/subject/stand_in_mode.rs",
                include_str!("../../../contest-runtime/data/src/subject/stand_in_mode.rs"),
            ),
            file(
                "contest-runtime/driver/src/subject/user_code.rs",
                include_str!("../../../contest-runtime/data/src/subject/user_code.rs"),
            ),
            file("contest-runtime/facade/Cargo.toml", FACADE),
            file("contest-runtime/facade/src/lib.rs", FACADE_SOURCE),
        ],
    }
}
