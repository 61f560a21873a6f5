//! Prints the catalog of a package: `cargo run -p cargo-contest --example catalog -- [--manifest-path P] [-p SPEC]
//! [--left-out] [--code]`.

#![allow(clippy::print_stdout, reason = "it is what this program is for")]

use std::process::ExitCode;

use contest_build::workspace::cargo_metadata::select;
use contest_build::workspace::selection::Selection;
use contest_catalog::subject_catalog::{ArgumentRecipe, SubjectCatalog};
use contest_discover::rustdoc_json::{AS_RUSTDOC, run_as_rustdoc};
use contest_discover::{DiscoverOptions, discover};

#[path = "../tests/discover/driver_of_catalog.rs"]
mod driver_of_catalog;

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
        hints: contest_discover::hints::Hints::default(),
        behind_lock: false,
        idioms: true,
        tool: None,
    };
    let mut catalog = discover(&package, &options)?;
    catalog.subjects.retain(|it| it.path.ends_with(&filter));
    if as_driver {
        print!("{}", driver_of_catalog::source(&catalog));
    } else {
        print(&catalog, left_out, code);
    }
    Ok(())
}

fn print(catalog: &SubjectCatalog, left_out: bool, code: bool) {
    let arguments = |all: &[ArgumentRecipe]| {
        for (index, it) in all.iter().enumerate() {
            let of = |it: &contest_catalog::subject_catalog::ArgumentChoice| {
                if code {
                    it.expression.to_string()
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
