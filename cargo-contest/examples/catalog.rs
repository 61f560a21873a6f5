//! Prints the catalog of a package: `cargo run -p cargo-contest --example catalog -- [--manifest-path P] [-p SPEC] [--left-out] [--code]`.

#![allow(clippy::print_stdout, reason = "it is what this program is for")]

use std::process::ExitCode;

use cargo_contest::discover::rustdoc_json::{AS_RUSTDOC, run_as_rustdoc};
use cargo_contest::discover::subject_catalog::{ArgumentRecipe, SubjectCatalog};
use cargo_contest::discover::{DiscoverOptions, discover};
use cargo_contest::workspace::cargo_metadata::select;
use cargo_contest::workspace::selection::Selection;

fn main() -> ExitCode {
    if std::env::var_os(AS_RUSTDOC).is_some() {
        return run_as_rustdoc(std::env::args_os().skip(1));
    }
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut selection = Selection::default();
    let mut left_out = false;
    let mut code = false;
    let mut as_driver = false;
    let mut filter = String::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--manifest-path" => selection.manifest_path = arguments.next().map(Into::into),
            "-p" => selection.package = arguments.next(),
            "--features" => selection.features.features.extend(arguments.next()),
            "--left-out" => left_out = true,
            "--code" => code = true,
            "--driver" => as_driver = true,
            other => filter = other.to_owned(),
        }
    }
    let package = select(&selection)?;
    if !as_driver {
        println!(
            "{} {} {:?}",
            package.name, package.version, package.features
        );
    }
    let options = DiscoverOptions {
        cargo_arguments: Vec::new(),
        features: selection.features,
        tool: None,
    };
    let mut catalog = discover(&package, &options)?;
    catalog.subjects.retain(|it| it.path.ends_with(&filter));
    if as_driver {
        driver(&catalog);
    } else {
        print(&catalog, left_out, code);
    }
    Ok(())
}

fn print(catalog: &SubjectCatalog, left_out: bool, code: bool) {
    let arguments = |all: &[ArgumentRecipe]| {
        for (index, it) in all.iter().enumerate() {
            let of = |it: &cargo_contest::discover::subject_catalog::ArgumentChoice| {
                if code {
                    it.expression.clone()
                } else {
                    it.text.clone()
                }
            };
            let choices: Vec<String> = it.choices.iter().map(of).collect();
            println!(
                "          {{{index}}} {:?} {}: {}",
                it.passed,
                it.type_expression.as_deref().unwrap_or("-"),
                choices.join(" | ")
            );
        }
    };
    for subject in &catalog.subjects {
        println!(
            "{} = {}   {}",
            subject.path, subject.type_expression, subject.declared
        );
        for it in &subject.constructors {
            println!(
                "    new {} {:?}",
                if code { &it.expression } else { &it.text },
                it.made
            );
            arguments(&it.arguments);
        }
        for it in &subject.operations {
            let marks = [(it.weak, " weak"), (it.observer, " observer")];
            let marks: String = marks.iter().filter(|it| it.0).map(|it| it.1).collect();
            let line = if code { &it.expression } else { &it.text };
            println!(
                "    op {} = {line}  {:?} {:?}{marks}",
                it.name, it.taken, it.returned
            );
            arguments(&it.arguments);
        }
        if left_out {
            for it in &subject.left_out {
                println!("    left out {}: {}", it.item, it.why);
            }
        }
    }
    for it in &catalog.support_items {
        println!("support\n{}", it.source);
    }
    if left_out {
        for it in &catalog.skipped {
            println!("skipped {}: {}", it.item, it.why);
        }
    }
    let operations: usize = catalog.subjects.iter().map(|it| it.operations.len()).sum();
    println!(
        "{} subjects, {operations} operations, {} types skipped",
        catalog.subjects.len(),
        catalog.skipped.len()
    );
}

/// A program that uses every expression once per alternative, to see whether rustc agrees.
fn driver(catalog: &SubjectCatalog) {
    use cargo_contest::discover::subject_catalog::{Made, Passed, Taken};
    println!(
        "#![allow(warnings)]\nmod contest {{ pub mod subject {{ pub fn count_call() {{}} }} }}"
    );
    for it in &catalog.support_items {
        println!("{}", it.source);
    }
    let bind = |all: &[ArgumentRecipe], expression: &str, subject: &str| {
        let mut lets = String::new();
        let mut expression = expression.to_owned();
        let mut parameters = String::new();
        for (index, it) in all.iter().enumerate() {
            let passed = match it.passed {
                Passed::Value => format!("a{index}"),
                Passed::Reference => format!("&a{index}"),
                Passed::MutableReference => format!("&mut a{index}"),
                Passed::OtherObject => {
                    parameters.push_str(&format!(", a{index}: &{subject}"));
                    format!("a{index}")
                }
                Passed::OtherObjectArc => {
                    parameters.push_str(&format!(", a{index}: std::sync::Arc<{subject}>"));
                    format!("a{index}")
                }
            };
            expression = expression.replace(&format!("{{{index}}}"), &passed);
            if !it.choices.is_empty() {
                let arms: Vec<String> = it
                    .choices
                    .iter()
                    .enumerate()
                    .map(|(number, it)| format!("{number} => {},", it.expression))
                    .collect();
                let ty = it
                    .type_expression
                    .as_ref()
                    .map(|it| format!(": {it}"))
                    .unwrap_or_default();
                lets.push_str(&format!(
                    "    let mut a{index}{ty} = match n {{ {} _ => unreachable!() }};\n",
                    arms.join(" ")
                ));
            }
        }
        (lets, expression, parameters)
    };
    for (number, subject) in catalog.subjects.iter().enumerate() {
        let ty = &subject.type_expression;
        println!("fn is_shared_{number}() where {ty}: Send + Sync + 'static {{}}");
        for (index, it) in subject.constructors.iter().enumerate() {
            let (lets, expression, _) = bind(&it.arguments, &it.expression, ty);
            let output = match it.made {
                Made::Plain => ty.clone(),
                Made::Arc => format!("std::sync::Arc<{ty}>"),
            };
            println!("fn new_{number}_{index}(n: u8) -> {output} {{\n{lets}    {expression}\n}}");
        }
        for (index, it) in subject.operations.iter().enumerate() {
            let (lets, expression, parameters) = bind(&it.arguments, &it.expression, ty);
            let receiver = match it.taken {
                Taken::Reference => format!("&{ty}"),
                Taken::ArcReference => format!("&std::sync::Arc<{ty}>"),
                Taken::Arc => format!("std::sync::Arc<{ty}>"),
                Taken::MutableReference => format!("&mut {ty}"),
            };
            let expression = expression.replace("{s}", "s");
            println!(
                "fn op_{number}_{index}(n: u8, s: {receiver}{parameters}) {{\n{lets}    let result = {expression};\n    drop(result);\n}}"
            );
        }
    }
    println!("fn main() {{}}");
}
