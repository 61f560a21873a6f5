//! Values that are made of a text and may refuse it.

use crate::documented::{catalog_of, operation, subject, texts};

/// Alternatives for an argument of this type.
fn values(ty: &str, items: &str) -> Vec<String> {
    let catalog = catalog_of(&format!(
        "use std::sync::*;
        {items}
        #[derive(Default)] pub struct Subject(Mutex<Vec<u8>>);
        impl Subject {{ pub fn call(&self, it: {ty}) {{ self.0.lock().unwrap().push(1) }} }}"
    ));
    let call = operation(subject(&catalog, "Subject"), "call");
    let texts = texts(&call.arguments[0]);
    texts.into_iter().map(str::to_owned).collect()
}

#[test]
fn a_text_that_may_be_refused_is_one_that_fits() {
    let fits = |name: &str| {
        ["a text that fits", "another text that fits"].map(|it| format!("{name}({it}).unwrap()"))
    };
    let email = "pub struct Email(String);
        impl Email {
            pub fn parse(text: &str) -> Result<Self, String> {
                if text.contains('@') { Ok(Self(text.to_owned())) } else { Err(text.to_owned()) }
            }
        }";
    assert_eq!(values("Email", email), fits("Email::parse"));
    let code = "pub struct Code(u32);
        impl Code { pub fn of(text: String) -> Option<Self> { text.parse().ok().map(Self) } }";
    assert_eq!(values("Code", code), fits("Code::of"));
    // A lender of it, and one that wants a text that lives on.
    let code = "pub struct Code(&'static str);
        impl Code { pub fn of(text: &'static str) -> Option<Self> { (text.len() == 8).then_some(Self(text)) } }";
    assert_eq!(
        values("&Code", code),
        fits("Code::of").map(|it| format!("&{it}"))
    );
    let user = "pub struct User(String);
        impl TryFrom<String> for User {
            type Error = String;
            fn try_from(text: String) -> Result<Self, String> {
                if text.len() > 3 { Ok(Self(text)) } else { Err(text) }
            }
        }";
    assert_eq!(values("User", user), fits("User::try_from"));
    let day = "#[derive(Debug)] pub struct Refused;
        pub struct Day(String);
        impl std::str::FromStr for Day {
            type Err = Refused;
            fn from_str(text: &str) -> Result<Self, Refused> {
                if text.len() == 10 { Ok(Self(text.to_owned())) } else { Err(Refused) }
            }
        }";
    assert_eq!(values("Day", day), fits("Day::from_str"));
}

#[test]
fn texts_have_further_forms_where_a_call_may_return_an_error() {
    let of = |items: &str| {
        let catalog = catalog_of(&format!(
            "use std::sync::*;
            pub struct Tag(String); impl Tag {{ pub fn new(it: &str) -> Self {{ Self(it.to_owned()) }} }}
            #[derive(Default)] pub struct Subject(Mutex<Vec<u8>>);
            impl Subject {{
                {items}
                pub fn look(&self, at: &str, number: u32) -> bool {{ self.0.lock().unwrap().is_empty() }}
                pub fn mark(&self, tag: Tag) {{ self.0.lock().unwrap().push(2) }}
            }}"
        ));
        let found = subject(&catalog, "Subject");
        let of = |name: &str| operation(found, name).arguments.clone();
        [of("look"), of("mark")]
    };
    let result = "pub async fn add(&self, it: String) -> Result<u32, String> { Err(it) }";
    let [look, mark] = of(result);
    let address = 2 * 4;
    assert!(look[0].of_texts && mark[0].of_texts && !look[1].of_texts);
    assert_eq!(look[0].choices[0].text, "\"a\"");
    assert_eq!(look[0].choices[address].text, "\"a@b.example\"");
    assert_eq!(
        mark[0].choices[address + 1].text,
        "Tag::new(\"c@b.example\")"
    );
    // No text is refused.
    for other in [
        "pub fn add(&self, it: &str) { self.0.lock().unwrap().push(1) }",
        "pub fn add(&self, it: u32) -> Result<u32, u32> { Err(it) }",
    ] {
        let [look, mark] = of(other);
        assert_eq!(
            [texts(&look[0]), texts(&mark[0])].map(|it| it.len()),
            [2, 2]
        );
    }
}

#[test]
fn an_argument_is_a_default_before_it_is_an_extreme() {
    let decimal = "#[derive(Default)] pub struct Decimal(i64);
        impl Decimal { pub fn min_value() -> Self { Self(i64::MIN) } pub fn max_value() -> Self { Self(i64::MAX) } }";
    assert_eq!(values("Decimal", decimal)[0], "Decimal::default()");
}

#[test]
fn a_text_that_is_taken_as_it_is_or_may_be_a_path_stays() {
    let name = "pub struct Name(String); impl Name { pub fn new(text: &str) -> Self { Self(text.to_owned()) } }";
    assert_eq!(
        values("Name", name),
        ["Name::new(\"a\")", "Name::new(\"b\")"]
    );
    let file = "pub struct Log(String);
        impl Log { pub fn open(path: &str) -> Result<Self, String> { Ok(Self(path.to_owned())) } }";
    assert_eq!(values("Log", file)[0], "Log::open(\"a\").unwrap()");
}
