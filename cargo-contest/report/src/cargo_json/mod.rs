//! Findings as cargo prints what the compiler says (`cargo check --message-format=json`), for editors and for tools
//! that read that: a `compiler-message` for each finding, `build-finished` at the end. The shapes are those of
//! "External tools" in the book of cargo and of "JSON output" in the book of rustc.

use std::path::{Path, PathBuf};

use anstream::adapter::strip_str;
use contest_data::finding::{Finding, InterleavingStep, StepEffect};
use serde_json::{Value, json};

use super::own_place::{OwnPlace, first_own_place};
use super::source_files::{SourceFile, SourceFiles};
use super::visible::{finding_as_seen, visible};
use super::{figures, human};
use crate::explain;
use contest_build::workspace::selection::Package;

mod span;

/// Width of the rendered text.
const WIDTH: usize = 120;
/// Most steps that a message has as children.
const MOST_STEPS: usize = 16;
/// Most details that it has.
const MOST_DETAILS: usize = 8;
/// Most characters of a text that an editor shows.
const MOST_TEXT: usize = 2_000;

/// What cargo says of the package of a message.
#[derive(Clone, Debug, Default)]
pub(super) struct CargoPackage {
    id: String,
    manifest: PathBuf,
    target: Value,
    library_source: PathBuf,
    workspace_root: PathBuf,
}

impl CargoPackage {
    /// Its library, or the binary that stands for that.
    pub(super) fn of(package: &Package) -> Self {
        let (kind, name) = match &package.binary {
            Some(binary) => ("bin", binary.name.as_str()),
            None => ("lib", package.library.as_str()),
        };
        // Of a binary, the package is a copy.
        let copied = package.internal.as_ref().filter(|_| kind == "bin");
        let source = copied.map_or(&package.library_source, |it| &it.root);
        let id = copied.map_or_else(
            || package.id.clone(),
            |it| {
                let (name, version) = (&package.name, &package.version);
                format!("path+file://{}#{name}@{version}", it.directory.display())
            },
        );
        let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        Self {
            id,
            manifest: package.manifest_path.clone(),
            target: json!({
                "kind": [kind],
                "crate_types": [kind],
                "name": name,
                "src_path": source.to_string_lossy(),
                "edition": package.edition,
                "doc": true,
                "doctest": kind == "lib",
                "test": true,
            }),
            library_source: canonical(source),
            workspace_root: canonical(&package.workspace_root),
        }
    }

    /// True for a file of the workspace, or of the package if that is elsewhere.
    fn is_own(&self, file: &SourceFile) -> bool {
        let package = self.manifest.parent().and_then(|it| it.canonicalize().ok());
        file.path.starts_with(&self.workspace_root)
            || package.is_some_and(|it| file.path.starts_with(it))
    }

    /// A path as the compiler has it: relative to the root of the workspace, if it is below that.
    fn relative<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.workspace_root).unwrap_or(path)
    }

    /// Where a finding is shown of which no line is known.
    fn root_place(&self) -> Option<OwnPlace> {
        let text = std::fs::read_to_string(&self.library_source).ok()?;
        let path = self.library_source.clone();
        Some(OwnPlace {
            file: SourceFile { path, text }.into(),
            line: 1,
            column: 1,
        })
    }
}

/// A finding as a message of the compiler; `replay` is the command that replays it, without the token.
pub(super) fn message(
    package: &CargoPackage,
    finding: &Finding,
    emitted: Option<&str>,
    known: Option<&str>,
    replay: &str,
    sources: &SourceFiles,
) -> Message {
    let is_own = |file: &SourceFile| package.is_own(file);
    let own = |location: &str| OwnPlace::of(location, sources, is_own);
    let first = first_own_place(finding, sources, is_own);
    let known_place = first.is_some();
    let first = first.or_else(|| package.root_place());
    let rendered = human::brief(finding, emitted, replay, WIDTH, true, sources);
    let finding = &*finding_as_seen(finding);
    let mut steps = steps(finding, own);
    let there = first.as_ref().and_then(|it| last_at(it, &steps));
    let label = there.map(|at| bounded(&step_text(finding, steps.remove(at).0)));
    end_first(&mut steps);

    let mut children = Vec::new();
    if !known_place {
        children.push(child(
            "note",
            "no line of the package is known for this",
            None,
        ));
    }
    if let Some(known) = known {
        children.push(child("note", &format!("known: {known}"), None));
    }
    children.push(child("note", &calls(finding), None));
    for detail in finding.details.iter().take(MOST_DETAILS) {
        children.push(child("note", detail, None));
    }
    if let Some(left) = finding.details.len().checked_sub(MOST_DETAILS + 1) {
        let more = figures::counted(left as u64 + 1, "more line");
        children.push(child("note", &format!("{more}; a replay shows all"), None));
    }
    let shown = steps.iter().take(MOST_STEPS);
    children.extend(shown.map(|(step, place)| {
        let span = span::of(place, package.relative(&place.file.path), None);
        child("note", &step_text(finding, step), Some(span))
    }));
    if let Some(left) = steps.len().checked_sub(MOST_STEPS + 1) {
        let more = figures::counted(left as u64 + 1, "more step");
        children.push(child("note", &format!("{more}; a replay shows all"), None));
    }
    let again = emitted.unwrap_or(&finding.schedule);
    if !again.is_empty() {
        let text = format!("`{replay} {again}` runs this interleaving again, step by step");
        children.push(child("help", &text, None));
    }

    let span = first.as_ref().map(|place| {
        let file = package.relative(&place.file.path);
        span::of(place, file, label.as_deref())
    });
    let explanation = explain::of(finding.kind).map(|it| it.meaning);
    let name = finding.kind.name();
    let line = json!({
        "reason": "compiler-message",
        "package_id": package.id,
        "manifest_path": package.manifest.to_string_lossy(),
        "target": package.target,
        "message": {
            "$message_type": "diagnostic",
            "message": bounded(&finding.message),
            "code": {"code": format!("contest::{name}"), "explanation": explanation},
            "level": finding.level.name(),
            "spans": span.into_iter().collect::<Vec<_>>(),
            "children": children,
            "rendered": strip_str(&rendered).to_string(),
        },
    });
    let at = first.map_or_else(String::new, |it| {
        format!("{}:{}", it.file.path.display(), it.line)
    });
    Message {
        line: line.to_string(),
        shown_at: format!("{name} {at} {}", finding.own_test.as_deref().unwrap_or("")),
    }
}

