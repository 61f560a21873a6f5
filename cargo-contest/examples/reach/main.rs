//! How much of published crates can be tested:
//! `cargo run -p cargo-contest --example reach -- [--lost] [--idioms] [NAME…]`
//!
//! Without names: sixty crates, at their newest versions. A package that depends on them is written to
//! `target/reach/`; with `--manifest-path P` another one is taken, which depends on what is named.
//!
//! For each one: types and operations that tests use, what is left out by reason, and the shares of public types and
//! methods for threads to share that are run; at the end, the same over all. With `--lost`, each type that is left out
//! and the reason, below its package. With `--idioms`, what is tested only because arguments are taken from the
//! package's own tests, examples and documentation: types and operations by name, and their numbers at the end.
//!
//! A type counts if threads can share it and do something with it then, if it is one of several made together, or if
//! operations return it; a method counts if safe code can call it on such a type. Methods of types that are left out
//! count with the type.

#![allow(clippy::print_stdout, reason = "it is what this program is for")]

mod crates;
mod list;
#[path = "../shared/places.rs"]
mod places;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use contest_build::workspace::cargo_metadata::select;
use contest_build::workspace::selection::Selection;
use contest_catalog::reasons::{RETURNED, Reason, reasons, stands};
use contest_catalog::subject_catalog::SubjectCatalog;
use contest_discover::hints::Hints;
use contest_discover::rustdoc_json::{AS_RUSTDOC, run_as_rustdoc};
use contest_discover::{DiscoverOptions, discover};
use places::places;

/// What can be tested of one package, or of all.
#[derive(Default)]
struct Counts {
    types: usize,
    all_types: usize,
    operations: usize,
    all_operations: usize,
}

fn main() -> ExitCode {
    if std::env::var_os(AS_RUSTDOC).is_some() {
        return run_as_rustdoc(std::env::args_os().skip(1));
    }
    let mut manifest_path: Option<PathBuf> = None;
    let mut names = Vec::new();
    let (mut lost, mut idioms) = (false, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--manifest-path" => manifest_path = arguments.next().map(Into::into),
            "--lost" => lost = true,
            "--idioms" => idioms = true,
            _ => names.push(argument),
        }
    }
    if names.is_empty() {
        names = crates::names();
    }
    let manifest_path = manifest_path.unwrap_or_else(written);
    if idioms {
        return by_idioms(&names, &manifest_path);
    }
    let mut total = Counts::default();
    println!("| package | types | of | operations | of | left out |");
    println!("|---|---|---|---|---|---|");
    for name in &names {
        let selection = Selection {
            manifest_path: Some(manifest_path.clone()),
            package: Some(crates::newest(&manifest_path, name)),
            ..Selection::default()
        };
        match catalog(&selection, true) {
            Ok(catalog) => {
                total.add(&row(name, &catalog));
                let items = catalog.skipped.iter().filter(|it| lost && !stands(&it.why));
                items.for_each(|it| println!("  {}: {}", it.item, it.why));
            }
            Err(error) => println!("| {name} | {error} |"),
        }
    }
    println!(
        "| all | {} | {} | {} | {} | |",
        total.types, total.all_types, total.operations, total.all_operations
    );
    println!(
        "{} % of types, {} % of operations",
        share(total.types, total.all_types),
        share(total.operations, total.all_operations)
    );
    ExitCode::SUCCESS
}

/// The manifest of a package that depends on all that can be named.
fn written() -> PathBuf {
    let (_, folder) = places("reach");
    crates::package(&folder).expect("the target directory can be written")
}

