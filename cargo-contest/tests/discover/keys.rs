//! Values that objects give out and take back.

use contest_catalog::subject_catalog::SubjectEntry;

use crate::documented::{catalog_of, constructors, subject};

fn calls(subject: &SubjectEntry) -> Vec<String> {
    let operations = subject.operations.iter();
    operations.map(|it| it.text.to_string()).collect()
}

#[test]
fn a_key_comes_from_the_object_that_takes_it_back() {
    let catalog = catalog_of(
        "use std::sync::Mutex;
        #[derive(Clone, PartialEq, Eq, Hash)] pub struct Token(u64);
        #[derive(Default)] pub struct Desk(Mutex<Vec<u64>>);
        impl Desk {
            pub async fn issue(&self) -> Result<Token, String> { Ok(Token(0)) }
            pub fn redeem(&self, token: Token) -> bool { true }
            pub fn is_known(&self, token: &Token) -> bool { true }
            pub fn issued(&self) -> usize { 0 }
        }",
    );
    let alone = calls(subject(&catalog, "Desk"));
    assert!(alone.iter().any(|it| it == "{s}.issued()"), "{alone:?}");
    assert!(!alone.iter().any(|it| it.contains("redeem")), "{alone:?}");
    let paths = catalog.subjects.iter().map(|it| it.path.as_str());
    let both = paths.filter(|it| it.contains("Token")).collect::<Vec<_>>();
    let [both] = both[..] else {
        panic!("{both:?}");
    };
    let both = catalog.subjects.iter().find(|it| it.path == both).unwrap();
    let made = constructors(both);
    let expected = "{ let x = Desk::default(); let y = x.issue().await.unwrap(); (x, y) }";
    assert!(made.iter().any(|it| it == expected), "{made:?}");
    let called = calls(both);
    for call in ["{s}.0.redeem({s}.1.clone())", "{s}.0.is_known(&{s}.1)"] {
        assert!(called.iter().any(|it| it == call), "{call}: {called:?}");
    }
    assert!(
        !called.iter().any(|it| it.starts_with("drop")),
        "{called:?}"
    );
}

#[test]
fn a_key_may_be_a_part_of_what_a_method_returns() {
    let catalog = catalog_of(
        "use std::sync::Mutex;
        #[derive(Clone, PartialEq, Eq, Hash)] pub struct Token(String);
        impl From<String> for Token { fn from(text: String) -> Self { Self(text) } }
        #[derive(Default)] pub struct Vault(Mutex<Vec<u64>>);
        impl Vault {
            pub async fn login(&self, user: u32) -> (u64, Token) { (0, Token(String::new())) }
            pub fn refresh(&self, token: &Token) -> bool { true }
        }",
    );
    let vaults = catalog.subjects.iter();
    let made: Vec<String> = vaults.flat_map(constructors).collect();
    let part = "{ let (part_0, part_1) = x.login(1).await; std::mem::forget(part_0); part_1 }";
    let expected = format!("{{ let x = Vault::default(); let y = {part}; (x, y) }}");
    assert!(made.contains(&expected), "{made:?}");
}

#[test]
fn what_callers_make_themselves_is_no_key() {
    let catalog = catalog_of(
        "use std::sync::Mutex;
        #[derive(Clone, PartialEq, Eq, Hash)] pub struct Name(pub u64);
        #[derive(Default)] pub struct Book(Mutex<Vec<u64>>);
        impl Book {
            pub fn add(&self, name: Name) -> bool { true }
            pub fn oldest(&self) -> Option<Name> { None }
        }",
    );
    let alone = calls(subject(&catalog, "Book"));
    assert!(alone.iter().any(|it| it.contains("add")), "{alone:?}");
}
