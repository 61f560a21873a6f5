//! Values that are made of a text and may refuse it: addresses, versions, names with rules. Which form of text a type
//! takes is not known, so common forms are tried where a value is made, and the first that is taken is used.

use contest_data::subject::StandInMode;

use super::constructors::flatten;
use super::recipes::Recipes;
use super::rust_type::RustType;
use contest_catalog::expression::{Expression, Hole};
use contest_catalog::subject_catalog::{ConstructorEntry, Made};

/// Common forms: any text, numbers, words of some length, addresses of mail, a version, an address of the web, a day,
/// an address of this machine, an identifier. What is outside has reserved names, which lead nowhere (RFC 2606).
const FORMS: [&str; 15] = [
    "a",
    "b",
    "1",
    "2",
    "abcdefgh",
    "Abcdefgh1!",
    "a@b.example",
    "c@b.example",
    "1.2.3",
    "1.3.0",
    "http://a.example/b",
    "http://c.example/",
    "2000-01-02",
    "127.0.0.1:1",
    "00000000-0000-0000-0000-000000000001",
];
/// How values of the first two forms that are taken are shown.
const SHOWN: [&str; 2] = ["a text that fits", "another text that fits"];

impl Recipes<'_> {
    /// The values of a function of one text whose output, a `Result` or an `Option`, may be without a value; nothing
    /// for another function, and where the package's own code or the manifest says which text it takes.
    pub(super) fn of_fitting_texts(
        &self,
        entry: &ConstructorEntry,
        path: &str,
        is_result: bool,
    ) -> Vec<ConstructorEntry> {
        let [argument] = &entry.arguments[..] else {
            return Vec::new();
        };
        // It may be a path, too.
        if argument.choices.len() > SHOWN.len() {
            return Vec::new();
        }
        let borrowed = RustType::reference(RustType::Primitive("str".to_owned()));
        let forms = [
            (borrowed, "it"),
            (RustType::string(), "std::string::String::from(it)"),
        ];
        let is_any_text = |ty: &RustType| {
            let any = self.first_value(ty).ok();
            any.is_some() && any.as_ref() == argument.choices.first().map(|it| &it.expression)
        };
        let Some((_, passed)) = forms.iter().find(|(ty, _)| is_any_text(ty)) else {
            return Vec::new();
        };
        let called = Expression::call(path, [(*passed).into()]);
        let tried = match is_result {
            true => called.method("ok", []),
            false => called,
        };
        let value = |nth: usize| {
            let otherwise = flatten(entry, nth, false)?.expression;
            let forms = FORMS.map(|it| format!("{it:?}")).join(", ");
            let text = entry.text.fill(&|hole| match hole {
                Hole::Argument(_) => Some(SHOWN[nth].into()),
                Hole::Object { .. } => None,
            });
            Some(ConstructorEntry {
                text: text.to_string().into(),
                expression: Expression::Sequence(vec![
                    format!("match [{forms}].into_iter().filter_map(|it| ").into(),
                    tried.clone(),
                    // Of a form that only one of them has there is one value.
                    format!(").take({}).last() {{ Some(it) => it, None => ", nth + 1).into(),
                    otherwise,
                    " }".into(),
                ]),
                made: Made::Plain,
                mode: StandInMode::Usual,
                arguments: Vec::new(),
            })
        };
        (0..SHOWN.len()).filter_map(value).collect()
    }
}
