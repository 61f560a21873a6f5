//! Catalog → source of the driver: a function for each constructor and operation, and tables of them.
//!
//! Tests are data over these tables, so one driver serves all tests of a package. Each function is a region of lines,
//! so that an error of the compiler names the item that does not compile.

use std::fmt::Write as _;
use std::ops::Range;

use contest_data::subject::{Argument, EndUse, Keeping};

use crate::harness::left_out::{Item, LeftOut};
use crate::harness::provided_runtime::ProvidedRuntime;
use crate::harness::subject_package::SubjectPackage;
use contest_catalog::expression::{Expression, Hole, Style};
use contest_catalog::subject_catalog::{
    ArgumentRecipe, ConstructorEntry, Made, OperationEntry, Passed, Returned, SubjectCatalog, Taken,
};

/// The first part of the source. The driver is compiled with the facade, so threads and locks in it are controlled.
const PRELUDE: &str = include_str!("driver_prelude.rs.in");
/// What a constructor made, or what it said.
const MADE: &str = include_str!("driver_made.rs.in");

/// The driver's only source file, in its directory. Reports name it: a constructor may panic in it.
pub const SOURCE_FILE: &str = contest_data::trace::DRIVER_FILE;

/// Source of a driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverSource {
    /// For [`SOURCE_FILE`].
    pub text: String,
    regions: Vec<(Range<u32>, Item)>,
}

impl DriverSource {
    /// Writes the driver for everything that is not left out.
    #[must_use]
    pub fn generate(
        package: &SubjectPackage,
        catalog: &SubjectCatalog,
        left_out: &LeftOut,
    ) -> Self {
        let mut writer = Writer::default();
        writer.push(PRELUDE);
        writer.push(MADE);
        let runtime = ProvidedRuntime::of(package);
        if let Some(module) = runtime.source() {
            writer.push(&module);
        }
        for provider in &package.providers {
            // A crate that is not named is not linked.
            writer.push(&format!("extern crate {} as _;\n", provider.library));
        }
        for (index, item) in catalog.support_items.iter().enumerate() {
            writer.region(Item::Support(index), left_out, || item.source.clone());
        }
        for (number, subject) in catalog.subjects.iter().enumerate() {
            writer.region(Item::Subject(number), left_out, || {
                subject_check(number, &subject.type_expression)
            });
            for (index, constructor) in subject.constructors.iter().enumerate() {
                writer.region(Item::Constructor(number, index), left_out, || {
                    in_sight(&constructor_function(number, index, constructor, runtime))
                });
            }
            for (index, operation) in subject.operations.iter().enumerate() {
                writer.region(Item::Operation(number, index), left_out, || {
                    in_sight(&operation_function(number, index, operation, runtime))
                });
            }
        }
        writer.push(&tables(catalog, left_out, runtime));
        writer.push(&format!(
            "fn main() {{\n    ::contest::main(::contest::Linked {{\n        package: {:?},\n        \
             version: {:?},\n        directory: {:?},\n        subjects: SUBJECTS,\n        \
             accesses: ::core::cfg!(contest_accesses),\n    }});\n}}\n",
            package.name, package.version, package.directory
        ));
        Self {
            text: writer.text,
            regions: writer.regions,
        }
    }

    /// The item in whose region a line is; lines count from 1.
    #[must_use]
    pub fn item_at(&self, line: u32) -> Option<Item> {
        let (_, item) = self
            .regions
            .iter()
            .find(|(lines, _)| lines.contains(&line))?;
        Some(*item)
    }
}

#[derive(Default)]
struct Writer {
    text: String,
    lines: u32,
    regions: Vec<(Range<u32>, Item)>,
}

impl Writer {
    /// Appends whole lines.
    fn push(&mut self, text: &str) {
        self.text.push_str(text.trim_end_matches('\n'));
        self.text.push_str("\n\n");
        self.lines += u32::try_from(text.trim_end_matches('\n').matches('\n').count())
            .unwrap_or(u32::MAX)
            + 2;
    }

    fn region(&mut self, item: Item, left_out: &LeftOut, source: impl FnOnce() -> String) {
        if !left_out.contains(item) {
            let first = self.lines + 1;
            self.push(&source());
            self.regions.push((first..self.lines + 1, item));
        }
    }
}

