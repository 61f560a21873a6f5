//! The arbiter: whether a proposed test shows a bug, and whether a proposed fix removes it.

use std::fs;
use std::path::Path;

use crate::package::{Place, name_of};
use crate::record::{Record, Side, root};
use crate::run::{Verdict, run};

/// What is said of a proposal, with the reason.
pub(crate) enum Judgement {
    Accepted(String),
    Refused(String),
    /// It could not be tried.
    Undecided(String),
}

use Judgement::{Accepted, Refused, Undecided};

/// Whether a test fails with the bug and passes without. `with` are further dependencies, as lines of a manifest.
pub(crate) fn test(place: &Place, record: &Record, file: &Path, with: &str) -> Judgement {
    if record.buggy.test.is_some() {
        return Undecided("the bug is in the test itself: propose a fix".to_owned());
    }
    let on = |suffix: &str, side: &Side| {
        let label = format!("{}-{suffix}", record.id);
        let side = as_dependency(side)?;
        let replaced = Some(("tests/proposed.rs", file));
        let folder = place.package(&label, &side, replaced, with);
        let folder = folder.map_err(|error| error.to_string())?;
        let arguments = ["contest", "test", "--test", "proposed"];
        run(place, &folder, &arguments)?.failing()
    };
    let (buggy, fixed) = match (on("bug", &record.buggy), on("fix", &record.fixed)) {
        (Ok(buggy), Ok(fixed)) => (buggy, fixed),
        (Err(why), _) => return Undecided(format!("with the bug: {why}")),
        (_, Err(why)) => return Undecided(format!("without the bug: {why}")),
    };
    match (buggy.first(), fixed.first()) {
        (None, _) => Refused("it passes with the bug".to_owned()),
        (_, Some(why)) => Refused(format!("it fails without the bug: {why}")),
        (Some(why), None) => Accepted(format!("only with the bug it fails: {why}")),
    }
}

/// Whether the bug shows no more. `path` is the file to be changed, or the package of the crate that has the bug.
pub(crate) fn fix(place: &Place, record: &Record, path: &Path, budget: &str) -> Judgement {
    let side = &record.buggy;
    let patched;
    let (replaced, further) = match &record.file {
        Some(file) => (Some((file.as_str(), path)), ""),
        None => {
            let name = side.dependencies[0].split(' ').next().unwrap_or_default();
            patched = format!("[patch.crates-io]\n{name} = {{ path = {path:?} }}\n");
            (None, patched.as_str())
        }
    };
    let label = format!("{}-bug", record.id);
    let folder = match place.package(&label, side, replaced, further) {
        Ok(folder) => folder,
        Err(error) => return Undecided(error.to_string()),
    };
    let mut arguments = side.arguments();
    match &side.test {
        Some(test) if side.names_test() => arguments.push(test),
        Some(_) => {}
        None => arguments.extend(["--budget", budget, "--no-emit"]),
    }
    let outcome = match run(place, &folder, &arguments) {
        Ok(outcome) => outcome,
        Err(why) => return Undecided(why),
    };
    match outcome.verdict(record, side) {
        Verdict::Shown(kinds) => Refused(format!("the bug is there: {kinds}")),
        Verdict::Other(kinds) => Refused(format!("the test fails: {kinds}")),
        Verdict::Undecided(why) => Undecided(why),
        Verdict::Clean => match &side.test {
            Some(test) if record.category() != "flaky" && outcome.threads(test) < 2 => {
                Refused(format!("`{test}` has one thread only"))
            }
            _ => Accepted("the bug shows no more".to_owned()),
        },
    }
}

/// What a proposed test depends on: a crate by its name, and a package of this repository as `subject`.
fn as_dependency(side: &Side) -> Result<Side, String> {
    let Some(path) = &side.path else {
        return Ok(side.clone());
    };
    let folder = root().join(path);
    if !folder.join("src/lib.rs").exists() {
        return Err(format!("{path} has no library that a test could use"));
    }
    let folder = folder.canonicalize().map_err(|error| error.to_string())?;
    let manifest = fs::read_to_string(folder.join("Cargo.toml"));
    let manifest = manifest.map_err(|error| error.to_string())?;
    let name = name_of(&manifest).ok_or("a manifest without a name")?;
    Ok(Side {
        dependencies: vec![format!(
            "subject = {{ package = {name:?}, path = {folder:?} }}"
        )],
        ..Side::default()
    })
}