/// What the package's own code adds.
fn by_idioms(names: &[String], manifest_path: &Path) -> ExitCode {
    let mut added = [0, 0];
    for name in names {
        let selection = Selection {
            manifest_path: Some(manifest_path.to_owned()),
            package: Some(crates::newest(manifest_path, name)),
            ..Selection::default()
        };
        let both =
            catalog(&selection, true).and_then(|with| Ok((with, catalog(&selection, false)?)));
        let (with, without) = match both {
            Ok((with, without)) => (tested(&with), tested(&without)),
            Err(error) => {
                println!("{name}: {error}");
                continue;
            }
        };
        for kind in [0, 1] {
            for new in with[kind].difference(&without[kind]) {
                println!("{name}: {new}");
                added[kind] += 1;
            }
        }
    }
    println!("{} types and {} operations more", added[0], added[1]);
    ExitCode::SUCCESS
}

/// Types and operations that tests use.
fn tested(catalog: &SubjectCatalog) -> [BTreeSet<String>; 2] {
    let types = catalog.subjects.iter().map(|it| it.path.clone());
    let operations = catalog.subjects.iter().flat_map(|subject| {
        let names = subject.operations.iter().map(|it| &it.name);
        names.map(|name| format!("{}::{name}", subject.path))
    });
    [types.collect(), operations.collect()]
}

fn catalog(
    selection: &Selection,
    idioms: bool,
) -> Result<SubjectCatalog, Box<dyn std::error::Error>> {
    let package = select(selection)?;
    let options = DiscoverOptions {
        features: selection.features.clone(),
        cargo_arguments: Vec::new(),
        hints: Hints::default(),
        behind_lock: false,
        idioms,
        tool: None,
    };
    Ok(discover(&package, &options)?)
}

fn row(name: &str, catalog: &SubjectCatalog) -> Counts {
    let mut types = BTreeSet::new();
    // A method counts once, however many subjects its type is a part of.
    let mut operations = BTreeSet::new();
    let mut left_out = BTreeSet::new();
    for subject in &catalog.subjects {
        let ends = subject.ends();
        let paths = if ends.is_empty() {
            vec![subject.path.clone()]
        } else {
            ends
        };
        let owner = |number: usize| {
            let path = paths.get(number).unwrap_or(&paths[0]);
            path.split('<').next().unwrap_or(path).to_owned()
        };
        types.extend((0..paths.len()).map(owner));
        for it in &subject.operations {
            let number = match it.taken {
                contest_catalog::subject_catalog::Taken::End(of) => usize::from(of.end),
                _ => 0,
            };
            let method = it.name.rsplit("::").next().unwrap_or(&it.name);
            // Chains and drops are no methods of their own.
            if !method.contains("()") && method != "drop" {
                operations.insert((owner(number), method.to_owned()));
            }
        }
        for it in subject.left_out.iter().filter(|it| !stands(&it.why)) {
            let end = it.item.split("::").next().unwrap_or_default();
            let number = paths.iter().position(|path| path.ends_with(end));
            let method = it.item.rsplit("::").next().unwrap_or(&it.item);
            if !method.contains("()") {
                left_out.insert((owner(number.unwrap_or(0)), method.to_owned()));
            }
        }
    }
    let left_out = left_out.difference(&operations).count();
    let skipped = catalog
        .skipped
        .iter()
        .filter(|it| !stands(&it.why) && !types.contains(&it.item));
    let returned = catalog.skipped.iter().filter(|it| it.why == RETURNED);
    let reached = types.len() + returned.filter(|it| !types.contains(&it.item)).count();
    let counts = Counts {
        types: reached,
        all_types: reached + skipped.count(),
        operations: operations.len(),
        all_operations: operations.len() + left_out,
    };
    let reasons: Vec<String> = reasons(catalog)
        .iter()
        .filter(|it| !it.stands())
        .map(|it: &Reason| format!("{} {}", it.items.len(), it.why))
        .collect();
    println!(
        "| {name} | {} | {} | {} | {} | {} |",
        counts.types,
        counts.all_types,
        counts.operations,
        counts.all_operations,
        reasons.join("; ")
    );
    counts
}

fn share(part: usize, all: usize) -> usize {
    (100 * part).checked_div(all).unwrap_or(100)
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.types += other.types;
        self.all_types += other.all_types;
        self.operations += other.operations;
        self.all_operations += other.all_operations;
    }
}