/// Keeps values that expressions never drop reachable, so that leak detection reports neither them nor what they own.
fn in_sight(source: &str) -> String {
    let boxed = "std::boxed::Box::new(";
    source
        .replace(" std::mem::forget(", " crate::forgotten(")
        .replace(
            &format!("std::boxed::Box::leak({boxed}"),
            &format!("crate::kept({boxed}"),
        )
}

/// The type under a short name, and a check that it can be shared and type-erased.
fn subject_check(number: usize, type_expression: &str) -> String {
    format!(
        "type Subject{number} = {type_expression};\n\
         const _: () = {{\n    \
             const fn can_be_shared<T: ::core::marker::Sync + 'static>() {{}}\n    \
             can_be_shared::<Subject{number}>();\n\
         }};\n\
         fn state_{number}(call: &::contest::subject::Call<'_>) -> ::contest::subject::Response {{\n    \
             ::contest::state!(&*object::<Subject{number}>(call, call.receiver))\n\
         }}\n"
    )
}

fn constructor_function(
    number: usize,
    index: usize,
    constructor: &ConstructorEntry,
    runtime: ProvidedRuntime,
) -> String {
    let mut body = runtime.made(constructor.arguments.len());
    for (argument, recipe) in constructor.arguments.iter().enumerate() {
        bind_argument(&mut body, number, argument, recipe);
    }
    let expression = over_locals(&constructor.expression, &constructor.arguments);
    let made = match constructor.made {
        Made::Plain => {
            format!(
                "let made: Subject{number} = {expression};\n    shared(::std::sync::Arc::new(made))"
            )
        }
        Made::Arc => {
            format!("let made: ::std::sync::Arc<Subject{number}> = {expression};\n    shared(made)")
        }
    };
    format!(
        "fn make_{number}_{index}(call: &::contest::subject::Call<'_>) -> ::contest::subject::Object {{\n{body}    {made}\n}}\n"
    )
}

fn operation_function(
    number: usize,
    index: usize,
    operation: &OperationEntry,
    runtime: ProvidedRuntime,
) -> String {
    let subject = format!("Subject{number}");
    let mut body = runtime.entered().to_owned();
    let mut line = |text: &str| {
        let _ = writeln!(body, "    {text}");
    };
    match operation.taken {
        Taken::MutableReference => {
            for (argument, recipe) in operation.arguments.iter().enumerate() {
                if is_object(recipe) {
                    line(&format!(
                        "if usize::from(call.choice({argument})) == call.receiver {{ return not_called(\"the object is its own argument\"); }}"
                    ));
                }
            }
            line(&format!(
                "let mut slot = object_mut::<{subject}>(call, call.receiver);"
            ));
            line(&format!(
                "let ::core::option::Option::Some(subject): ::core::option::Option<&mut {subject}> = ::std::sync::Arc::get_mut(&mut slot) else {{"
            ));
            line("    return not_called(\"the object has another owner\");");
            line("};");
        }
        Taken::Value => {
            line(&format!(
                "let ::core::option::Option::Some(subject): ::core::option::Option<{subject}> = whole(call, call.receiver) else {{"
            ));
            line("    return not_called(\"the object has another owner\");");
            line("};");
        }
        taken => {
            line(&format!(
                "let slot = object::<{subject}>(call, call.receiver);"
            ));
            line(&match taken {
                Taken::ArcReference => {
                    format!("let subject: &::std::sync::Arc<{subject}> = &slot;")
                }
                Taken::Arc => format!(
                    "let subject: ::std::sync::Arc<{subject}> = ::std::sync::Arc::clone(&slot);"
                ),
                _ => format!("let subject: &{subject} = &slot;"),
            });
        }
    }
    for (argument, recipe) in operation.arguments.iter().enumerate() {
        bind_argument(&mut body, number, argument, recipe);
    }
    let expression = over_locals(&operation.expression, &operation.arguments);
    let keep = match operation.keeping {
        Keeping::Keeps => ", |it| crate::keep(call, it)",
        Keeping::No | Keeping::LetsGo => "",
    };
    let response = match operation.returned {
        Returned::Observe => format!("observe!({expression}{keep})"),
        Returned::Future => {
            let future = operation.arguments.len();
            format!("observe_future!({expression}, call.choice({future}){keep})")
        }
        Returned::Iterator => format!("observe_iterator!({expression}{keep})"),
    };
    let lent = lent(&operation.arguments);
    let response = match lent.as_str() {
        "" => format!("    ::contest::{response}\n"),
        lent => format!("    let response = ::contest::{response};\n{lent}    response\n"),
    };
    format!(
        "fn call_{number}_{index}(call: &::contest::subject::Call<'_>) -> ::contest::subject::Response {{\n{body}{response}}}\n"
    )
}

