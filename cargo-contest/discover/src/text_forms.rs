//! Forms of texts that are common in programs. Which one a type or a call takes is not known.
//!
//! A value that may refuse its text is made of the first that it takes ([`fitting_texts`](super::fitting_texts)). A
//! call may return an error instead, `create("a")` because `"a"` is no address: where an operation of a type may, all
//! texts of its operations have these forms as further alternatives, and the runtime measures which of them the type's
//! operations take.

use super::operations::Operations;
use super::rust_type::RustType;
use contest_catalog::expression::Style;
use contest_catalog::subject_catalog::{ArgumentChoice, ArgumentRecipe};
use contest_data::subject::Argument;

/// Two texts of each form: any, numbers, words of some length, passwords, addresses of mail, versions, addresses of the
/// web, days, addresses of this machine, identifiers, codes. What is outside has reserved names, which lead nowhere
/// (RFC 2606).
pub(super) const FORMS: [[&str; Argument::OF_A_FORM as usize]; 12] = [
    ["a", "b"],
    ["1", "2"],
    ["abcdefgh", "bcdefghi"],
    ["Abcdefgh1!", "Bcdefghi2!"],
    ["a@b.example", "c@b.example"],
    ["1.2.3", "1.3.0"],
    ["http://a.example/b", "http://c.example/"],
    ["2000-01-02", "2000-01-03"],
    ["127.0.0.1:1", "127.0.0.1:2"],
    [
        "00000000-0000-0000-0000-000000000001",
        "00000000-0000-0000-0000-000000000002",
    ],
    ["ABCD1234", "ABCD2345"],
    ["AB-1234", "AB-2345"],
];

/// Gives all texts the further forms, if one of these operations takes a text and may return an error.
pub(super) fn add(operations: &mut Operations) {
    let mut all = operations.found.iter().zip(&operations.outputs);
    let refuses = all.any(|(entry, output)| {
        mentions_result(output) && entry.arguments.iter().any(|it| forms_of(it).is_some())
    });
    if !refuses {
        return;
    }
    let arguments = operations.found.iter_mut().flat_map(|it| &mut it.arguments);
    for argument in arguments {
        if let Some(choices) = forms_of(argument) {
            argument.choices = choices;
            argument.of_texts = true;
        }
    }
}

fn mentions_result(output: &RustType) -> bool {
    let mut found = false;
    output.visit(&mut |it| found |= it.path() == "core::result::Result");
    found
}

/// The texts of all forms, if the choices are any texts.
fn forms_of(argument: &ArgumentRecipe) -> Option<Vec<ArgumentChoice>> {
    let [first, _] = &argument.choices[..] else {
        return None;
    };
    let any = FORMS[0];
    let made = |(nth, text): (usize, &str)| {
        let choice = argument.choices.get(nth)?;
        in_place_of(choice, any[nth], any[nth])?;
        in_place_of(first, any[0], text)
    };
    let others = FORMS
        .iter()
        .flat_map(|form| form.iter().copied().enumerate());
    others.map(made).collect()
}

/// The choice with a text in place of its only one.
fn in_place_of(choice: &ArgumentChoice, from: &str, to: &str) -> Option<ArgumentChoice> {
    let source = choice.expression.render(Style::Driver);
    let [from, to] = [from, to].map(|it| format!("{it:?}"));
    let has_one = |it: &str| it.matches(&from).count() == 1;
    let is_plain = choice.expression.render(Style::Standalone) == source;
    (is_plain && has_one(&source) && has_one(&choice.text)).then(|| ArgumentChoice {
        text: choice.text.replace(&from, &to),
        expression: source.replace(&from, &to).into(),
    })
}
