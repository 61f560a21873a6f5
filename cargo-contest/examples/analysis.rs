//! Analyses crates and prints lines, time and how many summaries are exact:
//! `cargo run --release -p cargo-contest --example analysis -- [--reasons] [--type PATH] DIRECTORY…`.

use std::path::{Path, PathBuf};

use cargo_contest::analyse::dependency_graph::DependencyGraph;
use cargo_contest::analyse::{SourcePackage, analyse};

fn main() {
    let mut reasons = false;
    let mut shown = None;
    let mut directories = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--reasons" => reasons = true,
            "--type" => shown = arguments.next(),
            directory => directories.push(PathBuf::from(directory)),
        }
    }
    println!("| crate | files | lines | ms | functions | exact | left out |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for directory in &directories {
        let package = package(directory);
        // The best of three: the first reads files from the disk.
        let mut best = analyse(&package);
        for _ in 0..2 {
            let again = analyse(&package);
            if again.elapsed < best.elapsed {
                best = again;
            }
        }
        let (exact, all) = best.exact_share();
        let name = directory
            .file_name()
            .map(|it| it.to_string_lossy().into_owned());
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

/// All features that need nothing else; the edition as the manifest says.
fn package(directory: &Path) -> SourcePackage {
    let manifest = std::fs::read_to_string(directory.join("Cargo.toml")).unwrap_or_default();
    let table: toml::Table = manifest.parse().unwrap_or_default();
    let edition = table
        .get("package")
        .and_then(|it| it.get("edition"))
        .and_then(|it| it.as_str())
        .unwrap_or("2015");
    let features = table
        .get("features")
        .and_then(|it| it.as_table())
        .map(|it| it.keys().cloned().collect())
        .unwrap_or_default();
    let root = table
        .get("lib")
        .and_then(|it| it.get("path"))
        .and_then(|it| it.as_str())
        .unwrap_or("src/lib.rs");
    SourcePackage {
        directory: directory.to_path_buf(),
        root: directory.join(root),
        edition: edition.to_string(),
        features,
    }
}