/// What a call has borrowed is dropped by its caller: other calls may come between.
fn lent(arguments: &[ArgumentRecipe]) -> String {
    let borrowed =
        |it: &ArgumentRecipe| matches!(it.passed, Passed::Reference | Passed::MutableReference);
    let lent = arguments.iter().enumerate().filter(|(_, it)| borrowed(it));
    lent.map(|(number, _)| format!("    ::contest::observe::hold(&a{number});\n"))
        .collect()
}

fn is_object(recipe: &ArgumentRecipe) -> bool {
    matches!(recipe.passed, Passed::OtherObject | Passed::OtherObjectArc)
}

/// `let a0 = …;`, by the alternative that the call chooses.
fn bind_argument(body: &mut String, subject: usize, argument: usize, recipe: &ArgumentRecipe) {
    let object = format!("object::<Subject{subject}>(call, usize::from(call.choice({argument})))");
    let _ = match recipe.passed {
        Passed::OtherObject => writeln!(
            body,
            "    let slot{argument} = {object};\n    let a{argument}: &Subject{subject} = &slot{argument};"
        ),
        Passed::OtherObjectArc => writeln!(
            body,
            "    let a{argument}: ::std::sync::Arc<Subject{subject}> = ::std::sync::Arc::clone(&{object});"
        ),
        Passed::Value | Passed::Reference | Passed::MutableReference => {
            let mutable = match recipe.passed {
                Passed::MutableReference => "mut ",
                _ => "",
            };
            let ascription = match &recipe.type_expression {
                Some(type_expression) => format!(": {type_expression}"),
                None => String::new(),
            };
            let value = match recipe.choices.as_slice() {
                [] => "compile_error!(\"no value for this argument\")".to_owned(),
                [only] => only.expression.render(Style::Driver),
                [first, others @ ..] => {
                    let mut choice = format!("match call.choice({argument}) {{\n");
                    for (index, other) in others.iter().enumerate() {
                        let _ = writeln!(choice, "        {} => {},", index + 1, other.expression);
                    }
                    let _ = write!(choice, "        _ => {},\n    }}", first.expression);
                    choice
                }
            };
            writeln!(body, "    let {mutable}a{argument}{ascription} = {value};")
        }
    };
}

/// The expression over the local variables of a function of the driver.
fn over_locals(expression: &Expression, arguments: &[ArgumentRecipe]) -> String {
    let filled = expression.fill(&|hole| match hole {
        Hole::Object { .. } => Some("subject".into()),
        Hole::Argument(index) => {
            let reference = match arguments.get(index)?.passed {
                Passed::Reference => "&",
                Passed::MutableReference => "&mut ",
                Passed::Value | Passed::OtherObject | Passed::OtherObjectArc => "",
            };
            Some(format!("{reference}a{index}").into())
        }
    });
    filled.render(Style::Driver)
}