/// A message, and what it is recognised by: an editor shows what is found at one line once.
pub(super) struct Message {
    pub(super) line: String,
    pub(super) shown_at: String,
}

/// The end of all messages.
pub(super) fn build_finished(success: bool) -> String {
    json!({"reason": "build-finished", "success": success}).to_string()
}

/// Without characters that act, and of a bounded length.
fn bounded(text: &str) -> String {
    let text = visible(text);
    match text.char_indices().nth(MOST_TEXT) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.into_owned(),
    }
}

fn child(level: &str, text: &str, span: Option<Value>) -> Value {
    json!({
        "message": bounded(text),
        "code": null,
        "level": level,
        "spans": span.into_iter().collect::<Vec<_>>(),
        "children": [],
        "rendered": null,
    })
}

/// The steps that say how it came to this, each with its line: those that fault, wait, take locks or wake others, or
/// all where no step says what it does.
fn steps(
    finding: &Finding,
    own: impl Fn(&str) -> Option<OwnPlace>,
) -> Vec<(&InterleavingStep, OwnPlace)> {
    let tells = |step: &InterleavingStep| {
        (step.facts.as_ref()).is_none_or(|it| it.effect != StepEffect::Other)
    };
    let steps = finding.interleaving.iter().filter(|it| tells(it));
    let places = steps.filter_map(|step| {
        let caller = step.caller.as_deref().and_then(&own);
        Some((step, own(&step.location).or(caller)?))
    });
    places.collect()
}

/// Of a long interleaving, the ends of the threads and what came right before them come first.
fn end_first(steps: &mut [(&InterleavingStep, OwnPlace)]) {
    let is_end = |step: &InterleavingStep| {
        let effect = step.facts.as_ref().map(|it| it.effect);
        matches!(effect, Some(StepEffect::Faults | StepEffect::Blocked))
    };
    let last = steps.iter().rposition(|(step, _)| is_end(step));
    let end = last.map_or(steps.len(), |it| it + 1);
    steps.rotate_left(end.saturating_sub(MOST_STEPS));
}

/// Which step is the last one at a place.
fn last_at(first: &OwnPlace, steps: &[(&InterleavingStep, OwnPlace)]) -> Option<usize> {
    let is_there =
        |place: &OwnPlace| place.line == first.line && place.file.path == first.file.path;
    steps.iter().rposition(|(_, place)| is_there(place))
}

/// `thread 2, in a.audit(): lock Mutex#1, <hung>`
fn step_text(finding: &Finding, step: &InterleavingStep) -> String {
    let mut text = match finding.thread_names.get(usize::from(step.thread)) {
        Some(name) => name.clone(),
        None if step.thread == 0 => "main thread".to_owned(),
        None => format!("thread {}", step.thread),
    };
    let calls = usize::from(step.thread).checked_sub(1);
    let calls = calls.and_then(|lane| finding.threads.get(lane));
    if let Some(call) = calls.and_then(|it| it.get(usize::from(step.call?))) {
        text += &format!(", in {call}");
    }
    text += &format!(": {}", step.event);
    if let Some(result) = &step.result {
        text += &format!(", {result}");
    }
    text
}

/// The test, in words.
fn calls(finding: &Finding) -> String {
    if let Some(test) = &finding.own_test {
        return format!("in the test {test}");
    }
    let mut text = format!("in {}", finding.subject);
    for line in &finding.prefix {
        text += &format!("\n{line}");
    }
    for (number, calls) in (1..).zip(&finding.threads) {
        text += &format!("\nthread {number}: {}", calls.join("; "));
    }
    text
}

#[cfg(test)]
mod tests;
