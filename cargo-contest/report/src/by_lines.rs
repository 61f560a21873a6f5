//! An interleaving by lines of the package: in tests with a runtime, most steps are the runtime's own.

use contest_data::finding::InterleavingStep;

use super::folded::{dependency, is_delay, is_panic};
use super::source_files::{Owner, Place, SourceFiles};

/// Longest text of a row, in characters.
const LONGEST: usize = 56;

/// One row each time that a thread comes to a line of the package, with its text if what it does there is done by
/// dependencies; `None` if there are not two such rows. What runs without a line of the package, as the runtime by
/// itself, is not shown, and neither is the line at which an attribute of the test started it.
pub(super) fn by_lines(
    steps: &[InterleavingStep],
    sources: &SourceFiles,
) -> Option<Vec<InterleavingStep>> {
    let lines: Vec<Option<&str>> = steps.iter().map(|it| line_of(it, sources)).collect();
    let entry = entry_of(steps, &lines);
    let mut out: Vec<InterleavingStep> = Vec::new();
    // The last line of a dependency's row, by thread.
    let mut last: Option<(u16, &str)> = None;
    for (step, line) in steps.iter().zip(&lines) {
        let ends = step.result.is_some() || is_panic(step) || is_delay(step);
        let is_foreign = dependency(step).is_some();
        let at_entry = line.is_some_and(|it| Some(line_only(it)) == entry);
        if !is_foreign || ends {
            if (line.is_some() && !(out.is_empty() && at_entry)) || ends {
                let mut own = step.clone();
                own.location = line.map_or_else(|| own.location.clone(), str::to_owned);
                out.push(own);
                last = None;
            }
            continue;
        }
        let Some(line) = line.filter(|_| !at_entry) else {
            continue;
        };
        if last == Some((step.thread, line_only(line))) {
            continue;
        }
        let text = sources.line(line).map(|(_, text)| cut(text.trim()));
        // The end of a block says nothing.
        if text
            .as_ref()
            .is_some_and(|it| !it.contains(char::is_alphanumeric))
        {
            continue;
        }
        out.push(InterleavingStep {
            thread: step.thread,
            call: step.call,
            event: text.unwrap_or_else(|| step.event.clone()),
            location: line.to_owned(),
            ..InterleavingStep::default()
        });
        last = Some((step.thread, line_only(line)));
    }
    (out.len() > 1).then_some(out)
}

/// The place in the package from which a step was made.
fn line_of<'s>(step: &'s InterleavingStep, sources: &SourceFiles) -> Option<&'s str> {
    let is_own = |place: &&str| !place.is_empty() && sources.owner(place) == Owner::Package;
    let own = Some(step.location.as_str()).filter(|_| dependency(step).is_none());
    own.filter(is_own)
        .or_else(|| step.caller.as_deref().filter(is_own))
}

/// Without the column.
fn line_only(place: &str) -> &str {
    match place.rsplit_once(':') {
        Some((line, _)) if Place::parse(line).is_some() => line,
        _ => place,
    }
}

/// The line at which an attribute of the test starts its runtime: it is the first one, and all others of that thread in
/// the same file stand before it, but for the end of the function.
fn entry_of<'s>(steps: &[InterleavingStep], lines: &[Option<&'s str>]) -> Option<&'s str> {
    let mut of_main = (steps.iter().zip(lines))
        .filter(|(step, _)| step.thread == 0)
        .filter_map(|(_, line)| Some((line_only((*line)?), Place::parse((*line)?)?)));
    let (first, place) = of_main.next()?;
    let others = of_main.filter(|(_, other)| other.file == place.file);
    let others: Vec<u32> = others.map(|(_, other)| other.line).collect();
    let is_last = others.iter().all(|line| *line <= place.line + 1);
    (is_last && others.iter().any(|line| *line < place.line)).then_some(first)
}

/// The beginning of a long line.
fn cut(text: &str) -> String {
    match text.chars().count() > LONGEST {
        true => text.chars().take(LONGEST - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A step in a dependency, called from this line of the test.
    fn inner(thread: u16, line: u32) -> InterleavingStep {
        InterleavingStep {
            thread,
            event: "atomic#1.load() -> 1".to_owned(),
            location: "tokio-1.44.2/src/runtime/park.rs:1:1".to_owned(),
            caller: (line > 0).then(|| format!("tests/it.rs:{line}:5")),
            ..InterleavingStep::default()
        }
    }

    #[test]
    fn steps_of_dependencies_are_one_row_with_the_line_that_called_them() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("tests")).unwrap();
        let text = "#[tokio::test]\nasync fn it() {\n    sender.send(1);\n    }\n    receiver.recv().await;\n}\n";
        fs::write(folder.path().join("tests/it.rs"), text).unwrap();
        let sources = SourceFiles::new(&[folder.path()], None);
        let own = InterleavingStep {
            thread: 1,
            event: "panics: no".to_owned(),
            location: "tests/it.rs:3:1".to_owned(),
            ..InterleavingStep::default()
        };
        let late = InterleavingStep {
            event: "is held up for 20 ms".to_owned(),
            ..inner(1, 0)
        };
        let steps = [
            inner(0, 5), // the runtime is started at the end of the test
            inner(0, 3),
            inner(0, 3),
            inner(1, 0),
            inner(0, 3),
            inner(1, 5), // the last line, again
            inner(0, 4),
            late,
            own,
        ];
        let rows = by_lines(&steps, &sources).unwrap();
        let shown: Vec<(u16, &str, &str)> = rows
            .iter()
            .map(|it| (it.thread, it.event.as_str(), it.location.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                (0, "sender.send(1);", "tests/it.rs:3:5"),
                (
                    1,
                    "is held up for 20 ms",
                    "tokio-1.44.2/src/runtime/park.rs:1:1"
                ),
                (1, "panics: no", "tests/it.rs:3:1"),
            ]
        );
        assert_eq!(by_lines(&[inner(0, 0), inner(1, 0)], &sources), None);
    }
}
