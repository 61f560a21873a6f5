//! The own tests of well-known packages, plainly and under the scheduler, after `cargo build -p cargo-contest`:
//! `cargo run -p cargo-contest --example package_tests -- [--list | --budget 20s] [NAME…]`.
//!
//! Prints a row for each package as soon as it is there, and below the table each test that fails here and passes
//! plainly. With `--list`, tests are built and not run: the names of those that are there plainly and here, of packages
//! of all kinds. Packages, build output and what both said are in `target/package-tests/`.

#![allow(clippy::print_stdout, reason = "it is what this program is for")]

mod list;
mod names;
mod ours;
mod plain;
mod row;
mod scratch;

use std::error::Error;
use std::path::Path;

use names::Names;
use ours::Ours;
use plain::Plain;
use row::{Row, Sums};
use scratch::Scratch;

fn main() -> Result<(), Box<dyn Error>> {
    let mut budget = "20s".to_owned();
    let mut list_only = false;
    let mut names = Vec::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        if word == "--budget" {
            budget = words.next().ok_or("--budget without a time")?;
        } else if word == "--list" {
            list_only = true;
        } else {
            names.push(word);
        }
    }
    let own = std::env::current_exe()?;
    let mut folders = own.ancestors().skip(2);
    let built = folders.next().ok_or("no folder above the examples")?;
    let tool = built.join("cargo-contest");
    let root = folders.next().ok_or("no target folder")?;
    let root = root.join("package-tests");
    if list_only {
        println!("{}", names::HEADING);
        for (name, features) in list::named(list::OF_ALL_KINDS, &names) {
            let scratch = Scratch::new(&root, name, features)?;
            println!("{}", Names::compare(&tool, &scratch)?);
        }
        return Ok(());
    }
    println!("{}", row::HEADING);
    let mut sums = Sums::default();
    for (name, features) in list::named(list::CONCURRENT, &names) {
        let row = run(&tool, &Scratch::new(&root, name, features)?, &budget)?;
        println!("{row}");
        sums.add(&row);
    }
    println!("{sums}");
    Ok(())
}

/// Here first: `cargo contest` makes the copy of the package in which plain tests are run.
fn run(tool: &Path, scratch: &Scratch, budget: &str) -> Result<Row, Box<dyn Error>> {
    let ours = Ours::run(tool, scratch, budget)?;
    let plain = match scratch.copy()? {
        Some(copy) => Plain::run(&copy, scratch)?,
        None => Plain::default(),
    };
    Ok(Row::new(scratch.name, ours, plain))
}
