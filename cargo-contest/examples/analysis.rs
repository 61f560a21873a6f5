//! Analyses packages of one graph and prints time and how many summaries are exact:
//! `cargo run --release -p cargo-contest --example analysis -- [--reasons] [--type PATH] DIRECTORY [PACKAGE…]`.
//!
//! Needs `cargo-contest` itself, built in the same profile: it is the compiler's wrapper.

use std::path::Path;

use contest_analyse::{SourcePackage, analyse};
use contest_build::workspace::cargo_metadata::select;
use contest_build::workspace::selection::{FeatureSelection, Selection};
use contest_catalog::dependency_graph::DependencyGraph;

fn main() {
    let mut reasons = false;
    let mut shown = None;
    let mut names = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--reasons" => reasons = true,
            "--type" => shown = arguments.next(),
            name => names.push(name.to_string()),
        }
    }
    let Some((directory, packages)) = names.split_first() else {
        return;
    };
    let packages: Vec<Option<&str>> = match packages {
        [] => vec![None],
        some => some.iter().map(|it| Some(it.as_str())).collect(),
    };
    println!("| crate | files | lines | ms | functions | exact | left out |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for name in packages {
        let best = match package(Path::new(directory), name)
            .and_then(|package| analyse(&package).map_err(|error| error.to_string()))
        {
            Ok(analysis) => analysis,
            Err(why) => {
                println!("| {} | {why} |", name.unwrap_or_default());
                continue;
            }
        };
        let (exact, all) = best.exact_share();
        println!(
            "| {} | {} | {} | {:.0} | {all} | {exact} ({} %) | {} |",
            name.unwrap_or_default(),
            best.files,
            best.lines,
            best.elapsed.as_secs_f64() * 1e3,
            exact * 100 / all.max(1),
            best.skipped.len(),
        );
        if reasons {
            for (why, count) in best.reasons().iter().take(25) {
                println!("  {count:5} {why}");
            }
            for it in best.skipped.iter().take(25) {
                println!("  left out {}: {}", it.item, it.why);
            }
        }
        if let Some(path) = &shown {
            let graph = DependencyGraph::new(path.clone(), best.methods(path));
            for it in &graph.methods {
                println!(
                    "\n{} {} {}",
                    it.operation,
                    it.declared,
                    if it.shared { "" } else { "(exclusive)" }
                );
                for access in &it.accesses {
                    println!("    {access}  {}", access.at);
                }
                for lock in &it.locks {
                    println!("    held at every access: {lock}");
                }
                for pair in &it.lock_pairs {
                    println!("    {pair}  {}", pair.at);
                }
                for inexact in &it.inexact {
                    println!("    inexact: {}  {}", inexact.why, inexact.at);
                }
            }
        }
    }
}

/// A package of the graph of a directory; the one that is there without a name.
fn package(directory: &Path, name: Option<&str>) -> Result<SourcePackage, String> {
    let package = select(&Selection {
        manifest_path: Some(directory.join("Cargo.toml")),
        package: name.map(str::to_string),
        ..Selection::default()
    });
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let profile = own.parent().and_then(Path::parent);
    Ok(SourcePackage {
        package: package.map_err(|error| error.to_string())?,
        features: FeatureSelection::default(),
        cargo_arguments: Vec::new(),
        tool: profile.unwrap_or(Path::new("")).join("cargo-contest"),
    })
}
