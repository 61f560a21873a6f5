//! The data set of concurrency bugs in `benchmark`: what is in it, the score of the tool by itself, and the arbiter.
//!
//! Usage, after `cargo build -p cargo-contest`: `cargo run -p cargo-contest --example benchmark -- COMMAND`. The data
//! set's README describes the commands.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

#[path = "../corpus/entries.rs"]
#[allow(dead_code, reason = "lock files are named in the records")]
mod entries;
mod judge;
mod package;
#[path = "../shared/places.rs"]
mod places;
mod record;
mod run;
mod score;
mod sources;

use std::path::Path;
use std::process::ExitCode;

use judge::Judgement;
use package::Place;
use record::Record;

const USAGE: &str = "usage: benchmark COMMAND, one of
  list [ID|CATEGORY…]                    the records
  check                                  whether the records are what their sources say
  write                                  the records anew, from their sources
  score [ID|CATEGORY…] [--budget 60s] [--test-budget 1s]    what the tool finds by itself
  judge ID test FILE [--with LINE…]      whether a test shows the bug; a further dependency for each LINE
  judge ID fix PATH [--budget 60s]       whether a fix removes it: a file, or the folder of a crate";

fn main() -> ExitCode {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let budget = options(&mut words, "--budget").pop();
    let budget = budget.unwrap_or_else(|| "60s".to_owned());
    let of_test = options(&mut words, "--test-budget").pop();
    let of_test = of_test.unwrap_or_else(|| "1s".to_owned());
    let with = options(&mut words, "--with").join("\n");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["list", names @ ..] => with_records(names, |records| {
            for record in records {
                println!("{}: {} ({})", record.id, record.scenario, record.source);
            }
        }),
        ["score", names @ ..] => with_records(names, |records| {
            score::score(&Place::new(), records, [&budget, &of_test])
        }),
        ["check"] => check(),
        ["write"] => write(),
        ["judge", id, "test", file] => judge(id, |place, record| {
            judge::test(place, record, &absolute(file), &with)
        }),
        ["judge", id, "fix", path] => judge(id, |place, record| {
            judge::fix(place, record, &absolute(path), &budget)
        }),
        _ => Err(USAGE.to_owned()),
    };
    done.unwrap_or_else(|why| {
        eprintln!("{why}");
        ExitCode::from(2)
    })
}

/// The values of an option, which are taken out.
fn options(words: &mut Vec<String>, name: &str) -> Vec<String> {
    let mut values = Vec::new();
    while let Some(at) = words.iter().position(|it| it == name) {
        let mut taken = words.drain(at..words.len().min(at + 2));
        values.extend(taken.nth(1));
    }
    values
}

/// Packages are written elsewhere.
fn absolute(path: &str) -> std::path::PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| Path::new(path).to_path_buf())
}

fn with_records(names: &[&str], then: impl FnOnce(&[&Record])) -> Result<ExitCode, String> {
    let records = record::read()?;
    let is_named = |it: &&Record| {
        names
            .iter()
            .any(|name| it.id == *name || it.category() == *name)
    };
    let unknown = |name: &&&str| {
        !records
            .iter()
            .any(|it| it.id == **name || it.category() == **name)
    };
    if let Some(name) = names.iter().find(unknown) {
        return Err(format!("no record and no category is called `{name}`"));
    }
    let named: Vec<&Record> = records
        .iter()
        .filter(|it| names.is_empty() || is_named(it))
        .collect();
    then(&named);
    Ok(ExitCode::SUCCESS)
}

fn check() -> Result<ExitCode, String> {
    let made = sources::records().map_err(|error| error.to_string())?;
    let kept = record::read()?;
    let differs = made.iter().find(|it| !kept.contains(it));
    let differs = differs.or(kept.iter().find(|it| !made.contains(it)));
    match differs {
        Some(record) => Err(format!(
            "the record {} is not what its source says: make the records anew with the command `write`",
            record.id
        )),
        None => {
            println!("{} records", kept.len());
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn write() -> Result<ExitCode, String> {
    let records = sources::records().map_err(|error| error.to_string())?;
    record::write(&records).map_err(|error| error.to_string())?;
    println!("{} records", records.len());
    Ok(ExitCode::SUCCESS)
}

/// Prints the judgement as a line of JSON.
fn judge(id: &str, judge: impl Fn(&Place, &Record) -> Judgement) -> Result<ExitCode, String> {
    let records = record::read()?;
    let Some(record) = records.iter().find(|it| it.id == id) else {
        return Err(format!("no record is called `{id}`"));
    };
    let (word, why, status) = match judge(&Place::new(), record) {
        Judgement::Accepted(why) => ("accepted", why, 0),
        Judgement::Refused(why) => ("refused", why, 1),
        Judgement::Undecided(why) => ("undecided", why, 3),
    };
    println!(
        "{}",
        serde_json::json!({ "id": id, "judgement": word, "why": why })
    );
    Ok(ExitCode::from(status))
}