/// The tables that the runtime reads. In the order of the catalog, without what is left out.
fn tables(catalog: &SubjectCatalog, left_out: &LeftOut, runtime: ProvidedRuntime) -> String {
    let mut text = String::from("static SUBJECTS: &[::contest::subject::Subject] = &[\n");
    for (number, subject) in catalog.subjects.iter().enumerate() {
        if left_out.contains(Item::Subject(number)) {
            continue;
        }
        let _ = writeln!(
            text,
            "    ::contest::subject::Subject {{\n        name: {:?},\n        path: {:?},\n        constructors: &[",
            subject.shown(),
            subject.path
        );
        let there = subject.operations.iter().enumerate();
        let there = there.filter(|(index, _)| !left_out.contains(Item::Operation(number, *index)));
        let endings = endings(there.map(|(_, operation)| operation));
        for (index, constructor) in subject.constructors.iter().enumerate() {
            if !left_out.contains(Item::Constructor(number, index)) {
                let mut made = constructor.text.to_string();
                let mut arguments = argument_table(&constructor.arguments);
                let mut last = constructor.arguments.len();
                if runtime.is_chosen() {
                    let _ = write!(made, "{{{last}}}");
                    arguments.push_str("::contest::subject::Argument::OF_RUNTIME, ");
                    last += 1;
                }
                if !endings.is_empty() {
                    let _ = write!(made, "{{{last}}}");
                    arguments.push_str(&argument(&endings, false, false));
                }
                let _ = writeln!(
                    text,
                    "            ::contest::subject::Constructor {{ text: {made:?}, arguments: &[{arguments}], mode: ::contest::subject::StandInMode::{:?}, make: make_{number}_{index} }},",
                    constructor.mode,
                );
            }
        }
        text.push_str("        ],\n        operations: &[\n");
        for (index, operation) in subject.operations.iter().enumerate() {
            if left_out.contains(Item::Operation(number, index)) {
                continue;
            }
            let receiver = match operation.taken {
                Taken::MutableReference => "Exclusive".to_owned(),
                Taken::Value => "Whole".to_owned(),
                Taken::Reference | Taken::ArcReference | Taken::Arc => "Shared".to_owned(),
                Taken::End(EndUse { end, needs }) => format!(
                    "End(::contest::subject::EndUse {{ end: {end}, needs: ::contest::subject::Needs::{needs:?} }})"
                ),
            };
            let mut arguments = argument_table(&operation.arguments);
            let mut call_text = operation.text.to_string();
            if operation.returned == Returned::Future {
                call_text.push_str(operation.awaits());
            }
            if operation.returned == Returned::Future && operation.not_cancelled().is_none() {
                arguments.push_str("::contest::subject::Argument::OF_FUTURE, ");
                let _ = write!(call_text, "{{{}}}", operation.arguments.len());
            }
            let contract = format!(
                "::contest::subject::Contract {{ approximate: {}, may_observe: {}, awaited: {}, polled: {}, not_cancel_safe: {}, announced_panic: {:?}, keeping: ::contest::subject::Keeping::{:?}, user_code: ::contest::subject::UserCode::{:?}, given_out: &[{}], ..::contest::subject::Contract::NONE }}",
                operation.approximate,
                operation.may_observe,
                operation.returned == Returned::Future,
                operation.polled,
                operation.not_cancel_safe.is_some(),
                operation.announced_panic.as_deref().unwrap_or_default(),
                operation.keeping,
                operation.user_code,
                given_out(operation),
            );
            let _ = writeln!(
                text,
                "            ::contest::subject::Operation {{ name: {:?}, text: {:?}, arguments: &[{}], \
                 receiver: ::contest::subject::Receiver::{receiver}, weak: {}, observer: {}, \
                 contract: {}, declared: {:?}, \
                 call: call_{number}_{index} }},",
                operation.name,
                call_text,
                arguments,
                operation.weak,
                operation.observer,
                contract,
                operation.declared,
            );
        }
        let _ = writeln!(
            text,
            "        ],\n        state: ::core::option::Option::Some(state_{number}),\n    }},"
        );
    }
    text.push_str("];\n");
    text
}

/// The last argument of every constructor, where operations take the object whole: the one with which it ends.
fn endings<'a>(operations: impl Iterator<Item = &'a OperationEntry>) -> Vec<String> {
    let whole = operations.filter(|it| it.taken == Taken::Value);
    let text = |(number, it): (usize, &OperationEntry)| match number {
        0 => String::new(),
        _ => format!(" /* in the end: {} */", it.name),
    };
    whole.enumerate().map(text).collect()
}

fn argument_table(arguments: &[ArgumentRecipe]) -> String {
    let mut text = String::new();
    for recipe in arguments {
        let object = is_object(recipe);
        let choices = if object {
            vec!["a".to_owned(), "b".to_owned()]
        } else {
            let texts = recipe.choices.iter().map(|it| it.text.to_string());
            texts.collect()
        };
        let of_texts = recipe.of_texts && choices.len() > usize::from(Argument::OF_A_FORM);
        text.push_str(&argument(&choices, object, of_texts));
    }
    text
}

fn given_out(operation: &OperationEntry) -> String {
    let given_out = operation.given_out.iter();
    let all = given_out.map(|(argument, by)| {
        format!("::contest::subject::GivenOut {{ argument: {argument}, by: &{by:?} }}, ")
    });
    all.collect()
}

fn argument(choices: &[String], object: bool, of_texts: bool) -> String {
    format!(
        "::contest::subject::Argument {{ choices: &{choices:?}, object: {object}, of_future: false, of_texts: {of_texts} }}, "
    )
}

#[cfg(test)]
mod tests;
