//! Values that are made of a text and may refuse it: addresses, versions, names with rules. Which form of text a type
//! takes is not known, so common forms are tried where a value is made, and the first that is taken is used.

use contest_data::subject::StandInMode;

use super::recipes::Recipes;
use super::rust_type::RustType;
use super::text_forms::FORMS;
use contest_catalog::expression::{Expression, Hole, Style};
use contest_catalog::subject_catalog::{ConstructorEntry, Made, SubjectCatalog, SupportItem};

/// The function that tries them, and codes such as `AB-1234`.
const SOURCE: &str = include_str!("fitting_text.rs.in");
const NAME: &str = "of_fitting_text";
/// How values of the first two forms that are taken are shown.
const SHOWN: [&str; 2] = ["a text that fits", "another text that fits"];

/// The function, if a recipe or an item calls it.
pub(super) fn support_items(catalog: &SubjectCatalog) -> Vec<SupportItem> {
    let calls = |it: &Expression| it.render(Style::Driver).contains(NAME);
    let subjects = || catalog.subjects.iter();
    let constructors = subjects().flat_map(|it| &it.constructors);
    let operations = subjects().flat_map(|it| &it.operations);
    let is_called = constructors.flat_map(|it| it.values()).any(calls)
        || operations.flat_map(|it| it.values()).any(calls)
        || catalog
            .support_items
            .iter()
            .any(|it| it.source.contains(NAME));
    let item = is_called.then(|| SupportItem {
        name: NAME.to_owned(),
        source: SOURCE.replace("{FORMS}", &format!("{:?}", FORMS.as_flattened())),
        emitted: None,
    });
    item.into_iter().collect()
}

/// What is said where none fits.
const NONE: &str =
    "no text that was tried fits; `make` in [package.metadata.contest] says how a value is made";

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
            let make = tried.clone().between("|it| ", "");
            let text = entry.text.fill(&|hole| match hole {
                Hole::Argument(_) => Some(SHOWN[nth].into()),
                Hole::Object { .. } => None,
            });
            ConstructorEntry {
                text: text.to_string().into(),
                expression: Expression::call(NAME, [nth.to_string().into(), make])
                    .method("expect", [format!("{NONE:?}").into()]),
                made: Made::Plain,
                mode: StandInMode::Usual,
                arguments: Vec::new(),
            }
        };
        (0..SHOWN.len()).map(value).collect()
    }
}
